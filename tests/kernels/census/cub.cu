// Device-wide algorithms of CUB, and of Thrust, which uses them.
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <thrust/device_vector.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>

struct Buffers {
  float* floats;
  double* doubles;
  int* integers;
  unsigned* keys;
  unsigned long long* long_keys;
  char* flags;
};

void device_algorithms(void* temporary, std::size_t& bytes, Buffers in, Buffers out, int n) {
  cub::DeviceRadixSort::SortPairs(temporary, bytes, in.keys, out.keys, in.integers, out.integers, n);
  cub::DeviceRadixSort::SortKeys(temporary, bytes, in.long_keys, out.long_keys, n);
  cub::DeviceRadixSort::SortKeysDescending(temporary, bytes, in.floats, out.floats, n);
  cub::DeviceReduce::Sum(temporary, bytes, in.floats, out.floats, n);
  cub::DeviceReduce::Max(temporary, bytes, in.doubles, out.doubles, n);
  cub::DeviceScan::ExclusiveSum(temporary, bytes, in.integers, out.integers, n);
  cub::DeviceScan::InclusiveSum(temporary, bytes, in.doubles, out.doubles, n);
  cub::DeviceSelect::Flagged(temporary, bytes, in.floats, in.flags, out.floats, out.integers, n);
  cub::DeviceSelect::Unique(temporary, bytes, in.integers, out.integers, in.integers + n, n);
  cub::DeviceHistogram::HistogramEven(temporary, bytes, in.floats, out.integers, 257, 0.f, 1.f, n);
  cub::DeviceRunLengthEncode::Encode(temporary, bytes, in.integers, out.integers, out.integers + n,
                                     out.integers + 2 * n, n);
  cub::DeviceSegmentedReduce::Sum(temporary, bytes, in.floats, out.floats, n, in.integers,
                                  in.integers + 1);
  cub::DeviceMergeSort::SortKeys(temporary, bytes, in.integers, n, cuda::std::less<int>{});
  cub::DevicePartition::Flagged(temporary, bytes, in.integers, in.flags, out.integers,
                                out.integers + n, n);
}

struct Square {
  __host__ __device__ double operator()(double x) const { return x * x; }
};

double vectors(thrust::device_vector<int>& keys, thrust::device_vector<double>& values) {
  thrust::sort(keys.begin(), keys.end());
  thrust::stable_sort_by_key(values.begin(), values.end(), keys.begin());
  thrust::inclusive_scan(keys.begin(), keys.end(), keys.begin());
  thrust::set_union(keys.begin(), keys.end(), keys.begin(), keys.end(), keys.begin());
  return thrust::transform_reduce(values.begin(), values.end(), Square(), 0.0,
                                  thrust::plus<double>());
}
