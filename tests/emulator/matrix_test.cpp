#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "emulator/emulate.h"
#include "kernel/compile/compile.h"

namespace tilescope {
namespace {

// A one-warp kernel from CUDA text, on float buffers out, a, b.
std::vector<float> run_warp(const std::string& source, const std::vector<float>& a,
                            const std::vector<float>& b, std::size_t results = 16 * 8) {
  KernelInstance instance;
  instance.id = instance.file_name = "matrix.cu";
  instance.source = source;
  instance.kernel = "k";
  instance.block = {32, 1, 1};
  const auto compiled = compile({instance, 90, false}, {});
  EXPECT_TRUE(compiled.ok()) << to_string(compiled.error());
  if (!compiled) return {};
  const auto program = decode_ptx(compiled->ptx, compiled->kernel, source);
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  if (!program) return {};
  DeviceMemory memory;
  Launch launch;
  launch.block = {32, 1, 1};
  for (const auto& values : {std::vector<float>(results, 0.0f), a, b}) {
    auto contents = std::make_shared<std::vector<std::byte>>(values.size() * 4);
    std::memcpy(contents->data(), values.data(), contents->size());
    launch.arguments.push_back(
        memory.buffers()[memory.add("m", ElementType::kF32, contents)].address);
  }
  const auto run = emulate(**program, launch, memory, {}, {}, {}, {});
  EXPECT_TRUE(run.ok());
  if (!run) return {};
  for (const Finding& finding : run->findings) ADD_FAILURE() << finding.message;
  std::vector<float> out(results);
  std::memcpy(out.data(), memory.buffers()[0].contents->data(), out.size() * 4);
  return out;
}

std::vector<float> small_numbers(std::size_t count, int seed) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>((static_cast<int>(i) * 7 + seed) % 11 - 5);
  return values;
}

// out = a (m x k) * b (k x 8) + 1
void expect_product(const std::vector<float>& out, const std::vector<float>& a,
                    const std::vector<float>& b, std::size_t m, std::size_t k) {
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t c = 0; c < 8; ++c) {
      float want = 1.0f;
      for (std::size_t i = 0; i < k; ++i) want += a[r * k + i] * b[i * 8 + c];
      ASSERT_EQ(out[r * 8 + c], want) << r << ", " << c;
    }
  }
}

// 16-bit operands come through shared memory and ldmatrix, B with .trans.
std::string half_source(int k, const std::string& type) {
  const std::string regs = k == 16 ? "{%4,%5,%6,%7}, {%8,%9}" : "{%4,%5}, {%6}";
  const std::string inputs = k == 16
                                 ? R"("r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"r"(b[0]),"r"(b[1]))"
                                 : R"("r"(a[0]),"r"(a[1]),"r"(b[0]))";
  return R"(
