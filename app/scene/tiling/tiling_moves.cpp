#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scene/banks/shared_layout.h"
#include "scene/prepared.h"
#include "scene/tiling/element_frame.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostAccesses = 96;  // of the selected warp, the latest
constexpr std::uint64_t kMostSharedWords = 1u << 14;

// One of the boxes side by side: a part of a matrix, or an array in shared memory.
struct Part {
  const TiledMatrix* matrix = nullptr;
  const SharedRegion* shared = nullptr;
  ElementBox box;
  bool written = false;
};

std::vector<Part> parts_of(const TilingModel& model, const PreparedStudy& prepared) {
  std::vector<Part> parts;
  for (const TiledMatrix& matrix : model.matrices) {
    if (!matrix.read.empty() && matrix.written.empty())
      parts.push_back({&matrix, nullptr, matrix.read, false});
  }
  if (parts.size() > 2) parts.resize(2);
  if (prepared.shared && prepared.shared->regions.size() == 1) {
    const SharedRegion& region = prepared.shared->regions.front();
    if (region.words <= kMostSharedWords && region.pitch_known) {
      parts.push_back({nullptr, &region, {0, 0, region.rows(), region.pitch_words}, false});
    }
  }
  for (const TiledMatrix& matrix : model.matrices) {
    if (!matrix.written.empty() && parts.size() < 4)
      parts.push_back({&matrix, nullptr, matrix.written, true});
  }
  return parts;
}

// Where in the part a lane's access lies; none outside it.
std::optional<ElementBox> touched(const Part& part, const WarpAccess& access, std::size_t lane) {
  const std::uint64_t address = access.address[lane];
  if (part.shared != nullptr) {
    const std::uint64_t word = address / 4;
    if (access.space != MemorySpace::kShared || !part.shared->contains(word)) return std::nullopt;
    const std::uint64_t inside = word - part.shared->first_word;
    return ElementBox{inside / part.shared->pitch_words, inside % part.shared->pitch_words, 1,
                      std::max<std::uint64_t>(1, access.bytes_per_lane / 4u)};
  }
  const auto at = part.matrix->view.place(address);
  if (access.space != MemorySpace::kGlobal || !at || !part.box.contains(at->row, at->col))
    return std::nullopt;
  return ElementBox{
      at->row, at->col, 1,
      std::max<std::uint64_t>(1, access.bytes_per_lane / size_of(part.matrix->view.type))};
}

// What the selected warp touched of this part so far, access by access, in its lanes' colours.
void draw_touches(Pen& pen, const ElementFrame& frame, const Part& part, const ViewContext& context,
                  const TilingMoment& moment) {
  const auto& warps = context.prepared->warps;
  if (moment.warp >= warps.size()) return;
  const bool shared = part.shared != nullptr;
  const std::vector<std::uint32_t>& events =
      shared ? warps[moment.warp].shared : warps[moment.warp].global;
  const auto end = std::upper_bound(events.begin(), events.end(), moment.event);
  const auto count = std::min<std::ptrdiff_t>(end - events.begin(), kMostAccesses);
  for (auto it = end - count; it != end; ++it) {
    const std::uint32_t index = context.study->trace->events[*it].access;
    WarpAccess access = context.study->trace->access(index);
    if (shared && access.space != MemorySpace::kShared)
      access = context.study->trace->access(index + 1);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1U) == 0) continue;
      const auto box = touched(part, access, lane);
      if (!box) continue;
      Rect rect = frame.place(*box);
      rect.w = std::min(rect.w, frame.box.right() - rect.x);
      if (rect.w > 4 && rect.h > 4) rect = rect.inset(0.5f);
      const bool selected = static_cast<int>(lane) == moment.lane;
      pen.canvas.fill_rect(
          rect, selected ? Paint(ColourRole::kSelection) : Paint::lane(static_cast<int>(lane)));
    }
  }
}

std::string title_of(const Part& part) {
  if (part.shared != nullptr) {
    return part.shared->declaration.empty() ? part.shared->name : part.shared->declaration;
  }
  return fmt::format("{} {} × {}", part.matrix->view.name, part.box.rows, part.box.cols);
}

void draw_arrow(Pen& pen, Point from, float length, bool down) {
  const float head = pen.px(4);
  const Point tip = down ? Point{from.x, from.y + length} : Point{from.x + length, from.y};
  pen.canvas.line(from, tip, ColourRole::kDim, 1.5f);
  const std::array<Point, 3> arrow = {
      Point{tip.x - head, tip.y - head}, tip,
      down ? Point{tip.x + head, tip.y - head} : Point{tip.x - head, tip.y + head}};
  pen.canvas.polyline(arrow, ColourRole::kDim, 1.5f);
}

