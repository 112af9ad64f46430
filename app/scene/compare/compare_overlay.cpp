#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scene/compare/compare_access.h"
#include "scene/compare/compare_scene.h"

namespace tilescope {
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
                fmt::format("that lanes 0 to each one need together, worst {} of each", noun),
                area.x + width);
    const Axes axes =
        draw_axes(pen, {area.x, area.y + head, width, area.h - head}, most_of(sectors), "lane");
    mark_lane(pen, axes, context);
    draw_stairs(pen, axes, sectors);
    add_hits(pen, axes, sectors, HitKind::kLane, [](std::size_t lane, const std::string& figures) {
      return fmt::format("Sectors that lanes 0 to {} need together: {}.", lane, figures);
    });
  }
  if (words.empty() || (!both && !sectors.empty())) return;
  const float x = sectors.empty() ? area.x : area.x + width + gap;
  pen.heading(x, area.y + pen.px(8), "BANKS",
              fmt::format("words that each delivers, one a wavefront, worst shared {} of each",
                          kinds.shared_store ? "store" : "load"),
              x + width);
  const Axes axes =
      draw_axes(pen, {x, area.y + head, width, area.h - head}, most_of(words), "bank");
  draw_bars(pen, axes, words);
  add_hits(pen, axes, words, HitKind::kNone, [](std::size_t bank, const std::string& figures) {
    return fmt::format("Words that bank {} delivers, one a wavefront: {}.", bank, figures);
  });
}

}  // namespace tilescope
