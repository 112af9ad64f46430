#include "scene/compare/compare_cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/quantity.h"
#include "scene/compare/compare_scene.h"
#include "scene/model/prepared.h"

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
  const std::string shown = pen.fitted(figure, strong, card.inside.w);
  const float room = card.inside.w - pen.width(shown, strong) - pen.px(10);
  std::vector<std::string> words{what};
  if (line != 0) words.insert(words.begin(), fmt::format("{} · line {}", what, line));
  const bool hovered = is_hovered_line(card.context, card.variant, line);
  if (hovered) {
    pen.canvas.fill_rect(
        {card.inside.x - pen.px(4), y - pen.px(8), card.inside.w + pen.px(8), pen.px(16)},
        ColourRole::kHover, 3);
  }
  pen.text(card.inside.right(), y, shown, strong);
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
                   : fmt::format("Lane {} is inactive (branch or predicate).", lane));
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
          fmt::format("{} of 32 B are moved for {} B used; {} would be enough.",
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
          ? fmt::format("only bank {}", request.busiest_bank)
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
  Hit hit{.kind = HitKind::kAction,
          .value = static_cast<std::int64_t>(card.variant),
          .action = HitAction::kActivateVariant};
  hit.tooltip = fmt::format("{}: {}. Click to select it.", letter_of(card.variant),
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

namespace {

// A variant's 32 figures, one a lane or bank.
struct Series {
  std::size_t variant = 0;
  std::array<int, kWarpSize> figures{};
  int ideal = 0;
};

// How many sectors lanes 0 to each one need together.
Series sectors_by_lane(std::size_t variant, const GlobalRequest& request) {
  Series series{variant, {}, request.cost.ideal_sectors};
  std::vector<std::uint64_t> seen;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t sector = request.access.address[lane] / kSectorBytes;
    const bool active = (request.access.active >> lane & 1U) != 0;
    if (active && std::ranges::find(seen, sector) == seen.end()) seen.push_back(sector);
    series.figures[lane] = static_cast<int>(seen.size());
  }
  return series;
}

// How many wavefronts each bank is busy for.
Series words_by_bank(std::size_t variant, const SharedRequest& request) {
  Series series{variant, {}, request.cost.ideal_wavefronts};
  for (const Wavefront& wavefront : request.wavefronts) {
    for (std::size_t bank = 0; bank < kBankCount; ++bank) {
      if (wavefront.lanes[bank] != 0) ++series.figures[bank];
    }
  }
  return series;
}

int most_of(const std::vector<Series>& all) {
  int most = 1;
  for (const Series& series : all) most = std::max(most, std::ranges::max(series.figures));
  return most;
}

struct Axes {
  Rect plot;
  int most = 1;
  [[nodiscard]] float y(int figure) const {
    return plot.bottom() - plot.h * static_cast<float>(figure) / static_cast<float>(most);
  }
  [[nodiscard]] float x(std::size_t lane) const {
    return plot.x + plot.w * static_cast<float>(lane) / kWarpSize;
  }
};

Axes draw_axes(Pen& pen, const Rect& area, int most, std::string_view along) {
  const TextStyle dim = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float gutter = pen.width("32", dim) + pen.px(8);
  Axes axes{
      {area.x + gutter, area.y + pen.px(6), area.w - gutter - pen.px(26), area.h - pen.px(26)},
      most};
  for (const int tick : {0, most / 2, most}) {
    if (tick == most / 2 && (most < 2 || axes.plot.h < pen.px(50))) continue;
    pen.canvas.line({axes.plot.x, axes.y(tick)}, {axes.plot.right(), axes.y(tick)},
                    ColourRole::kLine, 1);
    pen.text(axes.plot.x - pen.px(6), axes.y(tick), std::to_string(tick), dim);
  }
  const TextStyle below = pen.style(11, ColourRole::kDim);
  const float y = axes.plot.bottom() + pen.px(12);
  pen.text(axes.plot.x, y, "0", below);
  pen.text(axes.plot.right(), y, "31", dim);
  const TextStyle middle = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  pen.text(axes.plot.center().x, y, along, middle);
  return axes;
}

// One lane's step of every stair, and the rise to it. Stairs of one height take turns in a lane's
// width, so that each stands where its figure is and none hides another.
void draw_tread(Pen& pen, const Axes& axes, const std::vector<Series>& all, std::size_t lane) {
  const float width = axes.plot.w / kWarpSize;
  for (const Series& series : all) {
    const int figure = series.figures[lane];
    const Paint paint = colour_of_variant(series.variant);
    const auto same = [&](const Series& other) { return other.figures[lane] == figure; };
    const auto turns = static_cast<float>(std::ranges::count_if(all, same));
    const auto turn = static_cast<float>(std::count_if(all.data(), &series, same));
    const float x = axes.x(lane) + width * turn / turns;
    const float y = axes.y(figure);
    pen.canvas.line({x, y}, {x + width / turns, y}, paint, 2);
    if (lane == 0 || series.figures[lane - 1] == figure) continue;
    pen.canvas.line({axes.x(lane), axes.y(series.figures[lane - 1])}, {axes.x(lane), y}, paint, 2);
  }
}

// A stair per variant; its letter at the end, moved apart from the others'.
void draw_stairs(Pen& pen, const Axes& axes, const std::vector<Series>& all) {
  std::vector<const Series*> order;
  for (const Series& series : all) order.push_back(&series);
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) draw_tread(pen, axes, all, lane);
  std::ranges::sort(order, std::ranges::greater{},
                    [](const Series* series) { return series->figures.back(); });
  float free_from = axes.plot.y - pen.px(8);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto left = static_cast<float>(order.size() - 1 - i);
    const float lowest = axes.plot.bottom() - pen.px(7) - left * pen.px(16);
    const float y =
        std::max(std::min(axes.y(order[i]->figures.back()) - pen.px(7), lowest), free_from);
    draw_letter(pen, {axes.plot.right() + pen.px(8), y, pen.px(14), pen.px(14)}, order[i]->variant);
    free_from = y + pen.px(16);
  }
}

