; The shape of Triton's tl.device_assert and of its masked loads: a block-wide value reduced to one bit, then __assertfail
; with a file, a line and a function given as constants.
target triple = "nvptx64-nvidia-cuda"

@message = internal constant [28 x i8] c"offsets must be in the array"
@file = internal constant [14 x i8] c"kernels/add.py"
@function = internal constant [7 x i8] c"unknown"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier0()
declare void @__assertfail(ptr, ptr, i32, ptr, i64) noreturn

define ptx_kernel void @add_kernel(ptr addrspace(1) %x, ptr addrspace(1) %out, i32 %n, i32 %limit) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = shl i32 %block, 8
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t1 = shl i32 %t, 1
  %lane = and i32 %t1, 254
  %off = or i32 %base, %lane
  %off2 = or i32 %off, 1
  %ok1 = icmp slt i32 %off, %limit
  %ok2 = icmp slt i32 %off2, %limit
  %ok = and i1 %ok1, %ok2
  %bad = xor i1 %ok, true
  br i1 %bad, label %fail, label %go
fail:
  call void @__assertfail(ptr @message, ptr @file, i32 31, ptr @function, i64 1)
  unreachable
go:
  call void @llvm.nvvm.barrier0()
  %mask = icmp slt i32 %off, %n
  br i1 %mask, label %load, label %done
load:
  %i = sext i32 %off to i64
  %p = getelementptr float, ptr addrspace(1) %x, i64 %i
  %v = load float, ptr addrspace(1) %p
  %w = fadd float %v, 1.0
  %q = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %w, ptr addrspace(1) %q
  br label %done
done:
  ret void
}
