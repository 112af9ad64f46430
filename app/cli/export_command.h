#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/compared_variants.h"

namespace tilescope {

// tilescope export KERNEL|FILE --view V -o FILE.{svg,pdf,png}
struct ExportArguments {
  KernelArguments kernel;
  std::string view = "tiling";
  std::string output;
  std::string theme = "light";
  std::string pixels = "1176x620";
  std::string block;                  // X[,Y[,Z]]; empty: (3, 2), or as near to it as the grid has
  std::optional<std::uint32_t> step;  // from 1; absent: where the view has most to tell
  std::optional<std::uint32_t> moment;  // instruction of the block's trace, from 0
  std::optional<std::uint32_t> line;
  std::optional<std::uint32_t> warp;
  std::optional<int> lane;
  std::string device;  // occupancy: part of a name in the device table; empty: --arch's
  CompareArguments compare;
  float text_scale = 1;
  bool heat = false;
  bool whole_grid = false;  // count every block instead of a sample
};
// The exit status. Every mistake is one line on stderr.
[[nodiscard]] int export_picture(const ExportArguments& arguments);

}  // namespace tilescope
