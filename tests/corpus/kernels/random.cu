// Random numbers and what is made of them; loops whose ends the data decide.
struct Philox {
  uint4 counter;
  uint2 key;
  __device__ static void round(uint4& c, uint2 k) {
    const unsigned hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
    const unsigned hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
    c = make_uint4(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
  }
  __device__ uint4 next() {
    uint4 c = counter;
    uint2 k = key;
#pragma unroll
    for (int i = 0; i < 10; ++i) {
      round(c, k);
      k.x += 0x9E3779B9u;
      k.y += 0xBB67AE85u;
    }
    if (++counter.x == 0) ++counter.y;
    return c;
  }
};

// Normal numbers by Box and Muller, four a call.
extern "C" __global__ void philox_normal(float4* out, int n, unsigned seed) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    Philox p{make_uint4(i, 0, 0, 0), make_uint2(seed, 0)};
    const uint4 r = p.next();
    const auto unit = [](unsigned v) { return (v + 1.0f) * 2.3283064e-10f; };
    const float a = sqrtf(-2.0f * __logf(unit(r.x))), b = sqrtf(-2.0f * __logf(unit(r.z)));
    float s0, c0, s1, c1;
    __sincosf(6.2831853f * unit(r.y), &s0, &c0);
    __sincosf(6.2831853f * unit(r.w), &s1, &c1);
    out[i] = make_float4(a * c0, a * s0, b * c1, b * s1);
  }
}

// Black and Scholes over grid-stride, as in the SDK.
__device__ __noinline__ float normal_below(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float tail =
      0.39894228f * expf(-0.5f * d * d) *
      (k *
       (0.31938153f + k * (-0.35656378f + k * (1.7814779f + k * (-1.8212560f + k * 1.3302744f)))));
  return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(const float* __restrict__ price,
                                         const float* __restrict__ strike, float* call, float* put,
                                         int n, float rate, float sigma) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float s = 25.0f + 5.0f * price[i], x = 25.0f + 20.0f * strike[i], t = 0.5f;
  const float root = sigma * sqrtf(t);
  const float d1 = (logf(s / x) + (rate + 0.5f * sigma * sigma) * t) / root, d2 = d1 - root;
  const float n1 = normal_below(d1), n2 = normal_below(d2), discount = expf(-rate * t);
  call[i] = s * n1 - x * discount * n2;
  put[i] = x * discount * (1.0f - n2) - s * (1.0f - n1);
}

extern "C" __global__ void collatz(int* steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = i + 1;
  int s = 0;
  do {
    if (v == 1) break;
    v = v & 1 ? 3 * v + 1 : v / 2;
  } while (++s < 1000);
  steps[i] = s;
}

// Sums until enough: lanes leave when their own walk has crossed the border.
extern "C" __global__ void first_passage(const float* steps, int* out, int n, float border) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float at = 0.0f;
  int s = 0;
  for (; s < n; ++s) {
    at += steps[(i * 7 + s * 13) % n];
    if (at > border) break;
    if (at < -2.0f * border) {
      s = -s;
      break;
    }
  }
  out[i] = s;
}

// Linear probing; a warp at a time, so that who comes first is known.
extern "C" __global__ void hash_insert(const unsigned* keys, unsigned* table, int n, int mask) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const unsigned key = keys[i] | 1u;
  unsigned slot = key * 2654435761u >> 20 & mask;
  while (true) {
    const unsigned old = atomicCAS(&table[slot], 0u, key);
    if (old == 0u || old == key) break;
    slot = (slot + 1) & mask;
  }
}

// Look-ups in a table that is there: a key's place, or -1 after an empty one.
extern "C" __global__ void hash_find(const unsigned* keys, const unsigned* table, int* place, int n,
                                     int mask) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned key = keys[i] & 0xfff;
    int slot = key * 40503u >> 4 & mask, found = -1;
    for (int tries = 0; tries <= mask; ++tries, slot = (slot + 1) & mask) {
      const unsigned there = __ldcg(table + slot) & 0xfff;
      if (there == key) found = slot;
      if (there == key || (there & 7) == 0) break;
    }
    place[i] = found;
  }
}

// A small interpreter: a switch in a switch in a loop.
extern "C" __global__ void interpreter(const unsigned* code, int* out, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int acc = i, reg = 1;
  for (int pc = 0; pc < length; ++pc) {
    const unsigned op = code[(pc * 37 + i / 8) % length];
    switch (op & 7) {
      case 0:
        acc += reg;
        break;
      case 1:
        acc ^= op >> 8;
        break;
      case 2:
        switch (op >> 3 & 3) {
          case 0:
            reg = acc;
            break;
          case 1:
            reg -= 3;
            break;
          case 2:
            acc = __popc(acc);  // and on
          default:
            reg += 1;
        }
        break;
      case 3:
        if (acc & 1) continue;
        acc >>= 1;
        break;
      case 4:
        reg = acc < reg ? acc : reg;
        break;
      case 5:
        if (acc > 1000000) goto done;
        acc = acc * 5 + 1;
        break;
      default:
        pc += op >> 4 & 1;
    }
  }
done:
  out[i] = acc + reg;
}
