#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "build_config.h"
#include "corpus.h"
#include "emulator/block/block_trace.h"
#include "emulator/emulate.h"
#include "emulator/issued_program.h"
#include "kernel/compile/assemble.h"
#include "kernel/compile/compile.h"

// The corpus's kernels whose blocks work together in clusters: as written and as issued, all at
// once, by samples and one block alone, they leave the same in memory, and what the CPU computes.
namespace tilescope {
namespace {

const std::filesystem::path kList =
    std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests/corpus/clusters.json";

std::vector<CorpusLaunch> launches() {
  auto read = read_corpus(kList);
  if (read) return *std::move(read);
  ADD_FAILURE() << to_string(read.error());
  return {};
}

struct Prepared {
  std::shared_ptr<const Program> program;
  Launch launch;
  DeviceMemory memory;
};

std::shared_ptr<const Program> written(const CompiledKernel& compiled,
                                       const KernelInstance& instance) {
  auto program = decode_ptx(compiled.ptx, compiled.kernel, instance.source);
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  return program ? *program : nullptr;
}

Prepared prepare(const KernelInstance& instance, std::shared_ptr<const Program> program) {
  Prepared prepared;
  prepared.program = std::move(program);
  prepared.launch = {instance.grid, instance.block, instance.dynamic_shared_bytes, {}};
  for (const Argument& argument : instance.arguments) {
    if (!argument.is_pointer) {
      prepared.launch.arguments.emplace_back(argument.bits);
      continue;
    }
    auto contents = std::make_shared<std::vector<std::byte>>(argument.buffer.bytes());
    EXPECT_TRUE(fill_buffer(argument.buffer, *contents).ok());
    const auto index = prepared.memory.add(argument.name, argument.type, contents);
    prepared.launch.arguments.emplace_back(prepared.memory.buffers()[index].address);
  }
  return prepared;
}

std::vector<std::byte> bytes_of(const DeviceMemory& memory) {
  std::vector<std::byte> all;
  for (const DeviceMemory::Buffer& buffer : memory.buffers())
    all.insert(all.end(), buffer.contents->begin(), buffer.contents->end());
  return all;
}

std::string text_of(const Program& program, const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{}: {} at {}\n", name_of(finding.kind), finding.message,
                        program.instructions()[finding.instruction].text);
  }
  return text;
}

// Memory after the launch, which nothing must be wrong with.
std::vector<std::byte> memory_after(const KernelInstance& instance,
                                    const std::shared_ptr<const Program>& program,
                                    const EmulationOptions& options) {
  Prepared prepared = prepare(instance, program);
  const auto run = emulate(*program, prepared.launch, prepared.memory, options, {}, {}, {});
  EXPECT_TRUE(run.ok()) << to_string(run.error());
  if (!run) return {};
  EXPECT_TRUE(run->complete);
  EXPECT_EQ(run->blocks, options.blocks.empty() ? instance.grid.count() : options.blocks.size());
  EXPECT_TRUE(run->findings.empty()) << text_of(*program, run->findings);
  return bytes_of(prepared.memory);
}

struct Buffers {
  std::vector<std::vector<std::int32_t>> words;
  std::vector<std::int32_t> scalars;
  Dim3 grid;
  Dim3 block;
};

Buffers buffers_of(const KernelInstance& instance) {
  Buffers all;
  all.grid = instance.grid;
  all.block = instance.block;
  for (const Argument& argument : instance.arguments) {
    if (!argument.is_pointer) {
      all.scalars.push_back(static_cast<std::int32_t>(argument.bits));
      continue;
    }
    std::vector<std::byte> contents(argument.buffer.bytes());
    EXPECT_TRUE(fill_buffer(argument.buffer, contents).ok());
    std::vector<std::int32_t> words(contents.size() / 4);
    std::memcpy(words.data(), contents.data(), contents.size());
    all.words.push_back(std::move(words));
  }
  return all;
}

std::uint32_t bits(std::int32_t value) { return static_cast<std::uint32_t>(value); }

// What the last buffer must hold, by kernel.
using Reference = std::function<std::vector<std::int32_t>(const Buffers&)>;

std::vector<std::int32_t> histogram(const Buffers& in) {
  std::vector<std::int32_t> out(1024, 0);
  for (int i = 0; i < in.scalars[0]; ++i)
    ++out[bits(in.words[0][static_cast<std::size_t>(i)]) & 1023u];
  return out;
}

std::vector<std::int32_t> sums(const Buffers& in) {
  std::uint32_t sum = 0;
  for (const std::int32_t value : in.words[0]) sum += bits(value) & 0xffffu;
  return {static_cast<std::int32_t>(sum)};
}

std::vector<std::int32_t> transposed(const Buffers& in) {
  const auto n = static_cast<std::size_t>(in.scalars[0]);
  std::vector<std::int32_t> out(n * n);
  for (std::size_t y = 0; y < n; ++y) {
    for (std::size_t x = 0; x < n; ++x) out[x * n + y] = in.words[0][y * n + x];
  }
  return out;
}

std::vector<std::int32_t> ring(const Buffers& in) {
  constexpr std::size_t kRow = 128;
  constexpr std::size_t kBlocks = 4;
  const auto rounds = static_cast<std::size_t>(in.scalars[0]);
  std::vector<std::int32_t> out(in.words[0].size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t block = i / kRow;
    const std::size_t cluster = block / kBlocks;
    const std::size_t from = cluster * kBlocks + (block + kBlocks * rounds - rounds) % kBlocks;
    out[i] = static_cast<std::int32_t>(bits(in.words[0][from * kRow + i % kRow]) +
                                       static_cast<std::uint32_t>(rounds * (rounds - 1) / 2));
  }
  return out;
}

