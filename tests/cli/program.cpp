#include "program.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "build_config.h"

namespace tilescope {

ProgramRun run_tilescope(const std::string& arguments, const std::string& before) {
  const std::filesystem::path errors =
      std::filesystem::path(testing::TempDir()) / ("tilescope_stderr_" + std::to_string(getpid()));
  const std::string command =
      before + "'" TILESCOPE_PROGRAM "' 2>'" + errors.string() + "' </dev/null " + arguments;
  ProgramRun run;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return run;
  std::array<char, 4096> chunk;
  for (std::size_t got = 0; (got = fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
    run.output.append(chunk.data(), got);
  }
  const int status = pclose(pipe);
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::ifstream file(errors);
  std::ostringstream text;
  text << file.rdbuf();
  run.errors = text.str();
  std::filesystem::remove(errors);
  return run;
}

}  // namespace tilescope
