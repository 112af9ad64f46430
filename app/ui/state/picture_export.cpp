#include "ui/state/picture_export.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include "analysis/study/moment.h"
#include "core/file.h"
#include "export/animation.h"
#include "export/export_view.h"
#include "export/picture_page.h"
#include "scene/view/default_selection.h"
#include "scene/views.h"
#include "session/readings.h"
#include "session/studied_view.h"
#include "store/rates.h"
#include "ui/state/chart_data.h"
#include "ui/state/measurements.h"
#include "ui/state/view_context.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

using Subject = PictureExport::Subject;

std::string stem_of(const WindowState& state) {
  const Variant& variant = state.workbench.active();
  std::string name = variant.study->instance.id;
  std::ranges::replace(name, '/', '_');
  const Subject subject = state.picture_export.subject;
  return name + "_" +
         (subject == Subject::kView    ? std::string(name_of(state.view))
          : subject == Subject::kTuner ? std::string("tuner")
          : page_of(subject)           ? std::string(name_of(*page_of(subject)))
                                       : std::string("throughput"));
}

std::filesystem::path home() {
  const char* folder = std::getenv("HOME");
  return folder != nullptr && *folder != '\0' ? std::filesystem::path(folder)
                                              : std::filesystem::current_path();
}

// The pictures of a page: that of the window, and those of the other values of the parameter that
// was chosen, which the job studies.
PictureFrames frames_of(const WindowState& state, PictureRequest request,
                        const std::stop_token& stop) {
  PictureFrames frames;
  const Variant& variant = state.workbench.active();
  const std::shared_ptr<const KernelStudy> study = variant.study;
  const std::string& over = state.picture_export.over;
  const bool turns = variant.entry != nullptr && request.is_of_study() && !request.page &&
                     !descriptor_of(request.view).needs.variants;
  const CatalogueEntry* entry = variant.entry;
  const auto spec = turns ? std::ranges::find(entry->parameters, over, &ParameterSpec::name)
                          : std::vector<ParameterSpec>::const_iterator{};
  if (!turns || spec == entry->parameters.end()) {
    frames.picture = [request = std::move(request), study](std::size_t) -> Result<KeptPicture> {
      return KeptPicture{request, study};
    };
    return frames;
  }
  const Catalogue& catalogue = state.workbench.catalogue();
  const DeviceModel device = state.workbench.device_model(variant);
  const auto devices = state.workbench.devices();
  const RecordedLibrary& recorded = state.recorded;
  const TurnedVariants turned = turned_variants(
      document_of(variant), *spec, {catalogue, device, *devices, KnownMeasurements{recorded}});
  frames.parameter = over;
  frames.values.clear();
  for (const std::int64_t value : turned.values) frames.values.push_back(std::to_string(value));
  frames.at = turned.at;
  frames.picture = [=, &catalogue, &recorded,
                    request = std::move(request)](std::size_t value) -> Result<KeptPicture> {
    if (value == turned.at) return KeptPicture{request, study};
    const KnownMeasurements known{recorded};
    auto studied = studied_view(turned.variants[value], request.view, request.context.settings,
                                {catalogue, device, *devices, known}, stop);
    if (!studied) return std::move(studied).error();
    auto kept = std::make_shared<StudiedView>(*std::move(studied));
    PictureRequest other = request;
    other.context = kept->context;
    const Selection& own = request.context.selection;
    Selection& selection = other.context.selection;
    selection = default_selection(request.view, *other.context.study, *other.context.prepared);
    selection.lane = own.lane;
    selection.line = own.line;
    return KeptPicture{std::move(other), std::move(kept)};
  };
  return frames;
}

// The study is kept alive for as long as the job reads it.
JobPool::Work page_job_of(const WindowState& state, PictureRequest request,
                          const std::shared_ptr<PictureExport::Outcome>& outcome) {
  return [frames = frames_of(state, std::move(request), outcome->stop.get_token()),
          file = state.picture_export.file, outcome](const std::stop_token& closing) {
    const std::stop_callback stop(closing, [&outcome] { outcome->stop.request_stop(); });
    const auto page = page_of(frames);
    Status written = page ? write_file(file, *page) : Status(page.error());
    const std::lock_guard lock(outcome->mutex);
    outcome->status = std::move(written);
  };
}

// Likewise.
JobPool::Work job_of(const WindowState& state, PictureRequest request,
                     const std::shared_ptr<PictureExport::Outcome>& outcome) {
  const std::filesystem::path file = state.picture_export.file;
  const auto format = picture_format(file);
  const bool animated = format && is_animation(*format) && request.is_of_study();
  AnimationRequest animation;
  if (animated) {
    animation = animation_request(state, request);
    outcome->frames = frame_count(animation);
  }
  return [request = std::move(request), animation = std::move(animation), animated, file,
          study = state.workbench.active().study, outcome](const std::stop_token& closing) {
    const std::stop_callback stop(closing, [&outcome] { outcome->stop.request_stop(); });
    Status written = animated ? export_animation(animation, file, outcome->stop.get_token(),
                                                 [&outcome](std::size_t done, std::size_t) {
                                                   outcome->frames_done = done;
                                                 })
                              : export_view(request, file);
    const std::lock_guard lock(outcome->mutex);
    outcome->status = std::move(written);
  };
}

}  // namespace

std::string free_file_name(const std::string& stem, const std::string& ending) {
  std::filesystem::path file = home() / (stem + ending);
  std::error_code ignored;
  for (int i = 2; std::filesystem::exists(file, ignored) && i < 1000; ++i) {
    file = home() / (stem + "_" + std::to_string(i) + ending);
  }
  return file.string();
}

