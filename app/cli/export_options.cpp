#include "cli/export_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/export_command.h"
#include "export/export_view.h"
#include "scene/pages/page.h"
#include "scene/views.h"

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

using Belongs = bool (*)(const Wanted& wanted);

bool to_kernels(const Wanted& wanted) { return !wanted.session; }
bool to_views(const Wanted& wanted) { return !wanted.session && wanted.view.has_value(); }
bool to_studies(const Wanted& wanted) { return !wanted.session && (wanted.view || wanted.page); }
bool to_pages(const Wanted& wanted) { return wanted.arguments.all || wanted.page.has_value(); }
bool to_source(const Wanted& wanted) {
  return wanted.arguments.all || wanted.page == Page::kSource;
}
bool to_sessions(const Wanted& wanted) { return wanted.session; }
bool to_one_variant(const Wanted& wanted) { return wanted.session && !wanted.many(); }
bool to_many(const Wanted& wanted) { return wanted.session && wanted.many(); }
bool to_charts(const Wanted& wanted) { return wanted.charts(); }
bool to_pages_of_views(const Wanted& wanted) {
  return wanted.format == PictureFormat::kHtml && wanted.view.has_value();
}
bool to_axes(const Wanted& wanted) {
  return wanted.charts() || (!wanted.session && to_pages_of_views(wanted) &&
                             !descriptor_of(*wanted.view).needs.variants);
}
bool to_drawn(const Wanted& wanted) {
  return wanted.format != PictureFormat::kCsv && wanted.format != PictureFormat::kJson;
}
bool to_known_times(const Wanted& wanted) {
  return !wanted.many() && !wanted.page &&
         (!wanted.view || descriptor_of(*wanted.view).needs.times);
}
bool to_kernel_charts(const Wanted& wanted) { return !wanted.session && wanted.charts(); }
bool to_comparisons(const Wanted& wanted) {
  return !wanted.session && wanted.view && descriptor_of(*wanted.view).needs.variants;
}
bool to_animations(const Wanted& wanted) { return wanted.animated(); }
bool to_pixels(const Wanted& wanted) {
  return wanted.animated() || wanted.format == PictureFormat::kPng;
}
bool to_one_kernel_or_variant(const Wanted& wanted) { return !wanted.many(); }
template <ViewZoom kZoom>
bool to_zoomed(const Wanted& wanted) {
  return !wanted.session &&
         wanted.shows([](const ViewDescriptor& view) { return view.zoom == kZoom; });
}
bool has_heat(const ViewDescriptor& view) { return view.setting("heat") != nullptr; }
bool has_device(const ViewDescriptor& view) { return view.setting("device") != nullptr; }
bool to_heat(const Wanted& wanted) { return !wanted.session && wanted.shows(has_heat); }
bool to_device(const Wanted& wanted) {
  return wanted.session ? wanted.view || wanted.page || wanted.many() : wanted.shows(has_device);
}

bool to_drawn_views(const Wanted& wanted) {
  return to_drawn(wanted) && wanted.view.has_value() && !wanted.many();
}

struct Rule {
  std::string_view option;
  Belongs belongs;
  std::string_view to;
};

constexpr std::string_view kKernels = "a kernel or a file (a session has its own)";
constexpr std::string_view kViews = "a view of a kernel or a file (a session has its own)";
constexpr std::string_view kComparisons = "--view compare of a kernel or a file";
constexpr std::string_view kAnimations = ".gif and .mp4";
constexpr std::string_view kThroughput = "--view throughput";

// Options that are not here belong to all.
constexpr std::array kRules{
    Rule{"--parameter", to_one_kernel_or_variant,
         "one kernel or variant, not to --all or --scenes"},
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
    Rule{"--heat", to_heat, "--view tiling of a kernel or a file"},
    Rule{"--camera", to_zoomed<ViewZoom::kMatrices>, "--view tiling of a kernel or a file"},
    Rule{"--time-zoom", to_zoomed<ViewZoom::kTime>, "--view pipeline of a kernel or a file"},
    Rule{"--beside", to_comparisons, kComparisons},
    Rule{"--panes", to_comparisons, kComparisons},
    Rule{"--against", to_comparisons, kComparisons},
    Rule{"--subject", to_comparisons, kComparisons},
    Rule{"--overlay", to_comparisons, kComparisons},
    Rule{"--over", to_axes, "--view throughput, and to pages (.html) of one kernel's view"},
    Rule{"--moments", to_pages_of_views, "pages (.html) of a view"},
    Rule{"--paper", to_drawn, "pictures"},
    Rule{"--part", to_drawn_views, "pictures of a view"},
    Rule{"--text", to_drawn, "pictures"},
    Rule{"--no-sentence", to_drawn, "pictures"},
    Rule{"--no-provenance", to_drawn, "pictures"},
    Rule{"--unit", to_charts, kThroughput},
    Rule{"--history", to_known_times, "--view throughput, tuner, roofline, compare and pipeline"},
    Rule{"--warm", to_kernel_charts, "--view throughput of a kernel (a session has its own)"},
    Rule{"--from", to_animations, kAnimations},
    Rule{"--to", to_animations, kAnimations},
    Rule{"--fps", to_animations, kAnimations},
    Rule{"--seconds", to_animations, kAnimations},
    Rule{"--scale", to_pixels, ".png, .gif and .mp4"},
    Rule{"--variant", to_one_variant, "--session without --all or --scenes"},
    Rule{"--all", to_sessions, "--session"},
    Rule{"--scenes", to_sessions, "--session"},
    Rule{"--format", to_many, "--all and --scenes"},
};

}  // namespace

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
  Wanted wanted{.arguments = arguments,
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
  for (const Rule& rule : kRules) {
    if (!given(rule.option) || rule.belongs(wanted)) continue;
    return usage(fmt::format("{} has no meaning here; it belongs to {}", rule.option, rule.to),
                 "Leave it out");
  }
  return ok_status();
}

}  // namespace tilescope
