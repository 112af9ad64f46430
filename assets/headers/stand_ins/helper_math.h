// Arithmetic on CUDA's vectors of two to four elements, as CUDA's samples have it.
#ifndef TILESCOPE_HELPER_MATH
#define TILESCOPE_HELPER_MATH
#include <cuda_runtime.h>
#include <math.h>
typedef unsigned int uint;
typedef unsigned short ushort;

#define TILESCOPE_MATH inline __host__ __device__
template <class V>
struct tilescope_vector;  // of each vector its elements and how many there are
#define TILESCOPE_VECTOR(T, V, N)   \
  template <>                       \
  struct tilescope_vector<V##N> {   \
    typedef T Element;              \
    static constexpr int kSize = N; \
  };
#define TILESCOPE_VECTORS(T, V) \
  TILESCOPE_VECTOR(T, V, 2) TILESCOPE_VECTOR(T, V, 3) TILESCOPE_VECTOR(T, V, 4)
TILESCOPE_VECTORS(float, float)
TILESCOPE_VECTORS(int, int)
TILESCOPE_VECTORS(uint, uint)
template <class V>
using tilescope_element = typename tilescope_vector<V>::Element;

// f of each element, of two vectors or three.
template <class V, class F>
TILESCOPE_MATH V tilescope_each(V a, V b, V c, F f) {
  V result;
  result.x = f(a.x, b.x, c.x);
  result.y = f(a.y, b.y, c.y);
  if constexpr (tilescope_vector<V>::kSize > 2) result.z = f(a.z, b.z, c.z);
  if constexpr (tilescope_vector<V>::kSize > 3) result.w = f(a.w, b.w, c.w);
  return result;
}
template <class V>
TILESCOPE_MATH V tilescope_splat(tilescope_element<V> s) {
  V result;
  result.x = result.y = s;
  if constexpr (tilescope_vector<V>::kSize > 2) result.z = s;
  if constexpr (tilescope_vector<V>::kSize > 3) result.w = s;
  return result;
}
#define TILESCOPE_OPERATOR(OP)                                               \
  template <class V, class E = tilescope_element<V>>                         \
  TILESCOPE_MATH V operator OP(V a, V b) {                                   \
    return tilescope_each(a, b, b, [](E x, E y, E) -> E { return x OP y; }); \
  }                                                                          \
  template <class V>                                                         \
  TILESCOPE_MATH V operator OP(V a, tilescope_element<V> s) {                \
    return a OP tilescope_splat<V>(s);                                       \
  }                                                                          \
  template <class V>                                                         \
  TILESCOPE_MATH V operator OP(tilescope_element<V> s, V a) {                \
    return tilescope_splat<V>(s) OP a;                                       \
  }                                                                          \
  template <class V, class E = tilescope_element<V>>                         \
  TILESCOPE_MATH void operator OP##=(V& a, V b) {                            \
    a = a OP b;                                                              \
  }                                                                          \
  template <class V>                                                         \
  TILESCOPE_MATH void operator OP##=(V& a, tilescope_element<V> s) {         \
    a = a OP s;                                                              \
  }
TILESCOPE_OPERATOR(+)
TILESCOPE_OPERATOR(-)
TILESCOPE_OPERATOR(*)
TILESCOPE_OPERATOR(/)
template <class V, class E = tilescope_element<V>>
TILESCOPE_MATH V operator-(V a) {
  return tilescope_splat<V>(0) - a;
}

#define TILESCOPE_MAKE(V, T)                                                        \
  TILESCOPE_MATH V##2 make_##V##2(T s) { return tilescope_splat<V##2>(s); }         \
  TILESCOPE_MATH V##3 make_##V##3(T s) { return tilescope_splat<V##3>(s); }         \
  TILESCOPE_MATH V##4 make_##V##4(T s) { return tilescope_splat<V##4>(s); }         \
  TILESCOPE_MATH V##2 make_##V##2(V##3 a) { return make_##V##2(a.x, a.y); }         \
  TILESCOPE_MATH V##3 make_##V##3(V##2 a) { return make_##V##3(a.x, a.y, 0); }      \
  TILESCOPE_MATH V##3 make_##V##3(V##2 a, T s) { return make_##V##3(a.x, a.y, s); } \
  TILESCOPE_MATH V##3 make_##V##3(V##4 a) { return make_##V##3(a.x, a.y, a.z); }    \
  TILESCOPE_MATH V##4 make_##V##4(V##3 a) { return make_##V##4(a.x, a.y, a.z, 0); } \
  TILESCOPE_MATH V##4 make_##V##4(V##3 a, T s) { return make_##V##4(a.x, a.y, a.z, s); }
