// Graph algorithms homework: frontiers, ranks, components, paths.
typedef unsigned int uint;
typedef unsigned long long ull;

__device__ __forceinline__ uint hash32(uint x) {
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
  return x;
}
// A CSR nobody has to store: row v has between 3 and 9 edges.
__device__ __forceinline__ int row_begin(int v) { return 6 * v + (int)(hash32(v) & 3u); }

// Whole BFS by one block. Frontiers are bitmaps in shared memory.
extern "C" __global__ void bfs_bitmap(const uint* cols, int* dist, int n, int source) {
  __shared__ uint current[32], next[32], seen[32];
  const int words = (n + 31) / 32;
  for (int w = threadIdx.x; w < words; w += blockDim.x) {
    const uint bit = w == source / 32 ? 1u << (source % 32) : 0u;
    current[w] = seen[w] = bit;
    next[w] = 0;
  }
  for (int v = threadIdx.x; v < n; v += blockDim.x) dist[v] = v == source ? 0 : -1;
  __syncthreads();
  for (int level = 1;; ++level) {
    for (int v = threadIdx.x; v < n; v += blockDim.x) {
      if (!(current[v >> 5] >> (v & 31) & 1)) continue;
      for (int e = row_begin(v), end = row_begin(v + 1); e < end; ++e) {
        const int to = cols[e] % n;
        if (seen[to >> 5] >> (to & 31) & 1) continue;
        atomicOr(&next[to >> 5], 1u << (to & 31));
      }
    }
    __syncthreads();
    bool more = false;
    for (int v = threadIdx.x; v < n; v += blockDim.x) {
      if (next[v >> 5] >> (v & 31) & 1) dist[v] = level, more = true;
    }
    more = __syncthreads_or(more);
    if (!more) break;
    for (int w = threadIdx.x; w < words; w += blockDim.x) {
      seen[w] |= next[w];
      current[w] = next[w];
      next[w] = 0;
    }
    __syncthreads();
  }
}

// Pull PageRank, four lanes a vertex.
extern "C" __global__ void pagerank_pull(const uint* cols, const float* rank, float* out, int n,
                                         float damping) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) >> 2, part = threadIdx.x & 3;
  float sum = 0.f;
  if (v < n) {
    for (int e = row_begin(v) + part; e < row_begin(v + 1); e += 4) {
      const int u = cols[e] % n;
      const int degree = row_begin(u + 1) - row_begin(u);
      sum += fabsf(__ldg(rank + u)) / degree;
    }
  }
  sum += __shfl_xor_sync(0xffffffff, sum, 1, 4);
  sum += __shfl_xor_sync(0xffffffff, sum, 2, 4);
  if (v < n && part == 0) out[v] = (1.f - damping) / n + damping * sum;
}

// Push PageRank over an edge list.
extern "C" __global__ void pagerank_coo(const uint2* edges, const uint* degree, float* out, int m,
                                        int n) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x) {
    const uint2 uv = edges[e];
    const uint from = uv.x % n, to = uv.y % n;
    if (from == to) continue;
    atomicAdd(out + to, 1.0f / (1 + (degree[from] & 7)));
  }
}

// Triangles by intersecting two ascending lists. Neighbours of v: v + gap, v + gap + gap...
struct Neighbours {
  int at, left;
  uint state;
  __device__ explicit Neighbours(int v) : at(v), left(hash32(v) % 9 + 2), state(v * 77 + 1) {}
  __device__ bool step() {
    if (left-- <= 0) return false;
    state = hash32(state);
    at += 1 + (state & 7);
    return true;
  }
};
extern "C" __global__ void triangles(ull* total, int n) {
  int mine = 0;
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
    for (Neighbours outer(v); outer.step();) {
      Neighbours a(v), b(outer.at);
      bool more = a.step() & b.step();
      while (more) {
        if (a.at == b.at) {
          ++mine;
          more = a.step() & b.step();
        } else if (a.at < b.at) {
          more = a.step();
        } else {
          more = b.step();
        }
      }
    }
  }
  for (int o = 16; o; o >>= 1) mine += __shfl_down_sync(~0u, mine, o);
  if (threadIdx.x % 32 == 0 && mine) atomicAdd(total, (ull)mine);
}

// Triangles of a dense little graph: rows of bits and popcounts.
extern "C" __global__ void triangles_bits(const uint* rows, int* count) {
  __shared__ uint adj[64][2];
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  if (t < 64) adj[t][0] = adj[t][1] = 0;
  __syncthreads();
  for (int i = t; i < 64 * 64; i += blockDim.x * blockDim.y) {
    const int u = i / 64, v = i % 64;
    if (u >= v) continue;
    if (!(rows[blockIdx.x * 128 + u * 2 + v / 32] >> (v & 31) & 1)) continue;
    atomicOr(&adj[u][v >> 5], 1u << (v & 31));
    atomicOr(&adj[v][u >> 5], 1u << (u & 31));
  }
  __syncthreads();
  int sum = 0;
  for (int u = threadIdx.y; u < 64; u += blockDim.y) {
    for (int v = u + 1 + threadIdx.x; v < 64; v += blockDim.x) {
      if (adj[u][v >> 5] >> (v & 31) & 1) {
        sum += __popc(adj[u][0] & adj[v][0]) + __popc(adj[u][1] & adj[v][1]);
      }
    }
  }
  if (sum) atomicAdd(count + blockIdx.x, sum);
}

