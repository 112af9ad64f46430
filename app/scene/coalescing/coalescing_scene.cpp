#include "scene/coalescing/coalescing_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/quantity.h"
#include "scene/coalescing/bulk_picture.h"
#include "scene/coalescing/global_table.h"
#include "scene/model/copy_flow.h"
#include "scene/model/matrix_view.h"
#include "scene/model/prepared.h"
#include "scene/model/tiling_model.h"
#include "scene/view/default_selection.h"
#include "scene/view/empty_view.h"
#include "scene/view/hovered_line.h"
#include "scene/view/view.h"

namespace tilescope {

std::optional<GlobalRequest> global_request(const ViewContext& context) {
  const auto event = access_event(context, MemorySpace::kGlobal);
  if (!event) return std::nullopt;
  const KernelStudy& study = *context.study;
  const TraceEvent& traced = study.trace->events[*event];
  GlobalRequest request;
  request.event = *event;
  request.warp = traced.warp;
  request.instruction = &study.program->instructions()[traced.instruction];
  request.access = study.trace->access(traced.access);
  request.cost = sector_cost(request.access);
  request.shape = shape_of(request.access);
  request.buffer = buffer_of(study, request.shape.first);
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    request.lines.push_back(request.access.address[lane] / kLineBytes * kLineBytes);
  }
  std::sort(request.lines.begin(), request.lines.end());
  request.lines.erase(std::unique(request.lines.begin(), request.lines.end()), request.lines.end());
  return request;
}

void look_at_worst_global(const KernelStudy& study, const PreparedStudy& prepared,
                          Selection& selection) {
  if (prepared.warps.empty()) return;
  for (const GlobalLine& line : prepared.global_lines) {
    std::optional<std::uint32_t> worst;
    int most = -1;
    std::size_t looked = 0;
    for (const std::uint32_t event : prepared.warps[0].global) {
      if (++looked > kMostLookedAt) break;
      const TraceEvent& traced = study.trace->events[event];
      const StaticInstruction& instruction = study.program->instructions()[traced.instruction];
      if (instruction.outermost.line != line.line) continue;
      const SectorCost cost = sector_cost(study.trace->access(traced.access));
      if (cost.sectors - cost.ideal_sectors <= most) continue;
      most = cost.sectors - cost.ideal_sectors;
      worst = event;
    }
    if (!worst) continue;
    look_at(study, *worst, selection);
    return;
  }
}

void draw_coalescing(Canvas& canvas, const Rect& area, const ViewContext& context) {
  Pen pen(canvas, context);
  const auto request = global_request(context);
  if (!request) {
    if (const auto copy = bulk_request(context)) {
      draw_bulk_copy(pen, area, context, *copy);
    } else {
      draw_empty(pen, area, "No global memory access in this block",
                 "This view needs a kernel that loads from or stores to a pointer argument.");
    }
    return;
  }
  const float taken = draw_lanes_to_sectors(pen, area, context, *request);
  const float top = area.y + taken + pen.px(8);
  const float left = area.bottom() - top;
  if (left < pen.px(58)) return;  // heading, header and one row
  pen.rule(area.x, area.right(), top);
  const Rect below{area.x, top + pen.px(14), area.w, left - pen.px(14)};
  const bool maps = area.w >= pen.px(680) && below.h >= pen.px(96);
  // Two maps side by side, as high as the room; the table needs the other half.
  const float wide = std::max(pen.px(420), 2 * (below.h - pen.px(70)));
  const float maps_width =
      maps ? std::min(area.w * (below.h > pen.px(260) ? 0.46f : 0.38f), wide) : 0;
  if (maps) draw_access_maps(pen, {below.x, below.y, maps_width, below.h}, context, *request);
  const float gap = maps ? pen.px(24) : 0;
  draw_global_table(pen, {below.x + maps_width + gap, below.y, below.w - maps_width - gap, below.h},
                    context, request->instruction->outermost.line);
}

namespace {

constexpr std::size_t kMostEventsLookedAt = 4096;  // per map; a warp's accesses repeat long before

struct WarpElements {
  const MatrixView* matrix = nullptr;
  std::uint32_t event = 0;
  WarpAccess access;
  ElementBox box;
  std::uint64_t wide = 1;  // elements of one lane
};

std::optional<WarpElements> elements_of(const KernelStudy& study, const MatrixView& matrix,
                                        std::uint32_t event) {
  WarpElements found{&matrix, event, study.trace->access(study.trace->events[event].access), {}, 1};
  found.wide = std::max<std::uint64_t>(1, found.access.bytes_per_lane / size_of(matrix.type));
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((found.access.active >> lane & 1U) == 0) continue;
    const auto place = matrix.place(found.access.address[lane]);
    if (!place) return std::nullopt;
    found.box.add(place->row, place->col, found.wide);
  }
  if (found.box.empty()) return std::nullopt;
  return found;
}

