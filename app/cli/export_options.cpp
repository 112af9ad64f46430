#include "cli/export_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/command.h"
#include "cli/roofline_lookup.h"

namespace tilescope {
namespace {

// What an option can belong to.
struct Wanted {
  const ExportArguments& arguments;
  bool session = false;
  std::optional<View> view;  // nullopt: a page, or throughput
  std::optional<Page> page;
  std::optional<View> panes;  // of a comparison
  std::optional<PictureFormat> format;

  [[nodiscard]] bool shows(View which) const { return view == which || panes == which; }
  [[nodiscard]] bool animated() const { return format && is_animation(*format); }
  [[nodiscard]] bool charts() const {
    return !arguments.all && !view && !page && arguments.view != "tuner";
  }
};

using Belongs = bool (*)(const Wanted& wanted);

bool to_kernels(const Wanted& wanted) { return !wanted.session; }
bool to_views(const Wanted& wanted) { return !wanted.session && wanted.view.has_value(); }
bool to_studies(const Wanted& wanted) { return !wanted.session && (wanted.view || wanted.page); }
bool to_pages(const Wanted& wanted) { return wanted.arguments.all || wanted.page.has_value(); }
bool to_source(const Wanted& wanted) {
  return wanted.arguments.all || wanted.page == Page::kSource;
}
bool to_sessions(const Wanted& wanted) { return wanted.session; }
bool to_one_variant(const Wanted& wanted) { return wanted.session && !wanted.arguments.all; }
bool to_all(const Wanted& wanted) { return wanted.session && wanted.arguments.all; }
bool to_charts(const Wanted& wanted) { return wanted.charts(); }
bool to_known_times(const Wanted& wanted) {
  return !wanted.arguments.all && !wanted.page && (!wanted.view || shows_times(*wanted.view));
}
bool to_kernel_charts(const Wanted& wanted) { return !wanted.session && wanted.charts(); }
bool to_comparisons(const Wanted& wanted) {
  return !wanted.session && wanted.view == View::kCompare;
}
bool to_animations(const Wanted& wanted) { return wanted.animated(); }
bool to_pixels(const Wanted& wanted) {
  return wanted.animated() || wanted.format == PictureFormat::kPng;
}
bool to_one_kernel_or_variant(const Wanted& wanted) { return !wanted.arguments.all; }
template <View kView>
bool to_view(const Wanted& wanted) {
  return !wanted.session && wanted.shows(kView);
}

bool to_device(const Wanted& wanted) {
  return wanted.session ? wanted.view || wanted.page || wanted.arguments.all
                        : wanted.shows(View::kOccupancy);
}

struct Rule {
  std::string_view option;
  Belongs belongs;
  std::string_view to;
};

constexpr std::string_view kKernels = "a kernel or a file; a session says it itself";
constexpr std::string_view kViews = "a view of a kernel or a file; a session says it itself";
constexpr std::string_view kComparisons = "--view compare of a kernel or a file";
constexpr std::string_view kAnimations = ".gif and .mp4";
constexpr std::string_view kThroughput = "--view throughput";

// Options that are not here belong to all.
constexpr std::array kRules{
    Rule{"--parameter", to_one_kernel_or_variant, "one kernel or variant, not to --all"},
    Rule{"--size", to_kernels, kKernels},
    Rule{"--alpha", to_kernels, kKernels},
    Rule{"--beta", to_kernels, kKernels},
    Rule{"--kernel", to_kernels, kKernels},
    Rule{"--grid", to_kernels, kKernels},
    Rule{"--block", to_kernels, kKernels},
    Rule{"--shared", to_kernels, kKernels},
    Rule{"--arg", to_kernels, kKernels},
    Rule{"--define", to_kernels, kKernels},
    Rule{"--at", to_studies, kViews},
    Rule{"--moment", to_studies, kViews},
    Rule{"--line", to_studies, kViews},
    Rule{"--block-index", to_studies, kViews},
    Rule{"--warp", to_studies, kViews},
    Rule{"--lane", to_studies, kViews},
    Rule{"--as-written", to_pages, "--view source and counters"},
    Rule{"--side-by-side", to_source, "--view source"},
    Rule{"--set", to_views, kViews},
    Rule{"--device", to_device, "--view occupancy of a kernel or a file, and views of a session"},
    Rule{"--heat", to_view<View::kTiling>, "--view tiling of a kernel or a file"},
    Rule{"--camera", to_view<View::kTiling>, "--view tiling of a kernel or a file"},
    Rule{"--time-zoom", to_view<View::kPipeline>, "--view pipeline of a kernel or a file"},
    Rule{"--beside", to_comparisons, kComparisons},
    Rule{"--panes", to_comparisons, kComparisons},
    Rule{"--against", to_comparisons, kComparisons},
    Rule{"--subject", to_comparisons, kComparisons},
    Rule{"--overlay", to_comparisons, kComparisons},
    Rule{"--over", to_charts, kThroughput},
    Rule{"--unit", to_charts, kThroughput},
    Rule{"--history", to_known_times, "--view throughput, tuner, roofline, compare and pipeline"},
    Rule{"--warm", to_kernel_charts, "--view throughput of a kernel; a session says it itself"},
    Rule{"--from", to_animations, kAnimations},
    Rule{"--to", to_animations, kAnimations},
    Rule{"--fps", to_animations, kAnimations},
    Rule{"--seconds", to_animations, kAnimations},
    Rule{"--scale", to_pixels, ".png, .gif and .mp4"},
    Rule{"--variant", to_one_variant, "--session without --all"},
    Rule{"--all", to_sessions, "--session"},
    Rule{"--format", to_all, "--all"},
};

}  // namespace

Status check_options(const ExportArguments& arguments) {
  const auto given = [&](std::string_view option) {
    return std::ranges::find(arguments.given, option) != arguments.given.end();
  };
  if (given("--session") && given("kernel")) {
    return usage("a kernel and --session are both named", "Leave one of them out");
  }
  if (given("--session") && arguments.all && given("--view")) {
    return usage("--all writes every view, so --view means nothing", "Leave out one of them");
  }
  Wanted wanted{.arguments = arguments,
                .session = !arguments.session.empty(),
                .view = parse_view(arguments.view),
                .page = parse_page(arguments.view),
                .panes = std::nullopt,
                .format = std::nullopt};
  if (wanted.view == View::kCompare) wanted.panes = parse_view(arguments.compare.panes);
  const auto format = picture_format(arguments.all ? "x." + arguments.format : arguments.output);
  if (format) wanted.format = *format;
  for (const Rule& rule : kRules) {
    if (!given(rule.option) || rule.belongs(wanted)) continue;
    return usage(fmt::format("{} means nothing here: it belongs to {}", rule.option, rule.to),
                 "Leave it out");
  }
  return ok_status();
}

}  // namespace tilescope
