#include <fmt/format.h>

#include <algorithm>

#include "core/quantity.h"
#include "scene/drawing/tile_words.h"
#include "scene/tiling/tiling_scene.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostNamed = 8;
constexpr float kStageHeight = 24;
constexpr float kNameHeight = 18;  // above it: "stage 0"
constexpr float kAmpleRoom = 270;  // of the block's panel, for the row
constexpr float kLeastRoom = 150;
constexpr float kLeastBeside = 75;  // the tile, for the column

// "k 528 to 543", as far as the tile is of A or B.
std::string depth_words(const TilingModel& model, const RingFill& fill) {
  for (const auto& [matrix, box] : fill.parts) {
    const Role role = model.matrices[matrix].view.role;
    if (role == Role::kA) return fmt::format("k {} to {}", box.col, box.col + box.cols - 1);
    if (role == Role::kB) return fmt::format("k {} to {}", box.row, box.row + box.rows - 1);
  }
  return {};
}

// Where the stage's tile stands, the longest words first.
std::vector<std::string> state_words(const RingModel::Stage& stage) {
  switch (stage.state) {
    case StageState::kEmpty:
      return {"empty"};
    case StageState::kIssued:
      return {fmt::format("tile {} {}", stage.fill, kTileIssued),
              fmt::format("{} {}", kTileIssued, stage.fill), std::to_string(stage.fill)};
    case StageState::kReady:
      return {fmt::format("tile {} {}", stage.fill, kTileReady), std::string(kTileReady)};
    case StageState::kUsed:
      return {fmt::format("multiply {}", stage.fill), std::to_string(stage.fill)};
    case StageState::kFree:
      return {"free"};
  }
  return {};
}

// "tile 3", with what of k it is where that is known.
std::string tile_name(const TilingModel& model, std::size_t fill) {
  const std::string depth = depth_words(model, model.ring.fills[fill]);
  return depth.empty() ? fmt::format("tile {}", fill) : fmt::format("tile {} ({})", fill, depth);
}

std::string stage_tooltip(const TilingModel& model, std::size_t number,
                          const RingModel::Stage& stage) {
  const std::string name = fmt::format("Stage {}", number);
  if (stage.state == StageState::kEmpty) return name + " has held no tile yet.";
  const std::string tile = tile_name(model, stage.fill);
  switch (stage.state) {
    case StageState::kIssued:
      return fmt::format("{}: {:.0f} % of the copies of {} are issued. {}", name,
                         100 * stage.issued, tile, kIssuedElsewhere);
    case StageState::kReady:
      return fmt::format("{} holds {}, whole: it was waited for, and nobody reads it yet.", name,
                         tile);
    case StageState::kUsed:
      return fmt::format("{} holds {}, which the warps read and multiply.", name, tile);
    default:
      return fmt::format("{} is free: {} has been multiplied.", name, tile);
  }
}

void draw_stage(Pen& pen, const Rect& box, const TilingMoment& moment, std::size_t number) {
  const RingModel::Stage stage =
      moment.model->ring.stage_at(static_cast<std::uint32_t>(number), moment.event);
  Paint ground(ColourRole::kRaised);
  Paint ink(ColourRole::kText);
  switch (stage.state) {
    case StageState::kEmpty:
    case StageState::kFree:
      ground = Paint(ColourRole::kRaised, 0.5f);
      ink = ColourRole::kDim;
      break;
    case StageState::kUsed:
      ground = ColourRole::kSecond;
      ink = text_on(ground, pen.theme);
      break;
    default:
      break;
  }
  pen.canvas.fill_rect(box, ground, 2);
  if (stage.state == StageState::kIssued) {
    const float bar = pen.px(4);
    pen.canvas.fill_rect({box.x, box.bottom() - bar, box.w * static_cast<float>(stage.issued), bar},
                         ColourRole::kFirst, 1);
    pen.outline(box, ColourRole::kFirst, 1, 2);
  }
  pen.first_that_fits(box.center().x, box.center().y - pen.px(1), state_words(stage),
                      pen.style(11, ink, Weight::kMedium, Align::kCenter), box.w - pen.px(4));
  pen.hit(box, HitKind::kNone, 0, stage_tooltip(*moment.model, number, stage));
}

