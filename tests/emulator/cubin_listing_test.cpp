#include "kernel/cubin/cubin_listing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/machine/listing.h"
#include "kernel/compile/assemble.h"
#include "kernel/compile/cuda_tool.h"
#include "kernel_run.h"

namespace tilescope {
namespace {

// Constants, variables that hold addresses, shared memory, a branch, and a division, which is a
// function of ptxas's own.
constexpr const char* kManyThings = R"(.version 8.0
.target sm_90
.address_size 64
.const .align 4 .b8 weights[12] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};
.global .align 4 .u32 counter;
.global .align 4 .u32 table[3] = {7, 8, 9};
.global .align 8 .u64 places[2] = {table, counter};
.visible .entry many(.param .u64 to, .param .u32 n) {
  .reg .pred %p<2>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  .shared .align 4 .b8 kept[512];
  mov.u32 %r1, %tid.x;
  ld.param.u32 %r2, [n];
  setp.ge.u32 %p1, %r1, %r2;
  @%p1 bra DONE;
  rem.u32 %r11, %r1, 3;
  shl.b32 %r10, %r11, 2;
  cvt.u64.u32 %rd1, %r10;
  mov.u64 %rd2, weights;
  add.u64 %rd2, %rd2, %rd1;
  ld.const.u32 %r3, [%rd2];
  ld.global.u64 %rd3, [places];
  add.u64 %rd3, %rd3, %rd1;
  ld.u32 %r4, [%rd3];
  mov.u32 %r5, kept;
  add.u32 %r5, %r5, %r10;
  st.shared.u32 [%r5], %r4;
  bar.sync 0;
  ld.shared.u32 %r6, [%r5];
  add.u32 %r7, %r6, %r3;
  cvt.u64.u32 %rd6, %r7;
  cvt.u64.u32 %rd7, %r4;
  shl.b64 %rd6, %rd6, 33;
  div.u64 %rd6, %rd6, %rd7;
  cvt.u32.u64 %r8, %rd6;
  ld.param.u64 %rd4, [to];
  add.u64 %rd5, %rd4, %rd1;
  st.global.u32 [%rd5], %r8;
DONE:
  ret;
}
)";

constexpr const char* kIndexedBranch = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry chosen(.param .u64 to, .param .u32 which) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [which];
PLACES: .branchtargets A, B, C, D;
  brx.idx %r1, PLACES;
A:
  mov.u32 %r2, %tid.x;
  bra JOIN;
B:
  mov.u32 %r2, %tid.y;
  bra JOIN;
C:
  mov.u32 %r2, %ctaid.x;
  bra JOIN;
D:
  mov.u32 %r2, %clock;
JOIN:
  st.global.u32 [%rd1], %r2;
  ret;
}
)";

// Text without the blanks that nvdisasm leaves behind some numbers, labels by where they stand.
std::string text_of(const machine::Listing& listing, const machine::Instruction& instruction) {
  std::string text;
  const std::string_view whole = instruction.text;
  for (const char c : whole.substr(0, whole.find("(*"))) {  // targets_of() has what follows
    const bool before_comma = c == ',' && !text.empty() && text.back() == ' ';
    if (before_comma) text.pop_back();
    text += c;
  }
  while (text.ends_with(' ')) text.pop_back();
  if (instruction.operands.empty()) return text;
  const machine::Operand& last = instruction.operands.back();
  if (last.kind != machine::OperandKind::kLabel) return text;
  const auto label = listing.labels.find(last.text);
  EXPECT_NE(label, listing.labels.end()) << text;
  return label == listing.labels.end()
             ? text
             : fmt::format("{}to {}", text.substr(0, text.find('`')), label->second);
}

// Where a jump to a register may go.
std::vector<std::uint32_t> targets_of(const machine::Listing& listing,
                                      const machine::Instruction& instruction) {
  std::vector<std::uint32_t> targets;
  for (const std::string_view label : instruction.branch_targets) {
    const auto at = listing.labels.find(label);
    targets.push_back(at == listing.labels.end() ? ~0u : at->second);
  }
  return targets;
}

// What the innermost line is: nvdisasm leaves out where it was inlined when the line stays.
std::string place_of(const machine::Listing& listing, const machine::Instruction& instruction) {
  const std::vector<machine::Place>& chain = listing.places[instruction.place];
  return chain.empty() ? "" : fmt::format("{}:{}", chain[0].file, chain[0].line);
}

// The whole cubin as nvdisasm prints it.
Result<std::string> list_with_nvdisasm(const std::vector<std::byte>& cubin, ListedLines lines) {
  const auto program = disassembler();
  if (!program) return program.error();
  const TemporaryFile file(cubin);
  const auto run =
      run_tool(*program, {lines == ListedLines::kSource ? "-gi" : "-gp", file.path()}, {});
  if (!run) return run.error();
  return run->output;
}

