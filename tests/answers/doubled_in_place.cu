// Each element is read before it is written in its place: the thread's list has its first value.
// trace: --grid 4 --block 32 --arg f32[128]=iota
// shows: tiling: from p[101]
// shows: tiling: >101<
__global__ void doubled(float* p) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  p[i] = p[i] * 2.0f;  //@double
}