// The warp's access to this matrix that lies nearest in time.
std::optional<WarpElements> nearest_access(const KernelStudy& study, const MatrixView& matrix,
                                           const std::vector<std::uint32_t>& events,
                                           std::uint32_t now) {
  const auto here = std::upper_bound(events.begin(), events.end(), now);
  std::size_t looked = 0;
  for (auto it = here; it != events.begin() && looked < kMostEventsLookedAt; ++looked) {
    if (auto found = elements_of(study, matrix, *--it)) return found;
  }
  looked = 0;
  for (auto it = here; it != events.end() && looked < kMostEventsLookedAt; ++it, ++looked) {
    if (auto found = elements_of(study, matrix, *it)) return found;
  }
  return std::nullopt;
}

// A box is named by its extents only where the warp wants all that lies in it.
std::string shape_words(const WarpElements& elements) {
  const ElementBox& box = elements.box;
  if (box.count() == 1) return "one element";
  const AccessShape shape = shape_of(elements.access);
  const std::uint64_t wanted = static_cast<std::uint64_t>(shape.distinct) * elements.wide;
  if (wanted >= box.count()) {
    if (box.rows == 1) return fmt::format("{} elements of one row", box.cols);
    if (box.cols == 1) return fmt::format("{} elements of one column", box.rows);
    return fmt::format("{} × {}", box.rows, box.cols);
  }
  if (shape.pattern == LanePattern::kRuns && shape.run_length > 0) {
    return fmt::format("{} runs of {}", shape.runs,
                       static_cast<std::uint64_t>(shape.run_length) * elements.wide);
  }
  if (shape.pattern != LanePattern::kApart && shape.pattern != LanePattern::kStrided) {
    return "scattered";
  }
  return elements.wide > 1 ? fmt::format("{} runs of {}", shape.distinct, elements.wide)
                           : fmt::format("{} elements", shape.distinct);
}

// The part of the matrix that is shown: the warp's elements with some of what surrounds them.
CellWindow window_around(const ElementBox& box, const MatrixView& matrix) {
  const auto span = static_cast<float>(std::max(box.rows, box.cols));
  const float side = std::max(span * 1.35f, 24.0f);
  const auto fit = [side](std::uint64_t first, std::uint64_t count, std::uint64_t all) {
    const auto whole = static_cast<float>(all);
    const float size = std::min(side, whole);
    const float center = static_cast<float>(first) + static_cast<float>(count) / 2;
    return std::pair{std::clamp(center - size / 2, 0.0f, whole - size), size};
  };
  const auto [row, rows] = fit(box.row, box.rows, matrix.rows);
  const auto [col, cols] = fit(box.col, box.cols, matrix.cols);
  return {std::floor(row), std::floor(col), rows, cols};
}

void draw_map(Pen& pen, const Rect& map, const WarpElements& elements, bool current, bool lit) {
  const MatrixView& matrix = *elements.matrix;
  const CellWindow window = window_around(elements.box, matrix);
  pen.canvas.fill_rect(map, Paint(matrix.colour, 0.12f), 1);
  const float cell_w = map.w / window.cols;
  const float cell_h = map.h / window.rows;
  for (int lane = kWarpSize - 1; lane >= 0; --lane) {
    if ((elements.access.active >> lane & 1U) == 0) continue;
    const auto place = matrix.place(elements.access.address[static_cast<std::size_t>(lane)]);
    if (!place) continue;
    const float x = map.x + (static_cast<float>(place->col) - window.first_col) * cell_w;
    const float y = map.y + (static_cast<float>(place->row) - window.first_row) * cell_h;
    const float w = std::max(cell_w * static_cast<float>(elements.wide), 2.0f);
    const float h = std::max(cell_h, 3.0f);
    pen.canvas.fill_rect(
        {std::min(x, map.right() - w), std::clamp(y, map.y + 3, map.bottom() - 3 - h), w, h},
        Paint::lane(lane));
  }
  pen.outline(map, Paint(matrix.colour, current ? 1.0f : 0.6f), current ? 2.0f : 1.0f, 1);
  if (lit) pen.outline(map.inset(-2), ColourRole::kSelection, 1.5f, 2);
  Hit hit{.kind = HitKind::kArgument,
          .value = static_cast<std::int64_t>(matrix.argument),
          .name = matrix.name};
  hit.tooltip = fmt::format(
      "{}: the warp's elements are in rows {} to {}, columns {} to {} of {} × {}; {} × {} shown.",
      matrix.name, elements.box.row, elements.box.row + elements.box.rows - 1, elements.box.col,
      elements.box.col + elements.box.cols - 1, format_count(matrix.rows),
      format_count(matrix.cols), static_cast<int>(window.rows), static_cast<int>(window.cols));
  pen.canvas.hit(map, hit);
}

}  // namespace

