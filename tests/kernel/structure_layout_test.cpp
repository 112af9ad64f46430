// Structures as CUDA files define them. Offsets and sizes are those that nvcc 13.0 gives.
#include "kernel/source/structure_layout.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernel/source/kernel_signature.h"

namespace tilescope {
namespace {

// "name@offset:type name@offset:type … = bytes/alignment"; "unknown".
std::string layout(const std::string& source, const std::string& type) {
  const std::vector<CudaToken> tokens = tokenize(source);
  const ParameterSet constants = find_constants(tokens);
  const TypeAliases aliases = find_aliases(tokens);
  const auto found = StructureTable(tokens, constants, aliases).find(type);
  if (!found) return "unknown";
  std::string text;
  for (const StructureField& field : found->fields) {
    text += fmt::format("{}@{}:{}{} ", field.name, field.offset, field.is_pointer ? "*" : "",
                        field.element ? name_of(*field.element) : "?");
  }
  return fmt::format("{}= {}/{}", text, found->bytes, found->alignment);
}

TEST(StructureLayout, PlacesMembersAsCompilersDo) {
  EXPECT_EQ(layout("typedef struct { int width; int height; float* elements; } Matrix;", "Matrix"),
            "width@0:i32 height@4:i32 elements@8:*f32 = 16/8");
  EXPECT_EQ(layout("struct P { const float* a; char c; double d, e; short s; };", "const P"),
            "a@0:*f32 c@8:i8 d@16:f64 e@24:f64 s@32:i16 = 40/8");
  EXPECT_EQ(layout("struct P { unsigned int n = 3; std::size_t m{4}; float *a, b; };", "P"),
            "n@0:u32 m@8:u64 a@16:*f32 b@24:f32 = 32/8");
}

TEST(StructureLayout, TakesVectorsArraysAndStructuresApart) {
  EXPECT_EQ(layout("", "float4"), "x@0:f32 y@4:f32 z@8:f32 w@12:f32 = 16/16");
  EXPECT_EQ(layout("", "dim3"), "x@0:u32 y@4:u32 z@8:u32 = 12/4");
  EXPECT_EQ(layout("", "half2"), "x@0:f16 y@2:f16 = 4/4");
  EXPECT_EQ(layout("struct P { char c; float4 v; float3 w; };", "P"),
            "c@0:i8 v.x@16:f32 v.y@20:f32 v.z@24:f32 v.w@28:f32 w.x@32:f32 w.y@36:f32 w.z@40:f32 "
            "= 48/16");
  EXPECT_EQ(layout("#define TAPS 2\nstruct W { int k; double w[TAPS][2]; };", "W"),
            "k@0:i32 w[0][0]@8:f64 w[0][1]@16:f64 w[1][0]@24:f64 w[1][1]@32:f64 = 40/8");
  EXPECT_EQ(layout("struct W { int w[1 << 1]; };", "W"), "w[0]@0:i32 w[1]@4:i32 = 8/4");
  EXPECT_EQ(layout("struct A { double d; char c; }; struct B { char c; A a[2]; };", "B"),
            "c@0:i8 a[0].d@8:f64 a[0].c@16:i8 a[1].d@24:f64 a[1].c@32:i8 = 40/8");
}

TEST(StructureLayout, PassesOverWhatIsNoField) {
  EXPECT_EQ(layout("class View {\n public:\n  using T = float;\n  static constexpr int kN = 4;\n"
                   "  enum Kind { one, two };\n"
                   "  __host__ __device__ View(T* p, int n) : data{p}, n(n) {}\n"
                   "  __device__ float operator()(int i) const { return data[i]; }\n"
                   "  float* data;\n  int n;\n  Kind kind;\n private:\n  int size() const;\n};",
                   "View"),
            "data@0:*f32 n@8:i32 kind@12:i32 = 16/8");
}

TEST(StructureLayout, FollowsBasesAlignmentAndOtherNames) {
  EXPECT_EQ(layout("struct A { int a; }; struct B : public A { float b; };", "B"),
            "a@0:i32 b@4:f32 = 8/4");
  EXPECT_EQ(layout("struct __align__(16) V { float x, y, z; };", "V"),
            "x@0:f32 y@4:f32 z@8:f32 = 16/16");
  EXPECT_EQ(layout("struct V { int n; alignas(16) float x; };", "V"), "n@0:i32 x@16:f32 = 32/16");
  EXPECT_EQ(layout("using real = double; struct V { int n; real x; }; using W = V;", "W"),
            "n@0:i32 x@8:f64 = 16/8");
}

TEST(StructureLayout, SaysNothingOfWhatItDoesNotLayOut) {
  EXPECT_EQ(layout("struct B { int a : 3; int b : 5; };", "B"), "unknown");
  EXPECT_EQ(layout("struct B { union { int a; float b; }; };", "B"), "unknown");
  EXPECT_EQ(layout("struct B { virtual void f(); int a; };", "B"), "unknown");
  EXPECT_EQ(layout("template <typename T> struct B { T a; };", "B"), "unknown");
  EXPECT_EQ(layout("struct B { Unknown a; };", "B"), "unknown");
  EXPECT_EQ(layout("struct B { void (*f)(int); };", "B"), "unknown");
  EXPECT_EQ(layout("struct B { int a[1 << 30]; };", "B"), "unknown");
  EXPECT_EQ(layout("struct B { int a[", "B"), "unknown");
  EXPECT_EQ(layout("struct B { B b; };", "B"), "unknown");
}

// Whatever stands there, it is read to its end.
TEST(StructureLayout, ReadsAnyText) {
  const std::string text =
      "#define N 3\ntypedef struct __align__(8) A : public B { int a[N], *b = {1}; void f(int) "
      "const { } virtual ~A() : x{1} { } enum { q }; union { int u; }; alignas(16) float4 c; "
      "template <class T> void g(T); void (*h)(int); int i : 3; } A2; struct C { A a[2]; A2 b; };";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    (void)layout(text.substr(0, length), "C");
    (void)layout(text.substr(length), "C");
    (void)layout(text.substr(0, length / 2) + text.substr(length), "A");
  }
}

}  // namespace
}  // namespace tilescope
