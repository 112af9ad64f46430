// Dynamic programming and backtracking, the way contests ask for them.
typedef unsigned long long ull;
typedef unsigned u32;
#define REP(i, n) for (int i = 0; i < (n); ++i)

// Longest common subsequence, a wave of diagonals through three shared rows.
extern "C" __global__ void lcs_wave(const unsigned char* a, const unsigned char* b, int* out, int n,
                                    int m, int letters) {
  extern __shared__ int diagonals[];  // three of n + 1
  int *back2 = diagonals, *back1 = back2 + n + 1, *now = back1 + n + 1;
  const unsigned char* sa = a + blockIdx.x * n;
  const unsigned char* sb = b + blockIdx.x * m;
  const int t = threadIdx.x;
  for (int i = t; i < 3 * (n + 1); i += blockDim.x) diagonals[i] = 0;
  __syncthreads();
  for (int d = 2; d <= n + m; ++d) {
    const int low = max(1, d - m), high = min(n, d - 1);
    for (int i = low + t; i <= high; i += blockDim.x) {
      const int j = d - i;
      now[i] = sa[i - 1] % letters == sb[j - 1] % letters ? back2[i - 1] + 1 : max(back1[i - 1], back1[i]);
    }
    __syncthreads();
    int* const spare = back2;
    back2 = back1, back1 = now, now = spare;
  }
  if (t == 0) out[blockIdx.x] = back1[n];
}

// Smith and Waterman in a warp: a lane a row, cells travel by shuffles.
extern "C" __global__ void smith_waterman(const unsigned char* query, const unsigned char* target,
                                          int* best_out, int m) {
  const int lane = threadIdx.x & 31, pair = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  const int mine = query[pair * 32 + lane] & 3;
  int left = 0, diagonal = 0, best = 0, gap_left = -100;
  for (int step = 0; step < m + 31; ++step) {
    const int above = __shfl_up_sync(~0u, left, 1);
    const int j = step - lane;
    if (j >= 0 && j < m) {
      const int up = lane ? above : 0;
      const int letter = target[pair * m + j] & 3;
      gap_left = max(gap_left - 1, left - 3);
      int score = diagonal + (letter == mine ? 4 : -2);
      score = max(max(score, up - 3), max(gap_left, 0));
      diagonal = up;
      left = score;
      best = max(best, score);
    }
  }
  best = __reduce_max_sync(~0u, best);
  if (lane == 0) best_out[pair] = best;
}

// Knapsack 0/1, a row at a time, weights by the block's index.
extern "C" __global__ void knapsack(const unsigned short* weight, const unsigned char* value, int* best,
                                    ull* taken, int items, int capacity) {
  extern __shared__ int row[];
  const int t = threadIdx.x;
  for (int c = t; c <= capacity; c += blockDim.x) row[c] = 0;
  ull choices = 0;
  for (int i = 0; i < items; ++i) {
    const int w = weight[blockIdx.x * items + i] % 61 + 3, v = value[blockIdx.x * items + i];
    int next[4];
    __syncthreads();
    int k = 0;
    for (int c = t; c <= capacity; c += blockDim.x, ++k) {
      next[k] = row[c];
      if (c >= w && row[c - w] + v > next[k]) {
        next[k] = row[c - w] + v;
        if (c == capacity) choices |= 1ull << i;
      }
    }
    __syncthreads();
    k = 0;
    for (int c = t; c <= capacity; c += blockDim.x, ++k) row[c] = next[k];
  }
  if (t == capacity % blockDim.x) {
    best[blockIdx.x] = row[capacity];
    taken[blockIdx.x] = choices;
  }
}

// Edit distance by Myers' bit vectors, a pattern of up to 64 letters.
extern "C" __global__ void myers_distance(const unsigned char* patterns, const unsigned char* texts,
                                          int* distance, int pairs, int m, int n) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pairs) return;
  ull peq[4] = {0, 0, 0, 0};
  REP(i, m) peq[patterns[p * m + i] & 3] |= 1ull << i;
  ull pv = ~0ull, mv = 0;
  int score = m;
  REP(j, n) {
    const ull eq = peq[texts[p * n + j] & 3];
    const ull xv = eq | mv, xh = (((eq & pv) + pv) ^ pv) | eq;
    ull ph = mv | ~(xh | pv), mh = pv & xh;
    if (ph >> (m - 1) & 1) ++score;
    else if (mh >> (m - 1) & 1) --score;
    ph = ph << 1 | 1;
    mh <<= 1;
    pv = mh | ~(xv | ph);
    mv = ph & xv;
  }
  distance[p] = score;
}