// One round of minimum-label propagation, hooks included.
extern "C" __global__ void label_round(const uint* cols, const int* label, int* next, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int best = label[v];
  const int own = best;
#pragma unroll 2
  for (int e = row_begin(v); e < row_begin(v + 1); ++e) {
    const int u = cols[e] % n, theirs = label[u];
    if (theirs < best) {
      best = theirs;
    } else if (theirs > own) {
      atomicMin(next + u, own);
    }
  }
  atomicMin(next + v, best);
}

// Union-find in shared memory, one warp a forest of 96 nodes.
__device__ int find_root(volatile int* parent, int v) {
  while (parent[v] != v) v = parent[v];
  return v;
}
extern "C" __global__ void union_find(const uint* pairs, int* root, int unions) {
  __shared__ int parent[96];
  const int lane = threadIdx.x;
  for (int v = lane; v < 96; v += 32) parent[v] = v;
  __syncwarp();
  // One edge after the other; lane 0 unites, all flatten.
  for (int i = 0; i < unions; ++i) {
    const uint p = pairs[blockIdx.x * unions + i];
    if (lane == 0) {
      int a = find_root(parent, (p & 0xffff) % 96), b = find_root(parent, (p >> 16) % 96);
      if (a != b) {
        if (a > b) { const int t = a; a = b; b = t; }
        parent[b] = a;
      }
    }
    __syncwarp();
  }
  for (int v = lane; v < 96; v += 32) root[blockIdx.x * 96 + v] = find_root(parent, v);
}

// Floyd and Warshall on a tile of 24 x 24, in place.
extern "C" __global__ void floyd_tile(const unsigned short* weights, unsigned short* out) {
  const int N = 24;
  __shared__ unsigned d[N][N + 1];
  const int x = threadIdx.x, y = threadIdx.y, base = blockIdx.x * N * N;
  for (int r = y; r < N; r += blockDim.y) {
    const unsigned w = weights[base + r * N + x];
    d[r][x] = r == x ? 0 : (w & 3 ? w & 1023 : 60000);
  }
  for (int k = 0; k < N; ++k) {
    __syncthreads();
    for (int r = y; r < N; r += blockDim.y) {
      if (r == k || x == k) continue;
      const unsigned through = d[r][k] + d[k][x];
      if (through < d[r][x]) d[r][x] = through;
    }
  }
  for (int r = y; r < N; r += blockDim.y) out[base + r * N + x] = d[r][x];
}

// Bellman-Ford until nothing changes.
extern "C" __global__ void bellman_ford(const uint* edges, uint* dist, int m, int n) {
  extern __shared__ uint cost[];  // two of n
  uint *old = cost, *now = cost + n;
  for (int v = threadIdx.x; v < n; v += blockDim.x) old[v] = now[v] = v ? 0x3fffffff : 0;
  __syncthreads();
  for (int round = 0; round < n; ++round) {
    int changed = 0;
    for (int e = threadIdx.x; e < m; e += blockDim.x) {
      const uint w = edges[e];
      const uint from = (w & 0xfff) % n, to = (w >> 12 & 0xfff) % n;
      const uint next = old[from] + (w >> 24) + 1;
      if (next < old[to]) {
        atomicMin(&now[to], next);
        changed = 1;
      }
    }
    if (!__syncthreads_or(changed)) break;
    for (int v = threadIdx.x; v < n; v += blockDim.x) old[v] = now[v];
    __syncthreads();
  }
  for (int v = threadIdx.x; v < n; v += blockDim.x) dist[v] = now[v];
}

// Boruvka: the lightest edge that leaves each component, weight and number in one word.
extern "C" __global__ void boruvka_pick(const uint* edges, const uint* colour, ull* lightest, int m,
                                        int n) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= m) return;
  const uint w = edges[e];
  const uint u = (w & 0x3ff) % n, v = (w >> 10 & 0x3ff) % n;
  const uint cu = colour[u] % 19, cv = colour[v] % 19;
  if (cu == cv) return;
  const ull packed = ~((ull)(w >> 20) << 32 | (uint)e);  // maximum of the complement
  atomicMax(&lightest[cu], packed);
  atomicMax(&lightest[cv], packed);
}

// Peeling to the k-core, counting what remains in each round.
extern "C" __global__ void core_peel(const uint* cols, int* alive_after, uint* alive_out, int n,
                                     int k) {
  extern __shared__ int degree[];
  const int v = threadIdx.x;
  degree[v] = 0;
  __syncthreads();
  if (v < n) {
    for (int e = row_begin(v); e < row_begin(v + 1); ++e) atomicAdd(&degree[cols[e] % n], 1);
  }
  bool alive = v < n;
  for (int round = 0;; ++round) {
    __syncthreads();
    const bool leaves = alive && degree[v] < k;
    const int left = __syncthreads_count(leaves);
    if (left == 0) break;
    if (leaves) {
      alive = false;
      for (int e = row_begin(v); e < row_begin(v + 1); ++e) atomicSub(&degree[cols[e] % n], 1);
    }
    const int rest = __syncthreads_count(alive);
    if (v == 0) alive_after[round] = rest;
    if (rest == 0) break;
  }
  const uint bits = __ballot_sync(0xffffffff, alive);
  if ((v & 31) == 0) alive_out[v >> 5] = bits;
}
