// Graph algorithms on an ELL-with-lengths graph: row i has (len[i] & 7) + 1 neighbours at nbr[8 i
// ..].
__device__ __forceinline__ int deg(const unsigned* len, int i) { return (len[i] & 7) + 1; }

__global__ void bfs_push(const unsigned* len, const unsigned* nbr, int* level, int* next_count,
                         int n, int cur) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  // level buffer is iota-ish: a vertex is on the frontier if level % 4 == cur
  if ((level[v] & 3) != cur) return;
  int d = deg(len, v), found = 0;
  for (int e = 0; e < d; ++e) {
    unsigned w = nbr[8 * v + e] % n;
    if ((w & 3) == cur) continue;  // "visited" is a static property so the flow never races
    level[n + w] = cur + 1;        // benign: every writer writes the same value
    ++found;
  }
  if (found) atomicAdd(next_count, found);
}

__global__ void bfs_warp_per_vertex(const unsigned* len, const unsigned* nbr, const int* level,
                                    unsigned* mark, int n, int cur) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  int warps = (gridDim.x * blockDim.x) >> 5;
  for (int v = warp; v < n; v += warps) {
    if (level[v] % 3 != cur) continue;
    int d = deg(len, v) * 5;
    for (int e = lane; e < d; e += 32) {
      unsigned w = nbr[(8 * v + e) % (8 * n)] % n;
      atomicOr(&mark[w >> 5], 1u << (w & 31));
    }
  }
}

__global__ void sssp_relax(const unsigned* len, const unsigned* nbr, const unsigned* weight,
                           const unsigned* din, unsigned* dout, int n) {
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
    unsigned dv = din[v] & 0xffff;
    if (dv > 50000) continue;
    for (int e = 0, d = deg(len, v); e < d; ++e) {
      unsigned w = nbr[8 * v + e] % n, c = dv + (weight[8 * v + e] & 255);
      if (c < (din[w] & 0xffff)) atomicMin(&dout[w], c);
    }
  }
}

// intersection of two sorted rows made from an arithmetic rule, per edge
__global__ void triangle_merge(const unsigned* step, int n, unsigned long long* total) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned count = 0;
  if (e < n * 4) {
    int u = e / 4, v = (u + 1 + (step[e] & 15)) % n;
    unsigned a = u, b = v, sa = (step[u] & 3) + 1, sb = (step[v] & 3) + 2;
    unsigned ea = a + 40 * sa / 2, eb = b + 40;
    while (a < ea && b < eb) {
      if (a == b) {
        ++count;
        a += sa;
        b += sb;
      } else if (a < b)
        a += sa;
      else
        b += sb;
    }
  }
  for (int o = 16; o; o >>= 1) count += __shfl_down_sync(~0u, count, o);
  if ((threadIdx.x & 31) == 0 && count) atomicAdd(total, (unsigned long long)count);
}

// union-find over a block's own 32 vertices in shared memory; edges are taken by one lane at a time
__global__ void union_find_turns(const unsigned* edges, int* comp, int m) {
  __shared__ int parent[64];
  int t = threadIdx.x;
  parent[t] = t;
  parent[t + 32] = t + 32;
  __syncwarp();
  auto find = [&](int x) {
    while (parent[x] != x) {
      parent[x] = parent[parent[x]];
      x = parent[x];
    }
    return x;
  };
  for (int base = 0; base < m; base += 32)
    for (int l = 0; l < 32 && base + l < m; ++l) {
      if (t == l) {
        unsigned e = edges[blockIdx.x * m + base + l];
        int a = find(e & 63), b = find((e >> 8) & 63);
        if (a != b) {
          if (a < b)
            parent[b] = a;
          else
            parent[a] = b;
        }
      }
      __syncwarp();
    }
  auto root = [&](int x) {
    while (parent[x] != x) x = parent[x];
    return x;
  };
  comp[blockIdx.x * 64 + t] = root(t);
  comp[blockIdx.x * 64 + 32 + t] = root(t + 32);
}

__global__ void pagerank_push(const unsigned* len, const unsigned* nbr, const float* rank,
                              float* next, int n, float damp) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int d = deg(len, v);
  float share = damp * rank[v] / d;
  for (int e = 0; e < d; ++e) atomicAdd(&next[nbr[8 * v + e] % n], share);
}

// greedy colouring with a static priority: a vertex takes the smallest colour not used by smaller
// neighbours
__global__ void colour_round(const unsigned* len, const unsigned* nbr, const unsigned* old,
                             unsigned* colour, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  unsigned long long used = 0;
  int e = 0, d = deg(len, v);
  do {
    int w = nbr[8 * v + e] % n;
    if (w == v) continue;
    if (w > v && (old[w] & 1)) continue;
    used |= 1ull << (old[w] & 63);
    if (__popcll(used) > 5) break;
  } while (++e < d);
  colour[v] = __ffsll(~used) - 1;
}

__global__ void core_numbers(const unsigned* adjacency, int* core,
                             int n) {  // n <= 1024, one block, bit rows
  extern __shared__ unsigned alive[];
  int t = threadIdx.x, words = (n + 31) / 32;
  if (t < words) alive[t] = t == words - 1 && n % 32 ? (1u << n % 32) - 1 : ~0u;
  __syncthreads();
  int mine = 0, k = 1;
  bool in = t < n;
  for (int rounds = 0; rounds < 40; ++rounds) {
    int d = 0;
    if (in)
      for (int w = 0; w < words; ++w)
        d += __popc(adjacency[t * words + w] & adjacency[(t * 7 + w) % (n * words)] & alive[w]);
    bool drop = in && d < k * 4;
    int dropped = __syncthreads_count(drop);
    if (drop) {
      in = false;
      mine = k - 1;
      atomicAnd(&alive[t / 32], ~(1u << t % 32));
    }
    if (!dropped) ++k;
    if (!__syncthreads_or(in)) break;
  }
  if (t < n) core[t] = in ? k : mine;
}
