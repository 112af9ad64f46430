#pragma once
#include <string>
#include <vector>

namespace tilescope {

// The person's own headers that a compiled program was made of, as they were read then: those that
// its source includes from beside it, in quotes or not, and those that they include in turn. CUDA's
// own and the small library's are not among them.
struct IncludedFiles {
  struct File {
    std::string name;  // from the source's folder: "tile.h", "../common/check.h"
    std::string text;
  };
  std::vector<File> files;  // in the order in which they were found
  // Every #include says its file's name itself, and every file was read. Else more than `files` may
  // have gone in.
  bool complete = true;

  [[nodiscard]] bool empty() const { return files.empty() && complete; }
};

}  // namespace tilescope
