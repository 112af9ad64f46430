#include <gtest/gtest.h>

#include <thread>

#include "kernel_run.h"

namespace tilescope {
namespace {

struct Case {
  std::string id;
  ParameterSet parameters;
  std::string size;
};

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.id + "_" + info.param.size;
  for (const auto& [key, value] : info.param.parameters) name += "_" + key + std::to_string(value);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

std::string written_argument(const KernelInstance& instance) {
  for (const Argument& argument : instance.arguments) {
    if (argument.written) return argument.name;
  }
  return {};
}

class CatalogueKernel : public testing::TestWithParam<Case> {};

TEST_P(CatalogueKernel, GivesTheReferenceBitForBit) {
  const Case& c = GetParam();
  PreparedKernel prepared = prepare_kernel(c.id, c.parameters, c.size);
  ASSERT_NE(prepared.program, nullptr);
  EXPECT_TRUE(prepared.program->unsupported().empty());
  const std::string out = written_argument(prepared.instance);
  const std::vector<float> expected = expected_result(prepared, prepared.floats(out));
  EmulationOptions options;
  options.workers = 2;
  options.check = true;  // and a correct kernel has no findings
  const auto emulation =
      emulate(*prepared.program, prepared.launch, prepared.memory, options, {}, {}, {});
  ASSERT_TRUE(emulation.ok()) << to_string(emulation.error());
  for (const Finding& finding : emulation->findings) ADD_FAILURE() << finding.message;
  EXPECT_TRUE(emulation->complete);
  EXPECT_EQ(emulation->blocks, prepared.launch.grid.count());
  const std::vector<float> got = prepared.floats(out);
  ASSERT_EQ(got.size(), expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::memcmp(&got[i], &expected[i], sizeof(float)) == 0) continue;
    if (++wrong <= 3)
      ADD_FAILURE() << "element " << i << " is " << got[i] << ", not " << expected[i];
  }
  EXPECT_EQ(wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, CatalogueKernel,
    testing::Values(
        Case{"gemm/naive", {}, "64x48x40"}, Case{"gemm/naive", {}, "33x65x17"},
        Case{"gemm/shared_tile", {}, "64x64x64"},
        Case{"gemm/shared_tile", {{"TILE", 8}}, "37x29x19"},
        Case{"gemm/register_tile", {}, "256x256x64"}, Case{"gemm/register_tile", {}, "131x129x37"},
        Case{"gemm/register_tile", {{"STAGES", 1}}, "128x256x48"},
        Case{"gemm/register_tile", {{"STAGES", 1}, {"ASYNC", 0}}, "130x128x52"},
        Case{"gemm/register_tile", {{"STAGES", 2}}, "130x256x50"},
        Case{"gemm/register_tile", {{"STAGES", 2}, {"ASYNC", 0}}, "130x128x52"},
        Case{"gemm/register_tile", {{"STAGES", 5}, {"VECTOR", 1}}, "128x128x200"},
        Case{"gemm/register_tile",
             {{"TILE_M", 64}, {"TILE_N", 64}, {"THREAD_M", 4}, {"THREAD_N", 4}, {"TILE_K", 8}},
             "150x70x33"},
        Case{"transpose/naive", {}, "64x96"}, Case{"transpose/naive", {}, "33x70"},
        Case{"transpose/tiled", {}, "96x64"}, Case{"transpose/tiled", {{"PAD", 0}}, "45x77"}),
    name_of_case);

TEST(BlockTraceOfAKernel, IsTheSameEachTime) {
  PreparedKernel prepared = prepare_kernel("gemm/register_tile", {}, "256x256x64");
  ASSERT_NE(prepared.program, nullptr);
  const auto first =
      trace_block(*prepared.program, prepared.launch, prepared.memory, 1, 1u << 22, {});
  const auto second =
      trace_block(*prepared.program, prepared.launch, prepared.memory, 1, 1u << 22, {});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_GT(first->events.size(), 1000u);
  ASSERT_EQ(first->events.size(), second->events.size());
  for (std::size_t i = 0; i < first->events.size(); ++i) {
    ASSERT_EQ(first->events[i].instruction, second->events[i].instruction) << i;
    ASSERT_EQ(first->events[i].active, second->events[i].active) << i;
    ASSERT_EQ(first->events[i].warp, second->events[i].warp) << i;
  }
  EXPECT_EQ(first->access_count(), second->access_count());
  EXPECT_FALSE(first->truncated);
}

TEST(BlockTraceOfAKernel, KeepsNoMoreThanAsked) {
  PreparedKernel prepared = prepare_kernel("transpose/tiled", {}, "64x64");
  ASSERT_NE(prepared.program, nullptr);
  const auto whole =
      trace_block(*prepared.program, prepared.launch, prepared.memory, 0, 1u << 20, {});
  const auto part = trace_block(*prepared.program, prepared.launch, prepared.memory, 0, 10, {});
  ASSERT_TRUE(whole.ok() && part.ok());
  EXPECT_EQ(part->events.size(), 10u);
  EXPECT_TRUE(part->truncated);
  EXPECT_EQ(part->omitted_events + 10, whole->events.size());
}

}  // namespace
}  // namespace tilescope
