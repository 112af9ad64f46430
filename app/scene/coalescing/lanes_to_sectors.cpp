#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/quantity.h"
#include "scene/coalescing/coalescing_scene.h"

namespace tilescope {
namespace {

constexpr int kSectorsPerLine = 4;
constexpr float kGutter = 92;  // row names left of the picture
constexpr float kLeastRatioBar = 220;

std::uint64_t line_of(std::uint64_t address) { return address / kLineBytes * kLineBytes; }

// Where the lanes, and each byte of each touched line, lie on the canvas.
struct Strip {
  Rect lanes;            // the row of 32 lanes
  Rect sectors;          // all lines
  bool stacked = false;  // a line's four sectors above each other: many lines
  float line_width = 0;
  std::vector<float> line_x;
  float gap = 2;

  [[nodiscard]] Rect lane(int index) const {
    const float pitch = (lanes.w + gap) / kWarpSize;
    return {lanes.x + pitch * static_cast<float>(index), lanes.y, pitch - gap, lanes.h};
  }
  [[nodiscard]] Rect sector(std::size_t line, int index) const {
    const auto i = static_cast<float>(index);
    if (stacked) {
      const float h = (sectors.h + gap) / kSectorsPerLine;
      return {line_x[line], sectors.y + h * i, line_width, h - gap};
    }
    const float w = (line_width + gap) / kSectorsPerLine;
    return {line_x[line] + w * i, sectors.y, w - gap, sectors.h};
  }
  // Of so many sectors, one after the other, on the scale of those that the request moves: where a
  // line's four are stacked, as if these, too, stood side by side.
  [[nodiscard]] float width_of(int count, int moved) const {
    const float pitch = stacked ? (sectors.w + gap) / static_cast<float>(std::max(moved, 1))
                                : (line_width + gap) / kSectorsPerLine;
    return std::min(pitch * static_cast<float>(count) - gap, sectors.w);
  }
  [[nodiscard]] Rect bytes(std::size_t line, std::uint64_t offset, int count) const {
    const Rect box = sector(line, static_cast<int>(offset / kSectorBytes));
    const float byte = box.w / static_cast<float>(kSectorBytes);
    return {box.x + byte * static_cast<float>(offset % kSectorBytes), box.y,
            byte * static_cast<float>(count), box.h};
  }
};

// Lines side by side, closer where they are neighbours in memory.
void place_lines(Strip& strip, const GlobalRequest& request, float apart) {
  const std::vector<std::uint64_t>& lines = request.lines;
  float gaps = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    gaps += lines[i] == lines[i - 1] + kLineBytes ? strip.gap : apart;
  }
  strip.line_width = (strip.sectors.w - gaps) / static_cast<float>(lines.size());
  float x = strip.sectors.x;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) x += lines[i] == lines[i - 1] + kLineBytes ? strip.gap : apart;
    strip.line_x.push_back(x);
    x += strip.line_width;
  }
}

std::size_t line_index(const GlobalRequest& request, std::uint64_t address) {
  const auto found = std::lower_bound(request.lines.begin(), request.lines.end(), line_of(address));
  return static_cast<std::size_t>(found - request.lines.begin());
}

std::string place_in_words(const GlobalRequest& request, std::uint64_t address) {
  if (!request.buffer) return fmt::format("0x{:x}", address);
  return fmt::format("{} + 0x{:x}", request.buffer->name, address - request.buffer->address);
}

void draw_lane_row(Pen& pen, const Strip& strip, const ViewContext& context,
                   const GlobalRequest& request) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const Rect box = strip.lane(lane);
    const bool active = (request.access.active >> lane & 1U) != 0;
    const Paint paint = Paint::lane(lane);
    if (active) {
      pen.canvas.fill_rect(box, paint, 2);
    } else {
      pen.canvas.fill_rect(box, ColourRole::kRaised, 2);
      pen.canvas.hatch_rect(box, ColourRole::kFaint);
    }
    const Paint ink = active ? text_on(paint, pen.theme) : Paint(ColourRole::kDim);
    const TextStyle style = pen.style(11, ink, Weight::kSemibold, Align::kCenter);
    const std::string number = std::to_string(lane);
    if (pen.width("00", style) <= box.w || lane % 4 == 0) {
      pen.text(box.center().x, box.center().y, number, style);
    }
    if (context.selection.lane == lane) pen.outline(box, ColourRole::kSelection, 2, 2);
    const std::uint64_t address = request.access.address[static_cast<std::size_t>(lane)];
    pen.hit(box, HitKind::kLane, lane,
            active ? fmt::format("Lane {} {} {} B at {}.", lane, verb_of(request.access.kind),
                                 request.access.bytes_per_lane, place_in_words(request, address))
                   : fmt::format("Lane {} takes no part: its branch or predicate is off.", lane));
  }
}

