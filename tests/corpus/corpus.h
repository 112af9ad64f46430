#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// One launch of the corpus: a kernel under kernels/ with all that a launch needs. Its `instance.id`
// is the name that stands in the recorded counters.
struct CorpusLaunch {
  std::string name;
  std::filesystem::path file;
  KernelInstance instance;
};

// Reads a list of launches:
//   {"launches": [{"name": "copy_f32", "file": "copy.cu", "kernel": "copy_f32", "defines": ["N=4"],
//     "grid": [4], "block": [256, 2], "shared_bytes": 0, "args": ["f32[1024]=iota", "i32:5"]}]}
// `file` lies in the folder kernels/ beside the list, `args` are what `tilescope trace --arg`
// takes. `grid` and `block` have one to three extents; `defines` and `shared_bytes` may be left
// out. Names are unique. Errors (kUsage) name the file and line.
[[nodiscard]] Result<std::vector<CorpusLaunch>> read_corpus(const std::filesystem::path& list);

}  // namespace tilescope
