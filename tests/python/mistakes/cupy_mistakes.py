"""Kernels of CuPy as a course writes them, each with one mistake where MISTAKE is
defined. The line that a finding has to name ends in "// here"."""

import cupy

STENCIL = r"""
extern "C" __global__ void stencil(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MISTAKE
  if (i < n) out[i] = 0.5f * x[i] + 0.25f * (x[i == 0 ? 0 : i - 1] + x[i + 1]);  // here
#else
  if (i > 0 && i < n - 1) out[i] = 0.5f * x[i] + 0.25f * (x[i - 1] + x[i + 1]);
#endif
}
"""

MATMUL = r"""
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];  // here
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
#ifndef MISTAKE
    __syncthreads();
#endif
  }
  c[row * n + column] = sum;
}
"""

COUNT = r"""
extern "C" __global__ void count(const int* x, int* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#ifdef MISTAKE
  counts[x[i]] += 1;  // here
#else
  atomicAdd(&counts[x[i]], 1);
#endif
}
"""


def kernel(text, name, mistake):
    return cupy.RawKernel(text, name, options=("-DMISTAKE",) if mistake else ())


def stencil(mistake):
    x = cupy.ones(1000, cupy.float32)
    kernel(STENCIL, "stencil", mistake)((4,), (256,), (x, cupy.zeros_like(x), cupy.int32(1000)))


def matmul(mistake):
    a, b = cupy.ones((64, 64), cupy.float32), cupy.ones((64, 64), cupy.float32)
    given = (a, b, cupy.zeros_like(a), cupy.int32(64))
    kernel(MATMUL, "matmul", mistake)((4, 4), (16, 16), given)


def count(mistake):
    x = cupy.zeros(512, cupy.int32)
    given = (x, cupy.zeros(8, cupy.int32), cupy.int32(512))
    kernel(COUNT, "count", mistake)((4,), (128,), given)


KERNELS = {"stencil": stencil, "matmul": matmul, "count": count}
