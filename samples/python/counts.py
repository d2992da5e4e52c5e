"""Counts, needs and differences."""

import ptxscope

rust = ptxscope.load("samples/vecadd/vecadd.ptx")
cuda = ptxscope.load("samples/vecadd_cuda/vecadd.ptx")

totals = ptxscope.stats(rust).totals
print(totals.instructions, totals.registers.max_live, totals.memory)

check = ptxscope.check(rust, target="sm_120a", driver="570.86.10")
print(check.ok, check.requires.isa, [problem.message for problem in check.against.problems])

print(ptxscope.diff(rust, cuda).verdict)

newer, result = ptxscope.retarget(rust, target="sm_120a")
print(newer.header.version, [(change.from_, change.to) for change in result.changes])
