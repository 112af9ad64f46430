// Functions that call themselves, and functions called through pointers.

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void fibonacci_each(int* out, int most, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = fibonacci(i % most);
}

__device__ __noinline__ int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }

extern "C" __global__ void factorial_same(int* out, int n) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = factorial(n);
}

extern "C" __global__ void factorial_each(int* out, const int* depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = factorial(depth[i] & 7);
}

__device__ __noinline__ bool is_odd(int n);
__device__ __noinline__ bool is_even(int n) { return n == 0 ? true : is_odd(n - 1); }
__device__ __noinline__ bool is_odd(int n) { return n == 0 ? false : is_even(n - 1); }

extern "C" __global__ void even_or_odd(int* out, const int* depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = is_even(depth[i] & 15) ? 1 : 2;
}

__device__ __noinline__ int tree_sum(const int* tree, int node, int size) {
  if (node >= size) return 0;
  int sum = tree[node] & 255;
  sum += tree_sum(tree, 2 * node + 1, size);
  sum += tree_sum(tree, 2 * node + 2, size);
  return sum;
}

extern "C" __global__ void tree_sums(int* out, const int* tree, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tree_sum(tree, i, size);
}

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void ackermanns(int* out) {
  const int i = threadIdx.x;
  out[blockIdx.x * blockDim.x + i] = ackermann(i % 3, i / 3 % 3);
}

__device__ __noinline__ void quick_sort(int* values, int first, int last) {
  if (first >= last) return;
  const int pivot = values[(first + last) / 2];
  int i = first, j = last;
  while (i <= j) {
    while (values[i] < pivot) ++i;
    while (values[j] > pivot) --j;
    if (i > j) break;
    const int kept = values[i];
    values[i++] = values[j];
    values[j--] = kept;
  }
  quick_sort(values, first, j);
  quick_sort(values, i, last);
}

extern "C" __global__ void sort_rows(int* rows, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  quick_sort(rows + i * length, 0, length - 1);
}

using Binary = float (*)(float, float);
__device__ float sum_of(float a, float b) { return a + b; }
__device__ float product_of(float a, float b) { return a * b; }
__device__ float larger_of(float a, float b) { return fmaxf(a, b); }
__device__ float distance_of(float a, float b) {
  float d = a - b;
  for (int i = 0; i < 3; ++i) d = d * d + 0.25f;
  return sqrtf(d);
}
__device__ Binary operations[4] = {sum_of, product_of, larger_of, distance_of};
__constant__ Binary constant_operations[4] = {sum_of, distance_of, larger_of, product_of};

extern "C" __global__ void by_table(float* out, const float* a, const float* b, int ways, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = operations[i % ways](a[i], b[i]);
}

extern "C" __global__ void by_constant_table(float* out, const float* a, const float* b,
                                             const int* which, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = constant_operations[which[i] & 3](a[i], b[i]);
}

extern "C" __global__ void by_choice(float* out, const float* a, const float* b, int which, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Binary f = which == 0 ? sum_of : which == 1 ? product_of : distance_of;
  if (i < n) out[i] = f(a[i], b[i]);
}

extern "C" __global__ void by_block(float* out, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float kept = 0;
  if (i < n) kept = operations[blockIdx.x & 3](a[i], b[i]);
  __syncthreads();
  if (i < n) out[i] = kept;
}

extern "C" __global__ void in_a_loop(float* out, const float* a, const int* code, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = a[i];
  for (int step = 0; step < length; ++step) {
    value = operations[code[(i + step) % length] & 3](value, a[i]);
  }
  out[i] = value;
}

extern "C" __global__ void trips_differ(float* out, const float* a, const int* code) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = a[i];
  for (int step = 0; step < (code[i] & 7); ++step) value = operations[step & 3](value, 0.5f);
  out[i] = value;
}

struct Shape {
  float size;
  __device__ explicit Shape(float s) : size(s) {}
  __device__ virtual float area() const = 0;
  __device__ virtual float edge() const { return size; }
};
struct Square : Shape {
  __device__ explicit Square(float s) : Shape(s) {}
  __device__ float area() const override { return size * size; }
};
struct Circle : Shape {
  __device__ explicit Circle(float s) : Shape(s) {}
  __device__ float area() const override { return 3.14159265f * size * size; }
  __device__ float edge() const override { return 6.2831853f * size; }
};
struct Triangle : Shape {
  __device__ explicit Triangle(float s) : Shape(s) {}
  __device__ float area() const override { return edge() * size * 0.5f; }
  __device__ float edge() const override { return 3 * size; }
};

extern "C" __global__ void areas(float* out, int ways) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Square square(i * 0.5f);
  const Circle circle(i * 0.25f);
  const Triangle triangle(i * 0.125f);
  const Shape* shapes[3] = {&square, &circle, &triangle};
  const Shape* shape = shapes[i % ways];
  out[i] = shape->area() + shape->edge();
}

using Walk = int (*)(int);
__device__ int walk_down(int n);
__device__ int walk_apart(int n);
__device__ Walk walks[2] = {walk_down, walk_apart};
__device__ int walk_down(int n) { return n <= 0 ? 1 : walks[n & 1](n - 1) + 1; }
__device__ int walk_apart(int n) { return n <= 1 ? 2 : walks[(n >> 1) & 1](n - 2) * 3; }

extern "C" __global__ void walk_through(int* out, const int* start) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = walks[i & 1](start[i] & 15);
}

__device__ __noinline__ float polynomial(float x, int degree) {
  float sum = 0;
  for (int i = 0; i <= degree; ++i) sum = sum * x + 1.0f / (i + 1);
  return sum;
}

extern "C" __global__ void two_calls(float* out, const float* a, const int* code) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = polynomial(a[i], 3);
  if (code[i] & 1) value += polynomial(value, code[i] & 7);
  out[i] = value;
}
