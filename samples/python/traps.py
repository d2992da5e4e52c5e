"""Which checks of a kernel can fail, and whether they do for a launch."""

import ptxscope

module = ptxscope.load("samples/vecadd/vecadd.ptx")
report = ptxscope.explain_traps(module, names=["a", "b", "c"], grid=4, block=256,
                                args={"a.len": 512, "b.len": 1024, "c.len": 1024})
for trap in report.traps:
    print(f"line {trap.line}, {trap.check} check at {trap.source.file}:{trap.source.line}: "
          f"fires when {trap.ways[0].condition.text}")
    if trap.given.fires:
        print(f"  {trap.given.threads} threads, first in block {trap.given.first.block}")
