#include <fmt/format.h>

#include <algorithm>

#include "core/quantity.h"
#include "scene/drawing/tile_words.h"
#include "scene/pipeline/pipeline_scene.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostNamed = 8;  // rows that are drawn high enough for words

float row_height(const Pen& pen, std::size_t rows) {
  return rows <= 3 ? pen.px(34) : rows <= kMostNamed ? pen.px(24) : pen.px(12);
}

bool rests(const TileCopy& tile) { return tile.stored != kNever && tile.stored > tile.landed; }

// Whether tiles wait in registers while the one before is read: then they have a row of their own
// until they are stored, as their buffer holds nothing of them.
bool prefetches(const TileCopies& copies) {
  const std::vector<TileCopy>& tiles = copies.tiles;
  for (std::size_t i = 1; i < tiles.size(); ++i) {
    const std::uint32_t read = tiles[i - 1].first_read;
    if (rests(tiles[i]) && read > tiles[i].issue && read < tiles[i].stored) return true;
  }
  return false;
}

struct Bar {
  double begin = 0;
  double end = 0;
  Paint paint;
  std::string words;
  std::string tooltip;
  bool is_tile = true;  // the words end in its number, which may stand alone
};

void draw_bar(Pen& pen, const WarpAxis& time, const Rect& row, const Bar& bar) {
  const CycleAxis& axis = time.axis;
  const float x = std::max(axis.x_of(bar.begin), axis.box.x);
  const float right = std::min(axis.x_of(bar.end), axis.box.right());
  if (right - x < 0.5f) return;
  const Rect rect{x, row.y, std::max(right - x - 1, 1.0f), row.h};
  pen.canvas.fill_rect(rect, bar.paint, 2);
  if (row.h >= pen.px(13)) {
    const TextStyle style =
        pen.style(11,
                  bar.paint.role == ColourRole::kRaised ? Paint(ColourRole::kDim)
                                                        : text_on(bar.paint.role, pen.theme),
                  Weight::kMedium);
    std::vector<std::string> candidates = {bar.words};
    if (bar.is_tile) candidates.push_back(bar.words.substr(bar.words.rfind(' ') + 1));
    pen.first_that_fits(rect.x + pen.px(6), rect.center().y, candidates, style, rect.w - pen.px(8));
  }
  add_moment_hits(pen, rect, time, {.kind = HitKind::kEvent, .tooltip = bar.tooltip});
}

}  // namespace

float ring_height(const Pen& pen, const Pipeline& pipeline) {
  if (pipeline.copies.rows.empty()) return 0;
  const std::size_t rows = pipeline.copies.rows.size() + (prefetches(pipeline.copies) ? 1 : 0);
  return pen.px(18) + static_cast<float>(rows) * (row_height(pen, rows) + pen.px(4));
}

void draw_ring(Pen& pen, const Rect& area, const CycleAxis& axis, const ViewContext& context,
               const Pipeline& pipeline) {
  const TileCopies& copies = pipeline.copies;
  const std::size_t before = prefetches(copies) ? 1 : 0;  // the registers
  const std::size_t rows = copies.rows.size() + before;
  const bool is_ring =
      !copies.tiles.empty() && copies.tiles.front().is_async && copies.rows.size() > 1;
  pen.heading(area.x, area.y, is_ring ? "RING" : before > 0 ? "TILES" : "SHARED", "", axis.box.x);
  const float top = area.y + pen.px(14);
  const float pitch = (area.bottom() - top) / static_cast<float>(rows);
  const float gap = pen.px(pitch >= pen.px(20) ? 4 : 2);  // low rows keep room for their words
  const float height = std::max(pitch - gap, pen.px(4));
  const TextStyle label = pen.style(12, ColourRole::kText);
  for (std::size_t row = 0; row < rows; ++row) {
    const float y = top + pitch * static_cast<float>(row);
    const std::string name = row < before
                                 ? "registers"
                                 : fmt::format("{} {}", is_ring ? "stage" : "buffer", row - before);
    if (height >= pen.px(11)) {
      pen.text_if_fits(area.x, y + height / 2, name, label, axis.box.x - area.x - pen.px(4));
    }
    pen.canvas.fill_rect({axis.box.x, y, axis.box.w, height}, Paint(ColourRole::kRaised, 0.5f), 2);
  }
  const WarpAxis time{axis, pipeline, context.selection.warp};
  const std::string verb = context.study->instance.problem == Problem::kGemm ? "multiply" : "use";
  // Tiling shows the buffers where tiles go through several in turn.
  const std::string elsewhere =
      copies.rows.size() > 1 ? " " + std::string(kArrivedElsewhere) : std::string();
  for (std::size_t i = 0; i < copies.tiles.size(); ++i) {
    const TileCopy& tile = copies.tiles[i];
    if (tile.issue > axis.last()) break;
    const bool is_read = tile.first_read != kNever;
    const double end = is_read ? std::max(tile.last_use, tile.arrived) : tile.arrived;
    if (end < axis.first) continue;
    const auto place_of = [&](std::size_t row) {
      return Rect{axis.box.x, top + pitch * static_cast<float>(row), axis.box.w, height};
    };
    const Rect place = place_of(before + tile.row);
    const bool is_stored = tile.stored != kNever && (before > 0 || rests(tile));
    const Rect loaded = before > 0 && is_stored ? place_of(0) : place;
    const auto cycles = [](std::uint32_t count) { return counted(count, "cycle"); };
    draw_bar(pen, time, loaded,
             {static_cast<double>(tile.issue),
              static_cast<double>(is_stored ? std::min(tile.landed, tile.stored) : tile.arrived),
              ColourRole::kFirst, fmt::format("copy tile {}", i),
              fmt::format("Tile {}: its first load is issued at cycle {}, all of it has arrived {} "
                          "later.",
                          i, format_count(tile.issue), cycles(tile.arrived - tile.issue))});
    if (rests(tile)) {
      draw_bar(pen, time, loaded,
               {static_cast<double>(tile.landed), static_cast<double>(tile.stored),
                ColourRole::kRaised, std::string(kTileInRegisters),
                fmt::format("Tile {} waits in registers for {} until the buffer may be written.", i,
                            cycles(tile.stored - tile.landed)),
                false});
    }
    if (is_stored) {
      draw_bar(
          pen, time, place,
          {static_cast<double>(tile.stored), static_cast<double>(tile.arrived), ColourRole::kFirst,
           fmt::format("store {}", i), fmt::format("Tile {} is stored into shared memory.", i)});
    }
    if (!is_read) continue;
    if (tile.first_read > tile.arrived) {
      draw_bar(pen, time, place,
               {static_cast<double>(tile.arrived), static_cast<double>(tile.first_read),
                ColourRole::kRaised, std::string(kTileArrived),
                fmt::format("Tile {} is there {} before anyone reads it.{}", i,
                            cycles(tile.first_read - tile.arrived), elsewhere),
                false});
    }
    draw_bar(pen, time, place,
             {static_cast<double>(tile.first_read), static_cast<double>(tile.last_use),
              ColourRole::kSecond, fmt::format("{} {}", verb, i),
              fmt::format("Tile {} is read and worked with for {}.", i,
                          cycles(tile.last_use - std::min(tile.first_read, tile.last_use)))});
  }
}

}  // namespace tilescope
