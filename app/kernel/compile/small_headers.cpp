#include "kernel/compile/small_headers.h"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

struct SmallHeader {
  std::string_view name;
  std::string_view text;
};

// 64-bit integers are long long, as in CUDA's own headers for NVRTC, beside which these may stand.
constexpr std::string_view kIntegers = R"(typedef signed char int8_t;
typedef signed short int16_t;
typedef signed int int32_t;
typedef signed long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef int64_t intmax_t;
typedef uint64_t uintmax_t;
typedef int8_t int_least8_t, int_fast8_t;
typedef int16_t int_least16_t;
typedef int32_t int_least32_t;
typedef int64_t int_least64_t, int_fast16_t, int_fast32_t, int_fast64_t;
typedef uint8_t uint_least8_t, uint_fast8_t;
typedef uint16_t uint_least16_t;
typedef uint32_t uint_least32_t;
typedef uint64_t uint_least64_t, uint_fast16_t, uint_fast32_t, uint_fast64_t;
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t; using ::intmax_t; using ::uintmax_t;
using ::int_least8_t; using ::int_least16_t; using ::int_least32_t; using ::int_least64_t;
using ::uint_least8_t; using ::uint_least16_t; using ::uint_least32_t; using ::uint_least64_t;
using ::int_fast8_t; using ::int_fast16_t; using ::int_fast32_t; using ::int_fast64_t;
using ::uint_fast8_t; using ::uint_fast16_t; using ::uint_fast32_t; using ::uint_fast64_t;
}
#ifndef INT8_MIN
#define INT8_MIN (-128)
#define INT16_MIN (-32768)
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807LL
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615ULL
#define SIZE_MAX 18446744073709551615ULL
#endif
)";

// glibc's names, which nvcc knows without an #include, and OpenCV's of the same kind.
constexpr std::string_view kSystemTypes = R"(typedef unsigned char uchar;
typedef unsigned char u_char;
typedef unsigned char u_int8_t;
typedef unsigned short u_int16_t;
typedef unsigned int u_int32_t;
typedef unsigned long u_int64_t;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long ssize_t;
)";

constexpr std::string_view kSizes = R"(typedef long ptrdiff_t;
namespace std {
using ::size_t; using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
}
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) ((size_t)&(((type*)0)->member))
#endif
)";

constexpr std::string_view kIntegerLimits = R"(#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#endif
)";

constexpr std::string_view kFloatLimits = R"(#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_EPSILON 1.1920928955078125e-07f
#define FLT_MIN 1.1754943508222875e-38f
#define FLT_MAX 3.4028234663852886e+38f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#endif
)";

constexpr std::string_view kMath = R"(#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_LOG10E 0.43429448190325182765
#define M_LN10 2.30258509299404568402
#define M_1_PI 0.31830988618379067154
#define M_2_SQRTPI 1.12837916709551257390
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF __int_as_float(0x7f800000)
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
#endif
namespace std {
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::exp; using ::exp2; using ::expm1;
using ::log; using ::log2; using ::log10; using ::log1p; using ::pow; using ::sin; using ::cos;
using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2; using ::sinh; using ::cosh;
using ::tanh; using ::erf; using ::erfc; using ::tgamma; using ::lgamma; using ::floor; using ::ceil;
using ::round; using ::trunc; using ::rint; using ::nearbyint; using ::fmod; using ::remainder;
using ::fmax; using ::fmin; using ::fma; using ::hypot; using ::copysign; using ::isnan;
using ::isinf; using ::isfinite; using ::signbit; using ::ldexp; using ::frexp; using ::modf;
using ::lround; using ::llround; using ::lrint; using ::llrint; using ::fdim; using ::nextafter;
using ::logb; using ::ilogb; using ::scalbn; using ::asinh; using ::acosh; using ::atanh;
}
)";

