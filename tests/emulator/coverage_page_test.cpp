#include "emulator/coverage_page.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "build_config.h"
#include "emulator/decode/instruction_table.h"
#include "isa_case.h"

namespace tilescope {
namespace {

std::filesystem::path here() {
  return std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests/emulator";
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

OpcodeCensus census() {
  const auto json =
      nlohmann::json::parse(text_of(here() / "../kernels/census/opcodes.json"), nullptr, false);
  OpcodeCensus read;
  if (!json.is_object()) return read;
  read.compiler = json.value("compiler", "");
  read.kernels = json.value("kernels", std::uint64_t{0});
  for (const auto& [opcode, count] : json["opcodes"].items())
    read.opcodes[opcode] = count.get<std::uint64_t>();
  return read;
}

// TILESCOPE_UPDATE=1 writes the page anew.
TEST(CoveragePage, SaysWhatTheTableAndTheCensusSay) {
  const std::filesystem::path path = here() / "../../docs/ptx_coverage.md";
  ASSERT_GT(census().opcodes.size(), 300U);
  const std::string page = coverage_page(census());
  if (std::getenv("TILESCOPE_UPDATE") != nullptr) std::ofstream(path) << page;
  EXPECT_EQ(text_of(path), page)
      << "docs/ptx_coverage.md is out of date: run this test with TILESCOPE_UPDATE=1";
}

// Every mnemonic of the table stands in a case, so that none is only claimed.
TEST(CoveragePage, EveryMnemonicHasACase) {
  std::string all = text_of(here() / "matrix_test.cpp");
  for (const auto& entry : std::filesystem::directory_iterator(here() / "cases"))
    all += text_of(entry.path());
  // Hints without an effect, and what a trap does, have no result that a case could name.
  const std::set<std::string_view> without{
      "prefetch", "prefetchu", "fence",         "griddepcontrol", "brkpt",        "nanosleep",
      "pmevent",  "trap",      "applypriority", "discard",        "createpolicy", "setmaxnreg"};
  for (const InstructionForm& form : instruction_table()) {
    if (without.contains(form.mnemonic) || form.mnemonic.starts_with('$')) continue;
    const std::string with_dot = std::string(form.mnemonic) + ".";
    const std::string with_space = std::string(form.mnemonic) + " ";
    const std::string alone = std::string(form.mnemonic) + ";";
    EXPECT_TRUE(all.find(with_dot) != std::string::npos ||
                all.find(with_space) != std::string::npos || all.find(alone) != std::string::npos)
        << form.mnemonic;
  }
}

}  // namespace
}  // namespace tilescope
