// one guard that gives defaults for two macros
#ifndef TX
#define TX 16
#define TY 8
#endif
extern "C" __global__ void jacobi_guard(const float* in, float* out, int w, int h)
{
    __shared__ float t[TY + 2][TX + 2];
    int x0 = blockIdx.x * TX - 1, y0 = blockIdx.y * TY - 1;
    for (int i = threadIdx.y * TX + threadIdx.x; i < (TX + 2) * (TY + 2); i += TX * TY) {
        int x = x0 + i % (TX + 2), y = y0 + i / (TX + 2);
        t[i / (TX + 2)][i % (TX + 2)] = x >= 0 && y >= 0 && x < w && y < h ? in[y * w + x] : 0.0f;
    }
    __syncthreads();
    int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = 0.25f * (t[threadIdx.y][threadIdx.x + 1] + t[threadIdx.y + 2][threadIdx.x + 1] + t[threadIdx.y + 1][threadIdx.x] + t[threadIdx.y + 1][threadIdx.x + 2]);
}
