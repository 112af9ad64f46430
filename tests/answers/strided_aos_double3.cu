// An array of structures of three doubles: each load of a member is 8 B wide at a stride of 24 B, so a
// warp's 32 lanes touch 768 B, 24 sectors where 8 would be enough. Three loads and three stores per
// thread. As one array of doubles the same bytes take 8 sectors per request.
// 1,024 structures: 32 warps x 3 members = 96 requests.
// trace: --block 128 --arg f64[3072]=random:1 --arg f64[3072]=zero --arg f64:0.5
// trace 0: --kernel push --grid 8
// counts: global_load at fetch: requests 96, sectors 2304, sectors_ideal 768
// counts: global_store at keep: requests 96, sectors 2304, sectors_ideal 768
// trace 1: --kernel push_flat --grid 24
// counts 1: global_load at flat: requests 96, sectors 768, sectors_ideal 768
// counts 1: global_store at flat: requests 96, sectors 768, sectors_ideal 768
struct Place {
  double east, north, up;
};

__global__ void push(const Place* places, Place* pushed, double share) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Place place = places[i];  //@fetch
  pushed[i] = {place.east * share, place.north * share, place.up * share};  //@keep
}

__global__ void push_flat(const double* places, double* pushed, double share) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  pushed[i] = places[i] * share;  //@flat
}