__device__ unsigned short narrow(float x) {
  unsigned short h;
  asm("cvt.rn.)" +
         type + R"(.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}
extern "C" __global__ void k(float* out, const float* a_in, const float* b_in) {
  constexpr int K = )" +
         std::to_string(k) + R"(;
  __shared__ alignas(16) unsigned short a_tile[16 * K];
  __shared__ alignas(16) unsigned short b_tile[K * 8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 16 * K; i += 32) a_tile[i] = narrow(a_in[i]);
  for (int i = lane; i < K * 8; i += 32) b_tile[i] = narrow(b_in[i]);
  __syncwarp();
  unsigned a[4], b[2];
  const unsigned from_a = (unsigned)__cvta_generic_to_shared(&a_tile[lane % 16 * K + (K == 16 ? lane / 16 * 8 : 0)]);
  const unsigned from_b = (unsigned)__cvta_generic_to_shared(&b_tile[lane % K * 8]);
  if (K == 16) {
    asm("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a[0]),"=r"(a[1]),"=r"(a[2]),"=r"(a[3]) : "r"(from_a));
    asm("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(b[0]),"=r"(b[1]) : "r"(from_b));
  } else {
    asm("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(a[0]),"=r"(a[1]) : "r"(from_a));
    asm("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(b[0]) : "r"(from_b));
  }
  float d[4] = {1, 1, 1, 1};
  asm("mma.sync.aligned.m16n8k)" +
         std::to_string(k) + ".row.col.f32." + type + "." + type + R"(.f32 {%0,%1,%2,%3}, )" +
         regs + R"(, {%0,%1,%2,%3};"
      : "+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]) : )" +
         inputs + R"();
  const int g = lane / 4, t = lane % 4;
  out[g * 8 + 2 * t] = d[0]; out[g * 8 + 2 * t + 1] = d[1];
  out[(g + 8) * 8 + 2 * t] = d[2]; out[(g + 8) * 8 + 2 * t + 1] = d[3];
}
)";
}

TEST(Matrix, HalfPrecisionProductsThroughLdmatrix) {
  for (const std::string type : {"f16", "bf16"}) {
    for (const int k : {16, 8}) {
      SCOPED_TRACE(type + " k" + std::to_string(k));
      const auto a = small_numbers(static_cast<std::size_t>(16 * k), 3);
      const auto b = small_numbers(static_cast<std::size_t>(k * 8), 5);
      expect_product(run_warp(half_source(k, type), a, b), a, b, 16, static_cast<std::size_t>(k));
    }
  }
}

// Fragments by hand, as the PTX ISA's figures have them.
TEST(Matrix, Tf32) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* a, const float* b) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  float d[4] = {1, 1, 1, 1};
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3])
      : "r"(__float_as_uint(a[g * 8 + t])), "r"(__float_as_uint(a[(g + 8) * 8 + t])), "r"(__float_as_uint(a[g * 8 + t + 4])),
        "r"(__float_as_uint(a[(g + 8) * 8 + t + 4])), "r"(__float_as_uint(b[t * 8 + g])), "r"(__float_as_uint(b[(t + 4) * 8 + g])));
  out[g * 8 + 2 * t] = d[0]; out[g * 8 + 2 * t + 1] = d[1];
  out[(g + 8) * 8 + 2 * t] = d[2]; out[(g + 8) * 8 + 2 * t + 1] = d[3];
})";
  const auto a = small_numbers(16 * 8, 1);
  const auto b = small_numbers(8 * 8, 2);
  expect_product(run_warp(source, a, b), a, b, 16, 8);
}

TEST(Matrix, Int8) {
  const std::string source = R"(
__device__ unsigned pack(const float* p, int stride) {
  unsigned word = 0;
  for (int i = 0; i < 4; ++i) word |= ((unsigned)(int)p[i * stride] & 0xffu) << (8 * i);
  return word;
}
extern "C" __global__ void k(float* out, const float* a, const float* b) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  int d[4] = {1, 1, 1, 1};
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(d[0]),"+r"(d[1]),"+r"(d[2]),"+r"(d[3])
      : "r"(pack(a + g * 32 + 4 * t, 1)), "r"(pack(a + (g + 8) * 32 + 4 * t, 1)), "r"(pack(a + g * 32 + 16 + 4 * t, 1)),
        "r"(pack(a + (g + 8) * 32 + 16 + 4 * t, 1)), "r"(pack(b + 4 * t * 8 + g, 8)), "r"(pack(b + (16 + 4 * t) * 8 + g, 8)));
  out[g * 8 + 2 * t] = d[0]; out[g * 8 + 2 * t + 1] = d[1];
  out[(g + 8) * 8 + 2 * t] = d[2]; out[(g + 8) * 8 + 2 * t + 1] = d[3];
})";
  const auto a = small_numbers(16 * 32, 1);
  const auto b = small_numbers(32 * 8, 2);
  expect_product(run_warp(source, a, b), a, b, 16, 32);
}

