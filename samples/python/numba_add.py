"""PTX of a Numba kernel, compiled for a GPU that need not be there."""

from numba import cuda, float32, int64, types

import ptxscope


def add(a, b, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = a[i] + b[i]


def compiled():
    array = float32[::1]
    text, result = cuda.compile_ptx(add, types.void(array, array, array, int64), cc=(8, 0))
    return text


def main():
    module = ptxscope.parse(compiled(), name="add")  # of a dispatcher: add.inspect_asm(signature)
    kernel = module.kernels[0]
    print(kernel.demangled or kernel.name)
    for instruction in kernel.instructions:
        if instruction.opcode.startswith(("ld.global", "st.global")):
            address = instruction.operands[0 if instruction.mnemonic == "st" else 1]
            print(instruction.opcode, instruction.value(address.base.name))


if __name__ == "__main__":
    main()
