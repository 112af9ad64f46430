#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "core/device_table.h"
#include "core/dim3.h"
#include "core/result.h"
#include "export/export_view.h"
#include "scene/view/view.h"

namespace tilescope {

// What the values of options say, export's above all. Each that says nothing is kUsage, with the
// option and an example of what can be written.

// --pixels "1920x1080": width and height, 320x240 to 16384x16384.
[[nodiscard]] Result<std::pair<int, int>> parse_pixels(const std::string& text);

// --paper "84mmx60mm": width and height in mm, cm, in or pt, the unit of the first one may be left
// out. Of at most kMostPixelSide px.
struct PaperOption {
  PaperSize words;
  float width = 0;  // px
  float height = 0;
};
[[nodiscard]] Result<PaperOption> parse_paper(const std::string& text);
// Whether it is meant as such a size, and not as that of a kernel's problem.
[[nodiscard]] bool is_paper(const std::string& text);
// --text "8pt", as the scale of all text: what is 13 px at scale 1 becomes so large.
[[nodiscard]] Result<float> parse_text_size(const std::string& text);

// --block-index "X[,Y[,Z]]" as the block's linear index; empty: (3, 2, 0), or as near to it as the
// grid has.
[[nodiscard]] Result<std::uint64_t> parse_block(const std::string& text, const Dim3& grid);

// --date "2026-11-30": a day that there is; empty is right too.
[[nodiscard]] Status check_date(const std::string& date);

// --from, --to (`option` says which): "120", a moment of the block's trace, or "step:3", the first
// or the last moment of that step of the main loop.
[[nodiscard]] Result<std::uint32_t> parse_moment(const char* option, const std::string& text,
                                                 bool last, const KernelStudy& study);

// --set "NAME=NUMBER", each a click in the view.
[[nodiscard]] Status apply_settings(const std::vector<std::string>& settings,
                                    ViewSettings* changed);

// -o: kMachine where the file's folder is not there, said before anything is computed.
[[nodiscard]] Status check_folder_of(const std::filesystem::path& file);

// --camera "ZOOM,X,Y"; empty: the camera stays.
[[nodiscard]] Status apply_camera(const std::string& text, MatrixCamera* camera);

// --device: index of the first device whose name holds `part`; -1: none was asked for.
[[nodiscard]] Result<int> find_named_device(const std::string& part,
                                            const std::vector<DeviceModel>& devices);

}  // namespace tilescope