constexpr std::string_view kTraits = R"(namespace std {
template <class T, T v> struct integral_constant {
  static constexpr T value = v;
  using value_type = T;
  using type = integral_constant;
  __host__ __device__ constexpr operator T() const { return v; }
};
template <bool b> using bool_constant = integral_constant<bool, b>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;
template <bool b, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;
template <bool b, class T, class F> struct conditional { using type = T; };
template <class T, class F> struct conditional<false, T, F> { using type = F; };
template <bool b, class T, class F> using conditional_t = typename conditional<b, T, F>::type;
template <class T> struct remove_const { using type = T; };
template <class T> struct remove_const<const T> { using type = T; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> struct remove_volatile { using type = T; };
template <class T> struct remove_volatile<volatile T> { using type = T; };
template <class T> struct remove_cv { using type = typename remove_volatile<remove_const_t<T>>::type; };
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T&> { using type = T; };
template <class T> struct remove_reference<T&&> { using type = T; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_pointer { using type = T; };
template <class T> struct remove_pointer<T*> { using type = T; };
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using tilescope_bare = remove_cv_t<remove_reference_t<T>>;
template <class T> using remove_cvref_t = tilescope_bare<T>;
template <class...> using void_t = void;
template <class T, class U> struct is_same : false_type {};
template <class T> struct is_same<T, T> : true_type {};
template <class T, class U> inline constexpr bool is_same_v = is_same<T, U>::value;
template <class T> struct is_void : is_same<remove_cv_t<T>, void> {};
template <class T> inline constexpr bool is_void_v = is_void<T>::value;
template <class T> struct is_pointer : false_type {};
template <class T> struct is_pointer<T*> : true_type {};
template <class T> inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T> struct is_floating_point
    : bool_constant<is_same_v<remove_cv_t<T>, float> || is_same_v<remove_cv_t<T>, double>> {};
template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T, class... U> inline constexpr bool tilescope_is_one_of = (is_same_v<remove_cv_t<T>, U> || ...);
template <class T> struct is_integral
    : bool_constant<tilescope_is_one_of<T, bool, char, signed char, unsigned char, wchar_t, char16_t,
                                     char32_t, short, unsigned short, int, unsigned, long,
                                     unsigned long, long long, unsigned long long>> {};
template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <class T> struct is_arithmetic : bool_constant<is_integral_v<T> || is_floating_point_v<T>> {};
template <class T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T, bool = is_arithmetic_v<T>> struct is_signed : bool_constant<(T(-1) < T(0))> {};
template <class T> struct is_signed<T, false> : false_type {};
template <class T> inline constexpr bool is_signed_v = is_signed<T>::value;
template <class T> struct is_unsigned : bool_constant<is_arithmetic_v<T> && !is_signed_v<T>> {};
template <class T> inline constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T> inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <class T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <class B, class D> struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <class B, class D> inline constexpr bool is_base_of_v = __is_base_of(B, D);
}
)";

constexpr std::string_view kNumericLimits = R"(namespace std {
template <class T> struct numeric_limits { static constexpr bool is_specialized = false; };
#define TILESCOPE_INTEGER_LIMITS(T, least, most, bits, is_signed_)                       \
  template <> struct numeric_limits<T> {                                                 \
    static constexpr bool is_specialized = true, is_integer = true, is_signed = is_signed_; \
    static constexpr bool has_infinity = false;                                          \
    static constexpr int digits = bits;                                                  \
    __host__ __device__ static constexpr T min() { return least; }                       \
    __host__ __device__ static constexpr T lowest() { return least; }                    \
    __host__ __device__ static constexpr T max() { return most; }                        \
  };
TILESCOPE_INTEGER_LIMITS(bool, false, true, 1, false)
TILESCOPE_INTEGER_LIMITS(char, -128, 127, 7, true)
TILESCOPE_INTEGER_LIMITS(signed char, -128, 127, 7, true)
TILESCOPE_INTEGER_LIMITS(unsigned char, 0, 255, 8, false)
TILESCOPE_INTEGER_LIMITS(short, -32768, 32767, 15, true)
TILESCOPE_INTEGER_LIMITS(unsigned short, 0, 65535, 16, false)
TILESCOPE_INTEGER_LIMITS(int, -2147483647 - 1, 2147483647, 31, true)
TILESCOPE_INTEGER_LIMITS(unsigned, 0, 4294967295U, 32, false)
TILESCOPE_INTEGER_LIMITS(long, -9223372036854775807L - 1, 9223372036854775807L, 63, true)
TILESCOPE_INTEGER_LIMITS(unsigned long, 0, 18446744073709551615UL, 64, false)
TILESCOPE_INTEGER_LIMITS(long long, -9223372036854775807LL - 1, 9223372036854775807LL, 63, true)
TILESCOPE_INTEGER_LIMITS(unsigned long long, 0, 18446744073709551615ULL, 64, false)
#undef TILESCOPE_INTEGER_LIMITS
#define TILESCOPE_FLOAT_LIMITS(T, least, most, step, bits, inf, nan_)                    \
  template <> struct numeric_limits<T> {                                                 \
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true;   \
    static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true;   \
    static constexpr int digits = bits;                                                  \
    __host__ __device__ static constexpr T min() { return least; }                       \
    __host__ __device__ static constexpr T lowest() { return -most; }                    \
    __host__ __device__ static constexpr T max() { return most; }                        \
    __host__ __device__ static constexpr T epsilon() { return step; }                    \
    __host__ __device__ static constexpr T infinity() { return inf; }                    \
    __host__ __device__ static constexpr T quiet_NaN() { return nan_; }                  \
  };
