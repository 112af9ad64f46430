// Each point lists its neighbours in a row of 64 places, which atomics give out. Nothing says how near they have to be:
// with a limit of 1 all points are neighbours, the rows overflow into each other, and their threads would seem to race.
// trace: --sample
#define PLACES 64

__global__ void neighbours(const float* x, int* count, int* list, int points, float limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  for (int j = i + 1; j < points && j < i + 200; ++j) {
    if (fabsf(x[j] - x[i]) >= limit) continue;
    list[i * PLACES + atomicAdd(&count[i], 1)] = j;
    list[j * PLACES + atomicAdd(&count[j], 1)] = i;
  }
}

void find_neighbours(const float* x, int* count, int* list, float limit) {
  const int points = 1024;
  neighbours<<<points / 128, 128>>>(x, count, list, points, limit);
}