TEST(Matrix, F64) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* a, const float* b) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  double d[2] = {1, 1};
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(d[0]),"+d"(d[1]) : "d"((double)a[g * 4 + t]), "d"((double)b[t * 8 + g]));
  out[g * 8 + 2 * t] = d[0]; out[g * 8 + 2 * t + 1] = d[1];
})";
  const auto a = small_numbers(8 * 4, 1);
  const auto b = small_numbers(4 * 8, 2);
  expect_product(run_warp(source, a, b), a, b, 8, 4);
}

// stmatrix is ldmatrix backwards; movmatrix transposes.
TEST(Matrix, StoreAndMoveUndoLoadTransposed) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* a, const float* b) {
  __shared__ alignas(16) unsigned short from[64];
  __shared__ alignas(16) unsigned short to[64];
  const int lane = threadIdx.x;
  from[lane] = lane; from[lane + 32] = lane + 32;
  __syncwarp();
  unsigned r, s;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r) : "r"((unsigned)__cvta_generic_to_shared(&from[lane % 8 * 8])) : "memory");
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(s) : "r"(r));
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"((unsigned)__cvta_generic_to_shared(&to[lane % 8 * 8])), "r"(s) : "memory");
  __syncwarp();
  out[lane] = to[lane]; out[lane + 32] = to[lane + 32];
})";
  const std::vector<float> out = run_warp(source, {0.0f}, {0.0f});
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], static_cast<float>(i));
}

struct Wmma {
  std::string name;
  int m, n, k;
  std::string type;       // of A and B
  std::string cuda_type;  // that holds an element
  std::string convert;    // float x -> an element
  std::string product;    // types of wmma.mma
  int a_registers, b_registers;
  bool by_columns;  // both, in memory
};

std::string register_list(int count, int first) {
  std::string list = "{";
  for (int i = 0; i < count; ++i) list += (i == 0 ? "%" : ", %") + std::to_string(first + i);
  return list + "}";
}
std::string operand_list(const std::string& constraint, const std::string& name, int count) {
  std::string list;
  for (int i = 0; i < count; ++i)
    list +=
        (i == 0 ? "" : ", ") + ("\"" + constraint + "\"(" + name) + "[" + std::to_string(i) + "])";
  return list;
}

