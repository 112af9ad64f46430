#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/export_view.h"

namespace tilescope {

// Where a picture comes from; what is not known is empty.
struct Provenance {
  // "gemm/register_tile", or a file's name; of a comparison all, each with what sets it apart from
  // another one of the same name: "A transpose/naive, B transpose/tiled PAD 0".
  std::string kernel;
  std::string parameters;  // "TILE_M 128, STAGES 3"; "A STAGES 3; B STAGES 2"
  std::string size;  // "M 2048, N 2048, K 1024"; "A M 64 …; B grid 8 x 8 x 1 …" where they differ
  std::string launch;    // "grid 16 x 16 x 1, block 256 x 1 x 1"
  std::string device;    // that the code was made for: "sm_90"
  std::string measured;  // "recorded on NVIDIA H200"
  std::string date;      // "2026-11-30"
  std::string toolkit;   // "NVRTC 13.0"
  std::string program;   // "Tilescope 0.1.0"
  bool several = false;  // kernels: their parameters are too long for line()

  // By name, those that are known, in this order.
  [[nodiscard]] std::vector<std::pair<std::string_view, std::string>> facts() const;
  // "kernel: gemm/naive; size: …"
  [[nodiscard]] std::string keywords() const;
  // "gemm/register_tile · STAGES 3 · M 2048 · emulated, sm_90, NVRTC 13.0"
  [[nodiscard]] std::string line() const;
};
[[nodiscard]] Provenance provenance_of(const PictureRequest& request);

// "Coalescing. Line 27 loads … 4 sectors move 128 B. gemm/naive · …": what a caption below the
// picture would say.
[[nodiscard]] std::string caption_of(const PictureRequest& request);

}  // namespace tilescope