// Bars of all variants beside one another in each bank's column.
void draw_bars(Pen& pen, const Axes& axes, const std::vector<Series>& all) {
  const float column = axes.plot.w / kBankCount;
  const float width = std::max((column - 2) / static_cast<float>(all.size()), 1.0f);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t bank = 0; bank < kBankCount; ++bank) {
      const int words = all[i].figures[bank];
      if (words == 0) continue;
      const float y = axes.y(words);
      pen.canvas.fill_rect({axes.x(bank) + 1 + width * static_cast<float>(i), y,
                            std::max(width - 0.5f, 0.8f), axes.plot.bottom() - y},
                           colour_of_variant(all[i].variant));
    }
    const float y = axes.plot.y + pen.px(16) * static_cast<float>(i);
    if (y + pen.px(14) > axes.plot.bottom()) continue;
    draw_letter(pen, {axes.plot.right() + pen.px(8), y, pen.px(14), pen.px(14)}, all[i].variant);
  }
}

using Words = std::string (*)(std::size_t place, const std::string& figures);

// A column for each lane or bank that says what every variant has there.
void add_hits(Pen& pen, const Axes& axes, const std::vector<Series>& all, HitKind kind,
              Words words) {
  for (std::size_t place = 0; place < kWarpSize; ++place) {
    std::string figures;
    for (const Series& series : all) {
      figures += fmt::format("{}{} {}", figures.empty() ? "" : ", ", letter_of(series.variant),
                             series.figures[place]);
    }
    pen.hit({axes.x(place), axes.plot.y, axes.plot.w / kWarpSize, axes.plot.h}, kind,
            static_cast<std::int64_t>(place), words(place, figures));
  }
}

void mark_lane(Pen& pen, const Axes& axes, const ViewContext& context) {
  const int lane = context.hovered_lane >= 0 ? context.hovered_lane : context.selection.lane;
  if (lane < 0 || lane >= kWarpSize) return;
  pen.canvas.fill_rect(
      {axes.x(static_cast<std::size_t>(lane)), axes.plot.y, axes.plot.w / kWarpSize, axes.plot.h},
      Paint(ColourRole::kSelection, 0.12f));
}

}  // namespace

void draw_compare_overlay(Pen& pen, const Rect& area, const ViewContext& context) {
  const ComparedKinds kinds = compared_kinds(*context.compared);
  std::vector<Series> sectors;
  std::vector<Series> words;
  for (std::size_t i = 0; i < context.compared->variants.size(); ++i) {
    if (context.compared->variants[i].study == nullptr) continue;
    if (const auto global = compared_global(context, i, kinds)) {
      sectors.push_back(sectors_by_lane(i, *global));
    }
    if (const auto shared = compared_shared(context, i, kinds)) {
      words.push_back(words_by_bank(i, *shared));
    }
  }
  const bool both = !words.empty() && !sectors.empty() && area.w >= pen.px(520);
  const float gap = pen.px(30);
  const float width = both ? (area.w - gap) / 2 : area.w;
  const float head = pen.px(20);
  if (!sectors.empty()) {
    const std::string_view noun = kinds.store ? "store" : "load";
    pen.heading(area.x, area.y + pen.px(8), "SECTORS",
                fmt::format("cumulative over lanes 0 to 31, worst {} of each", noun),
                area.x + width);
    const Axes axes =
        draw_axes(pen, {area.x, area.y + head, width, area.h - head}, most_of(sectors), "lane");
    mark_lane(pen, axes, context);
    draw_stairs(pen, axes, sectors);
    add_hits(pen, axes, sectors, HitKind::kLane, [](std::size_t lane, const std::string& figures) {
      return fmt::format("Sectors for lanes 0 to {}: {}.", lane, figures);
    });
  }
  if (words.empty() || (!both && !sectors.empty())) return;
  const float x = sectors.empty() ? area.x : area.x + width + gap;
  pen.heading(x, area.y + pen.px(8), "BANKS",
              fmt::format("words per bank (one per wavefront), worst shared {} of each",
                          kinds.shared_store ? "store" : "load"),
              x + width);
  const Axes axes =
      draw_axes(pen, {x, area.y + head, width, area.h - head}, most_of(words), "bank");
  draw_bars(pen, axes, words);
  add_hits(pen, axes, words, HitKind::kNone, [](std::size_t bank, const std::string& figures) {
    return fmt::format("Words from bank {} (one per wavefront): {}.", bank, figures);
  });
}

