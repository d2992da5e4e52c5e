; A dense switch: the table's default and two of its entries trap.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.trap() noreturn nounwind

define ptx_kernel void @dispatch(ptr addrspace(1) %out, i32 %op, i32 %a, i32 %b) {
entry:
  switch i32 %op, label %unknown [
    i32 2, label %plus
    i32 3, label %minus
    i32 4, label %times
    i32 5, label %retired
    i32 6, label %both
    i32 7, label %retired
    i32 8, label %either
    i32 9, label %divide
  ]
plus:
  %v0 = add i32 %a, %b
  br label %store
minus:
  %v1 = sub i32 %a, %b
  br label %store
times:
  %v2 = mul i32 %a, %b
  br label %store
both:
  %v3 = and i32 %a, %b
  br label %store
either:
  %v4 = or i32 %a, %b
  br label %store
divide:
  %zero = icmp eq i32 %b, 0
  br i1 %zero, label %by_zero, label %quotient
quotient:
  %v5 = udiv i32 %a, %b
  br label %store
by_zero:
  call void @llvm.trap()
  unreachable
retired:
  store i32 -1, ptr addrspace(1) %out
  call void @llvm.trap()
  unreachable
unknown:
  call void @llvm.trap()
  unreachable
store:
  %v = phi i32 [ %v0, %plus ], [ %v1, %minus ], [ %v2, %times ], [ %v3, %both ], [ %v4, %either ], [ %v5, %quotient ]
  store i32 %v, ptr addrspace(1) %out
  ret void
}
