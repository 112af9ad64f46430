// Waits for a value that nobody writes.
__global__ void spin(volatile int* flag) {
  while (*flag == 0) {
  }
}