// out = a * b + 1 with A, B and D loaded and stored by wmma, through shared memory.
std::string wmma_source(const Wmma& w) {
  const std::string shape =
      "m" + std::to_string(w.m) + "n" + std::to_string(w.n) + "k" + std::to_string(w.k);
  const std::string layout = w.by_columns ? "col" : "row";
  const bool integer = w.cuda_type == "signed char" || w.cuda_type == "unsigned char";
  const bool f64 = w.type == "f64";
  const std::string sum = integer ? "int" : f64 ? "double" : "float";
  const std::string sum_type = integer ? "s32" : f64 ? "f64" : "f32";
  const std::string sum_constraint = integer ? "r" : f64 ? "d" : "f";
  const std::string ab = f64 ? "double" : "unsigned";
  const std::string ab_constraint = f64 ? "d" : "r";
  const int d_registers = f64 ? 2 : 8;
  std::string text = "typedef " + w.cuda_type + R"( E;
__device__ E make(float x) { )" +
                     w.convert + R"( }
extern "C" __global__ void k(float* out, const float* a_in, const float* b_in) {
  constexpr int M = )" +
                     std::to_string(w.m) + ", N = " + std::to_string(w.n) +
                     ", K = " + std::to_string(w.k) + R"(;
  __shared__ alignas(32) E a_tile[M * K];
  __shared__ alignas(32) E b_tile[K * N];
  __shared__ alignas(32) )" +
                     sum + R"( d_tile[M * N];
  constexpr bool columns = )" +
                     (w.by_columns ? "true" : "false") + R"(;
  for (int i = threadIdx.x; i < M * K; i += 32) a_tile[columns ? i % K * M + i / K : i] = make(a_in[i]);
  for (int i = threadIdx.x; i < K * N; i += 32) b_tile[columns ? i % N * K + i / N : i] = make(b_in[i]);
  for (int i = threadIdx.x; i < M * N; i += 32) d_tile[i] = 1;
  __syncwarp();
  )" + ab + " a[" + std::to_string(w.a_registers) +
                     "], b[" + std::to_string(w.b_registers) + "]; " + sum + " d[" +
                     std::to_string(d_registers) + "];\n";
  const auto load = [&](const std::string& which, const std::string& constraint,
                        const std::string& name, int count, const std::string& type,
                        const std::string& order, const std::string& tile,
                        const std::string& stride) {
    text += "  asm volatile(\"wmma.load." + which + ".sync.aligned." + order + "." + shape + "." +
            type + " " + register_list(count, 0) + ", [%" + std::to_string(count) + "], %" +
            std::to_string(count + 1) + ";\" : " + operand_list("=" + constraint, name, count) +
            " : \"l\"(" + tile + "), \"r\"(" + stride + ") : \"memory\");\n";
  };
  load("a", ab_constraint, "a", w.a_registers, w.type, layout, "a_tile", w.by_columns ? "M" : "K");
  load("b", ab_constraint, "b", w.b_registers, w.type, layout, "b_tile", w.by_columns ? "K" : "N");
  load("c", sum_constraint, "d", d_registers, sum_type, "row", "d_tile", "N");
  const int first_a = d_registers;
  const int first_b = first_a + w.a_registers;
  text += "  asm volatile(\"wmma.mma.sync.aligned." + layout + "." + layout + "." + shape + "." +
          w.product + " " + register_list(d_registers, 0) + ", " +
          register_list(w.a_registers, first_a) + ", " + register_list(w.b_registers, first_b) +
          ", " + register_list(d_registers, 0) +
          ";\" : " + operand_list("+" + sum_constraint, "d", d_registers) + " : " +
          operand_list(ab_constraint, "a", w.a_registers) + ", " +
          operand_list(ab_constraint, "b", w.b_registers) + ");\n";
  text += "  asm volatile(\"wmma.store.d.sync.aligned.col." + shape + "." + sum_type + " [%0], " +
          register_list(d_registers, 2) + ", %1;\" :: \"l\"(d_tile), \"r\"(M), " +
          operand_list(sum_constraint, "d", d_registers) + " : \"memory\");\n";
  return text + R"(  __syncwarp();
  for (int i = threadIdx.x; i < M * N; i += 32) out[i] = (float)d_tile[i % N * M + i / N];
}
)";
}

std::vector<Wmma> wmma_shapes() {
  const std::string half = "unsigned short";
  const std::string f16 = R"(E h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x)); return h;)";
  const std::string bf16 = R"(E h; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(x)); return h;)";
  const std::string plain = "return (E)x;";
  return {{"f16_square", 16, 16, 16, "f16", half, f16, "f32.f32", 8, 8, false},
          {"f16_square_by_columns", 16, 16, 16, "f16", half, f16, "f32.f32", 8, 8, true},
          {"f16_tall", 32, 8, 16, "f16", half, f16, "f32.f32", 8, 8, false},
          {"f16_wide", 8, 32, 16, "f16", half, f16, "f32.f32", 8, 8, true},
          {"bf16_square", 16, 16, 16, "bf16", half, bf16, "f32.bf16.bf16.f32", 4, 4, false},
          {"bf16_tall", 32, 8, 16, "bf16", half, bf16, "f32.bf16.bf16.f32", 8, 2, true},
          {"tf32", 16, 16, 8, "tf32", "float", plain, "f32.tf32.tf32.f32", 4, 4, false},
          {"s8_square", 16, 16, 16, "s8", "signed char", plain, "s32.s8.s8.s32", 2, 2, false},
          {"s8_wide", 8, 32, 16, "s8", "signed char", plain, "s32.s8.s8.s32", 1, 4, true},
          {"f64", 8, 8, 4, "f64", "double", plain, "f64.f64.f64.f64.rn", 1, 1, false}};
}

