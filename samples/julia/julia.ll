; The shape of a CUDA.jl kernel: a failed check reports through functions of the runtime, then ends the thread.
; The host sees a KernelException, not a CUDA error.
target triple = "nvptx64-nvidia-cuda"

%state = type { ptr }
%array = type { ptr addrspace(1), i64, [1 x i64], i64 }

@name = internal constant [12 x i8] c"BoundsError\00"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @gpu_report_exception(ptr)
declare void @gpu_signal_exception(%state)

define internal void @throw_boundserror(%state %s) noinline noreturn nounwind {
  call void @gpu_report_exception(ptr @name)
  call void @gpu_signal_exception(%state %s)
  call void asm sideeffect "exit;", ""()
  unreachable
}

define ptx_kernel void @scale(%state %s, %array %a, %array %b) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %c, %n
  %g = add i32 %m, %t
  %one = add i32 %g, 1
  %i = sext i32 %one to i64
  %k = add i64 %i, -1
  %la = extractvalue %array %a, 3
  %ina = icmp ult i64 %k, %la
  br i1 %ina, label %first, label %oob
first:
  %lb = extractvalue %array %b, 3
  %inb = icmp ult i64 %k, %lb
  br i1 %inb, label %second, label %oob
second:
  %pa = extractvalue %array %a, 0
  %pb = extractvalue %array %b, 0
  %qa = getelementptr float, ptr addrspace(1) %pa, i64 %k
  %qb = getelementptr float, ptr addrspace(1) %pb, i64 %k
  %x = load float, ptr addrspace(1) %qa
  %y = fadd float %x, %x
  store float %y, ptr addrspace(1) %qb
  ret void
oob:
  call void @throw_boundserror(%state %s)
  unreachable
}
