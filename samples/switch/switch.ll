; A table of operations: one entry is retired and traps, and so does everything outside the table.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.trap() noreturn nounwind

define ptx_kernel void @apply(ptr addrspace(1) %op, ptr addrspace(1) %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ult i32 %t, %n
  br i1 %in, label %work, label %done
work:
  %i = zext i32 %t to i64
  %po = getelementptr i32, ptr addrspace(1) %op, i64 %i
  %px = getelementptr i32, ptr addrspace(1) %x, i64 %i
  %o = load i32, ptr addrspace(1) %po
  %v = load i32, ptr addrspace(1) %px
  switch i32 %o, label %unknown [
    i32 0, label %op0
    i32 1, label %op1
    i32 2, label %op2
    i32 3, label %retired
    i32 4, label %op4
    i32 5, label %op5
  ]
op0:
  %v0 = add i32 %v, 17
  br label %store
op1:
  %v1 = mul i32 %v, %v
  br label %store
op2:
  %v2 = xor i32 %v, -1
  br label %store
op4:
  %v4 = shl i32 %v, 3
  br label %store
op5:
  %v5 = udiv i32 1000, %v
  br label %store
store:
  %r = phi i32 [ %v0, %op0 ], [ %v1, %op1 ], [ %v2, %op2 ], [ %v4, %op4 ], [ %v5, %op5 ]
  store i32 %r, ptr addrspace(1) %px
  br label %done
retired:
  store i32 0, ptr addrspace(1) %px
  call void @llvm.trap()
  unreachable
unknown:
  call void @llvm.trap()
  unreachable
done:
  ret void
}
