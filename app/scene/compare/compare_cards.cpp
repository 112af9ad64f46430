#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/quantity.h"
#include "scene/compare/compare_access.h"
#include "scene/compare/compare_scene.h"
#include "scene/prepared.h"

namespace tilescope {
namespace {

constexpr int kRows = 8;  // wavefronts of a small card; a large one shows them all

// Lengths of a card, px at scale 1; what does not fit is left out from the bottom up.
constexpr float kHead = 22;
constexpr float kTitle = 17;
constexpr float kLanes = 13;
constexpr float kSectors = 6;
constexpr float kTime = 14;

struct Card {
  Pen& pen;
  const ViewContext& context;
  std::size_t variant;
  Rect inside;
  [[nodiscard]] const ComparedVariant& shown() const { return context.compared->variants[variant]; }
  [[nodiscard]] int lane() const {
    if (context.hovered_lane >= 0) return context.hovered_lane;
    return variant < context.compared_at.size() ? context.compared_at[variant].lane
                                                : context.selection.lane;
  }
};

// "store · line 17" at the left, "32 sectors" at the right.
void draw_title(const Card& card, float y, const std::string& what, std::uint32_t line,
                const std::string& figure, Paint paint) {
  Pen& pen = card.pen;
  const TextStyle strong = pen.style(12, paint, Weight::kSemibold, Align::kRight);
  const float room = card.inside.w - pen.width(figure, strong) - pen.px(10);
  std::vector<std::string> words{what};
  if (line != 0) words.insert(words.begin(), fmt::format("{} · line {}", what, line));
  const bool hovered = is_hovered_line(card.context, card.variant, line);
  if (hovered) {
    pen.canvas.fill_rect(
        {card.inside.x - pen.px(4), y - pen.px(8), card.inside.w + pen.px(8), pen.px(16)},
        ColourRole::kHover, 3);
  }
  pen.text(card.inside.right(), y, figure, strong);
  const TextStyle dim = pen.style(12, hovered ? ColourRole::kStrong : ColourRole::kDim);
  if (!pen.first_that_fits(card.inside.x, y, words, dim, room)) return;
  if (line == 0) return;
  Hit hit{HitKind::kLine, line, 0, {}, fmt::format("Line {} of {}.", line, card.shown().name)};
  hit.variant = static_cast<int>(card.variant);
  pen.canvas.hit({card.inside.x, y - pen.px(8), room, pen.px(16)}, std::move(hit));
}

// Distinct sectors, ascending.
std::vector<std::uint64_t> sectors_of(const WarpAccess& access) {
  std::vector<std::uint64_t> sectors;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1U) == 0) continue;
    sectors.push_back(access.address[lane] / kSectorBytes);
  }
  std::ranges::sort(sectors);
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
  return sectors;
}

void draw_lanes(const Card& card, const Rect& row, const GlobalRequest& request) {
  Pen& pen = card.pen;
  const float pitch = (row.w + 1) / kWarpSize;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const Rect box{row.x + pitch * static_cast<float>(lane), row.y, pitch - 1, row.h};
    const bool active = (request.access.active >> lane & 1U) != 0;
    pen.canvas.fill_rect(box, active ? Paint::lane(lane) : Paint(ColourRole::kRaised), 1);
    if (card.lane() == lane) pen.outline(box, ColourRole::kSelection, 1.5f, 1);
    const std::uint64_t address = request.access.address[static_cast<std::size_t>(lane)];
    std::string place = fmt::format("0x{:x}", address);
    if (request.buffer) {
      place = fmt::format("{} + {} B", request.buffer->name,
                          format_count(address - request.buffer->address));
    }
    pen.hit(box, HitKind::kLane, lane,
            active ? fmt::format("Lane {} of {} {} {} B at {}.", lane, card.shown().name,
                                 verb_of(request.access.kind), request.access.bytes_per_lane, place)
                   : fmt::format("Lane {} takes no part: its branch or predicate is off.", lane));
  }
}

