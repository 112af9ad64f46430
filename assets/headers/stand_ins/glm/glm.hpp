// Vectors and matrices as kernels use them of the library GLM, where it is not installed.
#ifndef TILESCOPE_GLM
#define TILESCOPE_GLM
#ifdef __CUDACC_RTC__
#include <cuda_runtime.h>
#else
#include <cmath>
#include <cuda_runtime.h>
#endif
#define TILESCOPE_GLM_CALL __host__ __device__ inline
namespace glm {

template <int N, class T>
struct vec;

template <class T>
struct vec<2, T> {
  T x;
  T y;
  vec() = default;
  TILESCOPE_GLM_CALL explicit vec(T all) : x(all), y(all) {}
  template <class A, class B>
  TILESCOPE_GLM_CALL vec(A a, B b) : x(T(a)), y(T(b)) {}
  template <int M, class U>
  TILESCOPE_GLM_CALL explicit vec(const vec<M, U>& v) : x(T(v.x)), y(T(v.y)) {}
  TILESCOPE_GLM_CALL T& operator[](int i) { return i == 0 ? x : y; }
  TILESCOPE_GLM_CALL const T& operator[](int i) const { return i == 0 ? x : y; }
};

template <class T>
struct vec<3, T> {
  T x;
  T y;
  T z;
  vec() = default;
  TILESCOPE_GLM_CALL explicit vec(T all) : x(all), y(all), z(all) {}
  template <class A, class B, class C>
  TILESCOPE_GLM_CALL vec(A a, B b, C c) : x(T(a)), y(T(b)), z(T(c)) {}
  template <class U, class C>
  TILESCOPE_GLM_CALL vec(const vec<2, U>& v, C c) : x(T(v.x)), y(T(v.y)), z(T(c)) {}
  template <int M, class U>
  TILESCOPE_GLM_CALL explicit vec(const vec<M, U>& v) : x(T(v.x)), y(T(v.y)), z(T(v.z)) {}
  TILESCOPE_GLM_CALL T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  TILESCOPE_GLM_CALL const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
};

template <class T>
struct vec<4, T> {
  T x;
  T y;
  T z;
  T w;
  vec() = default;
  TILESCOPE_GLM_CALL explicit vec(T all) : x(all), y(all), z(all), w(all) {}
  template <class A, class B, class C, class D>
  TILESCOPE_GLM_CALL vec(A a, B b, C c, D d) : x(T(a)), y(T(b)), z(T(c)), w(T(d)) {}
  template <class U, class D>
  TILESCOPE_GLM_CALL vec(const vec<3, U>& v, D d) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(d)) {}
  template <class U>
  TILESCOPE_GLM_CALL explicit vec(const vec<4, U>& v)
      : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(v.w)) {}
  TILESCOPE_GLM_CALL T& operator[](int i) { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
  TILESCOPE_GLM_CALL const T& operator[](int i) const {
    return i == 0 ? x : i == 1 ? y : i == 2 ? z : w;
  }
};

// The literals beside a vector are of other types: 2 * v.
template <class T>
struct same_type {
  using type = T;
};
template <class T>
using number = typename same_type<T>::type;

#define TILESCOPE_GLM_OPERATOR(SIGN)                                                             \
  template <int N, class T>                                                                      \
  TILESCOPE_GLM_CALL vec<N, T>& operator SIGN##=(vec<N, T>& a, const vec<N, T>& b) {             \
    for (int i = 0; i < N; ++i) a[i] SIGN## = b[i];                                              \
    return a;                                                                                    \
  }                                                                                              \
  template <int N, class T>                                                                      \
  TILESCOPE_GLM_CALL vec<N, T>& operator SIGN##=(vec<N, T>& a, number<T> b) {                    \
    return a SIGN## = vec<N, T>(b);                                                              \
  }                                                                                              \
  template <int N, class T>                                                                      \
  TILESCOPE_GLM_CALL vec<N, T> operator SIGN(vec<N, T> a, const vec<N, T>& b) {                  \
    return a SIGN## = b;                                                                         \
  }                                                                                              \
  template <int N, class T>                                                                      \
  TILESCOPE_GLM_CALL vec<N, T> operator SIGN(vec<N, T> a, number<T> b) {                         \
    return a SIGN## = vec<N, T>(b);                                                              \
  }                                                                                              \
  template <int N, class T>                                                                      \
  TILESCOPE_GLM_CALL vec<N, T> operator SIGN(number<T> a, const vec<N, T>& b) {                  \
    return vec<N, T>(a) SIGN b;                                                                  \
  }