void draw_connectors(Pen& pen, const Strip& strip, const ViewContext& context,
                     const GlobalRequest& request) {
  const float from_y = strip.lanes.bottom();
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    const std::uint64_t address = request.access.address[static_cast<std::size_t>(lane)];
    const Rect target = strip.bytes(line_index(request, address), address % kLineBytes,
                                    request.access.bytes_per_lane);
    const Point from{strip.lane(lane).center().x, from_y + 1};
    const Point to{target.center().x, target.y};
    const float bend = std::min(pen.px(8), (to.y - from.y) * 0.2f);
    const std::array<Point, 4> path = {from, Point{from.x, from.y + bend},
                                       Point{to.x, std::min(to.y, strip.sectors.y) - bend}, to};
    const bool selected = context.selection.lane == lane;
    const Paint paint = selected ? Paint(ColourRole::kSelection) : Paint::lane(lane, 0.85f);
    pen.canvas.polyline(path, paint, selected ? 2.0f : 1.3f);
    if (context.motion < 1) {
      const float t = context.motion;
      const Point at{path[1].x + (path[2].x - path[1].x) * t,
                     path[1].y + (path[2].y - path[1].y) * t};
      pen.canvas.fill_circle(at, pen.px(3), Paint::lane(lane));
    }
  }
}

// Which bytes of each sector are wanted, as a mask of 32.
std::vector<std::array<std::uint32_t, kSectorsPerLine>> wanted_bytes(const GlobalRequest& request) {
  std::vector<std::array<std::uint32_t, kSectorsPerLine>> wanted(request.lines.size());
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    const std::uint64_t address = request.access.address[lane];
    const std::uint32_t bytes = (1U << request.access.bytes_per_lane) - 1U;
    wanted[line_index(request, address)][address % kLineBytes / kSectorBytes] |=
        bytes << (address % kSectorBytes);
  }
  return wanted;
}

Paint sector_paint(std::uint32_t wanted) {
  if (wanted == 0) return ColourRole::kRaised;
  return wanted == ~0U ? Paint(ColourRole::kBackground) : Paint(ColourRole::kExcess, 0.38f);
}

void draw_sectors(Pen& pen, const Strip& strip, const GlobalRequest& request) {
  const auto wanted = wanted_bytes(request);
  for (std::size_t line = 0; line < request.lines.size(); ++line) {
    for (int sector = 0; sector < kSectorsPerLine; ++sector) {
      const Rect box = strip.sector(line, sector);
      const std::uint32_t bytes = wanted[line][static_cast<std::size_t>(sector)];
      pen.canvas.fill_rect(box, sector_paint(bytes), 2);
      const std::uint64_t address =
          request.lines[line] + static_cast<std::uint64_t>(sector) * kSectorBytes;
      pen.hit(box, HitKind::kNone, 0,
              bytes == 0 ? fmt::format("Sector of 32 B at {}: not touched.",
                                       place_in_words(request, address))
                         : fmt::format("Sector of 32 B at {}: moved for {} wanted bytes.",
                                       place_in_words(request, address), std::popcount(bytes)));
    }
  }
  for (int lane = kWarpSize - 1; lane >= 0; --lane) {  // the lowest lane of a shared word on top
    if ((request.access.active >> lane & 1U) == 0) continue;
    const std::uint64_t address = request.access.address[static_cast<std::size_t>(lane)];
    Rect box = strip.bytes(line_index(request, address), address % kLineBytes,
                           request.access.bytes_per_lane);
    box.w = std::max(box.w - (box.w > 6 ? 1.0f : 0.0f), 1.5f);
    pen.canvas.fill_rect(box, Paint::lane(lane), box.w > 6 ? 1.5f : 0);
  }
}

