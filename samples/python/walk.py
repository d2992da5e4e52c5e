"""The loads of a kernel with their addresses, and how its blocks hang together."""

import ptxscope

kernel = ptxscope.load("samples/vecadd/vecadd.ptx")["vecadd"]
print(kernel, [param.label for param in kernel.params])

for instruction in kernel.instructions:
    if instruction.mnemonic in ("ld", "st") and "global" in instruction.modifiers:
        address = next(one for one in instruction.operands if one.kind == "address")
        print(f"{instruction.line}: {instruction.text}  [{instruction.value(address.base.name)}]")

for block in kernel.blocks[:2]:
    for edge in block.successors:
        print(edge)