TILESCOPE_FLOAT_LIMITS(float, 1.1754943508222875e-38f, 3.4028234663852886e+38f,
                       1.1920928955078125e-07f, 24, __builtin_bit_cast(float, 0x7f800000), __builtin_bit_cast(float, 0x7fc00000))
TILESCOPE_FLOAT_LIMITS(double, 2.2250738585072014e-308, 1.7976931348623157e+308,
                       2.2204460492503131e-16, 53, __builtin_bit_cast(double, 0x7ff0000000000000LL), __builtin_bit_cast(double, 0x7ff8000000000000LL))
#undef TILESCOPE_FLOAT_LIMITS
}
)";

constexpr std::string_view kAlgorithms = R"(#ifndef TILESCOPE_SMALL_ALGORITHM
#define TILESCOPE_SMALL_ALGORITHM
namespace std {
template <class T> __host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> __host__ __device__ constexpr const T& clamp(const T& v, const T& least, const T& most) {
  return v < least ? least : most < v ? most : v;
}
template <class T> __host__ __device__ constexpr void swap(T& a, T& b) { T c = a; a = b; b = c; }
}
#endif
)";

// Marks of CUDA's own headers, which nvcc includes unasked.
constexpr std::string_view kHostDefines = R"(#ifndef __device_builtin__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __builtin_align__(a) __align__(a)
#endif
)";

constexpr std::string_view kBytes = R"(namespace std {
using ::memcpy; using ::memset;
}
)";

constexpr std::string_view kTime = R"(#ifndef CLOCKS_PER_SEC
typedef long clock_t;
#define CLOCKS_PER_SEC ((clock_t)1000000)
#endif
)";

constexpr std::string_view kNothing = "#pragma once\n";

constexpr std::array<SmallHeader, 31> kSmallHeaders = {{
    {"cstdint", kIntegers},
    {"stdint.h", kIntegers},
    {"inttypes.h", kIntegers},
    {"cinttypes", kIntegers},
    {"sys/types.h", kSystemTypes},
    {"cstddef", kSizes},
    {"stddef.h", kSizes},
    {"climits", kIntegerLimits},
    {"limits.h", kIntegerLimits},
    {"cfloat", kFloatLimits},
    {"float.h", kFloatLimits},
    {"cmath", kMath},
    {"math.h", kMath},
    {"type_traits", kTraits},
    {"limits", kNumericLimits},
    {"algorithm", kAlgorithms},
    {"utility", kAlgorithms},
    {"ctime", kTime},
    {"time.h", kTime},
    {"cassert", kNothing},
    {"assert.h", kNothing},
    {"cstdio", kNothing},
    {"stdio.h", kNothing},
    {"cstring", kBytes},
    {"string.h", kBytes},
    {"cstdlib", kNothing},
    {"stdlib.h", kNothing},
    {"initializer_list", kNothing},
    {"host_defines.h", kHostDefines},
    {"crt/host_defines.h", kHostDefines},
    {"cuda/host_defines.h", kHostDefines},
}};

}  // namespace

std::optional<std::string_view> small_header(std::string_view name) {
  const auto found = std::ranges::find(kSmallHeaders, name, &SmallHeader::name);
  if (found == kSmallHeaders.end()) return std::nullopt;
  return found->text;
}

}  // namespace tilescope
