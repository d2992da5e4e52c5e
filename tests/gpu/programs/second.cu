// Another object for programs that are linked with -rdc.
__global__ void second(float* x) {
  if (x == nullptr) __trap();
  *x += 1.0f;
}