TEST(Matrix, WmmaOfEveryShapeAndType) {
  for (const Wmma& w : wmma_shapes()) {
    SCOPED_TRACE(w.name);
    const auto m = static_cast<std::size_t>(w.m);
    const auto n = static_cast<std::size_t>(w.n);
    const auto k = static_cast<std::size_t>(w.k);
    const auto a = small_numbers(m * k, 3);
    const auto b = small_numbers(k * n, 5);
    const std::vector<float> out = run_warp(wmma_source(w), a, b, m * n);
    ASSERT_EQ(out.size(), m * n);
    for (std::size_t r = 0; r < m; ++r) {
      for (std::size_t c = 0; c < n; ++c) {
        float want = 1.0f;
        for (std::size_t i = 0; i < k; ++i) want += a[r * k + i] * b[i * n + c];
        ASSERT_EQ(out[r * n + c], want) << r << ", " << c;
      }
    }
  }
}

// mma.sync beyond the fast shapes. Every element of A is `a`, every one of B `b`: each of D is
// k * a * b + 1, wherever it lies; the places are those of the tests above.
struct Uniform {
  std::string opcode, a_word, b_word;
  int d_count, a_count, b_count;
  std::string sum;  // CUDA type of D's registers: float, int, double
  std::string ab;   // of A's and B's: unsigned, double
  float want;
};

TEST(Matrix, ProductsOfOtherShapesAndTypes) {
  const std::vector<Uniform> cases{
      {"m8n8k16.row.col.s32.s8.s8.s32", "0x02020202", "0xfdfdfdfd", 2, 1, 1, "int", "unsigned",
       16 * -6 + 1},
      {"m8n8k16.row.col.s32.u8.s8.s32", "0xffffffff", "0xffffffff", 2, 1, 1, "int", "unsigned",
       16 * -255 + 1},
      {"m8n8k32.row.col.s32.s4.s4.s32", "0x22222222", "0xdddddddd", 2, 1, 1, "int", "unsigned",
       32 * -6 + 1},
      {"m16n8k32.row.col.s32.u4.s4.s32", "0xffffffff", "0xffffffff", 4, 2, 1, "int", "unsigned",
       32 * -15 + 1},
      {"m16n8k64.row.col.s32.s4.s4.s32", "0x77777777", "0x88888888", 4, 4, 2, "int", "unsigned",
       64 * -56 + 1},
      {"m8n8k128.row.col.s32.b1.b1.s32.xor.popc", "0xffffffff", "0x55555555", 2, 1, 1, "int",
       "unsigned", 64 + 1},
      {"m16n8k128.row.col.s32.b1.b1.s32.and.popc", "0xffffffff", "0x11111111", 4, 2, 1, "int",
       "unsigned", 32 + 1},
      {"m16n8k256.row.col.s32.b1.b1.s32.and.popc", "0xffffffff", "0x55555555", 4, 4, 2, "int",
       "unsigned", 128 + 1},
      {"m16n8k32.row.col.f32.e4m3.e5m2.f32", "0x40404040", "0xc2c2c2c2", 4, 4, 2, "float",
       "unsigned", 32 * 2 * -3 + 1},
      {"m16n8k16.row.col.f64.f64.f64.f64", "2.0", "1.5", 4, 8, 4, "double", "double", 16 * 3 + 1},
      {"m16n8k8.row.col.f64.f64.f64.f64", "2.0", "1.5", 4, 4, 2, "double", "double", 8 * 3 + 1},
      {"m16n8k4.row.col.f64.f64.f64.f64", "2.0", "1.5", 4, 2, 1, "double", "double", 4 * 3 + 1},
      {"m8n8k4.row.col.f32.f16.f16.f32", "0x40004000", "0x42004200", 8, 2, 2, "float", "unsigned",
       4 * 6 + 1},
      {"m8n8k4.col.row.f32.f16.f16.f32", "0x40004000", "0x42004200", 8, 2, 2, "float", "unsigned",
       4 * 6 + 1}};
  for (const Uniform& u : cases) {
    SCOPED_TRACE(u.opcode);
    const std::string d = u.sum == "int" ? "r" : u.sum == "double" ? "d" : "f";
    const std::string ab = u.ab == "double" ? "d" : "r";
    const auto fill = [](const std::string& type, const std::string& name, int count,
                         const std::string& value) {
      std::string text = "  " + type + " " + name + "[" + std::to_string(count) + "] = {";
      for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + value;
      return text + "};\n";
    };
    const std::string source =
        "extern \"C\" __global__ void k(float* out, const float* a_in, const float* b_in) {\n" +
        fill(u.sum, "d", u.d_count, "1") + fill(u.ab, "a", u.a_count, u.a_word) +
        fill(u.ab, "b", u.b_count, u.b_word) + "  asm volatile(\"mma.sync.aligned." + u.opcode +
        " " + register_list(u.d_count, 0) + ", " + register_list(u.a_count, u.d_count) + ", " +
        register_list(u.b_count, u.d_count + u.a_count) + ", " + register_list(u.d_count, 0) +
        ";\" : " + operand_list("+" + d, "d", u.d_count) + " : " +
        operand_list(ab, "a", u.a_count) + ", " + operand_list(ab, "b", u.b_count) + ");\n" +
        "  for (int i = 0; i < " + std::to_string(u.d_count) +
        "; ++i) out[threadIdx.x + 32 * i] = (float)d[i];\n}\n";
    const std::vector<float> out =
        run_warp(source, {0.0f}, {0.0f}, static_cast<std::size_t>(32 * u.d_count));
    for (const float value : out) ASSERT_EQ(value, u.want);
  }
}

