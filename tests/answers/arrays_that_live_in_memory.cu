// Two arrays of 16 floats per thread would fit into registers, but their indices are only known at run
// time, so they lie in local memory: no spill, and neither shared nor global traffic. Each of 64 threads
// stores 16 elements at the start and 16 per layer, and loads 16 x 16 + 16 per layer.
// 2 warps x 16 = 32 stores at the start; 2 warps x 2 layers x 16 = 64 stores and 2 x 2 x 256 loads.
// trace: --grid 1 --block 64 --arg f32[512]=random:1 --arg f32[1024]=random:2 --arg f32[64]=zero
// trace 0: --arg i32:16 --arg i32:2
// counts 0: spill_bytes 0, static_shared_bytes 0
// counts 0: local_store at begin: requests 32
// counts 0: local_store at result: requests 64
// counts 0: local_load at read: requests 1024
// Lanes read inputs 64 B apart: a sector each.
// counts 0: global_load at begin: requests 32, sectors 1024, sectors_ideal 128
// counts 0: global_load at read: requests 1024, sectors 1024, sectors_ideal 1024
__global__ void network(const float* weights, const float* inputs, float* outputs, int width,
                        int layers) {
  float here[16], there[16];
  float *from = here, *to = there;
#pragma unroll 1
  for (int i = 0; i < width; ++i) from[i] = inputs[threadIdx.x * width + i];  //@begin
#pragma unroll 1
  for (int layer = 0; layer < layers; ++layer) {
#pragma unroll 1
    for (int i = 0; i < width; ++i) {
      float sum = 0.0f;
#pragma unroll 1
      for (int k = 0; k < width; ++k)
        sum += weights[(layer * width + i) * width + k] * from[k];  //@read
      to[i] = fmaxf(sum, 0.0f);                                     //@result
    }
    float* last = from;
    from = to, to = last;
  }
  outputs[threadIdx.x] = from[0];
}