void draw_access_maps(Pen& pen, const Rect& area, const ViewContext& context,
                      const GlobalRequest& request) {
  const KernelStudy& study = *context.study;
  const auto prepared = prepared_of(context);
  pen.heading(area.x, area.y + pen.px(4), "IN THE MATRIX",
              "the warp's elements and their surroundings", area.right());
  std::vector<WarpElements> maps;
  for (const TiledMatrix& tiled : prepared->tiling->matrices) {
    if (maps.size() == 3) break;
    auto found =
        nearest_access(study, tiled.view, prepared->warps[request.warp].global, request.event);
    if (found) maps.push_back(*found);
  }
  if (maps.empty()) return;
  const auto count = static_cast<float>(maps.size());
  const float gap = pen.px(16);
  const float top = area.y + pen.px(18);
  const float label = pen.px(36);
  const float side =
      std::min({(area.w - gap * (count - 1)) / count, area.bottom() - top - label, pen.px(260)});
  const TextStyle words = pen.style(11, ColourRole::kDim);
  float widest = std::max(side, pen.px(84));  // a small picture keeps room for the words below it
  for (const WarpElements& map : maps) {
    widest = std::max(widest, pen.width(shape_words(map), words));
  }
  const float pitch = std::min((area.w + gap) / count, widest + gap);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const Rect map{area.x + pitch * static_cast<float>(i), top, side, side};
    const bool current = maps[i].event == request.event;
    draw_map(pen, map, maps[i], current, is_lit_event(context, maps[i].event));
    const float y = map.bottom() + pen.px(11);
    const TextStyle name = pen.style(12, maps[i].matrix->colour, Weight::kSemibold);
    pen.text(map.x, y, pen.fitted(maps[i].matrix->name, name, pitch - gap), name);
    std::string shape = shape_words(maps[i]);
    const float room = pitch - gap / 2;
    constexpr std::string_view kElements = " elements";
    const std::size_t elements = shape.find(kElements);
    if (pen.width(shape, words) > room && elements != std::string::npos) {
      shape.erase(elements, kElements.size());  // "32 of one row"
    }
    pen.text(map.x, y + pen.px(15), pen.fitted(shape, words, room), words);
  }
}

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
                   : fmt::format("Lane {} is inactive (branch or predicate).", lane));
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
              bytes == 0 ? fmt::format("Sector of 32 B at {}: not accessed.",
                                       place_in_words(request, address))
                         : fmt::format("Sector of 32 B at {}: moved; bytes used: {}.",
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
      fmt::format("{} · {} B per lane", request.instruction->opcode, request.access.bytes_per_lane);
  const TextStyle mono =
      pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight, Font::kMono);
  const float right = area.right() - pen.width(opcode, mono) - pen.px(12);
  pen.heading(x, area.y + pen.px(8), "LANES",
              fmt::format("of warp {}: each arrow points to the bytes that its lane accesses",
                          request.warp),
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

namespace {

std::string against_ideal(const SectorCost& cost) {
  if (cost.sectors <= cost.ideal_sectors) return "the minimum";
  const double ratio = static_cast<double>(cost.sectors) / std::max(cost.ideal_sectors, 1);
  return times_words(ratio) + " the ideal";
}

}  // namespace

int ideal_sectors_drawn(const GlobalRequest& request) {
  return std::max(request.cost.ideal_sectors, 1);
}

void draw_ideal_sectors(Pen& pen, const Rect& area, const GlobalRequest& request) {
  const int sectors = ideal_sectors_drawn(request);
  const float gap = 2;
  const float sector_width = (area.w + gap) / static_cast<float>(sectors);
  for (int i = 0; i < sectors; ++i) {
    const Rect box{area.x + sector_width * static_cast<float>(i), area.y, sector_width - gap,
                   area.h};
    pen.canvas.fill_rect(box, Paint(ColourRole::kIdeal, 0.25f), 2);
  }
  std::vector<std::uint64_t> placed;
  const float byte = (sector_width - gap) / static_cast<float>(kSectorBytes);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    const std::uint64_t address = request.access.address[static_cast<std::size_t>(lane)];
    if (std::find(placed.begin(), placed.end(), address) != placed.end()) continue;
    const std::uint64_t offset = placed.size() * request.access.bytes_per_lane;
    placed.push_back(address);
    Rect box{area.x + sector_width * static_cast<float>(offset / kSectorBytes) +
                 byte * static_cast<float>(offset % kSectorBytes),
             area.y, byte * static_cast<float>(request.access.bytes_per_lane), area.h};
    box.w = std::max(box.w - (box.w > 6 ? 1.0f : 0.0f), 1.0f);
    pen.canvas.fill_rect(box, Paint::lane(lane), box.w > 6 ? 1.5f : 0);
  }
  pen.outline(
      {area.x - 1, area.y - 1, sector_width * static_cast<float>(sectors) - gap + 2, area.h + 2},
      ColourRole::kIdeal, 1.5f, 2);
  pen.hit(area, HitKind::kNone, 0,
          fmt::format("The {} B that the lanes use would fill {} if they were contiguous.",
                      request.cost.useful_bytes, counted(sectors, "sector")));
}