// Queens: prefixes of two rows per thread, then masks on a stack.
template <int N>
__global__ void queens(u32* solutions, u32* nodes) {
  __shared__ u32 total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  u32 count = 0, visited = 0;
  const int first = id / N, second = id % N;
  if (first < N && abs(first - second) > 1) {
    const u32 full = (1u << N) - 1;
    u32 cols[N], left[N], right[N], open[N];
    int row = 2;
    cols[2] = 1u << first | 1u << second;
    left[2] = (1u << first) << 2 | (1u << second) << 1;
    right[2] = (1u << first) >> 2 | (1u << second) >> 1;
    open[2] = full & ~(cols[2] | left[2] | right[2]);
    while (row >= 2) {
      if (open[row] == 0) {
        --row;
        continue;
      }
      ++visited;
      const u32 bit = open[row] & -open[row];
      open[row] ^= bit;
      if (row == N - 1) {
        ++count;
        continue;
      }
      cols[row + 1] = cols[row] | bit;
      left[row + 1] = (left[row] | bit) << 1;
      right[row + 1] = (right[row] | bit) >> 1;
      ++row;
      open[row] = full & ~(cols[row] | left[row] | right[row]);
    }
  }
  atomicAdd(&total, count);
  visited = __reduce_add_sync(~0u, visited);
  if ((threadIdx.x & 31) == 0) atomicAdd(nodes, visited);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(solutions, total);
}

// Little sudokus (4 x 4), by recursion with masks; how many completions has each start?
struct Board {
  unsigned char cell[16];
  unsigned char rows[4], cols[4], boxes[4];
};
__device__ __noinline__ int complete(Board& b, int at) {
  while (at < 16 && b.cell[at]) ++at;
  if (at == 16) return 1;
  const int r = at / 4, c = at % 4, box = r / 2 * 2 + c / 2;
  int ways = 0;
  for (unsigned free = 15u & ~(b.rows[r] | b.cols[c] | b.boxes[box]); free; free &= free - 1) {
    const unsigned bit = free & -free;
    b.cell[at] = bit, b.rows[r] |= bit, b.cols[c] |= bit, b.boxes[box] |= bit;
    ways += complete(b, at + 1);
    b.cell[at] = 0, b.rows[r] ^= bit, b.cols[c] ^= bit, b.boxes[box] ^= bit;
  }
  return ways;
}
extern "C" __global__ void sudoku4(const u32* seeds, int* ways, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Board b;
  REP(k, 16) b.cell[k] = 0;
  REP(k, 4) b.rows[k] = b.cols[k] = b.boxes[k] = 0;
  u32 s = seeds[i];
  REP(k, 5) {
    const int at = s & 15, r = at / 4, c = at % 4, box = r / 2 * 2 + c / 2;
    const unsigned bit = 1u << (s >> 4 & 3);
    s >>= 6;
    if (b.cell[at] || (b.rows[r] | b.cols[c] | b.boxes[box]) & bit) continue;
    b.cell[at] = bit, b.rows[r] |= bit, b.cols[c] |= bit, b.boxes[box] |= bit;
  }
  ways[i] = complete(b, 0);
}

// Subset sums along Gray's code; the closest to a half is kept.
extern "C" __global__ void split_evenly(const unsigned short* in, int* gap, u32* choice, int bits) {
  __shared__ ull best;
  if (threadIdx.x == 0) best = ~0ull;
  __syncthreads();
  const unsigned short* v = in + blockIdx.x * 32;
  int total = 0;
  REP(k, bits) total += v[k];
  const int low = bits - 8;  // the thread's number is the upper eight bits
  u32 code = threadIdx.x << low;
  int sum = 0;
  REP(k, 8) if (threadIdx.x >> k & 1) sum += v[low + k];
  ull mine = ~0ull;
  for (u32 step = 1;; ++step) {
    const u32 d = abs(total - 2 * sum);
    mine = min(mine, (ull)d << 32 | code);
    if (step >> low) break;
    const int flip = __ffs(step) - 1;
    code ^= 1u << flip;
    sum += code >> flip & 1 ? v[flip] : -(int)v[flip];
  }
  atomicMin(&best, mine);
  __syncthreads();
  if (threadIdx.x == 0) gap[blockIdx.x] = best >> 32, choice[blockIdx.x] = (u32)best;
}

// The order of a matrix chain: lengths grow, all intervals of a length at once.
extern "C" __global__ void matrix_chain(const unsigned char* sizes, u32* cost, unsigned char* splits) {
  __shared__ u32 best[20][20];
  __shared__ int size[21];
  const int t = threadIdx.x;
  if (t < 21) size[t] = (sizes[blockIdx.x * 21 + t] & 63) + 1;
  if (t < 20) best[t][t] = 0;
  for (int length = 2; length <= 20; ++length) {
    __syncthreads();
    const int i = t, j = t + length - 1;
    if (j >= 20) continue;
    u32 least = ~0u;
    int where = 0;
    for (int k = i; k < j; ++k) {
      const u32 c = best[i][k] + best[k + 1][j] + size[i] * size[k + 1] * size[j + 1];
      if (c < least) least = c, where = k;
    }
    best[i][j] = least;
    splits[(blockIdx.x * 20 + i) * 20 + j] = where;
  }
  __syncthreads();
  if (t == 0) cost[blockIdx.x] = best[0][19];
}

