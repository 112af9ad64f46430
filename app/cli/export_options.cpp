#include "cli/export_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/command.h"
#include "cli/export_command.h"
#include "core/text.h"
#include "export/export_view.h"
#include "scene/pages/page.h"
#include "scene/views.h"

namespace tilescope {

struct ExportSubject {
  const ExportArguments& arguments;
  bool session = false;
  std::optional<View> view;  // nullopt: a page, or throughput
  std::optional<Page> page;
  std::optional<View> panes;  // of a comparison
  std::optional<PictureFormat> format;

  // Whether the view, or that in the panes of a comparison, is such a one.
  template <typename Kind>
  [[nodiscard]] bool shows(Kind kind) const {
    return (view && kind(descriptor_of(*view))) || (panes && kind(descriptor_of(*panes)));
  }
  [[nodiscard]] bool animated() const { return format && is_animation(*format); }
  [[nodiscard]] bool many() const { return arguments.all || arguments.scenes; }
  [[nodiscard]] bool charts() const {
    return !many() && !view && !page && arguments.view != "tuner";
  }
};

namespace {

bool to_kernels(const ExportSubject& wanted) { return !wanted.session; }
bool to_views(const ExportSubject& wanted) { return !wanted.session && wanted.view.has_value(); }
bool to_studies(const ExportSubject& wanted) {
  return !wanted.session && (wanted.view || wanted.page);
}
bool to_pages(const ExportSubject& wanted) {
  return wanted.arguments.all || wanted.page.has_value();
}
bool to_source(const ExportSubject& wanted) {
  return wanted.arguments.all || wanted.page == Page::kSource;
}
bool to_sessions(const ExportSubject& wanted) { return wanted.session; }
bool to_one_variant(const ExportSubject& wanted) { return wanted.session && !wanted.many(); }
bool to_many(const ExportSubject& wanted) { return wanted.session && wanted.many(); }
bool to_charts(const ExportSubject& wanted) { return wanted.charts(); }
bool to_pages_of_views(const ExportSubject& wanted) {
  return wanted.format == PictureFormat::kHtml && wanted.view.has_value();
}
bool to_axes(const ExportSubject& wanted) {
  return wanted.charts() || (!wanted.session && to_pages_of_views(wanted) &&
                             !descriptor_of(*wanted.view).needs.variants);
}
bool to_drawn(const ExportSubject& wanted) {
  return wanted.format != PictureFormat::kCsv && wanted.format != PictureFormat::kJson;
}
bool to_known_times(const ExportSubject& wanted) {
  return !wanted.many() && !wanted.page &&
         (!wanted.view || descriptor_of(*wanted.view).needs.times);
}
bool to_kernel_charts(const ExportSubject& wanted) { return !wanted.session && wanted.charts(); }
bool to_comparisons(const ExportSubject& wanted) {
  return !wanted.session && wanted.view && descriptor_of(*wanted.view).needs.variants;
}
bool to_animations(const ExportSubject& wanted) { return wanted.animated(); }
bool to_pixels(const ExportSubject& wanted) {
  return wanted.animated() || wanted.format == PictureFormat::kPng;
}
bool to_one_kernel_or_variant(const ExportSubject& wanted) { return !wanted.many(); }
template <ViewZoom kZoom>
bool to_zoomed(const ExportSubject& wanted) {
  return !wanted.session &&
         wanted.shows([](const ViewDescriptor& view) { return view.zoom == kZoom; });
}
bool has_heat(const ViewDescriptor& view) { return view.setting("heat") != nullptr; }
bool has_device(const ViewDescriptor& view) { return view.setting("device") != nullptr; }
bool to_heat(const ExportSubject& wanted) { return !wanted.session && wanted.shows(has_heat); }
bool to_device(const ExportSubject& wanted) {
  return wanted.session ? wanted.view || wanted.page || wanted.many() : wanted.shows(has_device);
}

bool to_drawn_views(const ExportSubject& wanted) {
  return to_drawn(wanted) && wanted.view.has_value() && !wanted.many();
}

constexpr ExportScope kOneVariant{to_one_kernel_or_variant,
                                  "one kernel or variant, not to --all or --scenes"};
constexpr ExportScope kKernels{to_kernels, "a kernel or a file (a session has its own)"};
constexpr ExportScope kStudies{to_studies, "a view of a kernel or a file (a session has its own)"};
constexpr ExportScope kViews{to_views, kStudies.to};
constexpr ExportScope kCountedPages{to_pages, "--view source and counters"};
constexpr ExportScope kSource{to_source, "--view source"};
constexpr ExportScope kDevices{to_device,
                               "--view occupancy of a kernel or a file, and views of a session"};
constexpr ExportScope kHeat{to_heat, "--view tiling of a kernel or a file"};
constexpr ExportScope kMatrices{to_zoomed<ViewZoom::kMatrices>, kHeat.to};
constexpr ExportScope kTime{to_zoomed<ViewZoom::kTime>, "--view pipeline of a kernel or a file"};
constexpr ExportScope kComparisons{to_comparisons, "--view compare of a kernel or a file"};
constexpr ExportScope kAxes{to_axes,
                            "--view throughput, and to pages (.html) of one kernel's view"};
constexpr ExportScope kPages{to_pages_of_views, "pages (.html) of a view"};
constexpr ExportScope kPictures{to_drawn, "pictures"};
constexpr ExportScope kPicturesOfViews{to_drawn_views, "pictures of a view"};
constexpr ExportScope kCharts{to_charts, "--view throughput"};
constexpr ExportScope kTimes{to_known_times,
                             "--view throughput, tuner, roofline, compare and pipeline"};
constexpr ExportScope kKernelCharts{to_kernel_charts,
                                    "--view throughput of a kernel (a session has its own)"};
constexpr ExportScope kAnimations{to_animations, ".gif and .mp4"};
constexpr ExportScope kPixels{to_pixels, ".png, .gif and .mp4"};
constexpr ExportScope kVariant{to_one_variant, "--session without --all or --scenes"};
constexpr ExportScope kSessions{to_sessions, "--session"};
constexpr ExportScope kFolders{to_many, "--all and --scenes"};

// "tiling: grid, block; banks: grid": of every view that has some.
std::string part_names() {
  std::string text;
  for (const ViewDescriptor& view : view_descriptors()) {
    std::vector<std::string> names;
    for (const ViewPart& each : view.parts) names.emplace_back(each.name);
    if (names.empty()) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", view.name, joined(names, ", "));
  }
  return text;
}

// Adds options under a heading of the help, and notes what they belong to.
class OptionGroup {
 public:
  OptionGroup(CommandOptions command, ExportArguments& arguments, std::string heading)
      : command_(command), arguments_(arguments), heading_(std::move(heading)) {}

