#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/quantity.h"
#include "scene/banks/banks_scene.h"
#include "scene/banks/what_if.h"

namespace tilescope {
namespace {

// The kernel's own padding parameter, if it has one.
const std::string* pad_parameter(const KernelStudy& study) {
  for (const auto& [name, value] : study.instance.parameters) {
    if (name == "PAD" || name.ends_with("_PAD")) return &name;
  }
  return nullptr;
}
const std::string* swizzle_parameter(const KernelStudy& study) {
  for (const auto& [name, value] : study.instance.parameters) {
    if (name == "SWIZZLE" || name == "XOR") return &name;
  }
  return nullptr;
}

Paint tone_of(int wavefronts, int ideal) {
  if (wavefronts <= ideal) return ColourRole::kIdeal;
  return wavefronts <= 4 * ideal ? ColourRole::kSecond : ColourRole::kExcess;
}

struct Chip {
  Rect box;
  LayoutAlternative layout;
  const std::string* parameter = nullptr;  // that a click sets
  bool first = false;
  bool with_unit = false;  // all of them, or none
};

Hit hit_of(const Chip& chip) {
  const LayoutAlternative& layout = chip.layout;
  Hit hit;
  const std::string how = layout.xor_swizzle ? std::string("columns xor rows")
                                             : fmt::format("rows padded by {} words", layout.pad);
  hit.tooltip = layout.wavefronts
                    ? fmt::format("With {} {} {}.", how,
                                  layout.line == 0 ? std::string("the same elements take")
                                                   : fmt::format("line {} takes", layout.line),
                                  counted(*layout.wavefronts, "wavefront"))
                    : fmt::format("With {} {} would not be aligned to its width.", how,
                                  layout.line == 0 ? std::string("this access")
                                                   : fmt::format("line {}", layout.line));
  if (chip.parameter == nullptr) {
    hit.tooltip += " This kernel has no parameter for it.";
    return hit;
  }
  hit.kind = HitKind::kParameter;
  hit.name = *chip.parameter;
  hit.value = layout.xor_swizzle ? 1 : layout.pad;
  hit.tooltip += fmt::format(" Click to set {}.", hit.name);
  return hit;
}

constexpr float kBar = 6;

TextStyle count_style(Paint tone, const Pen& pen) { return pen.style(11, tone, Weight::kMedium); }

// Whether every count has room for its unit: a strip is not to mix "2" with "1 wavefront".
bool has_room_for_units(const Pen& pen, const std::vector<LayoutAlternative>& layouts,
                        float width) {
  return std::ranges::all_of(layouts, [&](const LayoutAlternative& layout) {
    return !layout.wavefronts ||
           pen.width(counted(*layout.wavefronts, "wavefront"),
                     count_style(ColourRole::kText, pen)) <= width - pen.px(18 + kBar + 3);
  });
}

void draw_chip(Pen& pen, const Chip& chip, int most) {
  const LayoutAlternative& layout = chip.layout;
  pen.canvas.fill_rect(chip.box, layout.current ? ColourRole::kHover : ColourRole::kRaised, 6);
  const Paint tone =
      layout.wavefronts ? tone_of(*layout.wavefronts, layout.ideal) : Paint(ColourRole::kDim);
  if (layout.current) pen.outline(chip.box, tone, 1.5f, 6);
  const float x = chip.box.x + pen.px(9);
  const float bar_width = pen.px(kBar);
  const float room = chip.box.w - pen.px(18);
  const TextStyle strong = pen.style(13, ColourRole::kStrong, Weight::kSemibold);
  const std::string whole = fmt::format("PAD {}", layout.pad);
  const bool named = chip.first || pen.width(whole, strong) <= room - bar_width;
  const std::string name = layout.xor_swizzle ? std::string("XOR")
                           : named            ? whole
                                              : std::to_string(layout.pad);
  pen.text(x, chip.box.y + pen.px(13), pen.fitted(name, strong, room), strong);
  const float y = chip.box.y + pen.px(31);
  if (!layout.wavefronts) {
    pen.first_that_fits(x, y, {"not aligned", "–"}, pen.style(11, ColourRole::kDim), room);
  } else {
    const int count = *layout.wavefronts;
    pen.text(x, y, chip.with_unit ? counted(count, "wavefront") : std::to_string(count),
             count_style(tone, pen));
    const float share = static_cast<float>(count) / static_cast<float>(std::max(most, 1));
    const float height = std::max((chip.box.h - pen.px(14)) * share, 2.0f);
    pen.canvas.fill_rect({chip.box.right() - bar_width - pen.px(7),
                          chip.box.bottom() - pen.px(7) - height, bar_width, height},
                         tone, 1.5f);
  }
  pen.canvas.hit(chip.box, hit_of(chip));
}

SharedCost cost_of(const SharedRequest& request) {
  return {request.access, request.cost, request.copy, request.lanes_meet};
}

std::string why_no_layouts(const SharedRequest& request) {
  if (request.region == nullptr || !request.region->pitch_known || request.region->rows() > 1) {
    return "The rows of this array are not known, so no other layout can be tried.";
  }
  const std::string why = "The array has one row, so there are no rows to pad.";
  const auto skewed = skewed_wavefronts(cost_of(request), *request.region);
  if (!skewed) return why;
  return fmt::format("{} With element i at i + i / 32 the same access takes {}.", why,
                     counted(*skewed, "wavefront"));
}

std::string caption_of(const SharedRequest& request, const std::vector<LayoutAlternative>& layouts,
                       std::string_view hint) {
  const bool same = std::ranges::all_of(layouts, [&](const LayoutAlternative& layout) {
    return layout.wavefronts.value_or(request.cost.wavefronts) == request.cost.wavefronts;
  });
  if (request.copy && same && request.cost.wavefronts == 0) {
    return "a copy past the L1 makes no wavefront in any layout";
  }
  if (request.copy && same && request.cost.conflicts() > 0) {
    return "the lines that the copy reads set its wavefronts, not the layout";
  }
  return fmt::format("wavefronts of the array's worst access in another layout{}", hint);
}

}  // namespace

std::vector<LayoutAlternative> layouts_of(const ViewContext& context,
                                          const SharedRequest& request) {
  if (request.region == nullptr) return {};
  const SharedRegion& region = *request.region;
  int pad_now =
      static_cast<int>(region.pitch_words - std::min(region.used_words, region.pitch_words));
  if (const std::string* pad = pad_parameter(*context.study)) {
    pad_now = static_cast<int>(context.study->instance.parameters.at(*pad));
  }
  std::vector<LayoutAlternative> layouts = layout_alternatives(cost_of(request), region, pad_now);
  const SharedLayout& shared = *context.prepared->shared;
  for (const std::uint32_t event : shared.accesses) {
    const SharedCost other = shared_cost(*context.study, event);
    if (other.access.active == 0) continue;
    const auto lane = static_cast<std::size_t>(std::countr_zero(other.access.active));
    const SharedRegion* theirs = shared.region_at(other.access.address[lane]);
    if (theirs == nullptr || theirs->name != region.name) continue;
    const std::uint32_t instruction = context.study->trace->events[event].instruction;
    keep_worse(layout_alternatives(other, *theirs, pad_now),
               context.study->program->instructions()[instruction].outermost.line, layouts);
  }
  return layouts;
}

void draw_what_if(Pen& pen, const Rect& area, const ViewContext& context,
                  const SharedRequest& request) {
  const std::string* pad = pad_parameter(*context.study);
  const std::string* swizzle = swizzle_parameter(*context.study);
  const std::vector<LayoutAlternative> layouts = layouts_of(context, request);
  const std::string_view hint = pad != nullptr ? pen.hint("; click to set") : std::string_view();
  const Point mark{area.right() - pen.px(5), area.y + pen.px(4)};
  pen.source_mark(mark, Source::kModelled, ColourRole::kDim);
  pen.hit(
      {mark.x - pen.px(8), mark.y - pen.px(8), pen.px(13), pen.px(16)}, HitKind::kNone, 0,
      "Modelled: the same lanes' elements in another layout, their wavefronts counted anew. The "
      "chosen layout's are those of the emulated access.");
  pen.heading(area.x, mark.y, "WHAT IF", caption_of(request, layouts, hint),
              area.right() - pen.px(16));
  const float top = area.y + pen.px(16);
  if (layouts.empty()) {
    const TextStyle dim = pen.style(12, ColourRole::kDim);
    const std::string why = why_no_layouts(request);
    pen.text(area.x, top + pen.px(16), pen.fitted(why, dim, area.w), dim);
    return;
  }
  int most = 1;
  for (const LayoutAlternative& layout : layouts)
    most = std::max(most, layout.wavefronts.value_or(0));
  const float gap = pen.px(8);
  const auto count = static_cast<float>(layouts.size());
  const float width = (area.w - gap * (count - 1)) / count;
  const float height = std::min(area.bottom() - top, pen.px(44));
  const bool with_unit = has_room_for_units(pen, layouts, width);
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    Chip chip;
    chip.box = {area.x + (width + gap) * static_cast<float>(i), top, width, height};
    chip.layout = layouts[i];
    chip.parameter = layouts[i].xor_swizzle ? swizzle : pad;
    chip.first = i == 0;
    chip.with_unit = with_unit;
    draw_chip(pen, chip, most);
  }
}

}  // namespace tilescope
