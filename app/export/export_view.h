#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "scene/view.h"

namespace tilescope {

enum class PictureFormat { kSvg, kPdf, kPng };
// By the file name's ending; kUsage for another one.
[[nodiscard]] Result<PictureFormat> picture_format(const std::filesystem::path& file);

struct PictureRequest {
  View view = View::kTiling;
  ViewContext context;  // study must be there
  float width = 1176;   // px; a PDF takes 1 px as 0.75 pt
  float height = 620;
  float pixel_scale = 1;  // PNG: device pixels in a px
  std::string device;     // "emulated for sm_90"; goes into the line below the picture
};

// A view as it stands on screen, its sentence above it, and below it what it shows, with which
// parameters, and where the numbers come from.
[[nodiscard]] std::string svg_of(const PictureRequest& request);
Status export_view(const PictureRequest& request, const std::filesystem::path& file);

// Draws all that a picture holds, on any canvas.
void draw_picture(Canvas& canvas, const PictureRequest& request);

// "gemm/register_tile · TILE_M 128, STAGES 3 · M 2048, N 2048, K 1024 · emulated, sm_90,
// NVRTC 13.0"
[[nodiscard]] std::string provenance(const KernelStudy& study);

}  // namespace tilescope