// m8n8k4 of f16: each product by itself, places as the ISA's figures have them.
TEST(Matrix, QuadProductsKeepApart) {
  const std::string source = R"(
__device__ unsigned pair(float x, float y) { unsigned r; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(y), "f"(x)); return r; }
extern "C" __global__ void k(float* out, const float* a_in, const float* b_in) {
  const int lane = threadIdx.x, quad = lane % 16 / 4, in = lane % 4, half = lane < 16 ? 0 : 4;
  const float* pa = a_in + quad * 32;  // 8 x 4
  const float* pb = b_in + quad * 32;  // 4 x 8
  unsigned a[2], b[2];
  for (int i = 0; i < 2; ++i) {
    a[i] = pair(pa[(in + half) * 4 + 2 * i], pa[(in + half) * 4 + 2 * i + 1]);
    b[i] = pair(pb[(2 * i) * 8 + in + half], pb[(2 * i + 1) * 8 + in + half]);
  }
  float d[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%0,%1,%2,%3,%4,%5,%6,%7};"
    : "+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]),"+f"(d[4]),"+f"(d[5]),"+f"(d[6]),"+f"(d[7]) : "r"(a[0]),"r"(a[1]),"r"(b[0]),"r"(b[1]));
  for (int i = 0; i < 8; ++i) out[quad * 64 + ((lane & 1) + (i & 2) + half) * 8 + (i & 4) + (lane & 2) + (i & 1)] = d[i];
})";
  const auto a = small_numbers(4 * 32, 1);
  const auto b = small_numbers(4 * 32, 4);
  const std::vector<float> out = run_warp(source, a, b, 256);
  for (std::size_t q = 0; q < 4; ++q) {
    for (std::size_t r = 0; r < 8; ++r) {
      for (std::size_t c = 0; c < 8; ++c) {
        float want = 1.0f;
        for (std::size_t i = 0; i < 4; ++i) want += a[q * 32 + r * 4 + i] * b[q * 32 + i * 8 + c];
        ASSERT_EQ(out[q * 64 + r * 8 + c], want) << q << ": " << r << ", " << c;
      }
    }
  }
}

}  // namespace
}  // namespace tilescope
