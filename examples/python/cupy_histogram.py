"""CuPy: a raw kernel in CUDA, an elementwise kernel, and array operations."""

import numpy as np

import tilescope

CODE = r"""
extern "C" __global__ void histogram(const unsigned* values, unsigned* counts, int n) {
  __shared__ unsigned part[64];
  if (threadIdx.x < 64) part[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&part[values[i] % 64], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&counts[threadIdx.x], part[threadIdx.x]);
}
"""


def main() -> tilescope.Capture:
    values = np.random.default_rng(1).integers(0, 1 << 20, 5000, dtype=np.uint32)
    with tilescope.capture() as c:
        import cupy

        on_device = cupy.asarray(values)
        counts = cupy.zeros(64, dtype=cupy.uint32)
        cupy.RawKernel(CODE, "histogram")((4,), (128,), (on_device, counts, np.int32(values.size)))
        share = cupy.ElementwiseKernel("uint32 count, float32 n", "float32 share", "share = count / n")
        shares = share(counts, np.float32(values.size))
        np.testing.assert_array_equal(counts.get(), np.bincount(values % 64, minlength=64))
        np.testing.assert_allclose(shares.get().sum(), 1, rtol=1e-5)
    return c


if __name__ == "__main__":
    for launch in main().launches:
        print(launch)