// Every sector that moves, equally wide; in those that move too much, what is wanted of them.
void draw_sectors(const Card& card, const Rect& row, const GlobalRequest& request) {
  Pen& pen = card.pen;
  const std::vector<std::uint64_t> sectors = sectors_of(request.access);
  if (sectors.empty()) return;
  const bool excess = request.cost.sectors > request.cost.ideal_sectors;
  const float gap = row.w / static_cast<float>(sectors.size()) > 5 ? 1.5f : 0.5f;
  const float pitch = (row.w + gap) / static_cast<float>(sectors.size());
  for (std::size_t i = 0; i < sectors.size(); ++i) {
    const Rect box{row.x + pitch * static_cast<float>(i), row.y, pitch - gap, row.h};
    pen.canvas.fill_rect(box, excess ? Paint(ColourRole::kExcess, 0.4f) : Paint(ColourRole::kIdeal),
                         1);
  }
  pen.hit({row.x, row.y - 1, row.w, row.h + 2}, HitKind::kNone, 0,
          fmt::format("{} of 32 B move for {} B that the lanes want; {} would do.",
                      counted(request.cost.sectors, "sector"), request.cost.useful_bytes,
                      request.cost.ideal_sectors));
  if (!excess) return;
  for (int lane = kWarpSize - 1; lane >= 0; --lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    const std::uint64_t address = request.access.address[static_cast<std::size_t>(lane)];
    const auto at = std::ranges::lower_bound(sectors, address / kSectorBytes);
    const float byte = (pitch - gap) / static_cast<float>(kSectorBytes);
    const float x = row.x + pitch * static_cast<float>(at - sectors.begin()) +
                    byte * static_cast<float>(address % kSectorBytes);
    const float w = std::min(
        std::max(byte * static_cast<float>(request.access.bytes_per_lane), 1.0f), row.right() - x);
    pen.canvas.fill_rect({x, row.y, w, row.h}, Paint::lane(lane));
  }
}

// "bank 0 only", on banks that no shown wavefront uses.
void draw_remark(const Card& card, const Rect& grid, int rows, const SharedRequest& request) {
  if (!request.lanes_meet) return;
  Pen& pen = card.pen;
  std::string words =
      request.banks_used == 1
          ? fmt::format("bank {} only", request.busiest_bank)
          : fmt::format("{} words from bank {}", request.busiest_words, request.busiest_bank);
  const int more = static_cast<int>(request.wavefronts.size()) - rows;
  if (more > 0) words += fmt::format(", {} more", counted(more, "row"));
  const TextStyle style = pen.style(11, ColourRole::kExcess, Weight::kSemibold);
  const float needed = pen.width(words, style) + pen.px(12);
  if (grid.h < pen.px(24)) return;
  int run = 0;
  for (int bank = 0; bank < kBankCount; ++bank) {
    const bool used = std::ranges::any_of(request.wavefronts, [bank](const Wavefront& wavefront) {
      return wavefront.lanes[static_cast<std::size_t>(bank)] != 0;
    });
    run = used ? 0 : run + 1;
    const float pitch = grid.w / kBankCount;
    if (pitch * static_cast<float>(run) < needed) continue;
    const float x = grid.x + pitch * static_cast<float>(bank + 1 - run) + pen.px(6);
    pen.canvas.fill_rect({x - pen.px(3), grid.y, needed - pen.px(6), pen.px(15)},
                         Paint(ColourRole::kPanel, 0.9f), 2);
    pen.text(x, grid.y + pen.px(7.5f), words, style);
    return;
  }
}

void draw_shared(const Card& card, float y, float bottom, const ComparedKinds& kinds) {
  Pen& pen = card.pen;
  const auto request = compared_shared(card.context, card.variant, kinds);
  const float title = y + pen.px(kTitle / 2);
  if (!request) {
    draw_title(card, title, kinds.shared_store ? "shared store" : "shared load", 0, "none",
               ColourRole::kDim);
    const TextStyle dim = pen.style(12, ColourRole::kDim, Weight::kRegular, Align::kCenter);
    const float top = y + pen.px(kTitle);
    if (bottom - top >= pen.px(16)) {
      const std::string words = pen.fitted("uses no shared memory", dim, card.inside.w);
      pen.text(card.inside.center().x, (top + bottom) / 2, words, dim);
    }
    return;
  }
  const bool conflict = request->cost.conflicts() > 0;
  draw_title(card, title, fmt::format("shared {}", noun_of(request->access.kind)),
             request->instruction->outermost.line, counted(request->cost.wavefronts, "wavefront"),
             conflict ? ColourRole::kExcess : ColourRole::kIdeal);
  const Rect grid{card.inside.x, y + pen.px(kTitle), card.inside.w, bottom - y - pen.px(kTitle)};
  if (grid.h < pen.px(9)) return;
  const int most = grid.h >= pen.px(150) ? 32 : grid.h >= pen.px(90) ? 16 : kRows;
  const int rows = grid.h < pen.px(26) ? kRows / 2 : most;
  draw_bank_cells(pen, grid, rows, *request, card.lane());
  draw_remark(card, grid, rows, *request);
}

// Its rate, or its time where it is not known how much it does.
std::optional<Quantity> headline(const ViewContext& context, std::size_t variant) {
  for (const char* name : {"throughput", "time", "modelled time"}) {
    for (const MetricRow& row : context.compared->comparison.rows) {
      if (row.name == name && row.values[variant]) return row.values[variant];
    }
  }
  return std::nullopt;
}

