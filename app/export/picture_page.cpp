#include "export/picture_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "analysis/study/moment.h"
#include "core/quantity.h"
#include "emulator/program.h"
#include "emulator/warp_access.h"
#include "export/numbers_file.h"
#include "export/provenance.h"
#include "scene/model/prepared.h"
#include "scene/view/default_selection.h"
#include "scene/views.h"

namespace tilescope {
namespace {

// The warp's memory accesses that the view looks at, ascending; all of its instructions where it
// has none.
std::vector<std::uint32_t> told_events(const PictureRequest& request) {
  const ViewContext& context = request.context;
  const std::optional<MemorySpace> space = descriptor_of(request.view).accesses;
  const auto prepared = prepared_of(context);
  const std::uint32_t warp = context.selection.warp;
  std::vector<std::uint32_t> events;
  if (warp < prepared->warps.size()) {
    const PreparedStudy::WarpAccesses& accesses = prepared->warps[warp];
    if (space != MemorySpace::kShared) events = accesses.global;
    if (space != MemorySpace::kGlobal) {
      const std::vector<std::uint32_t> global = std::exchange(events, {});
      std::ranges::merge(global, accesses.shared, std::back_inserter(events));
    }
    const auto twice = std::ranges::unique(events);
    events.erase(twice.begin(), twice.end());
  }
  if (events.empty()) {
    const std::span<const std::uint32_t> own = time_of(*context.study, *prepared, warp).own;
    events.assign(own.begin(), own.end());
  }
  return events;
}

// Whether it is of one launch, whose time can be chosen.
bool shows_time(const PictureRequest& request) {
  return request.is_of_study() && !request.page && !descriptor_of(request.view).needs.variants &&
         request.context.study != nullptr && request.context.study->traced() &&
         !request.context.study->trace->events.empty();
}

// How many moments there are, and which of them is the picture's own.
struct MomentPlan {
  std::size_t count = 1;
  std::size_t own = 0;
};
MomentPlan plan_of(const PictureRequest& request, std::size_t most) {
  if (!shows_time(request)) return {};
  const std::vector<std::uint32_t> events = told_events(request);
  const std::size_t count =
      std::clamp<std::size_t>(events.size(), 1, std::max<std::size_t>(most, 1));
  if (count == 1) return {};
  const auto before = static_cast<std::size_t>(
      std::ranges::lower_bound(events, request.context.selection.event) - events.begin());
  const std::size_t own = std::min(before * (count - 1) / (events.size() - 1), count - 1);
  return {count, own};
}

// Moment `index`: those before the picture's own lie evenly between the first and it, those behind
// between it and the last.
PictureRequest at_moment(const PictureRequest& request, const MomentPlan& plan, std::size_t index) {
  if (plan.count == 1 || index == plan.own) return request;
  const std::vector<std::uint32_t> events = told_events(request);
  const std::size_t last = events.size() - 1;
  const std::size_t own = std::min(
      last,
      static_cast<std::size_t>(std::ranges::lower_bound(events, request.context.selection.event) -
                               events.begin()));
  const std::size_t place =
      index < plan.own ? own * index / plan.own
                       : own + (last - own) * (index - plan.own) / (plan.count - 1 - plan.own);
  PictureRequest moved = request;
  moved.context.selection.event = events[place];
  moved.context.selection.line = 0;  // it follows time
  return moved;
}

// Where the picture stands in the warp's time.
struct Moment {
  SourceLine line;
  std::string words;
};
Moment moment_of(const ViewContext& context) {
  const KernelStudy& study = *context.study;
  const Selection& at = context.selection;
  const WarpTime time = time_of(study, *context.prepared, at.warp);
  const std::uint32_t event = time.own_event(at.event);
  Moment moment{study.program->instructions()[study.trace->events[event].instruction].outermost,
                {}};
  moment.words = fmt::format("line {}, instruction {} of {}", moment.line.line,
                             format_count(time.done(event)), format_count(time.own.size()));
  if (at.line != 0) moment.line = {0, at.line};
  return moment;
}

std::string sentence_html(const Sentence& sentence) {
  std::string text;
  for (const SentenceRun& run : sentence) {
    text += run.strong ? "<strong>" + html_text(run.text) + "</strong>" : html_text(run.text);
  }
  return text;
}

FigureFrame frame_of(const PictureRequest& request, FigureWords words, const PageTemplate& with) {
  FigureFrame frame;
  frame.draw = [&request](Canvas& canvas, Theme theme) {
    PictureRequest themed = request;
    themed.context.theme = theme;
    draw_picture(canvas, themed);
  };
  frame.alternative = caption_of(request);
  frame.caption = html_text(provenance_of(request).line());
  if (shows_time(request)) {
    const Moment moment = moment_of(request.context);
    frame.moment = moment.words;
    // A view of the whole launch looks at no line.
    const bool looks_at_line = !descriptor_of(request.view).needs.issued;
    const std::string code = source_text(*request.context.prepared, moment.line);
    if (looks_at_line && !code.empty()) {
      frame.caption = with.fill("code", {{"line", std::to_string(moment.line.line)},
                                         {"code", html_text(code)}}) +
                      frame.caption;
    }
  }
  if (words == FigureWords::kAll) {
    frame.sentence = sentence_html(sentence_of(request));
    frame.numbers = numbers_of(request);
  }
  return frame;
}

// The page says these beside the picture.
PictureRequest bare(PictureRequest request) {
  request.with_sentence = false;
  request.with_provenance = false;
  return with_room(std::move(request));
}

std::string keys_of(const std::vector<FigureAxis>& axes) {
  std::string words = "left and right change " + axes.back().name;
  if (axes.size() > 1) words += ", up and down " + axes.front().name;
  return words;
}

}  // namespace

Result<PictureFigure> figure_of(const std::string& id, const PictureFrames& frames,
                                FigureWords words, const PageTemplate& with) {
  auto first = frames.picture(frames.at);
  if (!first) return std::move(first).error();
  PictureRequest shown = bare(first->request);
  if (shown.is_of_study()) shown.context.prepared = prepared_of(shown.context);
  if (Status sound = check_size(shown); !sound) return sound.error();
  const MomentPlan plan = plan_of(shown, frames.moments);
  PictureFigure result{.made = {},
                       .title = title_of(shown) + ": " + provenance_of(shown).kernel,
                       .sentence = plain(sentence_of(shown))};
  PageFigure figure(id, result.title, shown.width, shown.height);
  for (std::size_t value = 0; value < frames.values.size(); ++value) {
    auto picture = value == frames.at ? std::move(first) : frames.picture(value);
    if (!picture) return std::move(picture).error();
    PictureRequest request = bare(picture->request);
    request.height = shown.height;
    if (request.is_of_study()) request.context.prepared = prepared_of(request.context);
    for (std::size_t moment = 0; moment < plan.count; ++moment) {
      const PictureRequest here = at_moment(request, plan, moment);
      figure.add(frame_of(here, words, with));
    }
  }
  std::vector<FigureAxis> axes = {{frames.parameter, frames.values, frames.at},
                                  {"time", std::vector<std::string>(plan.count), plan.own}};
  result.made = figure.make(std::move(axes), with);
  return result;
}

Result<std::string> page_of(const PictureFrames& frames) {
  const auto with = PageTemplate::load_shipped();
  if (!with) return with.error();
  // A picture of very many shapes has fewer moments.
  constexpr std::size_t kMostBytes = 3'000'000;
  PictureFrames shown = frames;
  auto figure = figure_of("figure", shown, FigureWords::kAll, *with);
  while (figure && figure->made.html.size() > kMostBytes && shown.moments > 2) {
    shown.moments /= 2;
    figure = figure_of("figure", shown, FigureWords::kAll, *with);
  }
  if (!figure) return figure.error();
  const std::string hint =
      figure->made.axes.empty()
          ? std::string()
          : with->fill("hint", {{"keys", html_text(keys_of(figure->made.axes))}});
  const std::string body = with->fill(
      "view", {{"title", html_text(figure->title)}, {"figure", figure->made.html}, {"hint", hint}});
  return html_of({.title = figure->title, .description = figure->sentence, .body = body}, *with);
}

Result<std::string> page_of(const PictureRequest& request) {
  PictureFrames frames;
  frames.picture = [&request](std::size_t) -> Result<KeptPicture> {
    return KeptPicture{request, nullptr};
  };
  return page_of(frames);
}

}  // namespace tilescope
