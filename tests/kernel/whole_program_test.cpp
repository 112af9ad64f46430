// Which files are whole programs.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "core/paths.h"
#include "kernel/compile/device_code.h"
#include "kernel/text/declarations.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

TEST(HasMain, OfAProgramAlone) {
  EXPECT_TRUE(has_main("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n"));
  EXPECT_TRUE(has_main("int main(int argc, char** argv) try { return 0; } catch (...) {}\n"));
  EXPECT_TRUE(has_main("#include <cstdio>\nauto main() -> int { return 0; }\n"));
  EXPECT_FALSE(has_main("__global__ void k() {}\n"));
  EXPECT_FALSE(has_main("int main();\n__global__ void k() {}\n")) << "no body";
  EXPECT_FALSE(has_main("// int main() {}\nvoid f() { int main = 0; (void)main; }\n"));
  EXPECT_FALSE(has_main("namespace tool { int main() { return 0; } }\n"));
}

TEST(HostProgram, IsAnExecutableOfThisMachine) {
  EXPECT_TRUE(is_host_program(program_file().string()));
  const testing::TemporaryFolder folder;
  const std::string script = (folder / "script").string();
  std::ofstream(script) << "#!/bin/sh\nexit 0\n";
  ::chmod(script.c_str(), 0700);
  EXPECT_FALSE(is_host_program(script));
  const std::string copy = (folder / "copy").string();
  std::ofstream(copy, std::ios::binary) << std::ifstream(program_file(), std::ios::binary).rdbuf();
  ::chmod(copy.c_str(), 0600);
  EXPECT_FALSE(is_host_program(copy)) << "may not be started";
  EXPECT_FALSE(is_host_program((folder / "nothing").string()));
}

}  // namespace
}  // namespace tilescope
