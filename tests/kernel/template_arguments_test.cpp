// Arguments for a kernel's template where nobody says them.
#include "kernel/source/template_arguments.h"

#include <gtest/gtest.h>

#include "kernel/guess/launch_guess.h"
#include "kernel/launch/launch_form.h"

namespace tilescope {
namespace {

std::string guessed(const std::string& source) {
  return guess_launch(KernelFile{"mine.cu", source}).kernel;
}

TEST(TemplateArguments, TypesAreThoseOfTheCallsArguments) {
  const std::string kernel =
      "template <class T> __global__ void norm(const T* x, float* sum, int n) {}\n";
  EXPECT_EQ(
      guessed(kernel + "int main() { double *a, *d_x = nullptr; norm<<<1, 32>>>(d_x, s, 5); }"),
      "norm<double>");
  EXPECT_EQ(guessed(kernel), "norm<float>");
}

TEST(TemplateArguments, AConceptThatAnotherFileHasIsOfATypeWhereParametersAreOfIt) {
  EXPECT_EQ(guessed("template <int N, Real T> __global__ void k(const T* x, T* y, T by, int n) {}"),
            "k<16, float>");
  EXPECT_EQ(guessed("enum Mode { kFast, kSlow };\n"
                    "template <Mode M, typename T> __global__ void k(const T* x, int M2) {}"),
            guessed("enum Mode { kFast, kSlow };\n"
                    "template <Mode Q, typename T> __global__ void k(const T* x, int M2) {}"))
      << "a value is no type";
}

TEST(TemplateArguments, OfAHostsTemplateAreNoTypes) {
  EXPECT_EQ(guessed("template <typename T> __global__ void scale(T* out, T by) {}\n"
                    "template <typename T> void run(T* p) { scale<T><<<4, 64>>>(p, T(2)); }\n"),
            "scale<float>");
}

// A macro chooses them, and names them for the lambda that it gets.
TEST(TemplateArguments, OfAMacrosLambdaAreFloatAndTrue) {
  const std::string kernel =
      "template <class T, int N, bool even> struct Traits { using type = T; };\n"
      "template <class T> struct Wide { using type = float; };\n"
      "template <class Of, class Sum> __global__ void k(float* x) {}\n";
  EXPECT_EQ(
      guessed(kernel +
              "void run(float* x) {\n"
              "  CHOOSE_TYPE(type_of(x), \"k\", [&] {\n"
              "    CHOOSE(n % 2 == 0, kIsEven, [&] {\n"
              "      k<Traits<input_t, 8, kIsEven>, typename Wide<scalar_t>::type><<<4, 64>>>(x);\n"
              "    }); }); }\n"),
      "k<Traits<float, 8, true>, typename Wide<float>::type>");
}

TEST(TemplateArguments, AreThoseOfTheKernelThatAFunctionGets) {
  const std::string kernel =
      "template <int N, class T> __global__ void k(T* x) {}\n"
      "template <class F, class... A> void launch(F* f, int blocks, A... a) {\n"
      "  f<<<blocks, 128>>>(a...);\n}\n";
  EXPECT_EQ(
      guessed(kernel + "void run(double* x) { const int W = 8; launch(k<W * 2, double>, 4, x); }"),
      "k<16, double>");
  EXPECT_EQ(guessed(kernel + "void run(int* x) { auto f = k<4, int>; launch(f, 4, x); }"),
            "k<4, int>");
}

// A kernel that calls its argument gets a class of the file's that can be called with as much.
TEST(TemplateArguments, OfWhatIsCalledAreAFunctor) {
  const std::string functors =
      "namespace ops { struct Halved { __device__ float operator()(float x) const { return x / 2; "
      "} };\n"
      "template <class T> struct Larger {\n"
      "  __device__ T operator()(const T& a, const T& b) const { return a > b ? a : b; } }; }\n";
  EXPECT_EQ(guessed(functors + "template <class T, class F> __global__ void k(T* x, F f) {\n"
                               "  x[0] = f(x[1], x[2]); }\n"),
            "k<float, ops::Larger<float>>");
  EXPECT_EQ(guessed(functors + "template <typename Op> __global__ void k(float* x) {\n"
                               "  x[0] = Op()(x[threadIdx.x]); }\n"),
            "k<ops::Halved>");
}

TEST(TemplateArguments, OfAnEnumerationAreItsFirstValue) {
  EXPECT_EQ(guessed("namespace rows { enum class Mode { kSum, kLargest }; }\n"
                    "template <class T, rows::Mode mode> __global__ void k(T* x) {}\n"),
            "k<float, rows::Mode::kSum>");
}

// Names of a host function's own, in a lambda of it.
TEST(TemplateArguments, OfAFunctionsOwnTypesAreFloat) {
  const std::string kernel =
      "template <class T, int N> struct Load {};\n"
      "template <class From, class Sum> __global__ void k(float* x) {}\n";
  EXPECT_EQ(guessed(kernel + "template <class In, typename Sum> void run(float* x) {\n"
                             "  k<Load<In, 8>, Sum><<<4, 64>>>(x); }\n"),
            "k<Load<float, 8>, float>");
  EXPECT_EQ(guessed("template <int N, class T> __global__ void other(T* x) {}\n"
                    "void run(int* x) { auto f = other<4, decltype(*x)>; launch(f, 4, x); }\n"),
            "other<16, float>")
      << "decltype of what is not here";
}

TEST(TemplateArguments, AreThoseOfTheFilesInstantiation) {
  EXPECT_EQ(guessed("namespace a { template <class T, int N> __global__ void k(T* x) {} }\n"
                    "template <class T> __global__ void other(T* x) {}\n"
                    "template __global__ void a::k<unsigned char, 96>(unsigned char*);\n"
                    "template __global__ void a::k<float, 8>(float*);\n"),
            "a::k<unsigned char, 96>");
}

TEST(TemplateArguments, OfASpecialisationAreItsOwn) {
  const LaunchForm form = guess_launch(
      KernelFile{"mine.cu",
                 "template <typename T, int N> __global__ void scale(T* x, int n);\n"
                 "template <> __global__ void scale<unsigned char, 4>(unsigned char* x, int n) {\n"
                 "  int i = threadIdx.x; if (i < n) x[i] *= 4; }\n"});
  EXPECT_EQ(form.kernel, "scale<unsigned char,4>");
  ASSERT_EQ(form.arguments.size(), 2U);
  EXPECT_EQ(form.arguments[0].type, "u8");
}

TEST(TemplateArguments, OfTheHostsOwnNamesAreWhatTheseStandFor) {
  const std::string kernel =
      "template <class Shape, int Rows> struct Tiles {};\n"
      "template <typename L, typename T, int N> __global__ void turn(T* p) {}\n";
  EXPECT_EQ(guessed(kernel + "void other() { const int kEdge = 5; }\n"
                             "void run(float* p) {\n  constexpr int kEdge = 8;\n"
                             "  using Square = shapes::Box<kEdge, kEdge>;\n"
                             "  using Layout = Tiles<Square, 2 * kEdge>;\n"
                             "  turn<Layout, float, kEdge / 2><<<1, 32>>>(p); }\n"),
            "turn<Tiles<shapes::Box<8, 8>, 2*8>, float, 4>");
  // Those of a template around the launch are what it is called with.
  EXPECT_EQ(guessed("struct Sum {};\n"
                    "template <class Op, class T> __global__ void fold(T* p) {}\n"
                    "template <class O, typename T> void run(T* p) { fold<O, T><<<1, 32>>>(p); }\n"
                    "int main() { double* p; run<Sum, double>(p); }\n"),
            "fold<Sum, double>");
}

// T const* A is no size_t, though one is declared before it.
TEST(TemplateArguments, AParametersTypeIsNotThatOfTheOneBeforeIt) {
  EXPECT_EQ(guessed("template <typename T> __global__ void add(size_t n, T const* x) {}\n"
                    "template <typename T> void run(size_t n, T const* x) {\n"
                    "  add<<<1, 32>>>(n, x); }\n"),
            "add<float>");
}

TEST(TemplateArguments, NumbersFollowFromConstantsAndDefaults) {
  EXPECT_EQ(guessed("constexpr int TILE = 24;\n"
                    "template <int T, bool F, int S = 3> __global__ void k(float* x) {}\n"
                    "void run(float* x) { k<TILE, true><<<1, 24>>>(x); }\n"),
            "k<24, true, 3>");
}

TEST(TemplateArguments, TilesOfAProductHaveUsualValues) {
  EXPECT_EQ(guessed("template <const int BM, const int BN, const int BK, const int TM>\n"
                    "__global__ void sgemm(int M, const float* A) {}\n"),
            "sgemm<64, 64, 8, 8>");
}

// Each of the block's threads fills one element of both tiles.
TEST(TemplateArguments, TilesAreFilledByTheBlock) {
  EXPECT_EQ(guessed("template <int TALL, int WIDE, int DEEP, int MANY>\n"
                    "__global__ void product(const float* a, float* c) {\n"
                    "  __shared__ float left[TALL * DEEP], right[1];\n"
                    "  __shared__ float other[DEEP * WIDE];\n"
                    "  const int t = threadIdx.x, column = t % WIDE, row = t / WIDE;\n"
                    "  left[t] = a[t];\n  other[t] = a[t];\n"
                    "  c[blockIdx.y * TALL + row * MANY] = left[row * MANY] + other[column];\n}\n"),
            "product<32, 32, 2, 16>");
}

// A number of the host's template is what the host calls it with.
TEST(TemplateArguments, NumbersOfTheHostFollowItsOwnTemplate) {
  EXPECT_EQ(guessed("template <int D, int W> __global__ void k(float* x) {}\n"
                    "template <const int D> void run(float* x) {\n"
                    "  constexpr int W = (D < 128) ? 4 : 8;\n  k<D, W><<<1, 32 * W>>>(x);\n}\n"
                    "void all(float* x) { run<64>(x); }\n"),
            "k<64, 4>");
}

// The block is that of the numbers which the kernel gets, not of another branch's.
TEST(TemplateArguments, TheBlockIsOfTheSameBranch) {
  const LaunchForm form = guess_launch(KernelFile{
      "mine.cu",
      "template <int WARPS>\n__global__ void __launch_bounds__(32 * WARPS) k(float* x) {}\n"
      "template <const int D> void run(float* x) {\n#ifdef OLD\n  constexpr int WARPS = 4;\n"
      "#else\n  constexpr int WARPS = (D < 128) ? 8 : 16;\n#endif\n"
      "  constexpr int threads = 32 * WARPS;\n  dim3 block(threads);\n"
      "  k<WARPS><<<1, block>>>(x);\n}\nvoid all(float* x) { run<64>(x); }\n"});
  EXPECT_EQ(form.kernel, "k<8>");
  EXPECT_TRUE(form.block == "256" || form.block == "32*WARPS") << form.block;
}

TEST(TemplateArguments, NumbersThatNobodySaysAreThoseThatTheKernelAsserts) {
  EXPECT_EQ(
      guessed("template <int ATOM, int PAD, int TILE, int ROUNDS> __global__ void k(float* x) {\n"
              "  static_assert(ATOM == 8 && PAD % 8 == 0, \"atoms, padding\");\n"
              "  constexpr int ALL = TILE * 2;\n  static_assert(ALL < 20);\n"
              "  static_assert(ROUNDS == ATOM / 4);\n}\n"),
      "k<8, 16, 8, 2>");
  EXPECT_EQ(
      guessed("template <int ATOM> __global__ void k(float* x) { static_assert(ATOM == 8); }\n"
              "void f() { k<4><<<1, 32>>>(0); }\n"),
      "k<4>")
      << "what the file says stays";
}

TEST(TemplateArguments, AValueOfSuchATypeIsANumber) {
  const LaunchForm form = guess_launch(KernelFile{
      "mine.cu", "template <typename T> __global__ void axpy(T a, const T* x, T* y, int n) {}"});
  ASSERT_EQ(form.arguments.size(), 4U);
  EXPECT_EQ(form.arguments[0].type, "f32");
  EXPECT_TRUE(launch_text(form).ok());
}

}  // namespace
}  // namespace tilescope