  template <typename Value>
  CommandOption add(const std::string& names, Value& value, const std::string& text) {
    return command_.add_option(names, value, text).group(heading_);
  }
  template <typename Value>
  CommandOption add(const ExportScope& scope, const std::string& names, Value& value,
                    const std::string& text) {
    limit(names, scope);
    return add(names, value, text);
  }
  // "!--warm": given, the value becomes false.
  void flag(const ExportScope& scope, const std::string& names, bool& value,
            const std::string& text) {
    limit(names, scope);
    command_.add_flag(names, value, text).group(heading_);
  }
  // An option that is there already.
  void place(const std::string& name) { command_.option(name).group(heading_); }
  void limit(const std::string& names, const ExportScope& scope) {
    arguments_.scoped.push_back({names.substr(names.find("--")), scope});
  }

 private:
  CommandOptions command_;
  ExportArguments& arguments_;
  std::string heading_;
};

void add_subject_options(CommandOptions command, ExportArguments& arguments) {
  add_kernel_options(command, arguments.kernel);
  command.option("kernel").required(false);
  OptionGroup options(command, arguments, "Of a kernel or a file");
  for (const char* name : {"--size", "--alpha", "--beta", "--kernel", "--grid", "--block",
                           "--shared", "--arg", "--define"}) {
    options.limit(name, kKernels);
    options.place(name);
  }
  options.limit("--parameter", kOneVariant);
  options.place("--parameter");
  options.place("--include");
  options.place("--arch");
}

void add_session_options(CommandOptions command, ExportArguments& arguments) {
  OptionGroup options(command, arguments, "Of a session");
  options.add("--session", arguments.session, "a session file instead of a kernel");
  options.add(kVariant, "--variant", arguments.variant, "A to D; default: the active one");
  options.flag(kSessions, "--all", arguments.all, "every view of every variant, in the folder -o");
  options.flag(kSessions, "--scenes", arguments.scenes,
               "the view of each scene of its lecture, in the folder -o");
  options
      .add(kFolders, "--format", arguments.format,
           "with --all and --scenes: svg, pdf, png, html, csv, json, gif or mp4")
      .capture_default_str();
}

void add_selection_options(CommandOptions command, ExportArguments& arguments) {
  OptionGroup options(command, arguments, "What the view shows");
  options.add(kStudies, "--at", arguments.step, "step of the block's main loop, from 1");
  options.add(kStudies, "--moment", arguments.moment,
              "instruction of the block's trace to show, from 0");
  options.add(kStudies, "--line", arguments.line, "source line whose access is shown");
  options.add(kStudies, "--block-index", arguments.block, "X[,Y[,Z]]: the block to trace");
  options.add(kStudies, "--warp", arguments.warp, "warp of that block");
  options.add(kStudies, "--lane", arguments.lane, "lane to mark, 0 to 31");
  options.add(kViews, "--set", arguments.settings,
              "NAME=NUMBER, repeatable: a setting that a click in a view changes: lane_window, "
              "latency_cycles");
  options.flag(kHeat, "--heat", arguments.heat, "tiling: colour by number of reads");
  options.add(kMatrices, "--camera", arguments.camera,
              "tiling: ZOOM,X,Y: zoom of the matrices and its centre");
  options.add(kTime, "--time-zoom", arguments.time_zoom, "pipeline: 2 shows half the cycles")
      .between(0.01, 1000.0);
  options.add(kDevices, "--device", arguments.device,
              "occupancy: the device to show, part of a name of list --devices; session: the "
              "device to compute for; default: the one it was measured on");
  options.flag(kCountedPages, "--as-written", arguments.as_written,
               "source, counters: count the PTX instead of the machine code");
  options.flag(kSource, "--side-by-side", arguments.side_by_side,
               "source: PTX and machine code beside it");
  options.flag(kTimes, "--history", arguments.history,
               "throughput, tuner, roofline, compare, pipeline: prefer your own measurements "
               "(tilescope history) to the recorded ones");
}

void add_comparison_options(CommandOptions command, ExportArguments& arguments) {
  CompareArguments& compare = arguments.compare;
  OptionGroup options(command, arguments, "Of --view compare");
  options
      .add(kComparisons, "--beside", compare.beside,
           "KERNEL[,NAME=VALUE]... or a file, up to three times; the first kernel is A")
      .take_all();
  options.add(kComparisons, "--panes", compare.panes, "the view in each pane");
  options.add(kComparisons, "--against", compare.against, "letter of the base")
      .capture_default_str();
  options.add(kComparisons, "--subject", compare.subject,
              "letter of the variant that the sentence describes; default: the last");
  options.flag(kComparisons, "--overlay", compare.overlay, "draw on top of each other");
}

void add_chart_options(CommandOptions command, ExportArguments& arguments) {
  OptionGroup options(command, arguments, "Of --view throughput");
  options.add(kAxes, "--over", arguments.over,
              "the parameter on the axis, or size; time for a session with measured launches; "
              ".html: the parameter of the page's slider");
  options.add(kCharts, "--unit", arguments.unit,
              unit_names() + "; default: the unit of the problem");
  options.flag(kKernelCharts, "!--warm", arguments.cold, "times with a warm L2; default: cold");
}

void add_picture_options(CommandOptions command, ExportArguments& arguments) {
  OptionGroup options(command, arguments, "How it is drawn");
  options.add("--theme", arguments.theme, "dark, light or paper").capture_default_str();
  options.add("--pixels", arguments.pixels, "WIDTHxHEIGHT").capture_default_str();
  options.add(kPictures, "--paper", arguments.paper,
              "WIDTHxHEIGHT in mm, cm, in or pt instead of --pixels: 84mmx60mm; --size takes it "
              "too");
  options.add(kPictures, "--text", arguments.text,
              "size of the text in points: 8pt; the smallest is 0.85 of it");
  options.add("--text-scale", arguments.text_scale, "text size; 1.6 for a lecture hall")
      .between(kLeastTextScale, kMostTextScale);
  options.add(kPicturesOfViews, "--part", arguments.part,
              "one part of the view alone: " + part_names());
  options.flag(kPictures, "!--no-sentence", arguments.with_sentence, "without the sentence above");
  options.flag(kPictures, "!--no-provenance", arguments.with_provenance,
               "without the lines below that say where the numbers come from");
  options
      .add(kPixels, "--scale", arguments.scale,
           ".png, .gif, .mp4: device pixels per px of --pixels")
      .between(1.0, 4.0);
}

void add_time_options(CommandOptions command, ExportArguments& arguments) {
  OptionGroup pages(command, arguments, "Of a page, .html");
  pages.add(kPages, "--moments", arguments.moments, "places of the slider for time, at the most")
      .between(1, 60)
      .capture_default_str();
  OptionGroup options(command, arguments, "Of an animation, .gif and .mp4");
  options.add(kAnimations, "--from", arguments.from,
              "first instruction, from 0, or step:N; default: the block's first");
  options.add(kAnimations, "--to", arguments.to, "last instruction; default: the block's last");
  options.add(kAnimations, "--fps", arguments.frames_per_second, "frames per second, 1 to 50")
      .capture_default_str();
  options.add(kAnimations, "--seconds", arguments.seconds, "duration in seconds")
      .capture_default_str();
}

}  // namespace

void add_export_options(CommandOptions command, ExportArguments& arguments) {
  command.add_option("--view", arguments.view, view_names()).capture_default_str();
  command
      .add_option("-o,--output", arguments.output,
                  "a file ending in .svg, .pdf or .png; .html: a page with sliders; .csv or .json: "
                  "the numbers in the picture; .gif or .mp4: an animation over time; with --all "
                  "and --scenes a folder")
      .required();
  command.add_option("--date", arguments.date,
                     "date in the file, 2026-11-30; default: SOURCE_DATE_EPOCH, or the date of the "
                     "measurements shown");
  command.add_flag("--whole-grid", arguments.whole_grid, "count every block instead of a sample");
  add_subject_options(command, arguments);
  add_selection_options(command, arguments);
  add_picture_options(command, arguments);
  add_chart_options(command, arguments);
  add_comparison_options(command, arguments);
  add_time_options(command, arguments);
  add_session_options(command, arguments);
}

Status check_options(const ExportArguments& arguments) {
  const auto given = [&](std::string_view option) {
    return std::ranges::find(arguments.given, option) != arguments.given.end();
  };
  if (given("--session") && given("kernel")) {
    return usage("a kernel and --session are both given", "Leave one of them out");
  }
  if (given("--paper") && given("--pixels")) {
    return usage("--paper and --pixels are both given", "Leave one of them out");
  }
  if (given("--text") && given("--text-scale")) {
    return usage("--text and --text-scale are both given", "Leave one of them out");
  }
  if (arguments.all && arguments.scenes) {
    return usage("--all and --scenes are both given", "Leave one of them out");
  }
  if (given("--session") && arguments.all && given("--view")) {
    return usage("--all writes every view, so --view has no meaning", "Leave out one of them");
  }
  if (given("--session") && arguments.scenes && given("--view")) {
    return usage("--scenes writes each scene's own view, so --view has no meaning",
                 "Leave out one of them");
  }
  ExportSubject wanted{.arguments = arguments,
                       .session = !arguments.session.empty(),
                       .view = parse_view(arguments.view),
                       .page = parse_page(arguments.view),
                       .panes = std::nullopt,
                       .format = std::nullopt};
  if (wanted.view && descriptor_of(*wanted.view).needs.variants) {
    wanted.panes = parse_view(arguments.compare.panes);
  }
  const auto format = picture_format(wanted.many() ? "x." + arguments.format : arguments.output);
  if (format) wanted.format = *format;
  for (const auto& [option, scope] : arguments.scoped) {
    if (!given(option) || scope.belongs(wanted)) continue;
    return usage(fmt::format("{} has no meaning here; it belongs to {}", option, scope.to),
                 "Leave it out");
  }
  return ok_status();
}

}  // namespace tilescope
