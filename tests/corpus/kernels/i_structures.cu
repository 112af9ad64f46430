// tables, graphs, trees, stacks
typedef unsigned u32; typedef unsigned long long u64; typedef unsigned char u8; typedef unsigned short u16;

// shared hash table: warps take turns and in a warp one lane at a time inserts, then all look up
template<int SLOTS> __global__ void hash_turns(const u32* __restrict__ keys, int* found, int per, u32 mask)
{
  __shared__ u32 key[SLOTS]; __shared__ int value[SLOTS];
  for (int i = threadIdx.x; i < SLOTS; i += blockDim.x) { key[i] = ~0u; value[i] = 0; }
  __syncthreads();
  const u32* mine = keys + blockIdx.x * per;
  for (int turn = 0; turn < per; ++turn) {
    if (threadIdx.x == turn % blockDim.x) {
      u32 k = mine[turn] & mask, h = k * 2654435761u >> 20;
      for (int probe = 0; probe < SLOTS; ++probe) {
        u32 s = (h + probe * (probe + 1) / 2) % SLOTS;
        u32 old = atomicCAS(&key[s], ~0u, k);
        if (old == ~0u || old == k) { atomicAdd(&value[s], turn + 1); break; }
      }
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < per + 40; i += blockDim.x) {
    u32 k = i < per ? mine[i] & mask : (i * 7919u) & mask, h = k * 2654435761u >> 20; int r = -1;
    for (int probe = 0; probe < SLOTS; ++probe) {
      u32 s = (h + probe * (probe + 1) / 2) % SLOTS;
      if (key[s] == k) { r = value[s]; break; }
      if (key[s] == ~0u) break;
    }
    found[blockIdx.x * (per + 40) + i] = r;
  }
}

// label components of a small picture: propagate the minimum until nothing changes (two buffers)
extern "C" __global__ void components(const u8* __restrict__ pic, int* labels, int w, int h)
{
  extern __shared__ int sl[];
  int n = w * h; int *a = sl, *b = sl + n; const u8* p = pic + blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = (p[i] % 3) ? i : -1;
  __syncthreads();
  int changed = 1, guard = 0;
  while (__syncthreads_or(changed) && ++guard < 60) {
    changed = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      int l = a[i];
      if (l >= 0) {
        int x = i % w, y = i / w;
        if (x && a[i - 1] >= 0) l = min(l, a[i - 1]);
        if (x + 1 < w && a[i + 1] >= 0) l = min(l, a[i + 1]);
        if (y && a[i - w] >= 0) l = min(l, a[i - w]);
        if (y + 1 < h && a[i + w] >= 0) l = min(l, a[i + w]);
        while (l != a[l] && a[l] >= 0) l = a[l];
        if (l != a[i]) changed = 1;
      }
      b[i] = l;
    }
    __syncthreads();
    int* s = a; a = b; b = s;
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) labels[blockIdx.x * n + i] = a[i];
}

// one thread's union-find with path halving in local memory
template<int N> __global__ void unite(const u32* __restrict__ pairs, u8* roots, int count, int problems)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= problems) return;
  u8 parent[N], rank[N];
  #pragma unroll 1
  for (int i = 0; i < N; ++i) { parent[i] = i; rank[i] = 0; }
  for (int k = 0; k < count; ++k) {
    u32 e = pairs[k * problems + t]; int a = e % N, b = (e >> 8) % N;
    while (parent[a] != a) { parent[a] = parent[parent[a]]; a = parent[a]; }
    while (parent[b] != b) { parent[b] = parent[parent[b]]; b = parent[b]; }
    if (a == b) continue;
    if (rank[a] < rank[b]) { int s = a; a = b; b = s; }
    parent[b] = a; if (rank[a] == rank[b]) ++rank[a];
  }
  for (int i = 0; i < N; ++i) { int r = i; while (parent[r] != r) r = parent[r]; roots[t * N + i] = r; }
}

