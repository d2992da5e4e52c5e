; A failing side that ends in `unreachable`: at PTX ISA 8.3 and later nothing is written for it, and the thread runs off
; the end of the function.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @report(i32) noreturn

define ptx_kernel void @falls_off(ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ult i32 %t, %n
  br i1 %in, label %good, label %bad
good:
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %t, ptr addrspace(1) %p
  ret void
bad:
  store volatile i32 7, ptr addrspace(1) %out
  unreachable
}

define ptx_kernel void @reports(ptr addrspace(1) %out, i32 %n, i32 %code) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ule i32 %t, %n
  br i1 %in, label %good, label %bad
good:
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %t, ptr addrspace(1) %p
  ret void
bad:
  call void @report(i32 %code)
  unreachable
}
