// Lanes of a warp that part and meet: at BSYNC and WARPSYNC, after BREAK and EXIT, with YIELD. Each
// kernel is small, so that one instruction too many shows. Warps of 32 lanes; in and out hold
// words.

// Lanes below `many` part once more, by `bits` of their number.
extern "C" __global__ void part_twice(const unsigned* in, unsigned* out, int many, int bits) {
  const unsigned lane = threadIdx.x;
  if (lane < many) {
    const unsigned value = in[lane];
    out[96 + lane] = value;
    if ((lane & bits) == 0) atomicAdd(out + value, 1);
  }
  __syncwarp();
  out[64 + lane] = in[lane];
}

extern "C" __global__ void part_twice_or_else(const unsigned* in, unsigned* out, int many,
                                              int bits) {
  const unsigned lane = threadIdx.x;
  if (lane < many) {
    const unsigned value = in[lane];
    out[96 + lane] = value;
    if ((lane & bits) == 0) atomicAdd(out + value, 1);
  } else {
    out[128 + lane] = in[lane ^ 1];
  }
  __syncwarp();
  out[64 + lane] = in[lane];
}

// A barrier of the lanes that are there makes the compiler join the warp with a WARPSYNC.
extern "C" __global__ void part_around_a_syncwarp(const unsigned* in, unsigned* out, int many,
                                                  int bits) {
  const unsigned lane = threadIdx.x;
  if (lane < many) {
    const unsigned here = __activemask();
    const unsigned value = in[lane];
    __syncwarp(here);
    out[96 + lane] = value;
    if ((lane & bits) == 0) atomicAdd(out + value, 1);
  }
  __syncthreads();
  out[64 + lane] = in[lane];
}

// Lanes of one value in `in` go round together, as often as they are many.
extern "C" __global__ void peers(const unsigned* in, unsigned* out) {
  const unsigned lane = threadIdx.x;
  const unsigned same = __match_any_sync(~0u, in[lane] & 7);
  unsigned sum = 0;
  for (unsigned rest = same; rest; rest &= rest - 1)
    sum += __shfl_sync(same, lane & 15, __ffs(rest) - 1);
  int all;
  const unsigned everybody = __match_all_sync(~0u, same & 0, &all);
  if (lane == __ffs(same & everybody) - 1 && all) atomicAdd(out + 64 + (in[lane] & 7), sum);
}

// Each lane names the lanes that it waits for: all of them below `split`, those from there on
// above.
extern "C" __global__ void named_lanes(const unsigned* in, unsigned* out, int split, int below) {
  const unsigned lane = threadIdx.x;
  const unsigned upper = ~0u << split;
  __syncwarp(lane < split ? (below ? ~upper : ~0u) : upper);
  out[lane] = in[lane];
}

// Odd values grow, and leave the loop from their round on; even ones are halved.
extern "C" __global__ void break_out(const unsigned* in, unsigned* out, int rounds) {
  const unsigned lane = threadIdx.x, from = in[lane] & 7;
  unsigned value = lane;
  for (int i = 0; i < rounds; ++i) {
    if (value & 1) {
      value = value * 3 + 1;
      if (i >= (int)from) break;
      out[96 + lane] = value;
    } else {
      value = value / 2 + from;
      out[128 + lane] = value;
    }
  }
  out[lane] = value;
}

extern "C" __global__ void return_out(const unsigned* in, unsigned* out, int rounds, int bits) {
  const unsigned lane = threadIdx.x, round = in[lane] & 3;
  for (int i = 0; i < rounds; ++i) {
    if (lane & bits) {
      atomicAdd(out + 200, 1);
      if (i == (int)round) return;
    } else {
      out[128 + lane] = i;
    }
  }
  out[lane] = round;
}

// Loops that end by what a strong load brings hold a YIELD.
__device__ unsigned spin(const unsigned* in, unsigned place, unsigned mask) {
  unsigned sum = place, value;
  while ((value = __ldcg(in + (place & 255))) & mask) {
    ++place;
    sum += value;
  }
  return sum;
}

extern "C" __global__ void spin_once(const unsigned* in, unsigned* out) {
  const unsigned lane = threadIdx.x;
  out[lane] = spin(in, in[lane], 3);
}

extern "C" __global__ void spin_in_rounds(const unsigned* in, unsigned* out, int rounds) {
  const unsigned lane = threadIdx.x;
  unsigned place = in[lane], sum = 0;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    unsigned value;
    while ((value = __ldcg(in + (place & 255))) & 3) {
      ++place;
      sum += value;
    }
    ++place;
    out[i * 128 + lane] = sum;
  }
}

extern "C" __global__ void spin_and_part(const unsigned* in, unsigned* out) {
  const unsigned lane = threadIdx.x;
  unsigned place = in[lane], sum = 0, value;
  while ((value = __ldcg(in + (place & 255))) & 3) {
    ++place;
    sum += value;
    if (value & 4) out[256 + lane] = sum;
  }
  out[lane] = sum;
}

extern "C" __global__ void spin_twice(const unsigned* in, unsigned* out) {
  const unsigned lane = threadIdx.x;
  const unsigned first = spin(in, in[lane], 3);
  out[lane] = first;
  out[128 + lane] = spin(in, first, 3);
}
