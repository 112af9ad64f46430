#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.h"
#include "export/export_view.h"

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
  float text_scale = 1;
  bool heat = false;
  bool whole_grid = false;  // count every block instead of a sample
  std::string session;      // a session file instead of a kernel (cli/session_export.h)
  std::string variant;      // of the session: A to D; empty: the active one
  bool all = false;         // of the session: every view of every variant, into a folder
  std::string format = "svg";
};
// The exit status. Every mistake is one line on stderr.
[[nodiscard]] int export_picture(const ExportArguments& arguments);

// The size that --pixels asks for: a PNG of more pixels is the same picture, finer.
Status set_size(const std::string& pixels, PictureFormat format, PictureRequest* request);

}  // namespace tilescope
