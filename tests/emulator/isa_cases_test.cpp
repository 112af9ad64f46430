#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

#include "all_instruction_sets.h"
#include "build_config.h"
#include "emulator/emulate.h"
#include "emulator/program_implementation.h"
#include "isa_case.h"

namespace tilescope {
namespace {

std::filesystem::path case_folder() {
  return std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests/emulator/cases";
}

using Cells = std::vector<std::uint64_t>;

// Runs a one-warp kernel over 64-bit cells; the first buffer is the result.
testing::AssertionResult run_cells(const std::string& ptx, const InstructionSet& set,
                                   const std::vector<Cells>& inputs, Cells* result) {
  const auto program = decode_ptx_with(ptx, "k", "", set);
  if (!program) return testing::AssertionFailure() << to_string(program.error());
  DeviceMemory memory;
  Launch launch;
  launch.block = {32, 1, 1};
  const auto add = [&](const std::string& name, const Cells& cells) {
    auto contents = std::make_shared<std::vector<std::byte>>(cells.size() * 8);
    std::memcpy(contents->data(), cells.data(), contents->size());
    const auto index = memory.add(name, ElementType::kU64, contents);
    launch.arguments.push_back(memory.buffers()[index].address);
  };
  add("out", Cells(32, 0));
  for (const Cells& cells : inputs) add("in", cells);
  const auto run = emulate(**program, launch, memory, {}, {}, {}, {});
  if (!run) return testing::AssertionFailure() << to_string(run.error());
  if (!run->findings.empty()) return testing::AssertionFailure() << run->findings[0].message;
  result->resize(32);
  std::memcpy(result->data(), memory.buffers()[0].contents->data(), 256);
  return testing::AssertionSuccess();
}

std::vector<Cells> inputs_of(const IsaCase& isa_case) {
  std::vector<Cells> inputs;
  for (std::size_t o = 0; o < isa_case.operand_types.size(); ++o) {
    Cells cells(32);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const auto& row = isa_case.rows[lane % isa_case.rows.size()];
      const std::string& type = isa_case.operand_types[o];
      cells[lane] = type == "imm" ? 0 : parse_value(row.operands.at(o), type);
    }
    inputs.push_back(cells);
  }
  return inputs;
}

void check(const IsaCase& isa_case, const InstructionSet& set, std::uint32_t lanes) {
  Cells result;
  const auto ran = run_cells(module_for(isa_case, lanes), set, inputs_of(isa_case), &result);
  ASSERT_TRUE(ran) << isa_case.file << ":" << isa_case.line << ": " << isa_case.opcode << ": "
                   << ran.message();
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const auto& row = isa_case.rows[lane % isa_case.rows.size()];
    std::uint64_t want = parse_value(row.result, isa_case.result_type);
    if (((lanes >> lane) & 1u) == 0) want = isa_case.result_type == "pred" ? 0 : 0x55;
    ASSERT_EQ(result[lane], want) << fmt::format(
        "{}:{}: {} on {}, lane {} of {:#x}: {:#x}, not {:#x}", isa_case.file, row.line,
        isa_case.opcode, set.name, lane, lanes, result[lane], want);
  }
}

TEST(IsaCases, GiveTheirResultsOnEveryInstructionSet) {
  const std::vector<IsaCase> cases = load_isa_cases(case_folder());
  ASSERT_GT(cases.size(), 200u);
  for (const InstructionSet& set : all_instruction_sets()) {
    for (const IsaCase& isa_case : cases) {
      ASSERT_LE(isa_case.rows.size(), 32u) << isa_case.opcode;
      check(isa_case, set, 0xffffffff);
    }
  }
}

TEST(IsaCases, LeaveLanesAloneThatTheGuardExcludes) {
  for (const InstructionSet& set : all_instruction_sets()) {
    for (const IsaCase& isa_case : load_isa_cases(case_folder())) {
      check(isa_case, set, 0xa5c30f1e);
      check(isa_case, set, 0x00000001);
    }
  }
}

// The builds for different instruction sets are one source; vectorised loops must not show.
TEST(IsaCases, RandomInputsGiveTheSameOnEveryInstructionSet) {
  const std::vector<InstructionSet> sets = all_instruction_sets();
  std::mt19937_64 random(7);
  const std::vector<std::uint64_t> edges{0,
                                         1,
                                         0x80000000,
                                         0x7fffffff,
                                         0xffffffff,
                                         0x7f800000,
                                         0xff800000,
                                         0x7fc00001,
                                         0x00000001,
                                         0x80000001,
                                         0x3f800000,
                                         0x8000000000000000,
                                         0x7ff0000000000000,
                                         0x3ff0000000000000,
                                         0xffffffffffffffff,
                                         31,
                                         32,
                                         33};
  for (const IsaCase& isa_case : load_isa_cases(case_folder())) {
    std::vector<Cells> inputs;
    for (std::size_t o = 0; o < isa_case.operand_types.size(); ++o) {
      Cells cells(32);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        cells[lane] =
            lane % 3 == 0 ? edges[random() % edges.size()] : random() >> (random() % 4 * 16);
        if (isa_case.operand_types[o] == "pred") cells[lane] &= 1;
      }
      inputs.push_back(cells);
    }
    Cells first;
    ASSERT_TRUE(run_cells(module_for(isa_case, 0xffffffff), sets[0], inputs, &first))
        << isa_case.opcode;
    for (std::size_t s = 1; s < sets.size(); ++s) {
      Cells other;
      ASSERT_TRUE(run_cells(module_for(isa_case, 0xffffffff), sets[s], inputs, &other))
          << isa_case.opcode;
      for (std::size_t lane = 0; lane < 32; ++lane) {
        ASSERT_EQ(first[lane], other[lane])
            << isa_case.opcode << " on " << sets[s].name << ", lane " << lane;
      }
    }
  }
}

}  // namespace
}  // namespace tilescope