void expect_as_nvdisasm(const std::vector<std::byte>& cubin, const std::string& kernel,
                        ListedLines lines) {
  const auto listed = list_with_nvdisasm(cubin, lines);
  if (!listed) GTEST_SKIP() << to_string(listed.error());
  const auto own = disassemble(cubin, kernel, lines, {});
  ASSERT_TRUE(own.ok()) << to_string(own.error());
  const auto ours = machine::read_listing(*own, kernel);
  const auto theirs = machine::read_listing(*listed, kernel);
  ASSERT_TRUE(ours.ok()) << to_string(ours.error());
  ASSERT_TRUE(theirs.ok()) << to_string(theirs.error());
  ASSERT_EQ(ours->instructions.size(), theirs->instructions.size());
  for (std::size_t i = 0; i < ours->instructions.size(); ++i) {
    const machine::Instruction& instruction = ours->instructions[i];
    EXPECT_EQ(instruction.address, theirs->instructions[i].address);
    EXPECT_EQ(text_of(*ours, instruction), text_of(*theirs, theirs->instructions[i]));
    EXPECT_EQ(place_of(*ours, instruction), place_of(*theirs, theirs->instructions[i]));
    EXPECT_EQ(targets_of(*ours, instruction), targets_of(*theirs, theirs->instructions[i]));
  }
  EXPECT_EQ(ours->banks, theirs->banks);
  EXPECT_EQ(ours->symbols, theirs->symbols);
  EXPECT_EQ(ours->parameter_base, theirs->parameter_base);
  EXPECT_EQ(ours->shared_bytes, theirs->shared_bytes);
  EXPECT_EQ(ours->local_bytes, theirs->local_bytes);
  ASSERT_EQ(ours->globals.size(), theirs->globals.size());
  for (std::size_t i = 0; i < ours->globals.size(); ++i) {
    EXPECT_EQ(ours->globals[i].name, theirs->globals[i].name);
    EXPECT_EQ(ours->globals[i].bytes, theirs->globals[i].bytes);
    EXPECT_EQ(ours->globals[i].image, theirs->globals[i].image);
    EXPECT_EQ(ours->globals[i].addresses, theirs->globals[i].addresses);
  }
}

struct Case {
  const char* kernel;
  int compute_capability;
};

class CubinListing : public testing::TestWithParam<Case> {};

TEST_P(CubinListing, SaysWhatNvdisasmSays) {
  const std::string id = GetParam().kernel;
  const std::string size = id.starts_with("gemm") ? "256x256x256" : "256x256";
  const PreparedKernel prepared = prepare_kernel(id, {}, size);
  ASSERT_NE(prepared.program, nullptr);
  const auto compiled = compile({prepared.instance, GetParam().compute_capability, true}, {});
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  if (compiled->cubin.empty()) GTEST_SKIP() << compiled->why_no_cubin;
  expect_as_nvdisasm(compiled->cubin, prepared.program->kernel(), ListedLines::kSource);
}

constexpr Case kCases[] = {
    {"gemm/naive", 90},       {"gemm/register_tile", 90}, {"gemm/warpgroup", 90},
    {"gemm/three_tf32", 90},  {"transpose/tiled", 90},    {"transpose/serial", 90},
    {"transpose/tiled", 75},  {"transpose/tiled", 80},    {"transpose/tiled", 86},
    {"transpose/tiled", 89},  {"transpose/tiled", 100},   {"transpose/tiled", 120},
    {"transpose/tiled", 110},  // has no table: all instructions are asked of nvdisasm
};

INSTANTIATE_TEST_SUITE_P(Catalogue, CubinListing, testing::ValuesIn(kCases), [](const auto& of) {
  std::string name = fmt::format("{}_sm_{}", of.param.kernel, of.param.compute_capability);
  std::ranges::replace(name, '/', '_');
  return name;
});

TEST(CubinListingOfPtx, HasConstantsVariablesAndCalls) {
  const auto assembled = assemble(kManyThings, "sm_90", {});
  if (!assembled) GTEST_SKIP() << to_string(assembled.error());
  expect_as_nvdisasm(assembled->cubin, "many", ListedLines::kPtx);
  EXPECT_FALSE(disassemble(assembled->cubin, "other", ListedLines::kPtx, {}).ok());
}

TEST(CubinListingOfPtx, KnowsWhereAnIndexedBranchGoes) {
  const auto assembled = assemble(kIndexedBranch, "sm_90", {});
  if (!assembled) GTEST_SKIP() << to_string(assembled.error());
  expect_as_nvdisasm(assembled->cubin, "chosen", ListedLines::kPtx);
  const auto listing = disassemble(assembled->cubin, "chosen", ListedLines::kPtx, {});
  ASSERT_TRUE(listing.ok()) << to_string(listing.error());
  EXPECT_NE(listing->find("BRANCH_TARGETS"), std::string::npos);
}

TEST(CubinListingOfPtx, BrokenCubinsAreSurvived) {
  const auto assembled = assemble(kManyThings, "sm_90", {});
  if (!assembled) GTEST_SKIP() << to_string(assembled.error());
  const std::vector<std::byte>& whole = assembled->cubin;
  const WordPrinter print_nothing = [](int, std::span<const PlacedWord> words) {
    return std::vector<PrintedInstruction>(words.size());
  };
  EXPECT_FALSE(list_kernel({}, "many", ListedLines::kPtx, print_nothing).ok());
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 37) {
    (void)list_kernel({whole.data(), bytes}, "many", ListedLines::kPtx, print_nothing);
  }
  std::mt19937 random(1);  // NOLINT: the same every time
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> changed = whole;
    for (int flips = 0; flips < 4; ++flips) {
      changed[random() % changed.size()] = static_cast<std::byte>(random());
    }
    for (const ListedLines lines : {ListedLines::kPtx, ListedLines::kSource}) {
      (void)list_kernel(changed, "many", lines, print_nothing);
    }
  }
}

}  // namespace
}  // namespace tilescope