TILESCOPE_MAKE(float, float)
TILESCOPE_MAKE(int, int)
TILESCOPE_MAKE(uint, uint)
TILESCOPE_MATH float2 make_float2(int2 a) { return make_float2(float(a.x), float(a.y)); }
TILESCOPE_MATH float3 make_float3(int3 a) {
  return make_float3(float(a.x), float(a.y), float(a.z));
}
TILESCOPE_MATH int2 make_int2(float2 a) { return make_int2(int(a.x), int(a.y)); }
TILESCOPE_MATH int3 make_int3(float3 a) { return make_int3(int(a.x), int(a.y), int(a.z)); }

template <class V, class E = tilescope_element<V>>
TILESCOPE_MATH E dot(V a, V b) {
  E sum = a.x * b.x + a.y * b.y;
  if constexpr (tilescope_vector<V>::kSize > 2) sum += a.z * b.z;
  if constexpr (tilescope_vector<V>::kSize > 3) sum += a.w * b.w;
  return sum;
}
TILESCOPE_MATH float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
template <class V, class E = tilescope_element<V>>
TILESCOPE_MATH float length(V a) {
  return sqrtf(dot(a, a));
}
template <class V, class E = tilescope_element<V>>
TILESCOPE_MATH V normalize(V a) {
  return a * (1.0f / sqrtf(dot(a, a)));
}
template <class V, class E = tilescope_element<V>>
TILESCOPE_MATH V reflect(V i, V n) {
  return i - 2.0f * n * dot(n, i);
}
TILESCOPE_MATH float lerp(float a, float b, float t) { return a + t * (b - a); }
template <class V, class E = tilescope_element<V>>
TILESCOPE_MATH V lerp(V a, V b, float t) {
  return a + t * (b - a);
}
TILESCOPE_MATH float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
TILESCOPE_MATH int clamp(int f, int a, int b) { return f < a ? a : f > b ? b : f; }
TILESCOPE_MATH uint clamp(uint f, uint a, uint b) { return f < a ? a : f > b ? b : f; }
template <class V, class E = tilescope_element<V>>
TILESCOPE_MATH V clamp(V a, V low, V high) {
  return tilescope_each(a, low, high, [](E x, E l, E h) -> E { return x < l ? l : x > h ? h : x; });
}
template <class V>
TILESCOPE_MATH V clamp(V a, tilescope_element<V> low, tilescope_element<V> high) {
  return clamp(a, tilescope_splat<V>(low), tilescope_splat<V>(high));
}
#define TILESCOPE_OF_EACH(NAME, VALUE)                                    \
  template <class V, class E = tilescope_element<V>>                      \
  TILESCOPE_MATH V NAME(V a) {                                            \
    return tilescope_each(a, a, a, [](E x, E, E) -> E { return VALUE; }); \
  }
#define TILESCOPE_OF_PAIRS(NAME, VALUE)                                     \
  template <class V, class E = tilescope_element<V>>                        \
  TILESCOPE_MATH V NAME(V a, V b) {                                         \
    return tilescope_each(a, b, b, [](E x, E y, E) -> E { return VALUE; }); \
  }
TILESCOPE_OF_EACH(floorf, ::floorf(x))
TILESCOPE_OF_EACH(fabs, ::fabsf(x))
TILESCOPE_OF_EACH(fracf, x - ::floorf(x))
TILESCOPE_OF_PAIRS(fminf, ::fminf(x, y))
TILESCOPE_OF_PAIRS(fmaxf, ::fmaxf(x, y))
TILESCOPE_OF_PAIRS(fmodf, ::fmodf(x, y))
TILESCOPE_OF_PAIRS(min, x < y ? x : y)
TILESCOPE_OF_PAIRS(max, x < y ? y : x)
#endif