// Offsets of the lines: of every one, or every second, fourth … where they have no room.
void draw_addresses(Pen& pen, const Strip& strip, const GlobalRequest& request, float y) {
  const TextStyle style =
      pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kLeft, Font::kMono);
  const std::uint64_t base = request.buffer ? request.buffer->address : 0;
  const auto words = [&](std::size_t line) {
    return fmt::format("0x{:x}", request.lines[line] - base);
  };
  const auto fit = [&](std::size_t every) {
    for (std::size_t line = 0; line + every < request.lines.size(); line += every) {
      const float end = strip.line_x[line] + pen.width(words(line), style) + pen.px(10);
      if (end > strip.line_x[line + every]) return false;
    }
    return true;
  };
  std::size_t every = 1;
  while (!fit(every)) every *= 2;
  for (std::size_t line = 0; line < request.lines.size(); line += every) {
    const float x = strip.line_x[line];
    if (x + pen.width(words(line), style) > strip.sectors.right() + 1) continue;
    pen.text(x, y, words(line), style);
  }
}

void draw_gutter(Pen& pen, float x, float y, std::string_view name, std::string_view figure,
                 std::string_view note, Paint paint) {
  const float room = pen.px(kGutter - 8);
  pen.text(x, y, name, pen.style(11, ColourRole::kDim, Weight::kSemibold));
  const TextStyle strong = pen.style(13, paint, Weight::kSemibold);
  pen.text(x, y + pen.px(17), pen.fitted(figure, strong, room), strong);
  if (note.empty()) return;
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  pen.text(x, y + pen.px(33), pen.fitted(note, dim, room), dim);
}

}  // namespace

float draw_lanes_to_sectors(Pen& pen, const Rect& area, const ViewContext& context,
                            const GlobalRequest& request) {
  const float x = area.x + pen.px(kGutter);
  const float width = area.w - pen.px(kGutter);
  const float roomy = std::clamp((area.h - pen.px(340)) / pen.px(200), 0.0f, 1.0f);
  const float connector = pen.px(34 + 94 * roomy);
  Strip strip;
  strip.lanes = {x, area.y + pen.px(22), width, pen.px(26)};
  strip.stacked =
      width / static_cast<float>(std::max<std::size_t>(request.lines.size(), 1)) < pen.px(96);
  const float sectors_height = strip.stacked ? pen.px(46) : pen.px(30);
  strip.sectors = {x, strip.lanes.bottom() + connector, width, sectors_height};
  if (!request.lines.empty()) place_lines(strip, request, strip.stacked ? 4.0f : 10.0f);

  const std::string opcode =
      fmt::format("{} · {} B a lane", request.instruction->opcode, request.access.bytes_per_lane);
  const TextStyle mono =
      pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight, Font::kMono);
  const float right = area.right() - pen.width(opcode, mono) - pen.px(12);
  pen.heading(
      x, area.y + pen.px(8), "LANES",
      fmt::format("of warp {}: each arrow ends at the bytes its lane asks for", request.warp),
      right);
  pen.text(area.right(), area.y + pen.px(8), opcode, mono);

  draw_sectors(pen, strip, request);
  draw_connectors(pen, strip, context, request);
  draw_lane_row(pen, strip, context, request);
  const float address_y = strip.sectors.bottom() + pen.px(12);
  draw_addresses(pen, strip, request, address_y);
  draw_gutter(pen, area.x, strip.lanes.y + pen.px(5), "REQUEST",
              counted(request.shape.lanes, "lane"), {}, ColourRole::kStrong);
  const bool excess = request.cost.sectors > request.cost.ideal_sectors;
  draw_gutter(pen, area.x, strip.sectors.y + pen.px(2), "ACTUAL",
              counted(request.cost.sectors, "sector"), "in " + counted(request.cost.lines, "line"),
              excess ? ColourRole::kExcess : ColourRole::kIdeal);

  const float ideal_y = std::max(address_y + pen.px(22), strip.sectors.y + pen.px(54));
  draw_gutter(pen, area.x, ideal_y + pen.px(2), "IDEAL",
              counted(request.cost.ideal_sectors, "sector"), {}, ColourRole::kIdeal);
  const Rect ideal{x, ideal_y, strip.width_of(ideal_sectors_drawn(request), request.cost.sectors),
                   pen.px(26)};
  draw_ideal_sectors(pen, ideal, request);
  const float room = area.right() - ideal.right() - pen.px(40);
  if (room >= pen.px(kLeastRatioBar)) {
    const float ratio = std::min({pen.px(430), width * 0.38f, room});
    draw_sector_ratio(pen, {area.right() - ratio, ideal_y - pen.px(8), ratio, pen.px(52)}, request);
  } else {  // the two rows show it already
    write_sector_ratio(pen, {x, ideal.bottom() + pen.px(4), width, pen.px(16)}, request);
  }
  return ideal_y + pen.px(44) - area.y;
}

}  // namespace tilescope
