#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/compared_variants.h"
#include "cli/export_options.h"
#include "cli/kernel_arguments.h"
#include "export/export_view.h"
#include "export/picture_page.h"

namespace tilescope {

// tilescope export KERNEL|FILE --view V -o FILE.{svg,pdf,png,html,csv,json,gif,mp4}
struct ExportArguments {
  KernelArguments kernel;
  std::string view = "tiling";
  std::string over;      // throughput: a parameter, "size", or "time"; empty: the first parameter
                         // page: the parameter of its slider; empty: none
  std::string unit;      // throughput: a RateUnit's name; empty: the problem's own
  bool history = false;  // the user's own measurements before the recorded ones
  bool cold = true;      // throughput: measured with a cold L2, else with a warm one
  std::string output;
  std::string theme = "light";
  std::string pixels = fmt::format("{}x{}", kViewWidth, kViewHeight);
  std::string paper;                       // "84mmx60mm" instead of `pixels`; empty: those
  std::string text;                        // "8pt" instead of `text_scale`; empty: that
  bool with_sentence = true;               // above the picture
  bool with_provenance = true;             // below it
  std::string part;                        // of the view: ViewPart::name; empty: all of it
  std::size_t moments = kMostPageMoments;  // page: places of its time slider, at the most
  std::string block;                  // X[,Y[,Z]]; empty: (3, 2), or as near to it as the grid has
  std::optional<std::uint32_t> step;  // from 1; absent: where the view has most to tell
  std::optional<std::uint32_t> moment;  // instruction of the block's trace, from 0
  std::optional<std::uint32_t> line;
  std::optional<std::uint32_t> warp;
  std::optional<int> lane;
  std::string device;  // occupancy: part of a name in the device table; empty: --arch's
  CompareArguments compare;
  std::vector<std::string> settings;  // NAME=NUMBER, scene/view_settings.h
  std::string camera;                 // ZOOM,X,Y; empty: all of the matrices
  float time_zoom = 1;                // pipeline
  float scale = 0;  // PNG, GIF, MP4: device pixels in a px; 0: as `pixels` is larger than usual
  float text_scale = 1;
  bool heat = false;
  bool whole_grid = false;    // count every block instead of a sample
  bool as_written = false;    // source, counters: of the PTX instead of the machine code
  bool side_by_side = false;  // source: its PTX and machine code beside it
  std::string from;           // animation: a moment, or step:N; empty: the block's first
  std::string to;             // the same; empty: its last
  double frames_per_second = 10;
  double seconds = 8;
  std::string date;     // "2026-11-30", stated in the file; empty: SOURCE_DATE_EPOCH's, if set
  std::string session;  // a session file instead of a kernel (cli/session_export.h)
  std::string variant;  // of the session: A to D; empty: the active one
  bool all = false;     // of the session: every view of every variant, into a folder
  bool scenes = false;  // of the session: the view of each scene, into a folder
  std::string format = "svg";
  std::vector<std::string> given;    // names of the options that were given: "--over"
  std::vector<ScopedOption> scoped;  // those that not every export takes
};
// Registers `tilescope export`.
void add_export_command(CommandOptions app, CommandContext& context);
// The exit status. Every mistake is one line on stderr.
[[nodiscard]] int export_picture(const ExportArguments& arguments);

// The size that --pixels asks for: a PNG of more pixels is the same picture, finer.
[[nodiscard]] Result<PictureRequest> picture_request(const ExportArguments& arguments,
                                                     PictureFormat format);

// What --view takes beside views and pages: no picture of a trace, but a chart, and a table.
inline constexpr std::string_view kThroughputView = "throughput";
inline constexpr std::string_view kTunerView = "tuner";

// "tiling, coalescing, banks, source, tuner or throughput"
[[nodiscard]] std::string view_names();
// "flop/s, bytes/s, time, peak or reference"
[[nodiscard]] std::string unit_names();

// The view while time runs from --from to --to, in the file. kUsage: a moment or step that the
// block does not have, or what export_animation() cannot write. Precondition: the picture is of a
// traced view.
[[nodiscard]] Status write_animation(const ExportArguments& arguments, PictureRequest picture,
                                     const std::filesystem::path& file);

}  // namespace tilescope