void write_sector_ratio(Pen& pen, const Rect& area, const GlobalRequest& request) {
  const SectorCost& cost = request.cost;
  const Paint tone = cost.sectors > cost.ideal_sectors ? ColourRole::kExcess : ColourRole::kIdeal;
  const TextStyle strong = pen.style(12, tone, Weight::kSemibold);
  const TextStyle dim = pen.style(12, ColourRole::kDim);
  const std::string words = against_ideal(cost);
  const float x = area.x + pen.width(words, strong) + pen.px(12);
  pen.text(area.x, area.center().y, words, strong);
  std::vector<std::string> about;
  if (cost.sectors > cost.ideal_sectors) {
    about = {fmt::format("{} per request; {} would be enough", cost.sectors,
                         counted(cost.ideal_sectors, "sector")),
             fmt::format("{} for {}", cost.sectors, cost.ideal_sectors)};
  } else {
    about = {counted(cost.sectors, "sector") + " per request"};
  }
  pen.first_that_fits(x, area.center().y, about, dim, area.right() - x);
}

void draw_sector_ratio(Pen& pen, const Rect& area, const GlobalRequest& request) {
  const SectorCost& cost = request.cost;
  const bool excess = cost.sectors > cost.ideal_sectors;
  const Paint tone = excess ? ColourRole::kExcess : ColourRole::kIdeal;
  const TextStyle big = pen.style(15, tone, Weight::kSemibold, Align::kRight);
  const std::string words = against_ideal(cost);
  pen.text(area.right(), area.y + pen.px(8), words, big);
  pen.text_if_fits(area.x, area.y + pen.px(8), "sectors per request",
                   pen.style(12, ColourRole::kDim), area.w - pen.width(words, big) - pen.px(12));
  const Rect bar{area.x, area.y + pen.px(22), area.w, pen.px(10)};
  const float share = cost.sectors == 0 ? 1
                                        : static_cast<float>(cost.ideal_sectors) /
                                              static_cast<float>(std::max(cost.sectors, 1));
  pen.canvas.fill_rect(bar, tone, 2);
  pen.canvas.fill_rect({bar.x, bar.y, bar.w * std::min(share, 1.0f), bar.h}, ColourRole::kIdeal, 2);
  const float y = bar.bottom() + pen.px(12);
  pen.text(bar.x, y, fmt::format("{} ideal", cost.ideal_sectors),
           pen.style(12, ColourRole::kIdeal, Weight::kSemibold));
  pen.text(bar.right(), y, fmt::format("{} actual", cost.sectors),
           pen.style(12, tone, Weight::kSemibold, Align::kRight));
  pen.hit(area, HitKind::kNone, 0,
          fmt::format("The request moves {} of 32 B, {} B; {} B of them are used.",
                      counted(cost.sectors, "sector"), cost.sectors * 32, cost.useful_bytes));
}

namespace {

using DrawRequest = void (*)(Pen& pen, const Rect& area, const ViewContext& context,
                             const GlobalRequest& request);
template <DrawRequest kDraw>
void draw_coalescing_part(Canvas& canvas, const Rect& area, const ViewContext& context) {
  const auto request = global_request(context);
  if (!request) {
    draw_coalescing(canvas, area, context);  // says so
    return;
  }
  Pen pen(canvas, context);
  kDraw(pen, area, context, *request);
}

void draw_sectors_alone(Pen& pen, const Rect& area, const ViewContext& context,
                        const GlobalRequest& request) {
  draw_lanes_to_sectors(pen, area, context, request);
}

void draw_lines_alone(Pen& pen, const Rect& area, const ViewContext& context,
                      const GlobalRequest& request) {
  draw_global_table(pen, area, context, request.instruction->outermost.line);
}

}  // namespace

std::span<const ViewPart> coalescing_parts() {
  static constexpr std::array kParts{ViewPart{"sectors",
                                              "which lane needs which sector",
                                              {240, 150},
                                              draw_coalescing_part<draw_sectors_alone>},
                                     ViewPart{"maps",
                                              "where in the matrices the lanes are",
                                              {240, 120},
                                              draw_coalescing_part<draw_access_maps>},
                                     ViewPart{"lines",
                                              "the sectors of every line of the kernel",
                                              {240, 70},
                                              draw_coalescing_part<draw_lines_alone>}};
  return kParts;
}

}  // namespace tilescope
