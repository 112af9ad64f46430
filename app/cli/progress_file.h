#pragma once
#include <chrono>
#include <string>

#include "core/file.h"
#include "core/result.h"
#include "session/program_progress.h"

namespace tilescope {

// The file that `exec --progress` names. A file that cannot be written stops nothing.
class ProgressFile {
 public:
  explicit ProgressFile(const std::string& file);  // empty: nothing is written

  void running();
  void launched(const std::string& kernel);  // the first hundred, then ten a second at most
  void ended(const std::string& how, std::uint64_t problems);
  void failed(const Error& error);

 private:
  void write();

  FileDescriptor file_;
  ProgramProgress progress_;
  std::chrono::steady_clock::time_point written_;
};

}  // namespace tilescope
