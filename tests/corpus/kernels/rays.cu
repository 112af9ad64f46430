// Fractals and ray tracing.
template <typename T>
__global__ void mandelbrot(unsigned char* out, int w, int h, int cap, T x0, T y0, T scale) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  T cx = x0 + px * scale, cy = y0 + py * scale, x = 0, y = 0;
  int k = 0;
  for (; k < cap; ++k) {
    T xx = x * x, yy = y * y;
    if (xx + yy > T(4)) break;
    y = 2 * x * y + cy;
    x = xx - yy + cx;
  }
  out[py * w + px] = k;
}
template __global__ void mandelbrot<float>(unsigned char*, int, int, int, float, float, float);
template __global__ void mandelbrot<double>(unsigned char*, int, int, int, double, double, double);
__global__ void julia_persistent(uchar4* out, int w, int h, int* unused) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * h; i += gridDim.x * blockDim.x) {
    float x = (i % w) * 3.f / w - 1.5f, y = (i / w) * 3.f / h - 1.5f;
    int k = 0;
    do {
      float t = x * x - y * y - 0.8f;
      y = 2 * x * y + 0.156f;
      x = t;
    } while (++k < 80 && x * x + y * y < 4);
    out[i] = k == 80 ? make_uchar4(0, 0, 0, 255) : make_uchar4(k * 3, k * 5, k * 7, 255);
  }
}
struct Vec {
  float x, y, z;
};
__device__ Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ Vec operator*(Vec a, float s) { return {a.x * s, a.y * s, a.z * s}; }
__device__ float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__constant__ float4 kSpheres[6] = {
    {0, 0, 5, 1},          {1.5f, 0.2f, 4, 0.5f}, {-1.4f, -0.3f, 4.5f, 0.75f},
    {0.3f, 1.2f, 6, 0.9f}, {0, -101, 5, 100},     {-0.5f, 0.6f, 3.2f, 0.25f}};
__global__ void spheres(float* image, int w, int h, int bounces) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  Vec o = {0, 0, 0}, d = {(px - w * 0.5f) / w, (py - h * 0.5f) / h, 1};
  d = d * (1.f / sqrtf(dot(d, d)));
  float light = 0, weight = 1;
  for (int b = 0; b <= bounces; ++b) {
    float best = 1e9f;
    int hit = -1;
    for (int s = 0; s < 6; ++s) {
      Vec c = Vec{kSpheres[s].x, kSpheres[s].y, kSpheres[s].z} - o;
      float tb = dot(c, d), disc = kSpheres[s].w * kSpheres[s].w - dot(c, c) + tb * tb;
      if (disc < 0) continue;
      float t = tb - sqrtf(disc);
      if (t > 1e-2f && t < best) {
        best = t;
        hit = s;
      }
    }
    if (hit < 0) {
      light += weight * (0.5f + 0.5f * d.y);
      break;
    }
    o = o + d * best;
    Vec n = (o - Vec{kSpheres[hit].x, kSpheres[hit].y, kSpheres[hit].z}) * (1.f / kSpheres[hit].w);
    light += weight * 0.3f * fmaxf(0.f, dot(n, {0.5f, 0.7f, -0.5f}));
    d = d - n * (2 * dot(d, n));
    if ((weight *= 0.6f) < 0.2f) break;
  }
  image[py * w + px] = light;
}
// implicit binary tree of boxes over 32 leaves on a grid; explicit stack in local memory
__global__ void tree_hits(const float4* boxes, const float2* rays, int* hits, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float2 q = rays[r];
  int stack[12], top = 0, count = 0;
  stack[top++] = 1;
  while (top) {
    int node = stack[--top];
    float4 b = boxes[node];
    float grow = 3.2f / node + 0.1f;
    if (fabsf(q.x - b.x) > grow + fabsf(b.z) * 0.3f || fabsf(q.y - b.y) > grow + fabsf(b.w) * 0.3f)
      continue;
    if (node >= 32) {
      ++count;
      continue;
    }
    bool left_first = q.x < b.x;
    stack[top++] = 2 * node + left_first;
    stack[top++] = 2 * node + !left_first;
  }
  hits[r] = count;
}
__device__ float scene(Vec p) {
  float box = fmaxf(fabsf(p.x) - 0.5f, fmaxf(fabsf(p.y) - 0.3f, fabsf(p.z - 3) - 0.5f));
  float ball = sqrtf(dot(p - Vec{0.4f, 0.3f, 2.8f}, p - Vec{0.4f, 0.3f, 2.8f})) - 0.4f;
  return fminf(fminf(box, ball), p.y + 1.f);
}
__global__ void march(unsigned short* steps, int w, int h) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  Vec d = {(px - w / 2) * 1.f / w, (h / 2 - py) * 1.f / h, 1};
  float t = 0;
  int k = 0;
  for (; k < 48; ++k) {
    float s = scene(d * t);
    if (s < 0.01f) break;
    t += s;
    if (t > 12.f) break;
  }
  steps[py * w + px] = k;
}
