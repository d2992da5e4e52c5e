; The shape of a Numba kernel with debug=True: an exception is a return code, which the kernel keeps for the host.
target triple = "nvptx64-nvidia-cuda"

@divide__errcode__ = addrspace(1) global i32 0

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define internal i32 @body(ptr addrspace(1) %data, i64 %shape, i64 %divisor, i32 %t) noinline {
entry:
  %j = zext i32 %t to i64
  %in = icmp ult i64 %j, %shape
  br i1 %in, label %inside, label %index_error
inside:
  %zero = icmp eq i64 %divisor, 0
  br i1 %zero, label %zero_error, label %good
good:
  %p = getelementptr i64, ptr addrspace(1) %data, i64 %j
  %x = load i64, ptr addrspace(1) %p
  %q = sdiv i64 %x, %divisor
  store i64 %q, ptr addrspace(1) %p
  ret i32 0
index_error:
  ret i32 2
zero_error:
  ret i32 1
}

define ptx_kernel void @divide(ptr addrspace(1) %data, i64 %shape, i64 %divisor) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %code = call i32 @body(ptr addrspace(1) %data, i64 %shape, i64 %divisor, i32 %t)
  %fine = icmp eq i32 %code, 0
  br i1 %fine, label %done, label %keep
keep:
  %old = cmpxchg ptr addrspace(1) @divide__errcode__, i32 0, i32 %code seq_cst seq_cst
  br label %done
done:
  ret void
}
