#include "ui/desk/export_request.h"

#include <algorithm>

#include "analysis/warp_time.h"
#include "ui/charts/chart_figures.h"
#include "ui/desk/desk.h"
#include "ui/desk/tuned.h"
#include "ui/desk/view_context.h"

namespace tilescope {
namespace {

using Subject = PictureExport::Subject;

ChartKind chart_kind(Subject subject) {
  if (subject == Subject::kOverSize) return ChartKind::kOverSize;
  return subject == Subject::kLive ? ChartKind::kLive : ChartKind::kOverParameter;
}

}  // namespace

std::optional<Page> page_of(Subject subject) {
  if (subject == Subject::kSource) return Page::kSource;
  if (subject == Subject::kCounters) return Page::kCounters;
  return std::nullopt;
}

std::optional<PictureRequest> export_request(const Desk& desk) {
  const PictureExport& picture = desk.picture_export;
  const Variant& variant = desk.bench.active();
  PictureRequest request;
  request.page = page_of(picture.subject);
  if (picture.subject == Subject::kView || request.page) {
    if (variant.study == nullptr || !variant.study->traced()) return std::nullopt;
    if (request.page && !variant.study->counters) return std::nullopt;
    request.view = desk.view;
    request.context = view_context(desk, variant.study.get(), variant);
    request.context.phases = desk.phases.in_file();
    request.context.hardware = desk.hardware.in_file();
    request.context.roofline = desk.roofline.in_file();
    request.context.compared = desk.compare.in_file();
    request.as_issued = desk.as_issued;
    request.side_by_side = request.page == Page::kSource && desk.source_beside;
    // How a view stands beside the hardware's counters is seen in the window; in a file it is the
    // counters' own page that says it, where every reading has its date.
    if (request.page != Page::kCounters) request.context.hardware.reset();
  } else if (picture.subject == Subject::kTuner) {
    request.tuned = tuned_figure(desk);
    if (request.tuned == nullptr) return std::nullopt;
  } else {
    request.chart = chart_figure(desk, chart_kind(picture.subject));
    if (request.chart == nullptr) return std::nullopt;
  }
  request.context.theme = picture.theme;
  request.context.hovered_lane = -1;
  request.context.hovered_line = 0;
  request.context.hovered_variant = -1;
  request.context.text_scale = 1;
  request.context.motion = 1;
  request.width = static_cast<float>(picture.width);
  request.height = static_cast<float>(picture.height);
  request.date = stated_date();
  const auto format = picture_format(picture.file);
  if (format && (*format == PictureFormat::kPng || is_animation(*format))) {
    request.pixel_scale = static_cast<float>(picture.scale);
  }
  return request;
}

AnimationRequest animation_request(const Desk& desk, PictureRequest picture) {
  const PictureExport& chosen = desk.picture_export;
  const Variant& variant = desk.bench.active();
  const KernelStudy& study = *picture.context.study;
  const auto last = static_cast<std::uint32_t>(study.trace->events.size() - 1);
  AnimationRequest request;
  request.to = last;
  if (chosen.stretch == PictureExport::Stretch::kLoop && variant.marks.loops()) {
    request.from = *variant.marks.loop_in;
    request.to = *variant.marks.loop_out;
  }
  if (chosen.stretch == PictureExport::Stretch::kStep) {
    const Selection& now = picture.context.selection;
    const std::uint32_t step = study.timeline->step_of(now.warp, now.event);
    const std::vector<std::uint32_t>& begin = WarpTime{study, now.warp, {}}.steps();
    request.from = begin[step];
    request.to = step + 1 < begin.size() ? begin[step + 1] - 1 : last;
  }
  request.frames_per_second = chosen.frames_per_second;
  request.seconds = chosen.seconds;
  request.picture = std::move(picture);
  return request;
}

}  // namespace tilescope
