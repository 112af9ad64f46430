// Values are packed to bytes, four per thread, under a bound that counts groups of eight: the threads
// of the second half of each row do nothing, and half of the output stays as it was. No access is
// wrong, so there is no finding; the counts show it: 512 of 1,024 bytes are stored. Bytes stored one
// by one at a stride of 4 take 4 sectors per request for 32 useful bytes, and one 4-byte store would
// do.
// 2 rows x 64 threads x 4 bytes = 512; 2 rows x 2 warps x 4 stores = 16 requests.
// trace: --grid 2 --block 64 --arg f32[1024]=random:1 --arg u8[1024]=zero --arg i32:512
// counts 0: global_store at pack: requests 16, active_lanes 512, sectors 64
// shows 0: tiling: stores 256
// trace 1: -D ALL
// counts 1: global_store at pack: requests 32, active_lanes 1024, sectors 128
#ifdef ALL
#define GROUP 4
#else
#define GROUP 8
#endif

__global__ void packed(const float* in, volatile unsigned char* out, int columns) {
  for (int group = threadIdx.x; group < columns / GROUP; group += blockDim.x) {
    const int first = blockIdx.x * columns + group * 4;
    for (int i = 0; i < 4; ++i) out[first + i] = __float2int_rn(in[first + i] * 100.0f);  //@pack
  }
}