// breadth first on a grid graph, one block per graph, level by level
extern "C" __global__ void levels(const u32* __restrict__ walls, int* dist, int w, int h, int start)
{
  __shared__ int again; int n = w * h; int* d = dist + blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = i == start ? 0 : -1;
  __syncthreads();
  for (int level = 0; ; ++level) {
    if (threadIdx.x == 0) again = 0;
    __syncthreads();
    u32 mark = 0; int k = -1;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      ++k;
      if (d[i] != -1 || (walls[blockIdx.x * n + i] & 3) == 0) continue;
      int x = i % w, y = i / w;
      bool near = (x > 0 && d[i - 1] == level) || (x < w - 1 && d[i + 1] == level) || (y > 0 && d[i - w] == level) || (y < h - 1 && d[i + w] == level);
      if (near) { mark |= 1u << k; again = 1; }
    }
    __syncthreads();
    if (!again) break;
    for (; mark; mark &= mark - 1) d[threadIdx.x + (__ffs(mark) - 1) * blockDim.x] = level + 1;
    __syncthreads();
  }
}

// N queens by bits with a stack in local memory, the first two rows given by the thread
template<int N> __global__ void queens(int* out)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= N * N) return;
  int c0 = t / N, c1 = t % N;
  if (abs(c0 - c1) < 2) { out[t] = 0; return; }
  u32 all = (1u << N) - 1, cols[N + 1], l[N + 1], r[N + 1], left[N + 1];
  int row = 2, n = 0;
  cols[2] = 1u << c0 | 1u << c1; l[2] = (1u << c0) << 2 | (1u << c1) << 1; r[2] = (1u << c0) >> 2 | (1u << c1) >> 1;
  left[2] = all & ~(cols[2] | l[2] | r[2]);
  while (row >= 2) {
    if (!left[row]) { --row; continue; }
    u32 bit = left[row] & -left[row]; left[row] ^= bit;
    if (row == N - 1) { ++n; continue; }
    cols[row + 1] = cols[row] | bit; l[row + 1] = (l[row] | bit) << 1; r[row + 1] = (r[row] | bit) >> 1;
    ++row; left[row] = all & ~(cols[row] | l[row] | r[row]);
  }
  out[t] = n;
}

// depth-first over a ternary decision tree, recursion with bounded depth and pruning (subset sum)
__device__ __noinline__ int subset(const u16* w, int i, int n, int rest, int& nodes)
{
  ++nodes;
  if (rest == 0) return 1;
  if (i == n || rest < 0 || nodes > 300) return 0;
  return subset(w, i + 1, n, rest - w[i], nodes) + subset(w, i + 1, n, rest, nodes);
}
extern "C" __global__ void subsets(u16* w, int2* out, int n, int threads)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  for (int i = 0; i < n; ++i) w[t * n + i] = w[t * n + i] % 13 + 1;
  int nodes = 0; int s = subset(w + t * n, 0, n, 10 + t % 9, nodes);
  out[t] = make_int2(s, nodes);
}

// sudoku 4x4 by backtracking in local memory
extern "C" __global__ void sudoku4(const u32* __restrict__ seeds, u64* out, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  u8 g[16], fixed[16]; u32 s = seeds[t];
  for (int i = 0; i < 16; ++i) { g[i] = 0; fixed[i] = 0; }
  g[s & 15] = 1 + (s >> 4 & 3); fixed[s & 15] = 1;
  int q = s >> 8 & 15; if (q / 4 != (s & 15) / 4 && q % 4 != (s & 15) % 4) { g[q] = 1 + (s >> 12 & 3); if (g[q] != g[s & 15]) fixed[q] = 1; else g[q] = 0; }
  int at = 0, dir = 1, steps = 0;
  while (at >= 0 && at < 16 && ++steps < 400) {
    if (fixed[at]) { at += dir; continue; }
    bool ok = false;
    while (g[at] < 4 && !ok) {
      ++g[at]; ok = true;
      int r = at / 4, c = at % 4;
      for (int k = 0; k < 4 && ok; ++k) {
        if (k != c && g[r * 4 + k] == g[at]) ok = false;
        if (k != r && g[k * 4 + c] == g[at]) ok = false;
        int b = (r / 2 * 2 + k / 2) * 4 + c / 2 * 2 + k % 2;
        if (b != at && g[b] == g[at]) ok = false;
      }
    }
    if (ok) { dir = 1; ++at; } else { g[at] = 0; dir = -1; --at; }
  }
  u64 v = 0; for (int i = 0; i < 16; ++i) v = v << 4 | g[i];
  out[t] = v ^ (u64)steps << 48 << 8 >> 8;
}