// The tile that was loaded early: it waits in the threads' registers.
void draw_registers(Pen& pen, const Rect& box, const TilingMoment& moment) {
  const RingModel& ring = moment.model->ring;
  const auto waiting = ring.in_registers(moment.event);
  pen.canvas.fill_rect(box, Paint(ColourRole::kRaised, waiting ? 1.0f : 0.5f), 2);
  std::vector<std::string> words = {"empty"};
  std::string tooltip = "No tile waits in registers now.";
  if (waiting) {
    const std::size_t tile = waiting->fill;
    words = {fmt::format("tile {} {}", tile, kTileInRegisters), fmt::format("tile {} waits", tile),
             fmt::format("tile {}", tile), std::to_string(tile)};
    tooltip = fmt::format(
        "{:.0f} % of the loads of {} are issued. It waits in the threads' registers until stage {} "
        "may be written; {}",
        100 * waiting->loaded, tile_name(*moment.model, tile), ring.fills[tile].stage,
        "when its bytes are there stands in Pipeline.");
    const float bar = pen.px(4);
    pen.canvas.fill_rect(
        {box.x, box.bottom() - bar, box.w * static_cast<float>(waiting->loaded), bar},
        ColourRole::kFirst, 1);
    pen.outline(box, ColourRole::kFirst, 1, 2);
  }
  pen.first_that_fits(box.center().x, box.center().y - pen.px(1), words,
                      pen.style(11, waiting ? ColourRole::kText : ColourRole::kDim, Weight::kMedium,
                                Align::kCenter),
                      box.w - pen.px(4));
  pen.hit(box, HitKind::kNone, 0, tooltip);
}

}  // namespace

float ring_row_height(const Pen& pen, const TilingModel& model, float room, float beside) {
  const float least = beside < pen.px(kLeastBeside) ? kLeastRoom : kAmpleRoom;
  const bool fits = model.ring.has_way() && room >= pen.px(least);
  return fits ? pen.px(kStageHeight + kNameHeight) : 0;
}

RingPicture draw_ring_row(Pen& pen, const Rect& area, const TilingMoment& moment) {
  const RingModel& ring = moment.model->ring;
  const std::size_t before = ring.prefetches ? 1 : 0;  // the registers
  const std::size_t count = ring.stages.size() + before;
  const float gap = pen.px(count > kMostNamed ? 1 : 4);
  const float width = (area.w - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  const bool has_words = pen.width("stage 00", dim) <= width;  // before each number, or none
  const auto box = [&](std::size_t i) {
    const float x = area.x + (width + gap) * static_cast<float>(i);
    return Rect{x, area.bottom() - pen.px(kStageHeight), width, pen.px(kStageHeight)};
  };
  RingPicture picture;
  if (ring.prefetches) {
    picture.registers = box(0);
    pen.text_if_fits(area.x, area.y + pen.px(8), "registers", dim, width);
    draw_registers(pen, picture.registers, moment);
  }
  for (std::size_t i = 0; i < ring.stages.size(); ++i) {
    picture.stages.push_back(box(before + i));
    const std::string number = std::to_string(i);
    pen.text_if_fits(picture.stages.back().x, area.y + pen.px(8),
                     has_words ? "stage " + number : number, dim, width);
    draw_stage(pen, picture.stages.back(), moment, i);
  }
  return picture;
}

RingPicture draw_ring_column(Pen& pen, const Rect& area, const TilingMoment& moment) {
  const RingModel& ring = moment.model->ring;
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  const std::size_t before = ring.prefetches ? 1 : 0;  // the registers
  const float name = pen.width(before > 0 ? "registers" : "stage 0", dim) + pen.px(8);
  const float pitch =
      std::min(area.h / static_cast<float>(ring.stages.size() + before), pen.px(28));
  RingPicture picture;
  if (!ring.has_way() || pitch < pen.px(16) || area.w < pen.px(kLeastBeside)) return picture;
  const auto box = [&](std::size_t i) {
    const float y = area.y + pitch * static_cast<float>(i);
    return Rect{area.x + name, y, std::min(area.w - name, pen.px(90)), pitch - pen.px(3)};
  };
  // With its name before it: what leads there ends left of all names.
  const auto named = [&](const Rect& place) {
    const float left = area.x - pen.px(3);
    return Rect{left, place.y, place.right() - left, place.h};
  };
  if (ring.prefetches) {
    const Rect place = box(0);
    pen.text(area.x, place.center().y, "registers", dim);
    draw_registers(pen, place, moment);
    picture.registers = named(place);
  }
  for (std::size_t i = 0; i < ring.stages.size(); ++i) {
    const Rect place = box(before + i);
    pen.text(area.x, place.center().y, fmt::format("stage {}", i), dim);
    draw_stage(pen, place, moment, i);
    picture.stages.push_back(named(place));
  }
  return picture;
}

}  // namespace tilescope
