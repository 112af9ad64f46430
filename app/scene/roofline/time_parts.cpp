#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/quantity.h"
#include "scene/roofline/roofline_scene.h"

namespace tilescope {
namespace {

struct Part {
  std::string name;
  double seconds = 0;
  Source source = Source::kModelled;
  ColourRole colour = ColourRole::kFirst;
  std::string tooltip;
};

std::vector<Part> parts_of(const RooflinePicture& picture) {
  const TimeBounds& bounds = picture.diagnosis.bounds;
  std::vector<Part> parts;
  for (std::size_t i = 0; i < kLimits; ++i) {
    const double seconds = bounds.seconds[i];
    if (seconds < 0.01 * bounds.total()) continue;
    const std::string name(name_of(static_cast<Limit>(i)));
    parts.push_back({name, seconds, Source::kModelled, ColourRole::kFirst,
                     fmt::format("If nothing but {} counted, the launch would take {}.", name,
                                 format(seconds, Unit::kSeconds))});
  }
  std::ranges::stable_sort(parts, std::ranges::greater{}, &Part::seconds);
  if (!parts.empty()) parts.front().colour = ColourRole::kSecond;
  return parts;
}

std::vector<Part> wholes_of(const RooflinePicture& picture) {
  const TimeBounds& bounds = picture.diagnosis.bounds;
  const auto warps = static_cast<std::uint64_t>(std::llround(bounds.resident_warps));
  std::vector<Part> wholes{
      {"all together", bounds.total(), Source::kModelled, ColourRole::kText,
       fmt::format("The parts overlap as far as {} an SM allow{}, and starting takes {}: "
                   "{} by the model.",
                   counted(warps, "warp"), warps == 1 ? "s" : "",
                   format(bounds.launch, Unit::kSeconds), format(bounds.total(), Unit::kSeconds))}};
  if (picture.figure.known) {
    const KnownTime& known = *picture.figure.known;
    wholes.push_back({std::string(name_of(known.source)), known.seconds, known.source,
                      ColourRole::kStrong,
                      explained(picture.diagnosis, known.seconds, known.source)});
  }
  return wholes;
}

void draw_part(Pen& pen, const Rect& row, const Part& part, const std::string& words,
               double longest) {
  const float y = row.y + pen.px(8);
  const TextStyle value = pen.style(12, ColourRole::kStrong, Weight::kMedium, Align::kRight);
  const float mark = row.right() - pen.width(words, value) - pen.px(12);
  pen.text(row.right(), y, words, value);
  pen.source_mark({mark, y}, part.source, ColourRole::kDim);
  const TextStyle name = pen.style(12, ColourRole::kText);
  pen.text(row.x, y, pen.fitted(part.name, name, mark - row.x - pen.px(10)), name);
  const float width = row.w * static_cast<float>(part.seconds / longest);
  const Rect track{row.x, row.y + pen.px(18), row.w, pen.px(4)};
  pen.canvas.fill_rect(track, ColourRole::kRaised, 2);
  pen.canvas.fill_rect({track.x, track.y, std::max(width, 1.0f), track.h}, part.colour, 2);
  pen.hit(row, HitKind::kNone, 0, part.tooltip);
}

}  // namespace

void draw_time_parts(Pen& pen, const Rect& area, const RooflinePicture& picture) {
  const std::vector<Part> parts = parts_of(picture);
  const std::vector<Part> wholes = wholes_of(picture);
  std::vector<double> times;
  for (const std::vector<Part>* list : {&parts, &wholes}) {
    for (const Part& part : *list) times.push_back(part.seconds);
  }
  const double longest = std::ranges::max(times);
  const std::vector<std::string> words = format_times(times);
  float y = area.y + pen.px(8);
  pen.heading(area.x, y, "TIME EACH PART NEEDS", "alone; they overlap", area.right());
  y += pen.px(16);
  const float pitch = pen.px(30);
  const float below = pitch * static_cast<float>(wholes.size()) + pen.px(8);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (y + pitch + below > area.bottom()) break;
    draw_part(pen, {area.x, y, area.w, pen.px(26)}, parts[i], words[i], longest);
    y += pitch;
  }
  if (y + below > area.bottom()) return;
  pen.rule(area.x, area.right(), y + pen.px(1));
  y += pen.px(8);
  for (std::size_t i = 0; i < wholes.size(); ++i) {
    draw_part(pen, {area.x, y, area.w, pen.px(26)}, wholes[i], words[parts.size() + i], longest);
    y += pitch;
  }
}

}  // namespace tilescope
