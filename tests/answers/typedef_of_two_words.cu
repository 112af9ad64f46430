// A structure by value whose member is of a type that is named by two words: 2 bytes, unsigned.
// trace: --sample
// launch: range.first u16:1, range.count i32:1048576, out u16[1048576]
typedef unsigned short code;
struct Range {
  code first;
  int count;
};
__global__ void codes(code* out, Range range) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < range.count) out[i] = range.first + i;
}
