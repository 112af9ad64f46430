#include <gtest/gtest.h>

#include "all_instruction_sets.h"
#include "build_config.h"
#include "emulator/issued_program.h"
#include "emulator/program_implementation.h"
#include "kernel/compile/assemble.h"
#include "ptx_case.h"

namespace tilescope {
namespace {

std::filesystem::path case_folder() {
  return std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests/emulator/cases";
}

class PtxCases : public testing::TestWithParam<PtxCase> {};

void expect_values(const DeviceMemory& memory, const PtxCase::Expectation& expectation) {
  for (const DeviceMemory::Buffer& buffer : memory.buffers()) {
    if (buffer.name != expectation.buffer) continue;
    const std::size_t size = size_of(buffer.type);
    ASSERT_LE(expectation.values.size() * size, buffer.contents->size());
    for (std::size_t i = 0; i < expectation.values.size(); ++i) {
      ASSERT_EQ(element_text(buffer.contents->data() + i * size, buffer.type),
                expectation.values[i])
          << buffer.name << "[" << i << "]";
    }
    return;
  }
  FAIL() << "no buffer " << expectation.buffer;
}

void expect_findings(const Program& program, const PtxCase& wanted,
                     const std::vector<Finding>& findings) {
  std::string all;
  for (const Finding& finding : findings) {
    all += std::string(name_of(finding.kind)) + ": " + finding.message + " at " +
           std::string(program.instructions()[finding.instruction].text) + "\n";
  }
  ASSERT_EQ(findings.size(), wanted.findings.size()) << all;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    EXPECT_EQ(name_of(findings[i].kind), wanted.findings[i].kind) << all;
    EXPECT_TRUE(
        program.instructions()[findings[i].instruction].text.starts_with(wanted.findings[i].text))
        << all;
  }
}

// Executes the case, checked or not; both find what it says.
void run_case(const PtxCase& wanted, const Program& program, bool check) {
  Launch launch{wanted.grid, wanted.block, wanted.dynamic_shared_bytes, {}};
  DeviceMemory memory;
  for (const auto& [name, spec] : wanted.arguments) {
    if (!spec.is_buffer) {
      launch.arguments.push_back(spec.bits);
      continue;
    }
    auto contents = std::make_shared<std::vector<std::byte>>(spec.buffer.bytes());
    ASSERT_TRUE(fill_buffer(spec.buffer, *contents).ok());
    launch.arguments.push_back(
        memory.buffers()[memory.add(name, spec.buffer.type, contents)].address);
  }
  EmulationOptions options;
  options.step_budget = check ? 1u << 28 : 1u << 23;  // a checked access counts as many
  options.check = check;
  const auto run = emulate(program, launch, memory, options, {}, {}, {});
  ASSERT_TRUE(run.ok()) << to_string(run.error());
  expect_findings(program, wanted, run->findings);
  EXPECT_EQ(run->complete, wanted.complete);
  for (const PtxCase::Expectation& expectation : wanted.expectations)
    expect_values(memory, expectation);
}

void run_case(const PtxCase& wanted, const InstructionSet& set, bool check) {
  const auto program = decode_ptx_with(wanted.ptx, "", "", set);
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  run_case(wanted, **program, check);
}

TEST_P(PtxCases, DoWhatTheirCommentsSay) {
  for (const InstructionSet& set : all_instruction_sets()) {
    SCOPED_TRACE(set.name);
    run_case(GetParam(), set, false);
  }
}

TEST_P(PtxCases, AreFoundTheSameWhenChecked) { run_case(GetParam(), best_instruction_set(), true); }

TEST_P(PtxCases, DoTheSameInMachineCode) {
  const PtxCase& wanted = GetParam();
  if (!wanted.findings.empty() || !wanted.complete) GTEST_SKIP() << "nothing to compare";
  if (wanted.name == "shared_alignment") GTEST_SKIP() << "ptxas places shared memory otherwise";
  if (wanted.name == "cluster_flag")
    GTEST_SKIP() << "blocks of a cluster do not take turns at YIELD";
  const auto written = decode_ptx_with(wanted.ptx, "", "", best_instruction_set());
  ASSERT_TRUE(written.ok());
  const auto assembled = assemble(wanted.ptx, assembled_architecture((*written)->target(), 90), {});
  if (!assembled) GTEST_SKIP() << to_string(assembled.error());
  const auto listing = disassemble(assembled->cubin, (*written)->kernel(), ListedLines::kPtx, {});
  if (!listing) GTEST_SKIP() << to_string(listing.error());
  const auto issued = decode_machine_code(*listing, **written);
  ASSERT_TRUE(issued.ok()) << to_string(issued.error());
  for (const std::uint32_t at : (*issued)->unsupported())
    GTEST_SKIP() << (*issued)->instructions()[at].text << " is not known: counted as written";
  run_case(wanted, **issued, false);
}

INSTANTIATE_TEST_SUITE_P(Files, PtxCases, testing::ValuesIn(load_ptx_cases(case_folder())),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace tilescope
