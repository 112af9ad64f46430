// Search and puzzles.
__global__ void queens(unsigned long long* total, int n,
                       int rows_fixed) {  // each thread one prefix
  unsigned all = (1u << n) - 1;
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned cols = 0, left = 0, right = 0;
  int p = id;
  bool ok = true;
  for (int r = 0; r < rows_fixed; ++r) {
    unsigned b = 1u << p % n;
    p /= n;
    if ((cols | left | right) & b) {
      ok = false;
      break;
    }
    cols |= b;
    left = (left | b) << 1;
    right = (right | b) >> 1;
  }
  unsigned count = 0;
  if (ok && p == 0) {
    unsigned sc[12], sl[12], sr[12], sf[12];
    int top = 0;
    sc[0] = cols;
    sl[0] = left;
    sr[0] = right;
    sf[0] = all & ~(cols | left | right);
    while (top >= 0) {
      unsigned f = sf[top];
      if (!f) {
        --top;
        continue;
      }
      unsigned b = f & -f;
      sf[top] = f ^ b;
      unsigned c = sc[top] | b;
      if (c == all) {
        ++count;
        continue;
      }
      unsigned l = (sl[top] | b) << 1, r = (sr[top] | b) >> 1;
      ++top;
      sc[top] = c;
      sl[top] = l;
      sr[top] = r;
      sf[top] = all & ~(c | l | r);
    }
  }
  count = __reduce_add_sync(~0u, count);
  if ((threadIdx.x & 31) == 0 && count) atomicAdd(total, (unsigned long long)count);
}
__device__ int queens_recursive(unsigned all, unsigned c, unsigned l, unsigned r) {
  if (c == all) return 1;
  int n = 0;
  for (unsigned f = all & ~(c | l | r); f; f &= f - 1) {
    unsigned b = f & -f;
    n += queens_recursive(all, c | b, (l | b) << 1, (r | b) >> 1);
  }
  return n;
}
__global__ void queens_calls(int* out, int n) {
  unsigned b = 1u << threadIdx.x % n;
  out[blockIdx.x * blockDim.x + threadIdx.x] = queens_recursive((1u << n) - 1, b, b << 1, b >> 1);
}
__global__ void sudoku4(const unsigned* givens, int* solved, int n) {  // 4x4 boards by backtracking
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned char cell[16];
  bool fixed[16];
  unsigned char row[4] = {}, col[4] = {}, box[4] = {};
  unsigned g = givens[i];
  for (int c = 0; c < 16; ++c) {
    cell[c] = 0;
    fixed[c] = false;
  }
  for (int k = 0; k < 4; ++k) {
    int c = g >> 6 * k & 15, v = 1 << (g >> (6 * k + 4) & 3), r = c >> 2, q = c & 3,
        b = (r >> 1) * 2 + (q >> 1);
    if (cell[c] || (row[r] | col[q] | box[b]) & v) continue;
    cell[c] = v;
    fixed[c] = true;
    row[r] |= v;
    col[q] |= v;
    box[b] |= v;
  }
  int at = 0, steps = 0;
  bool back = false;
  while (at >= 0 && at < 16 && steps < 300) {
    ++steps;
    if (fixed[at]) {
      at += back ? -1 : 1;
      continue;
    }
    int r = at >> 2, q = at & 3, b = (r >> 1) * 2 + (q >> 1), v = cell[at];
    if (v) {
      row[r] ^= v;
      col[q] ^= v;
      box[b] ^= v;
      v <<= 1;
    } else
      v = 1;
    while (v < 16 && (row[r] | col[q] | box[b]) & v) v <<= 1;
    if (v < 16) {
      cell[at] = v;
      row[r] |= v;
      col[q] |= v;
      box[b] |= v;
      ++at;
      back = false;
    } else {
      cell[at] = 0;
      --at;
      back = true;
    }
  }
  solved[i] = at == 16 ? steps : -steps;
}
__global__ void subset_sums(const unsigned* values, unsigned* hits, unsigned target, int n) {
  unsigned m = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
  for (unsigned b = m; b; b &= b - 1) s += values[__ffs(b) - 1] & 63;
  if (s == target && __popc(m) < n) {
    unsigned a = __activemask();
    if ((threadIdx.x & 31) == __ffs(a) - 1) atomicAdd(hits, __popc(a));
  }
}
__global__ void collatz(int* longest, unsigned first, int per) {
  unsigned base = first + (blockIdx.x * blockDim.x + threadIdx.x) * per;
  int best = 0;
  for (unsigned v = base; v < base + per; ++v) {
    unsigned long long x = v;
    int k = 0;
    while (x > 1) {
      x = x & 1 ? (3 * x + 1) >> 1 : x >> 1;
      ++k;
    }
    best = max(best, k);
  }
  best = __reduce_max_sync(__activemask(), best);
  if ((threadIdx.x & 31) == 0) atomicMax(longest, best);
}
__global__ void sieve(unsigned* bits, int* count, int limit) {
  __shared__ unsigned s[64];
  int base = blockIdx.x * 2048;
  for (int i = threadIdx.x; i < 64; i += blockDim.x) s[i] = ~0u;
  __syncthreads();
  for (int p = 2 + threadIdx.x; p * p < base + 2048; p += blockDim.x) {
    bool prime = true;
    for (int q = 2; q * q <= p; ++q)
      if (p % q == 0) {
        prime = false;
        break;
      }
    if (!prime) continue;
    for (int m = max(p * p, (base + p - 1) / p * p); m < base + 2048; m += p)
      atomicAnd(&s[(m - base) >> 5], ~(1u << (m & 31)));
  }
  __syncthreads();
  int c = 0;
  for (int i = threadIdx.x; i < 64; i += blockDim.x) {
    if (base == 0 && i == 0) s[0] &= ~3u;
    bits[blockIdx.x * 64 + i] = s[i];
    c += __popc(s[i]);
  }
  if (c) atomicAdd(count, c);
}
__global__ void permutations(int* score, int n, int total) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= total) return;
  int perm[8], used = 0, k = id, f = 1, worth = 0;
  for (int i = 2; i < n; ++i) f *= i;
  for (int i = 0; i < n; ++i) {
    int d = k / f;
    k %= f;
    if (i < n - 1) f /= max(1, n - 1 - i);
    int v = 0;
    for (;; ++v) {
      if (used >> v & 1) continue;
      if (d-- == 0) break;
    }
    used |= 1 << v;
    perm[i] = v;
  }
  for (int i = 0; i < n; ++i) worth += perm[i] > perm[perm[i]] ? i : -1;
  score[id] = worth;
}
