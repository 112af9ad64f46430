#include <cstdio>
#include <utility>

#include "cli/command.h"

namespace tilescope {

int report(const Error& error) {
  std::fprintf(stderr, "tilescope: %s\n", to_string(error).c_str());
  switch (error.code) {
    case ErrorCode::kKernel:
      return 2;
    case ErrorCode::kMachine:
      return 3;
    case ErrorCode::kUsage:
    case ErrorCode::kCancelled:
      return 1;
  }
  return 1;
}

Error usage(std::string message, std::string remedy) {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

Error in_file(Error error, const KernelInstance& instance) {
  if (error.place.file.empty() && instance.is_ptx()) {
    error.place.file = instance.file_name;
  }
  return error;
}

}  // namespace tilescope
