#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "emulator/emulate.h"
#include "kernel/compile.h"

namespace tilescope {
namespace {

// A one-warp kernel from CUDA text, on float buffers out, a, b.
std::vector<float> run_warp(const std::string& source, const std::vector<float>& a,
                            const std::vector<float>& b) {
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
  for (const auto& values : {std::vector<float>(16 * 8, 0.0f), a, b}) {
    auto contents = std::make_shared<std::vector<std::byte>>(values.size() * 4);
    std::memcpy(contents->data(), values.data(), contents->size());
    launch.arguments.push_back(
        memory.buffers()[memory.add("m", ElementType::kF32, contents)].address);
  }
  const auto run = emulate(**program, launch, memory, {}, {}, {}, {});
  EXPECT_TRUE(run.ok());
  if (!run) return {};
  for (const Finding& finding : run->findings) ADD_FAILURE() << finding.message;
  std::vector<float> out(16 * 8);
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

}  // namespace
}  // namespace tilescope
