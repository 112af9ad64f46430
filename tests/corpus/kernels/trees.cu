// Searching trees and geometry: layouts, walks with stacks, recursion, intervals, ranges.
#include <cstdint>

// Ascending array i * 8 + noise: bisection with and without branches.
extern "C" __global__ void bisect_branchy(const uint8_t* noise, const uint32_t* queries, int* at, int n,
                                          int m) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= m) return;
  const int want = queries[q] % (8 * n);
  int low = 0, high = n - 1, found = -1;
  while (low <= high) {
    const int mid = low + (high - low) / 2, v = mid * 8 + (noise[mid] & 7);
    if (v == want) {
      found = mid;
      break;
    }
    if (v < want) low = mid + 1;
    else high = mid - 1;
  }
  at[q] = found >= 0 ? found : ~low;
}
extern "C" __global__ void bisect_branchless(const uint8_t* noise, const uint32_t* queries, int* at,
                                             int n, int m) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= m) return;
  const int want = queries[q] % (8 * n);
  int base = 0;
  for (int length = n; length > 1;) {
    const int half = length >> 1, v = (base + half - 1) * 8 + (noise[base + half - 1] & 7);
    base += v < want ? half : 0;
    length -= half;
  }
  at[q] = base + ((base * 8 + (noise[base] & 7)) < want);
}

// Eytzinger's layout, made in shared memory by a walk in order, then searched.
__device__ int lay_out(uint32_t* tree, int n, int node, int next) {
  if (node > n) return next;
  next = lay_out(tree, n, 2 * node, next);
  tree[node] = next++ * 10;
  return lay_out(tree, n, 2 * node + 1, next);
}
extern "C" __global__ void eytzinger(const uint32_t* queries, int* out, int n, int m) {
  extern __shared__ uint32_t tree[];  // n + 1
  if (threadIdx.x == 0) {
    tree[0] = 0;
    lay_out(tree, n, 1, 0);
  }
  __syncthreads();
  for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < m; q += gridDim.x * blockDim.x) {
    const uint32_t want = queries[q] % (10 * n + 20);
    unsigned k = 1;
    while (k <= (unsigned)n) k = 2 * k + (tree[k] < want);
    k >>= __ffs(~k);
    out[q] = k ? (int)tree[k] : -1;
  }
}

// A tree of intervals in implicit order; nodes know the largest end below.
struct Interval {
  int begin, end, most;
};
extern "C" __global__ void interval_stab(const uint32_t* raw, int* hits, int* visits, int levels, int m) {
  __shared__ Interval tree[127];
  const int n = (1 << levels) - 1, t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) {
    const int begin = i * 16 + (raw[i] & 15);
    tree[i] = {begin, begin + (int)(raw[i] >> 5 & 255), 0};
  }
  __syncthreads();
  // The middle of a range is its root: level by level from the leaves.
  for (int step = 1; step <= 1 << (levels - 1); step <<= 1) {
    for (int i = step - 1 + t * 2 * step; i < n; i += blockDim.x * 2 * step) {
      int most = tree[i].end;
      if (step > 1) most = max(most, max(tree[i - step / 2].most, tree[i + step / 2].most));
      tree[i].most = most;
    }
    __syncthreads();
  }
  const int q = blockIdx.x * blockDim.x + t;
  if (q >= m) return;
  const int point = raw[q] % (n * 16 + 64);
  int stack[8], steps[8], top = 0, count = 0, seen = 0;
  stack[0] = (1 << (levels - 1)) - 1, steps[0] = 1 << (levels - 1);
  while (top >= 0) {
    const int node = stack[top], step = steps[top];
    --top;
    ++seen;
    const Interval v = tree[node];
    if (v.most < point) continue;
    if (v.begin <= point && point <= v.end) ++count;
    if (step == 1) continue;
    ++top, stack[top] = node - step / 2, steps[top] = step / 2;
    if (v.begin <= point) ++top, stack[top] = node + step / 2, steps[top] = step / 2;
  }
  hits[q] = count;
  visits[q] = seen;
}

