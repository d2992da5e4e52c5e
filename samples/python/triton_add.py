"""PTX of a Triton kernel, compiled for a GPU that need not be there."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import ptxscope


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    here = at < n
    tl.device_assert(n > 0, "n must be positive")
    tl.store(out + at, tl.load(x + at, here) + tl.load(y + at, here), here)


def compiled():
    signature = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    source = ASTSource(add, signature, constexprs={"BLOCK": 256})
    return triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"debug": True})


def main():
    kernel = compiled()  # or what a launch returned: kernel = add[grid](x, y, out, n, BLOCK=256)
    module = ptxscope.parse(kernel.asm["ptx"], name=kernel.metadata.name)
    print(module, module.header.target)
    for trap in ptxscope.explain_traps(module).traps:
        print(trap.kind, trap.message, [way.condition.text for way in trap.ways])


if __name__ == "__main__":
    main()
