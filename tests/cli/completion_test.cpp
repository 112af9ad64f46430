#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "build_config.h"
#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

using testing::TemporaryFolder;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool is_installed(const char* shell) {
  return std::system((std::string("command -v ") + shell + " >/dev/null").c_str()) == 0;
}

// The program's script for `shell`, in a file.
std::filesystem::path script(const TemporaryFolder& folder, const std::string& shell) {
  const ProgramRun run = run_tilescope("completion " + shell);
  EXPECT_EQ(run.status, 0) << run.errors;
  return folder.write(shell, run.output);
}

// What a command prints; its name is told where it fails.
std::string output_of(const TemporaryFolder& folder, const std::string& command) {
  const std::filesystem::path file = folder / "output";
  EXPECT_EQ(std::system((command + " >'" + file.string() + "' 2>&1").c_str()), 0) << command;
  return testing::read_file(file);
}

TEST(Help, IsOneScreenWithEveryCommand) {
  const ProgramRun help = run_tilescope("--help");
  EXPECT_EQ(help.status, 0);
  const std::vector<std::string> lines = lines_of(help.output);
  EXPECT_LE(lines.size(), 40u);
  for (const std::string& line : lines) EXPECT_LE(line.size(), 100u) << line;

  const ProgramRun all = run_tilescope("--help-all");
  EXPECT_NE(all.output.find("--screenshot"), std::string::npos);
  const std::size_t commands = all.output.find("Subcommands:");
  ASSERT_NE(commands, std::string::npos);
  for (const std::string& line : lines_of(all.output.substr(commands))) {
    if (!line.starts_with("  ") || line.starts_with("   ")) continue;
    const std::string command = line.substr(2, line.find_first_of(" ,", 2) - 2);  // "exec, capture"
    if (command == "worker") continue;  // the program starts it
    EXPECT_TRUE(std::ranges::any_of(lines, [&](const std::string& each) {
      return each.starts_with("  " + command + " ");
    })) << command;
  }
}

TEST(Completion, BashCompletesCommandsOptionsAndValues) {
  const TemporaryFolder folder;
  const std::string file = script(folder, "bash").string();
  const auto completed = [&](const std::string& words, int current) {
    return output_of(folder, "bash -c 'source " + file + "; COMP_WORDS=(" + words +
                                 "); COMP_CWORD=" + std::to_string(current) +
                                 "; _tilescope; echo ${COMPREPLY[@]}'");
  };
  const std::string first = completed("tilescope tr", 1);
  EXPECT_TRUE(first.starts_with("trace transpose/")) << first;
  EXPECT_EQ(completed("tilescope export --the", 2), "--theme\n");
  EXPECT_EQ(completed("tilescope export gemm/naive --view ba", 4), "banks\n");
  EXPECT_EQ(completed("tilescope trace gemm/na", 2), "gemm/naive\n");
}

TEST(Completion, FishAndZshReadTheirScripts) {
  const TemporaryFolder folder;
  const std::string fish = script(folder, "fish").string();
  const std::string zsh = script(folder, "zsh").string();
  if (!is_installed("fish") || !is_installed("zsh")) {
    GTEST_SKIP() << "fish or zsh is not installed";
  }
  EXPECT_EQ(output_of(folder, "zsh -n " + zsh), "");
  const std::string completed =
      output_of(folder, "fish -N -c 'source " + fish + "; complete -C \"tilescope doc\"'");
  EXPECT_NE(completed.find("doctor\t"), std::string::npos) << completed;
}

TEST(Completion, TheManualPageHasEveryOptionOfEveryCommand) {
  const TemporaryFolder folder;
  const std::string page = testing::read_file(script(folder, "man"));
  for (const char* each : {".SS trace", ".SS lesson export", "\\-\\-screenshot", "\\-\\-budget"}) {
    EXPECT_NE(page.find(each), std::string::npos) << each;
  }
  EXPECT_EQ(page.find("\n\n"), std::string::npos) << "man sees an empty line as a paragraph";
}

}  // namespace
}  // namespace tilescope