// Nearest neighbour in a k-d tree of 63 points laid out as a heap; integers.
extern "C" __global__ void kd_nearest(const short2* points, const short2* queries, int* best_out, int m) {
  __shared__ short2 node[64];
  __shared__ short box[64];
  const int t = threadIdx.x;
  // A tree that is one: each node halves its own cell, the point is put somewhere on the plane.
  if (t < 63) {
    int i = t + 1, x0 = -512, x1 = 512, y0 = -512, y1 = 512;
    for (int depth = 30 - __clz(i); depth >= 0; --depth) {
      const int level = 30 - __clz(i) - depth;
      const bool right = i >> depth & 1;
      if (level & 1) {
        const int mid = (y0 + y1) / 2;
        right ? y0 = mid : y1 = mid;
      } else {
        const int mid = (x0 + x1) / 2;
        right ? x0 = mid : x1 = mid;
      }
    }
    const short2 p = points[i];
    const bool by_y = (31 - __clz(i)) & 1;
    const int wide = by_y ? x1 - x0 : y1 - y0, along = (unsigned short)p.x % wide;
    node[i] = by_y ? make_short2(x0 + along, (y0 + y1) / 2) : make_short2((x0 + x1) / 2, y0 + along);
    box[i] = by_y;
  }
  __syncthreads();
  const int q = blockIdx.x * blockDim.x + t;
  if (q >= m) return;
  const int qx = queries[q].x / 64, qy = queries[q].y / 64;
  int stack[12], top = 0, best = 0x7fffffff, who = 0, current = 1;
  while (true) {
    while (current < 64) {
      const short2 p = node[current];
      const int dx = qx - p.x, dy = qy - p.y, d = dx * dx + dy * dy;
      if (d < best) best = d, who = current;
      const int plane = box[current] ? dy : dx;
      const int near = 2 * current + (plane >= 0);
      if (near < 64) stack[top++] = current << 1 | (plane >= 0);
      current = near;
    }
    bool again = false;
    while (top > 0 && !again) {
      const int packed = stack[--top], above = packed >> 1;
      const int plane = box[above] ? qy - node[above].y : qx - node[above].x;
      if (plane * plane < best) {
        current = 2 * above + !(packed & 1);
        again = true;
      }
    }
    if (!again) break;
  }
  best_out[q] = best * 64 + who;
}

// Rays against boxes, a heap of bounding volumes made bottom up in shared memory.
struct Box {
  float low[3], high[3];
};
__device__ __forceinline__ bool hits(const Box& b, const float* o, const float* inv, float limit, float* at) {
  float t0 = 0.0f, t1 = limit;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const float a = (b.low[k] - o[k]) * inv[k], c = (b.high[k] - o[k]) * inv[k];
    t0 = fmaxf(t0, fminf(a, c));
    t1 = fminf(t1, fmaxf(a, c));
  }
  *at = t0;
  return t0 <= t1;
}
extern "C" __global__ void bvh_first_hit(const float* centres, const float* rays, int* hit, int leaves,
                                         int m) {
  extern __shared__ Box boxes[];  // 2 * leaves
  for (int i = threadIdx.x; i < leaves; i += blockDim.x) {
    Box b;
    for (int k = 0; k < 3; ++k) {
      const float c = k == 0 ? (i + 0.5f) * 8.0f / leaves : centres[3 * i + k] * 2.0f;
      b.low[k] = c - 0.125f;
      b.high[k] = c + 0.125f + 0.0625f * (i & 3);
    }
    boxes[leaves + i] = b;
  }
  for (int level = leaves / 2; level >= 1; level >>= 1) {
    __syncthreads();
    for (int i = level + threadIdx.x; i < 2 * level; i += blockDim.x) {
      Box b;
      for (int k = 0; k < 3; ++k) {
        b.low[k] = fminf(boxes[2 * i].low[k], boxes[2 * i + 1].low[k]);
        b.high[k] = fmaxf(boxes[2 * i].high[k], boxes[2 * i + 1].high[k]);
      }
      boxes[i] = b;
    }
  }
  __syncthreads();
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= m) return;
  float o[3], inv[3];
  for (int k = 0; k < 3; ++k) {
    o[k] = k == 0 ? -1.0f : rays[6 * q + k];
    const float d = rays[6 * q + 3 + k];
    inv[k] = 1.0f / (fabsf(d) < 0.001f ? 0.001f : k == 0 ? fabsf(d) : d);
  }
  int stack[16], top = 0, nearest = -1;
  float limit = 1e30f, at;
  stack[top++] = 1;
  while (top) {
    const int node = stack[--top];
    if (!hits(boxes[node], o, inv, limit, &at)) continue;
    if (node >= leaves) {
      if (at < limit) limit = at, nearest = node - leaves;
      continue;
    }
    float left, right;
    const bool l = hits(boxes[2 * node], o, inv, limit, &left);
    const bool r = hits(boxes[2 * node + 1], o, inv, limit, &right);
    if (l && r) {
      const bool swap = left < right;
      stack[top++] = 2 * node + swap;
      stack[top++] = 2 * node + !swap;
    } else if (l || r) {
      stack[top++] = 2 * node + r;
    }
  }
  hit[q] = nearest;
}