void draw_part(Pen& pen, const ElementFrame& frame, const Part& part, float title_room,
               const ViewContext& context, const TilingMoment& moment) {
  const ColourRole colour = part.shared != nullptr ? ColourRole::kSecond : part.matrix->view.colour;
  pen.canvas.fill_rect(frame.box, Paint(colour, 0.14f));
  if (part.shared != nullptr && part.shared->used_words < part.shared->pitch_words) {
    const Rect pad = frame.place({0, part.shared->used_words, part.box.rows,
                                  part.shared->pitch_words - part.shared->used_words});
    pen.canvas.hatch_rect(pad, ColourRole::kDim, 4);
  }
  draw_touches(pen, frame, part, context, moment);
  pen.outline(frame.box, Paint(colour, 0.9f), 1.5f);
  const TextStyle style = pen.style(12, colour, Weight::kSemibold);
  pen.text(frame.box.x, frame.box.y - pen.px(10), pen.fitted(title_of(part), style, title_room),
           style);
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  const char* words = part.shared != nullptr ? "shared memory" : part.written ? "stored" : "read";
  pen.text_if_fits(frame.box.x, frame.box.bottom() + pen.px(11), words, dim, title_room);
  pen.hit(
      frame.box, HitKind::kNone, 0,
      part.shared != nullptr
          ? fmt::format("{} in shared memory; bright: what warp {} has touched so far.",
                        title_of(part), moment.warp)
          : fmt::format("The block {} this part of {}; bright: what warp {} has touched so far.",
                        part.written ? "stores" : "reads", part.matrix->view.name, moment.warp));
}

}  // namespace

BlockPicture draw_moves(Pen& pen, const Rect& area, const ViewContext& context,
                        const TilingMoment& moment) {
  const TilingModel& model = *moment.model;
  const std::vector<Part> parts = parts_of(model, *context.prepared);
  BlockPicture picture;
  if (parts.empty()) return picture;
  const float label = pen.px(20);
  const float gap = pen.px(30);
  // Three in a row, or in a high panel round a corner: in, to its right shared memory, below it
  // out.
  const bool corner = parts.size() == 3 && area.h > area.w * 0.62f;
  const float count = corner ? 2 : static_cast<float>(parts.size());
  const float w = (area.w - gap * (count - 1)) / count;
  const float h = corner ? (area.h - gap) / 2 - 2 * label : area.h - 2 * label;
  float cell = w;  // one size for all, so that a row here is as long as a column there
  for (const Part& part : parts) {
    cell = std::min(
        {cell, w / static_cast<float>(part.box.cols), h / static_cast<float>(part.box.rows)});
  }
  const bool folded = std::any_of(parts.begin(), parts.end(), [](const Part& part) {
    return part.matrix != nullptr && part.matrix->view.folded;
  });
  float first_height = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const auto cols = static_cast<float>(part.box.cols);
    const auto rows = static_cast<float>(part.box.rows);
    if (folded) cell = std::min(w / cols, h / rows);  // folded rows compare to nothing
    const bool turned = corner && i == 2;
    const float x = corner ? area.x + (i == 0 ? 0.0f : std::min(w, h) + gap)
                           : area.x + (w + gap) * static_cast<float>(i);
    const float y = area.y + label + (turned ? h + 2 * label + gap : 0.0f);
    const Rect box{x, y, std::clamp(cell * cols, std::min(w, pen.px(24)), w),
                   std::clamp(cell * rows, std::min(h, pen.px(24)), h)};
    const ElementFrame frame{box, part.box};
    draw_part(pen, frame, part, w, context, moment);
    if (turned) {
      draw_arrow(pen, {box.x + box.w / 2, box.y - label - gap + pen.px(2)}, gap - pen.px(6), true);
    } else if (i > 0 && (part.shared != nullptr || part.written)) {  // none between two inputs
      draw_arrow(pen, {box.x - gap + pen.px(6), area.y + label + std::min(box.h, first_height) / 2},
                 gap - pen.px(12), false);
    }
    if (i == 0) picture.from_grid = box;
    if (i == 0) first_height = box.h;
    const bool output =
        part.written && model.output && &model.matrices[*model.output] == part.matrix;
    if (output && !moment.lane_rects.empty())
      picture.thread = frame.place(moment.lane_rects[0].box);
  }
  return picture;
}

}  // namespace tilescope
