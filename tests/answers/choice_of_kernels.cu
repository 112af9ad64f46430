// The kernel is chosen by what the host knows only when it runs: the last of the choice is shown.
// trace: --sample
// launch: kernel counted<false>, grid 32x1x1, block 96x1x1
template <bool kNotes>
__global__ void counted(int* values, int* notes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = i / 3;
  if (kNotes) notes[i] = i % 3;
}
void launch(int* values, int* notes) {
  auto* kernel = notes != nullptr ? counted<true> : counted<false>;
  kernel<<<32, 96>>>(values, notes);
}