void open_picture_export(WindowState& state, Subject subject) {
  const Variant& variant = state.workbench.active();
  if (variant.study == nullptr || !variant.study->traced()) {
    state.note = "there is no picture to export yet";
    return;
  }
  PictureExport& picture = state.picture_export;
  picture.subject = subject;
  // A chart that has nothing in it is none: another one, then, or the view in front.
  const bool chart = subject == Subject::kOverParameter || subject == Subject::kOverSize ||
                     subject == Subject::kLive;
  for (const Subject other : {Subject::kOverParameter, Subject::kOverSize, Subject::kLive}) {
    if (!chart || export_request(state)) break;
    picture.subject = other;
  }
  if (!export_request(state)) picture.subject = Subject::kView;
  picture.file = free_file_name(stem_of(state), ".svg");
  picture.outcome.reset();
  picture.open = true;
}

void export_picture(WindowState& state) {
  auto request = export_request(state);
  if (!request) return;
  PictureExport& picture = state.picture_export;
  picture.outcome = std::make_shared<PictureExport::Outcome>();
  picture.outcome->file = picture.file;
  const auto format = picture_format(picture.file);
  const bool is_page = format && *format == PictureFormat::kHtml && request->is_of_study();
  const auto job = is_page ? page_job_of : job_of;
  state.workbench.submit("export picture", job(state, *std::move(request), picture.outcome));
}

std::optional<Status> export_outcome(const WindowState& state) {
  PictureExport::Outcome& outcome = *state.picture_export.outcome;
  const std::lock_guard lock(outcome.mutex);
  return outcome.status;
}

void cancel_export(WindowState& state) {
  if (state.picture_export.outcome != nullptr) state.picture_export.outcome->stop.request_stop();
}

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

const ViewPart* chosen_part(const WindowState& state) {
  const PictureExport& picture = state.picture_export;
  if (picture.subject != Subject::kView || picture.part.empty()) return nullptr;
  return descriptor_of(state.view).part(picture.part);
}

std::optional<PictureRequest> export_request(const WindowState& state) {
  const PictureExport& picture = state.picture_export;
  const Variant& variant = state.workbench.active();
  PictureRequest request;
  request.page = page_of(picture.subject);
  if (picture.subject == Subject::kView || request.page) {
    if (variant.study == nullptr || !variant.study->traced()) return std::nullopt;
    if (request.page && !variant.study->counters) return std::nullopt;
    request.view = state.view;
    request.context = view_context(state, variant.study.get(), variant);
    static_cast<ViewFacts&>(request.context) = state.facts.in_file();
    request.as_issued = state.as_issued;
    request.side_by_side = request.page == Page::kSource && state.source_beside;
    // How a view stands beside the hardware's counters is seen in the window; in a file it is the
    // counters' own page that says it, where every reading has its date.
    if (request.page != Page::kCounters) request.context.hardware.reset();
  } else if (picture.subject == Subject::kTuner) {
    request.tuned = tuned_figure(state);
    if (request.tuned == nullptr) return std::nullopt;
  } else {
    request.chart = chart_figure(state, chart_kind(picture.subject));
    if (request.chart == nullptr) return std::nullopt;
  }
  request.context.theme = picture.theme;
  request.context.hovered_lane = -1;
  request.context.hovered_line = 0;
  request.context.hovered_variant = -1;
  request.context.text_scale =
      picture.points == 0 ? 1 : text_scale_of(static_cast<double>(picture.points));
  request.context.motion = 1;
  request.part = chosen_part(state);
  request.with_sentence = picture.with_sentence;
  request.with_provenance = picture.with_provenance;
  request.width = static_cast<float>(picture.width);
  request.height = static_cast<float>(picture.height);
  if (picture.width_mm > 0) {
    request.paper = {std::to_string(picture.width_mm) + "mm",
                     std::to_string(picture.height_mm) + "mm"};
    request.width = static_cast<float>(picture.width_mm * kPxPerMm);
    request.height = static_cast<float>(picture.height_mm * kPxPerMm);
  }
  request.date = stated_date();
  const auto format = picture_format(picture.file);
  if (format && (*format == PictureFormat::kPng || is_animation(*format))) {
    request.pixel_scale = static_cast<float>(picture.scale);
  }
  return request;
}

AnimationRequest animation_request(const WindowState& state, PictureRequest picture) {
  const PictureExport& chosen = state.picture_export;
  const Variant& variant = state.workbench.active();
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

std::shared_ptr<const TunedFigure> tuned_figure(const WindowState& state) {
  const Variant& active = state.workbench.active();
  const bool ready = state.tuner.stage() == Tuner::Stage::kReady;
  const bool ships = active.entry != nullptr && !active.is_edited();
  if (const auto run = tuned_run(state);
      run && (!ready || (ships && is_of(*run, *active.entry, active.extents, active.factors)))) {
    auto figure = tuned_figure(*run, state.workbench.catalogue());
    if (figure) return std::make_shared<const TunedFigure>(*std::move(figure));
  }
  if (!ready || !ships) return nullptr;
  TunedFigure figure = tuned_figure(
      {0, active.entry, active.parameters, active.extents, active.factors},
      usual_reference(active.entry->problem),
      recorded_combinations(state.recorded, *active.entry, active.extents, active.factors));
  if (figure.empty()) return nullptr;
  return std::make_shared<const TunedFigure>(std::move(figure));
}

}  // namespace tilescope
