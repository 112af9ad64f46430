// Dynamic programming.
__global__ void lcs_diagonals(const unsigned char* a, const unsigned char* b, int* out, int n,
                              int m) {
  extern __shared__ int diag[];  // three diagonals of n + 1
  int* d0 = diag;
  int* d1 = diag + n + 1;
  int* d2 = diag + 2 * (n + 1);
  const unsigned char* A = a + blockIdx.x * n;
  const unsigned char* B = b + blockIdx.x * m;
  for (int i = threadIdx.x; i < 3 * (n + 1); i += blockDim.x) diag[i] = 0;
  __syncthreads();
  for (int s = 2; s <= n + m; ++s) {
    int lo = max(1, s - m), hi = min(n, s - 1);
    for (int i = lo + threadIdx.x; i <= hi; i += blockDim.x) {
      int j = s - i;
      d2[i] = (A[i - 1] & 3) == (B[j - 1] & 3) ? d0[i - 1] + 1 : max(d1[i - 1], d1[i]);
    }
    if (threadIdx.x == 0) d2[0] = 0;
    __syncthreads();
    int* t = d0;
    d0 = d1;
    d1 = d2;
    d2 = t;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = d1[n];
}

template <int N>
__global__ void floyd_pivot(int* dist, int stride) {
  __shared__ int tile[N][N];
  int x = threadIdx.x, y = threadIdx.y;
  int* base = dist + blockIdx.x * N * stride;
  tile[y][x] = base[y * stride + x] & 0xfff;
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < N; ++k) {
    int through = tile[y][k] + tile[k][x];
    __syncthreads();
    if (through < tile[y][x]) tile[y][x] = through;
    __syncthreads();
  }
  base[y * stride + x] = tile[y][x];
}
template __global__ void floyd_pivot<16>(int*, int);
template __global__ void floyd_pivot<24>(int*, int);

__global__ void floyd_step(const int* in, int* out, int n, int k) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || j >= n) return;
  int ij = in[i * n + j] & 1023, ik = in[i * n + k] & 1023, kj = in[k * n + j] & 1023;
  out[i * n + j] = ik + kj < ij ? ik + kj : ij;
}

// Smith-Waterman with affine gaps: one warp per pair, the row skewed over the lanes with shuffles
__global__ void smith_waterman(const unsigned char* q, const unsigned char* db, int* best, int qlen,
                               int dlen, int pairs) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= pairs) return;
  int top = 0;
  for (int band = 0; band < qlen; band += 32) {
    int qi = band + lane;
    int qc = qi < qlen ? q[warp * qlen + qi] & 3 : 9;
    int h = 0, hdiag = 0, e = -100, f = -100;
    for (int s = 0; s < dlen + 31; ++s) {
      int up = __shfl_up_sync(~0u, h, 1), upf = __shfl_up_sync(~0u, f, 1);
      if (lane == 0) {
        up = 0;
        upf = -100;
      }
      int j = s - lane;
      if (j >= 0 && j < dlen && qi < qlen) {
        int dc = db[warp * dlen + j] & 3;
        e = max(e - 1, h - 3);
        f = max(upf - 1, up - 3);
        int v = max(max(0, hdiag + (qc == dc ? 2 : -1)), max(e, f));
        hdiag = up;
        h = v;
        top = max(top, v);
      }
    }
  }
  top = __reduce_max_sync(~0u, top);
  if (lane == 0) best[warp] = top;
}

// Myers' bit-parallel edit distance: one text per thread
__global__ void myers(const unsigned long long* peq, const unsigned char* text, int* score, int len,
                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long pv = ~0ull, mv = 0;
  int s = 64;
  for (int j = 0; j < len + (i & 7); ++j) {
    unsigned long long eq = peq[text[i * 8 + j] & 31];
    unsigned long long xv = eq | mv, xh = (((eq & pv) + pv) ^ pv) | eq;
    unsigned long long ph = mv | ~(xh | pv), mh = pv & xh;
    if (ph >> 63) ++s;
    if (mh >> 63) --s;
    ph = (ph << 1) | 1;
    mh <<= 1;
    pv = mh | ~(xv | ph);
    mv = ph & xv;
  }
  score[i] = s;
}

__global__ void knapsack(const unsigned* weight, const unsigned* value, unsigned* out, int items,
                         int capacity) {
  extern __shared__ unsigned rows[];
  unsigned* now = rows;
  unsigned* next = rows + capacity + 1;
  for (int c = threadIdx.x; c <= capacity; c += blockDim.x) now[c] = 0;
  __syncthreads();
  for (int i = 0; i < items; ++i) {
    unsigned w = weight[blockIdx.x * items + i] % 37 + 1, v = value[i] & 63;
    for (int c = threadIdx.x; c <= capacity; c += blockDim.x) {
      unsigned keep = now[c];
      next[c] = c >= w ? max(keep, now[c - w] + v) : keep;
    }
    __syncthreads();
    unsigned* t = now;
    now = next;
    next = t;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = now[capacity];
}

__global__ void matrix_chain(const unsigned* dims, unsigned* out, int n) {  // n <= 40
  __shared__ unsigned cost[40][40];
  unsigned d = 0;
  if (threadIdx.x < n) cost[threadIdx.x][threadIdx.x] = 0;
  __syncthreads();
  for (int span = 1; span < n; ++span) {
    for (int i = threadIdx.x; i + span < n; i += blockDim.x) {
      unsigned best = ~0u;
      int j = i + span;
      for (int k = i; k < j; ++k) {
        unsigned c =
            cost[i][k] + cost[k + 1][j] + (dims[i] & 15) * (dims[k + 1] & 15) * (dims[j + 1] & 15);
        best = min(best, c);
      }
      cost[i][j] = best;
      d += best & 1;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = cost[0][n - 1] + (d >> 31);
}

__global__ void viterbi(const float* trans, const float* emit, const unsigned char* obs,
                        unsigned char* path, int steps) {
  __shared__ float prob[2][24];
  __shared__ unsigned char from[64][24];
  int s = threadIdx.x;  // 24 states
  prob[0][s] = emit[s * 8];
  __syncthreads();
  for (int t = 1; t < steps; ++t) {
    float best = -1e30f;
    int arg = 0;
    for (int p = 0; p < 24; ++p) {
      float v = prob[(t - 1) & 1][p] + trans[p * 24 + s];
      if (v > best) {
        best = v;
        arg = p;
      }
    }
    prob[t & 1][s] = best + emit[s * 8 + (obs[blockIdx.x * steps + t] & 7)];
    from[t][s] = arg;
    __syncthreads();
  }
  if (s == 0) {
    int b = 0;
    for (int p = 1; p < 24; ++p)
      if (prob[(steps - 1) & 1][p] > prob[(steps - 1) & 1][b]) b = p;
    for (int t = steps - 1; t > 0; --t) {
      path[blockIdx.x * steps + t] = b;
      b = from[t][b];
    }
    path[blockIdx.x * steps] = b;
  }
}

// Longest increasing subsequence by patience, one array per thread, piles in local memory
__global__ void patience(const int* in, int* out, int len, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int piles[48], k = 0;
  for (int j = 0; j < len; ++j) {
    int v = in[j * n + i], lo = 0, hi = k;
    while (lo < hi) {
      int mid = (lo + hi) >> 1;
      if (piles[mid] < v)
        lo = mid + 1;
      else
        hi = mid;
    }
    piles[lo] = v;
    if (lo == k) ++k;
  }
  out[i] = k;
}