std::vector<std::int32_t> bulk_to_peer(const Buffers& in) {
  constexpr std::size_t kRow = 256;
  std::vector<std::int32_t> out(in.words[0].size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t block = i / kRow;
    const std::size_t from = block / 4 * 4 + (block + 3) % 4;
    const std::size_t at = kRow - 1 - i % kRow;
    out[i] = in.words[0][from * kRow + at] ^ static_cast<std::int32_t>(at);
  }
  return out;
}

std::vector<std::int32_t> multicast(const Buffers& in) {
  std::vector<std::int32_t> out(in.words[1].size(), 0);
  const std::size_t threads = in.block.x;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t block = i / threads;
    std::uint32_t sum = 0;
    for (std::size_t k = i % threads; k < 1024; k += threads)
      sum += bits(in.words[0][block / 4 * 1024 + k]) * static_cast<std::uint32_t>(block % 4 + 1);
    out[i] = static_cast<std::int32_t>(sum);
  }
  return out;
}

std::vector<std::int32_t> product(const Buffers& in) {
  const auto n = static_cast<std::size_t>(in.scalars[0]);
  const auto number = [](std::int32_t word) { return std::bit_cast<float>(word); };
  std::vector<std::int32_t> out(n * n);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t col = 0; col < n; ++col) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k)
        sum = std::fma(number(in.words[0][row * n + k]), number(in.words[1][k * n + col]), sum);
      out[row * n + col] = std::bit_cast<std::int32_t>(sum);
    }
  }
  return out;
}

const std::map<std::string, Reference> kReferences = {{"histogram", histogram},
                                                      {"sums", sums},
                                                      {"transposed", transposed},
                                                      {"ring", ring},
                                                      {"bulk_to_peer", bulk_to_peer},
                                                      {"multicast", multicast},
                                                      {"product", product}};

void expect_reference(const KernelInstance& instance, const std::vector<std::byte>& memory) {
  const auto reference = kReferences.find(instance.kernel);
  if (reference == kReferences.end()) return;
  const std::vector<std::int32_t> wanted = reference->second(buffers_of(instance));
  ASSERT_GE(memory.size(), wanted.size() * 4);
  std::vector<std::int32_t> found(wanted.size());
  std::memcpy(found.data(), memory.data() + memory.size() - wanted.size() * 4, wanted.size() * 4);
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(found[i], wanted[i]) << i;
}

class Clusters : public testing::TestWithParam<CorpusLaunch> {};

TEST_P(Clusters, LeaveTheSameAsWrittenAndAsIssued) {
  const KernelInstance& instance = GetParam().instance;
  const auto compiled = compile({instance, 90, true}, {});
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  const auto program = written(*compiled, instance);
  ASSERT_NE(program, nullptr);
  const std::vector<std::byte> memory = memory_after(instance, program, {});
  expect_reference(instance, memory);
  EmulationOptions checked;
  checked.check = true;
  EXPECT_EQ(memory_after(instance, program, checked), memory);
  EmulationOptions other;
  other.order = SchedulingOrder::kBackward;
  other.workers = 2;
  EXPECT_EQ(memory_after(instance, program, other), memory);
  const auto listing = disassemble(compiled->cubin, program->kernel(), ListedLines::kSource, {});
  if (!listing) GTEST_SKIP() << to_string(listing.error());
  const auto issued = decode_machine_code(*listing, *program);
  ASSERT_TRUE(issued.ok()) << to_string(issued.error());
  std::string unknown;
  for (const std::uint32_t at : (*issued)->unsupported())
    unknown += std::string((*issued)->instructions()[at].text) + "\n";
  EXPECT_EQ(unknown, "");
  EXPECT_EQ(memory_after(instance, *issued, {}), memory);
  EXPECT_EQ(memory_after(instance, *issued, other), memory);
}

// A block by itself does what it does among the others: they come along unseen.
TEST_P(Clusters, AreTracedAndCountedBlockByBlock) {
  const KernelInstance& instance = GetParam().instance;
  const auto compiled = compile({instance, 90, true}, {});
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  const auto program = written(*compiled, instance);
  ASSERT_NE(program, nullptr);
  Prepared whole = prepare(instance, program);
  const auto all = emulate(*program, whole.launch, whole.memory, {}, {}, {}, {});
  ASSERT_TRUE(all.ok());
  ExecutionCounts of_blocks(program->instructions().size());
  for (std::uint64_t block = 0; block < instance.grid.count(); ++block) {
    Prepared one = prepare(instance, program);
    EmulationOptions options;
    options.blocks = {block};
    const auto run = emulate(*program, one.launch, one.memory, options, {}, {}, {});
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run->blocks, 1U);
    EXPECT_TRUE(run->complete);
    EXPECT_TRUE(run->findings.empty()) << text_of(*program, run->findings);
    of_blocks += run->counts;
    if (block >= 4) continue;
    Prepared traced = prepare(instance, program);
    const auto trace = trace_block(*program, traced.launch, traced.memory, block, 1 << 20, {});
    ASSERT_TRUE(trace.ok());
    EXPECT_TRUE(trace->complete);
    EXPECT_TRUE(trace->findings.empty()) << text_of(*program, trace->findings);
    EXPECT_EQ(trace->counts.lanes, run->counts.lanes);
    EXPECT_EQ(bytes_of(traced.memory), bytes_of(one.memory));
  }
  EXPECT_EQ(of_blocks.lanes, all->counts.lanes);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Clusters, testing::ValuesIn(launches()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tilescope
