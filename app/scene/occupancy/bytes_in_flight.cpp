#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "scene/occupancy/occupancy_scene.h"

namespace tilescope {
namespace {

constexpr std::array kLatencies{400, 500, 600, 700, 850, 1000};

std::string bytes(double value) { return format(std::round(value), Unit::kBytes); }

// "2 loads × 128 B", "24 loads, 3.00 KiB" where they differ.
std::string of_a_warp(const OutstandingLoads& loads) {
  const double each = loads.bytes / loads.loads;
  const std::string_view what = loads.asynchronous ? "copies" : "loads";
  if (loads.loads == 1) {
    return fmt::format("1 {} of {}", loads.asynchronous ? "copy" : "load", bytes(each));
  }
  if (each != std::floor(each))
    return fmt::format("{} {}, {}", loads.loads, what, bytes(loads.bytes));
  return fmt::format("{} {} × {}", loads.loads, what, bytes(each));
}

std::vector<std::string> verdict(const BytesInFlight& flight) {
  if (flight.share() >= 1) {
    return {times_words(flight.share()) + " what the memory needs to be busy all the time.",
            times_words(flight.share()) + " what the memory needs",
            times_words(flight.share()) + " the need"};
  }
  const std::string part = percent_words(flight.share());
  const std::string rate = format(flight.reachable_bytes_per_second(), Unit::kBytesPerSecond);
  return {fmt::format("{} of what the memory needs: at most {} read and written.", part, rate),
          fmt::format("{} of the need: at most {}", part, rate),
          fmt::format("{} of the need", part)};
}

void draw_bar(Pen& pen, const Rect& bar, const OccupancyPicture& picture) {
  const BytesInFlight& flight = picture.flight;
  const double most = std::max(flight.possible, flight.needed) * 1.06;
  const auto length = [&](double value) {
    return most > 0 ? bar.w * static_cast<float>(value / most) : 0.0f;
  };
  pen.canvas.fill_rect(bar, ColourRole::kRaised, 2);
  const Rect held{bar.x, bar.y, length(flight.possible), bar.h};
  pen.canvas.fill_rect(held, ColourRole::kFirst, 2);
  const float mark = bar.x + length(flight.needed);
  if (flight.possible < flight.needed) {
    pen.canvas.hatch_rect({held.right(), bar.y, mark - held.right(), bar.h},
                          Paint(ColourRole::kExcess, 0.8f));
  }
  pen.canvas.fill_rect({mark - pen.px(1), bar.y - pen.px(4), pen.px(2), bar.h + pen.px(8)},
                       ColourRole::kStrong);
  pen.hit(bar, HitKind::kNone, 0,
          fmt::format("{} per SM can be under way at once, where {} keep the memory busy. Counted "
                      "as if every load came from device memory; what a cache answers needs less.",
                      bytes(flight.possible), bytes(flight.needed)));
}

// The two sides of the comparison, each with its mark.
void draw_terms(Pen& pen, const Rect& area, const OccupancyPicture& picture) {
  const BytesInFlight& flight = picture.flight;
  const TextStyle style = pen.style(11, ColourRole::kText);
  const float x = area.x + pen.px(14);
  const float room = area.right() - x;
  const std::string possible = bytes(flight.possible);
  const std::string warp = of_a_warp(picture.loads);
  const std::string warps = counted(picture.loading_warps, "warp");
  const std::string_view how = picture.loads.as_issued ? "as issued" : "as written";
  pen.source_mark({area.x + pen.px(4), area.y}, Source::kEmulated, ColourRole::kDim);
  pen.first_that_fits(
      x, area.y,
      {fmt::format("{} can be under way: {} a warp ({}), {}", possible, warp, how, warps),
       fmt::format("{}: {} a warp, {}", possible, warp, warps),
       fmt::format("{}: {}", possible, warps), possible},
      style, room);
  pen.hit({area.x, area.y - pen.px(8), area.w, pen.px(16)}, HitKind::kNone, 0,
          fmt::format(
              "The most that a warp has loaded, {}, before it reads the first of it, around "
              "line {}; bytes that its lanes want.",
              picture.loads.as_issued ? "in the machine code" : "in the PTX", picture.loads.line));
  const float y = area.y + pen.px(17);
  const std::string needed = bytes(flight.needed);
  std::string rate = format(flight.bytes_per_second, Unit::kBytesPerSecond);
  if (flight.reads < 0.995) rate = fmt::format("{} read of {}", percent_words(flight.reads), rate);
  const std::string time = format(flight.latency_seconds, Unit::kSeconds);
  const std::string cycles =
      fmt::format("{} cycles", format_count(static_cast<std::uint64_t>(picture.latency.cycles)));
  pen.source_mark({area.x + pen.px(4), y}, Source::kModelled, ColourRole::kDim);
  pen.first_that_fits(x, y,
                      {fmt::format("{} needed: {} / {} SMs × {} ({})", needed, rate,
                                   picture.device->multiprocessors, cycles, time),
                       fmt::format("{} needed: {} / {} × {}", needed, rate,
                                   picture.device->multiprocessors, cycles),
                       fmt::format("{} needed", needed)},
                      style, room);
  pen.hit({area.x, y - pen.px(8), area.w, pen.px(16)}, HitKind::kNone, 0,
          fmt::format("Little's law: an SM's share of the bandwidth times the latency of device "
                      "memory, for what is read; no warp waits for what it wrote. Latency: {}.",
                      picture.latency.source));
}

// The latency is no constant of a device: several to choose from.
void draw_latencies(Pen& pen, const Rect& area, const OccupancyPicture& picture) {
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  const std::string_view label = "latency in cycles";
  float x = area.x;
  if (pen.width(label, dim) <= area.w * 0.5f) {
    pen.text(x, area.center().y, label, dim);
    x += pen.width(label, dim) + pen.px(8);
  }
  for (const int cycles : kLatencies) {
    const bool chosen = picture.latency.cycles == cycles;
    const TextStyle style =
        pen.style(11, chosen ? ColourRole::kStrong : ColourRole::kText,
                  chosen ? Weight::kSemibold : Weight::kRegular, Align::kCenter);
    const std::string words = format_count(static_cast<std::uint64_t>(cycles));
    const Rect chip{x, area.y, pen.width(words, style) + pen.px(14), area.h};
    if (chip.right() > area.right()) return;
    pen.canvas.fill_rect(chip, chosen ? ColourRole::kHover : ColourRole::kRaised, 4);
    if (chosen) pen.outline(chip, ColourRole::kSelection, 1, 4);
    pen.text(chip.center().x, chip.center().y, words, style);
    pen.canvas.hit(
        chip, {.kind = HitKind::kSetting,
               .value = cycles,
               .name = "latency_cycles",
               .tooltip = fmt::format("Count with {} cycles from a load to its data.", words)});
    x = chip.right() + pen.px(5);
  }
}

}  // namespace

void draw_bytes_in_flight(Pen& pen, const Rect& area, const OccupancyPicture& picture) {
  const Point mark{area.x + pen.px(4), area.y + pen.px(8)};
  pen.source_mark(mark, Source::kModelled, ColourRole::kDim);
  pen.hit({area.x, mark.y - pen.px(8), pen.px(12), pen.px(16)}, HitKind::kNone, 0,
          "Modelled: loads under way are found in the machine code; latency and bandwidth are the "
          "device's.");
  pen.heading(area.x + pen.px(14), mark.y, "BYTES IN FLIGHT PER SM",
              "Little's law: latency × bandwidth; so much must be under way", area.right());
  const TextStyle dim = pen.style(12, ColourRole::kDim);
  if (picture.loads.loads == 0 || !picture.runs()) {
    const std::string_view words = picture.loads.loads == 0
                                       ? "This kernel loads nothing from global memory."
                                       : "Nothing is under way: no block runs.";
    pen.text(area.x, area.y + pen.px(30), pen.fitted(words, dim, area.w), dim);
    return;
  }
  const Rect bar{area.x, area.y + pen.px(22), area.w, pen.px(18)};
  draw_bar(pen, bar, picture);
  const bool enough = picture.flight.share() >= 1;
  float y = bar.bottom() + pen.px(15);
  pen.first_that_fits(
      area.x, y, verdict(picture.flight),
      pen.style(13, enough ? ColourRole::kIdeal : ColourRole::kExcess, Weight::kSemibold), area.w);
  y += pen.px(19);
  if (area.bottom() - y < pen.px(46)) return;
  draw_terms(pen, {area.x, y, area.w, pen.px(34)}, picture);
  y += pen.px(29);
  if (!pen.on_paper) draw_latencies(pen, {area.x, y, area.w, pen.px(18)}, picture);
}

}  // namespace tilescope