TILESCOPE_GLM_OPERATOR(+)
TILESCOPE_GLM_OPERATOR(-)
TILESCOPE_GLM_OPERATOR(*)
TILESCOPE_GLM_OPERATOR(/)
#undef TILESCOPE_GLM_OPERATOR

template <int N, class T>
TILESCOPE_GLM_CALL vec<N, T> operator-(const vec<N, T>& a) {
  return T(0) - a;
}
template <int N, class T>
TILESCOPE_GLM_CALL bool operator==(const vec<N, T>& a, const vec<N, T>& b) {
  for (int i = 0; i < N; ++i)
    if (a[i] != b[i]) return false;
  return true;
}
template <int N, class T>
TILESCOPE_GLM_CALL bool operator!=(const vec<N, T>& a, const vec<N, T>& b) {
  return !(a == b);
}

template <int N, class T>
TILESCOPE_GLM_CALL T dot(const vec<N, T>& a, const vec<N, T>& b) {
  T sum = 0;
  for (int i = 0; i < N; ++i) sum += a[i] * b[i];
  return sum;
}
template <class T>
TILESCOPE_GLM_CALL vec<3, T> cross(const vec<3, T>& a, const vec<3, T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <int N, class T>
TILESCOPE_GLM_CALL T length(const vec<N, T>& a) {
  return sqrt(dot(a, a));
}
template <int N, class T>
TILESCOPE_GLM_CALL T distance(const vec<N, T>& a, const vec<N, T>& b) {
  return length(a - b);
}
template <int N, class T>
TILESCOPE_GLM_CALL vec<N, T> normalize(const vec<N, T>& a) {
  return a / length(a);
}
template <int N, class T>
TILESCOPE_GLM_CALL vec<N, T> reflect(const vec<N, T>& a, const vec<N, T>& normal) {
  return a - normal * (T(2) * dot(normal, a));
}
template <int N, class T>
TILESCOPE_GLM_CALL vec<N, T> refract(const vec<N, T>& a, const vec<N, T>& normal, number<T> eta) {
  const T d = dot(normal, a);
  const T k = T(1) - eta * eta * (T(1) - d * d);
  return k < T(0) ? vec<N, T>(T(0)) : a * T(eta) - normal * (eta * d + sqrt(k));
}

template <class T>
TILESCOPE_GLM_CALL T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
TILESCOPE_GLM_CALL T max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
TILESCOPE_GLM_CALL T clamp(T a, number<T> low, number<T> high) {
  return a < low ? low : high < a ? high : a;
}
template <class T>
TILESCOPE_GLM_CALL T mix(T a, T b, number<T> part) {
  return a * (T(1) - part) + b * part;
}
template <int N, class T>
TILESCOPE_GLM_CALL vec<N, T> mix(const vec<N, T>& a, const vec<N, T>& b, number<T> part) {
  return a * (T(1) - part) + b * T(part);
}
#define TILESCOPE_GLM_EACH(NAME)                                               \
  template <int N, class T>                                                    \
  TILESCOPE_GLM_CALL vec<N, T> NAME(vec<N, T> a, const vec<N, T>& b) {         \
    for (int i = 0; i < N; ++i) a[i] = NAME(a[i], b[i]);                       \
    return a;                                                                  \
  }
TILESCOPE_GLM_EACH(min)
TILESCOPE_GLM_EACH(max)
#undef TILESCOPE_GLM_EACH
template <int N, class T>
TILESCOPE_GLM_CALL vec<N, T> clamp(vec<N, T> a, number<T> low, number<T> high) {
  for (int i = 0; i < N; ++i) a[i] = clamp(a[i], low, high);
  return a;
}
#define TILESCOPE_GLM_EACH(NAME, CALL)                                         \
  template <int N, class T>                                                    \
  TILESCOPE_GLM_CALL vec<N, T> NAME(vec<N, T> a) {                             \
    for (int i = 0; i < N; ++i) a[i] = CALL(a[i]);                             \
    return a;                                                                  \
  }
TILESCOPE_GLM_EACH(abs, ::fabs)
TILESCOPE_GLM_EACH(floor, ::floor)
TILESCOPE_GLM_EACH(ceil, ::ceil)
TILESCOPE_GLM_EACH(sqrt, ::sqrt)
TILESCOPE_GLM_EACH(sin, ::sin)
TILESCOPE_GLM_EACH(cos, ::cos)
TILESCOPE_GLM_EACH(exp, ::exp)
#undef TILESCOPE_GLM_EACH
using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::ceil;
using ::cos;
using ::exp;
using ::floor;
using ::pow;
using ::sin;
using ::sqrt;
using ::tan;
template <class T = float>
TILESCOPE_GLM_CALL T pi() {
  return T(3.14159265358979323846);
}
template <class T>
TILESCOPE_GLM_CALL T radians(T degrees) {
  return degrees * pi<T>() / T(180);
}

// Columns.
template <int N, class T>
struct mat {
  vec<N, T> columns[N];
  mat() = default;
  TILESCOPE_GLM_CALL explicit mat(T diagonal) {
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) columns[i][j] = i == j ? diagonal : T(0);
  }
  template <int M>
  TILESCOPE_GLM_CALL explicit mat(const mat<M, T>& other) : mat(T(1)) {
    for (int i = 0; i < (N < M ? N : M); ++i)
      for (int j = 0; j < (N < M ? N : M); ++j) columns[i][j] = other[i][j];
  }
  TILESCOPE_GLM_CALL vec<N, T>& operator[](int i) { return columns[i]; }
  TILESCOPE_GLM_CALL const vec<N, T>& operator[](int i) const { return columns[i]; }
};
template <int N, class T>
TILESCOPE_GLM_CALL vec<N, T> operator*(const mat<N, T>& m, const vec<N, T>& v) {
  vec<N, T> sum(T(0));
  for (int i = 0; i < N; ++i) sum += m[i] * v[i];
  return sum;
}
template <int N, class T>
TILESCOPE_GLM_CALL mat<N, T> operator*(const mat<N, T>& a, const mat<N, T>& b) {
  mat<N, T> product;
  for (int i = 0; i < N; ++i) product[i] = a * b[i];
  return product;
}
template <int N, class T>
TILESCOPE_GLM_CALL mat<N, T> transpose(const mat<N, T>& a) {
  mat<N, T> turned;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) turned[i][j] = a[j][i];
  return turned;
}

using vec2 = vec<2, float>;
using vec3 = vec<3, float>;
using vec4 = vec<4, float>;
using dvec2 = vec<2, double>;
using dvec3 = vec<3, double>;
using dvec4 = vec<4, double>;
using ivec2 = vec<2, int>;
using ivec3 = vec<3, int>;
using ivec4 = vec<4, int>;
using uvec2 = vec<2, unsigned>;
using uvec3 = vec<3, unsigned>;
using uvec4 = vec<4, unsigned>;
using mat2 = mat<2, float>;
using mat3 = mat<3, float>;
using mat4 = mat<4, float>;
using mat2x2 = mat2;
using mat3x3 = mat3;
using mat4x4 = mat4;
using dmat3 = mat<3, double>;
using dmat4 = mat<4, double>;

template <int N, class T>
TILESCOPE_GLM_CALL const T* value_ptr(const vec<N, T>& v) {
  return &v.x;
}
template <int N, class T>
TILESCOPE_GLM_CALL const T* value_ptr(const mat<N, T>& m) {
  return &m[0].x;
}

}  // namespace glm
#undef TILESCOPE_GLM_CALL
#endif