// Binary trees of 32 bits of shape: depth and leaves by true recursion.
__device__ __noinline__ int walk(uint32_t shape, int depth, int* leaves) {
  if (depth >= 7 || (shape & 3) == 0) {
    ++*leaves;
    return depth;
  }
  int deepest = depth;
  if (shape & 1) deepest = walk(shape * 1664525u + 1013904223u >> 3, depth + 1, leaves);
  if (shape & 2) {
    const int other = walk(shape * 22695477u + 1u >> 4, depth + 1, leaves);
    if (other > deepest) deepest = other;
  }
  return deepest;
}
extern "C" __global__ void tree_depths(const uint32_t* shapes, int2* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int leaves = 0;
  const int depth = walk(shapes[i], 0, &leaves);
  out[i] = make_int2(depth, leaves);
}

// Segment tree of minima: updates between barriers, questions of ranges by each thread.
extern "C" __global__ void segment_tree(const int* in, const uint32_t* questions, int* answers, int n) {
  extern __shared__ int tree_of_minima[];
  int* const s = tree_of_minima;
  const int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) s[n + i] = in[blockIdx.x * n + i];
  for (int width = n >> 1; width; width >>= 1) {
    __syncthreads();
    for (int i = width + t; i < 2 * width; i += blockDim.x) s[i] = min(s[2 * i], s[2 * i + 1]);
  }
  __syncthreads();
  const uint32_t question = questions[blockIdx.x * blockDim.x + t];
  int a = question % n, b = (question >> 16) % n, least = 0x7fffffff;
  if (a > b) {
    const int c = a;
    a = b, b = c;
  }
  for (a += n, b += n + 1; a < b; a >>= 1, b >>= 1) {
    if (a & 1) least = min(least, s[a++]);
    if (b & 1) least = min(least, s[--b]);
  }
  answers[blockIdx.x * blockDim.x + t] = least;
}

// Fenwick tree: additions by atomics up the tree, sums down it.
extern "C" __global__ void fenwick(const uint32_t* updates, const uint32_t* questions, int* sums, int n,
                                   int count) {
  extern __shared__ int fen[];
  for (int i = threadIdx.x; i <= n; i += blockDim.x) fen[i] = 0;
  __syncthreads();
  for (int u = threadIdx.x; u < count; u += blockDim.x) {
    const uint32_t v = updates[blockIdx.x * count + u];
    for (int i = v % n + 1; i <= n; i += i & -i) atomicAdd(fen + i, (int)(v >> 24) - 100);
  }
  __syncthreads();
  const uint32_t q = questions[threadIdx.x] % (n + 1);
  int sum = 0;
  for (int i = q; i; i &= i - 1) sum += fen[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A trie over four letters: nodes are claimed by a warp, word by word.
extern "C" __global__ void trie_words(const uint32_t* words, int* nodes, int* shared_prefix, int n) {
  __shared__ short child[600][4];
  const int lane = threadIdx.x;
  for (int i = lane; i < 2400; i += 32) child[i / 4][i % 4] = 0;
  __syncwarp();
  int used = 1;
  for (int first = 0; first < n; first += 32) {
    // One lane inserts, then all ask how far a word of their own gets.
    if (lane == first / 32 % 32) {
      for (int w = first; w < min(first + 8, n); ++w) {
        int node = 0;
        for (int k = 0; k < 8; ++k) {
          const int c = words[w] >> 2 * k & 3;
          if (child[node][c] == 0) child[node][c] = used++;
          node = child[node][c];
        }
      }
    }
    used = __shfl_sync(~0u, used, first / 32 % 32);
    __syncwarp();
    if (first + lane < n) {
      const uint32_t word = words[first + lane];
      int node = 0, k = 0;
      do {
        node = child[node][word >> 2 * k & 3];
      } while (node && ++k < 8);
      shared_prefix[first + lane] = k;
    }
    __syncwarp();
  }
  if (lane == 0) *nodes = used;
}