namespace {

constexpr std::ptrdiff_t kMostAway = 4096;  // events of the warp

using Event = std::optional<std::uint32_t>;

double excess_of_sectors(const ComparedVariant& variant, const Event& event) {
  if (!event) return -1;
  const BlockTrace& trace = *variant.study->trace;
  const SectorCost cost = sector_cost(trace.access(trace.events[*event].access));
  return static_cast<double>(cost.sectors) / std::max(cost.ideal_sectors, 1);
}

double excess_of_wavefronts(const ComparedVariant& variant, const Event& event) {
  if (!event) return -1;
  const WavefrontCost cost = shared_cost(*variant.study, *event).cost;
  return static_cast<double>(cost.wavefronts) / std::max(cost.ideal_wavefronts, 1);
}

// The execution of `shown`'s instruction at or before now, by the selected warp.
std::uint32_t event_now(const ViewContext& own, std::uint32_t shown, MemorySpace space) {
  const KernelStudy& study = *own.study;
  if (own.selection.warp >= own.prepared->warps.size()) return shown;
  const PreparedStudy::WarpAccesses& warp = own.prepared->warps[own.selection.warp];
  const std::vector<std::uint32_t>& events =
      space == MemorySpace::kShared ? warp.shared : warp.global;
  const std::uint32_t wanted = study.trace->events[shown].instruction;
  const auto same = [&](std::uint32_t event) {
    return study.trace->events[event].instruction == wanted;
  };
  const auto after = std::ranges::upper_bound(events, own.selection.event);
  auto it = after;
  for (std::ptrdiff_t away = 0; it != events.begin() && away < kMostAway; ++away) {
    if (same(*--it)) return *it;
  }
  it = after;
  for (std::ptrdiff_t away = 0; it != events.end() && away < kMostAway; ++away, ++it) {
    if (same(*it)) return *it;
  }
  return shown;
}

// A context that stands at this very event.
ViewContext standing_at(const ViewContext& context, std::size_t variant, std::uint32_t shown,
                        MemorySpace space) {
  ViewContext own = context_of_variant(context, variant);
  own.selection.event = event_now(own, shown, space);
  own.selection.warp = own.study->trace->events[own.selection.event].warp;
  own.selection.line = 0;
  return own;
}

}  // namespace

ComparedKinds compared_kinds(const ComparedSet& set) {
  double load = -1;
  double store = -1;
  double shared_load = -1;
  double shared_store = -1;
  for (const ComparedVariant& variant : set.variants) {
    if (!variant.accesses) continue;
    const WorstAccesses& accesses = *variant.accesses;
    load = std::max(load, excess_of_sectors(variant, accesses.load));
    store = std::max(store, excess_of_sectors(variant, accesses.store));
    shared_load = std::max(shared_load, excess_of_wavefronts(variant, accesses.shared_load));
    shared_store = std::max(shared_store, excess_of_wavefronts(variant, accesses.shared_store));
  }
  return {store > load, shared_store > shared_load};
}

std::optional<GlobalRequest> compared_global(const ViewContext& context, std::size_t variant,
                                             const ComparedKinds& kinds) {
  const WorstAccesses& accesses = *context.compared->variants[variant].accesses;
  const Event& wanted = kinds.store ? accesses.store : accesses.load;
  const Event& event = wanted ? wanted : kinds.store ? accesses.load : accesses.store;
  if (!event) return std::nullopt;
  return global_request(standing_at(context, variant, *event, MemorySpace::kGlobal));
}

std::optional<SharedRequest> compared_shared(const ViewContext& context, std::size_t variant,
                                             const ComparedKinds& kinds) {
  const WorstAccesses& accesses = *context.compared->variants[variant].accesses;
  const Event& wanted = kinds.shared_store ? accesses.shared_store : accesses.shared_load;
  const Event& event = wanted               ? wanted
                       : kinds.shared_store ? accesses.shared_load
                                            : accesses.shared_store;
  if (!event) return std::nullopt;
  return shared_request(standing_at(context, variant, *event, MemorySpace::kShared));
}

}  // namespace tilescope
