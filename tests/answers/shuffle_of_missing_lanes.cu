// A block of 20 threads adds up with shuffles whose mask names all 32 lanes: lanes 20 to 31 do not
// exist, and lanes 4 to 19 take an undefined value from them at the first step, which comes into the
// sum. With 32 threads nothing is wrong.
// trace: --arg f32[64]=random:1 --arg f32[2]=zero
// trace 0: --grid 2 --block 32
// trace 1: --grid 2 --block 20
// mutant 1: barrier at shift (takes the value of a lane that is not there)
__global__ void means(const float* rows, float* out) {
  const int t = threadIdx.x;
  float sum = rows[blockIdx.x * blockDim.x + t];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);  //@shift
  if (t == 0) out[blockIdx.x] = sum / blockDim.x;
}