// The n-th permutation, its inversions and its cycles.
extern "C" __global__ void permutations(const u32* which, int* inversions, int* cycles, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int N = 9;
  ull left = 0x876543210ull;  // digits that remain, a nibble each
  ull order = 0;
  u32 code = which[i] % 362880;
  int inverted = 0;
  for (int k = N; k >= 1; --k) {
    const int d = code % k;
    code /= k;
    inverted += d;
    const ull mask = (1ull << 4 * d) - 1;
    order = order << 4 | (left >> 4 * d & 15);
    left = (left & mask) | (left >> 4 & ~mask);
  }
  int round = 0;
  u32 seen = 0;
  REP(k, N) {
    if (seen >> k & 1) continue;
    ++round;
    int at = k;
    do {
      seen |= 1u << at;
      at = order >> 4 * at & 15;
    } while (at != k);
  }
  inversions[i] = inverted;
  cycles[i] = round;
}

// Quick sort with a stack of one's own in local memory; short pieces by insertion.
extern "C" __global__ void quick_sort_each(const short* in, short* out, int* swaps_out, int rows) {
  const int N = 40, row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  short v[40];
  REP(i, N) v[i] = in[i * rows + row];
  int stack[16], top = 0, swaps = 0;
  stack[top++] = 0 << 8 | (N - 1);
  while (top) {
    const int piece = stack[--top];
    int low = piece >> 8, high = piece & 255;
    while (high - low > 6) {
      const short pivot = v[(low + high) / 2];
      int i = low, j = high;
      while (i <= j) {
        while (v[i] < pivot) ++i;
        while (v[j] > pivot) --j;
        if (i <= j) {
          const short s = v[i];
          v[i++] = v[j];
          v[j--] = s;
          ++swaps;
        }
      }
      if (j - low < high - i) {
        if (i < high) stack[top++] = i << 8 | high;
        high = j;
      } else {
        if (low < j) stack[top++] = low << 8 | j;
        low = i;
      }
    }
    for (int i = low + 1; i <= high; ++i) {
      const short k = v[i];
      int j = i - 1;
      for (; j >= low && v[j] > k; --j) v[j + 1] = v[j];
      v[j + 1] = k;
    }
  }
  REP(i, N) out[i * rows + row] = v[i];
  swaps_out[row] = swaps;
}

// Batcher's odd-even merge sort on 64-bit keys, any power of two, dynamic shared memory.
extern "C" __global__ void batcher(const ull* in, ull* out, int n) {
  extern __shared__ ull keys[];
  const int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) keys[i] = in[blockIdx.x * n + i] >> 3;
  for (int p = 1; p < n; p <<= 1) {
    for (int k = p; k >= 1; k >>= 1) {
      __syncthreads();
      for (int i = t; i + k < n; i += blockDim.x) {
        if (i < k % p || ((i - k % p) / k & 1)) continue;
        if (i / (2 * p) != (i + k) / (2 * p)) continue;
        const ull a = keys[i], b = keys[i + k];
        if (a > b) keys[i] = b, keys[i + k] = a;
      }
    }
  }
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) out[blockIdx.x * n + i] = keys[i];
}

// The k-th smallest of a block by its bits, most significant first.
extern "C" __global__ void radix_select(const float* in, float* kth, int* above, int per_block, int k) {
  __shared__ int bins[16];
  const int t = threadIdx.x, lane = t & 31;
  u32 prefix = 0;
  int want = k;
  for (int shift = 28; shift >= 0; shift -= 4) {
    if (t < 16) bins[t] = 0;
    __syncthreads();
    for (int i = t; i < per_block; i += blockDim.x) {
      u32 key = __float_as_uint(in[blockIdx.x * per_block + i]);
      key ^= key >> 31 ? ~0u : 0x80000000u;
      if (shift == 28 || key >> (shift + 4) == prefix) atomicAdd(&bins[key >> shift & 15], 1);
    }
    __syncthreads();
    int sum = lane < 16 ? bins[lane] : 0;
    const int own = sum;
    for (int o = 1; o < 16; o <<= 1) {
      const int s = __shfl_up_sync(~0u, sum, o, 16);
      if ((lane & 15) >= o) sum += s;
    }
    const u32 enough = __ballot_sync(~0u, lane < 16 && sum > want);
    const int digit = __ffs(enough) - 1;
    want -= __shfl_sync(~0u, sum - own, digit);
    prefix = prefix << 4 | digit;
    __syncthreads();
  }
  const u32 bits = prefix >> 31 ? prefix ^ 0x80000000u : ~prefix;
  const float found = __uint_as_float(bits);
  int larger = 0;
  for (int i = t; i < per_block; i += blockDim.x) larger += in[blockIdx.x * per_block + i] > found;
  larger = __reduce_add_sync(~0u, larger);
  if (lane == 0) atomicAdd(above + blockIdx.x, larger);
  if (t == 0) kth[blockIdx.x] = found;
}
