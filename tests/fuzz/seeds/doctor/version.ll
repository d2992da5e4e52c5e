target triple = "nvptx64-nvidia-cuda"
define void @k() { ret void }
!nvvmir.version = !{!0, !3}
!nvvm.annotations = !{!1}
!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!4}
!0 = !{i32 2, i32 0, i32 3, i32 1}
!1 = !{void ()* @k, !"kernel", i32 1}
!2 = distinct !DICompileUnit(language: DW_LANG_C)
!3 = metadata !{i32 1, i32 6}
!4 = !{i32 2, !"Debug Info Version", i32 3}