void draw_head(const Card& card, float y) {
  Pen& pen = card.pen;
  const Rect letter{card.inside.x, y - pen.px(8), pen.px(16), pen.px(16)};
  draw_letter(pen, letter, card.variant);
  const std::string label = label_of(*card.context.compared, card.variant);
  Hit hit{HitKind::kAction, static_cast<std::int64_t>(card.variant), 0, "activate", {}};
  hit.tooltip = fmt::format("{}: {}. Click to work on it.", letter_of(card.variant),
                            full_label_of(*card.context.compared, card.variant));
  pen.canvas.hit({card.inside.x, y - pen.px(10), card.inside.w, pen.px(20)}, std::move(hit));
  const float right = card.inside.right();
  const float x = letter.right() + pen.px(7);
  const auto figure = headline(card.context, card.variant);
  // As large as both fit; the name stands whole before the figure, which the table has too.
  for (const float size : {13.0f, 12.0f, 11.0f}) {
    if (!figure) break;
    const TextStyle name = pen.style(size, ColourRole::kStrong, Weight::kSemibold);
    const TextStyle bold =
        pen.style(std::max(size, 12.0f), ColourRole::kStrong, Weight::kBold, Align::kRight);
    const std::string words = format(*figure);
    const float width = pen.width(words, bold);
    const float mark = right - width - pen.px(10);
    if (x + pen.width(label, name) + pen.px(12) > mark) continue;
    pen.text(x, y, label, name);
    pen.text(right, y, words, bold);
    pen.source_mark({mark, y}, figure->source, ColourRole::kDim);
    return;
  }
  for (const float size : {13.0f, 12.0f, 11.0f}) {
    const TextStyle name = pen.style(size, ColourRole::kStrong, Weight::kSemibold);
    if (size > 11 && pen.width(label, name) > right - x) continue;
    const std::string fitted = pen.fitted(label, name, right - x);
    if (fitted.size() > 4 || fitted == label) pen.text(x, y, fitted, name);
    return;
  }
}

void draw_card(Pen& pen, const Rect& box, const ViewContext& context, std::size_t variant,
               const ComparedKinds& kinds) {
  const bool active = variant == context.compared->active;
  pen.canvas.fill_rect(box, ColourRole::kPanel, 8);
  pen.outline(box, active ? colour_of_variant(variant) : ColourRole::kLine, active ? 1.5f : 1.0f,
              8);
  const float pad = std::min(pen.px(12), box.w * 0.06f);
  const Card card{pen, context, variant, {box.x + pad, box.y, box.w - 2 * pad, box.h}};
  float y = box.y + pen.px(6);
  draw_head(card, y + pen.px(kHead / 2));
  y += pen.px(kHead + 2);
  if (card.shown().study == nullptr) {
    const TextStyle dim = pen.style(12, ColourRole::kDim, Weight::kRegular, Align::kCenter);
    pen.text(box.center().x, (y + box.bottom()) / 2,
             pen.fitted(card.shown().missing, dim, card.inside.w), dim);
    return;
  }
  float bottom = box.bottom() - pen.px(6);
  if (bottom - y >= pen.px(2 * kTitle + kLanes + kSectors + kTime + 16)) {
    draw_compared_time(pen, {card.inside.x, bottom - pen.px(kTime), card.inside.w, pen.px(kTime)},
                       context, variant);
    bottom -= pen.px(kTime + 5);
  }
  if (const auto request = compared_global(context, variant, kinds)) {
    const bool excess = request->cost.sectors > request->cost.ideal_sectors;
    draw_title(card, y + pen.px(kTitle / 2), std::string(noun_of(request->access.kind)),
               request->instruction->outermost.line, counted(request->cost.sectors, "sector"),
               excess ? ColourRole::kExcess : ColourRole::kIdeal);
    const float stretch = std::clamp((bottom - y - pen.px(110)) / pen.px(120), 0.0f, 1.0f);
    const Rect lanes{card.inside.x, y + pen.px(kTitle), card.inside.w,
                     pen.px(kLanes + 5 * stretch)};
    const Rect sectors{lanes.x, lanes.bottom() + 2, lanes.w, pen.px(kSectors + 6 * stretch)};
    draw_lanes(card, lanes, *request);
    draw_sectors(card, sectors, *request);
    y = sectors.bottom() + pen.px(7);
  }
  if (bottom - y >= pen.px(kTitle)) draw_shared(card, y, bottom, kinds);
}

}  // namespace

void draw_compare_cards(Pen& pen, const Rect& area, const ViewContext& context,
                        std::span<const std::size_t> shown) {
  const ComparedKinds kinds = compared_kinds(*context.compared);
  const float gap = std::min(pen.px(14), area.w * 0.02f);
  const auto count = static_cast<float>(shown.size());
  const float width = (area.w - gap * (count - 1)) / count;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Rect box{area.x + static_cast<float>(i) * (width + gap), area.y, width, area.h};
    draw_card(pen, box, context, shown[i], kinds);
  }
}

}  // namespace tilescope
