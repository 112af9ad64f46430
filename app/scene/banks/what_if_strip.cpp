#include <fmt/format.h>

#include <algorithm>

#include "core/quantity.h"
#include "scene/banks/banks_scene.h"
#include "scene/banks/what_if.h"

namespace tilescope {
namespace {

using Count = LayoutAlternative::Count;

Paint tone_of(int wavefronts, int ideal) {
  if (wavefronts <= ideal) return ColourRole::kIdeal;
  return wavefronts <= 4 * ideal ? ColourRole::kSecond : ColourRole::kExcess;
}

struct Chip {
  Rect box;
  LayoutAlternative layout;
  bool first = false;
  bool with_unit = false;  // all of them, or none
};

std::string layout_words(const LayoutStrip& strip, const LayoutAlternative& layout) {
  if (layout.swizzled) return "columns xor rows";
  if (layout.pad == 0) return "rows without padding";
  std::string unit = strip.pad_unit;  // "floats"
  if (layout.pad == 1 && unit.ends_with('s')) unit.pop_back();
  return fmt::format("rows padded by {} {}", layout.pad, unit);
}

std::string count_words(const LayoutAlternative& layout) {
  switch (layout.count) {
    case Count::kKnown:
      return "this access takes " + counted(layout.wavefronts, "wavefront");
    case Count::kNotAligned:
      return "this access would not be aligned to its width";
    case Count::kElsewhere:
      return "the compiler makes other accesses of this line";
  }
  return "";
}

// "Click to set PAD 8 and SWIZZLE 0."
std::string click_words(const LayoutAlternative& layout) {
  if (layout.current) return " It is what runs.";
  if (layout.sets.empty()) return " No parameter of this kernel sets it.";
  std::string words;
  for (const auto& [name, value] : layout.sets) {
    words += fmt::format("{}{} {}", words.empty() ? " Click to set " : " and ", name, value);
  }
  return words + ".";
}

Hit hit_of(const LayoutStrip& strip, const LayoutAlternative& layout) {
  Hit hit;
  hit.tooltip = fmt::format("With {} {}", layout_words(strip, layout), count_words(layout));
  if (layout.worst) {
    hit.tooltip += fmt::format(", the worst one {} instead of {} (line {})",
                               layout.worst->wavefronts, layout.worst->ideal, layout.worst->line);
  }
  hit.tooltip += '.' + click_words(layout);
  if (layout.source != strip.source) hit.tooltip += " Modelled from the addresses alone.";
  if (layout.sets.size() == 1) {
    hit.kind = HitKind::kParameter;
    hit.name = layout.sets.front().first;
    hit.value = layout.sets.front().second;
  } else if (!layout.sets.empty()) {
    hit.kind = HitKind::kAction;
    hit.name = "set:";
    for (const auto& [name, value] : layout.sets) hit.name += fmt::format("{}={},", name, value);
    hit.name.pop_back();
  }
  return hit;
}

constexpr float kBar = 6;

TextStyle count_style(Paint tone, const Pen& pen) { return pen.style(11, tone, Weight::kMedium); }

// Whether every count has room for its unit: a strip is not to mix "2" with "1 wavefront".
bool has_room_for_units(const Pen& pen, const std::vector<LayoutAlternative>& layouts,
                        float width) {
  return std::ranges::all_of(layouts, [&](const LayoutAlternative& layout) {
    return layout.count != Count::kKnown ||
           pen.width(counted(layout.wavefronts, "wavefront"),
                     count_style(ColourRole::kText, pen)) <= width - pen.px(18 + kBar + 3);
  });
}

// Filled: this access. Around it, empty: the worst one.
void draw_bar(Pen& pen, const Chip& chip, int most) {
  const LayoutAlternative& layout = chip.layout;
  const float bar_width = pen.px(kBar);
  const auto bar = [&](int wavefronts) {
    const float share = static_cast<float>(wavefronts) / static_cast<float>(std::max(most, 1));
    const float height = std::max((chip.box.h - pen.px(14)) * share, 2.0f);
    return Rect{chip.box.right() - bar_width - pen.px(7), chip.box.bottom() - pen.px(7) - height,
                bar_width, height};
  };
  if (layout.worst && layout.worst->wavefronts > layout.wavefronts) {
    pen.canvas.stroke_rect(bar(layout.worst->wavefronts),
                           tone_of(layout.worst->wavefronts, layout.worst->ideal), 1, 1.5f);
  }
  if (layout.count == Count::kKnown) {
    pen.canvas.fill_rect(bar(layout.wavefronts), tone_of(layout.wavefronts, layout.ideal), 1.5f);
  }
}

void draw_chip(Pen& pen, const LayoutStrip& strip, const Chip& chip, int most) {
  const LayoutAlternative& layout = chip.layout;
  const bool known = layout.count == Count::kKnown;
  pen.canvas.fill_rect(chip.box, layout.current ? ColourRole::kHover : ColourRole::kRaised, 6);
  const Paint tone = known ? tone_of(layout.wavefronts, layout.ideal) : Paint(ColourRole::kDim);
  if (layout.current) pen.outline(chip.box, tone, 1.5f, 6);
  const float x = chip.box.x + pen.px(9);
  const float room = chip.box.w - pen.px(18);
  const TextStyle strong = pen.style(13, ColourRole::kStrong, Weight::kSemibold);
  const bool named =
      chip.first || layout.swizzled || pen.width(layout.name, strong) <= room - pen.px(kBar);
  const bool marked = layout.source != strip.source && room >= pen.px(32);
  const std::string name = pen.fitted(named ? layout.name : std::to_string(layout.pad), strong,
                                      room - (marked ? pen.px(8) : 0));
  pen.text(x, chip.box.y + pen.px(13), name, strong);
  if (marked) {
    pen.source_mark({x + pen.width(name, strong) + pen.px(9), chip.box.y + pen.px(13)},
                    layout.source, ColourRole::kDim);
  }
  const float y = chip.box.y + pen.px(31);
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  if (known) {
    pen.text(x, y,
             chip.with_unit ? counted(layout.wavefronts, "wavefront")
                            : std::to_string(layout.wavefronts),
             count_style(tone, pen));
  } else {
    const bool aligned = layout.count != Count::kNotAligned;
    pen.first_that_fits(x, y, {aligned ? "not there" : "not aligned", "–"}, dim, room);
  }
  draw_bar(pen, chip, most);
  pen.canvas.hit(chip.box, hit_of(strip, layout));
}

std::string caption_of(const Pen& pen, const SharedRequest& request, const LayoutStrip& strip) {
  const auto all = [&](auto&& holds) { return std::ranges::all_of(strip.layouts, holds); };
  const bool same = all([&](const LayoutAlternative& layout) {
    return layout.count != Count::kKnown || layout.wavefronts == request.cost.wavefronts;
  });
  if (request.copy && same && request.cost.wavefronts == 0) {
    return "a copy past the L1 makes no wavefront in any layout";
  }
  if (request.copy && same && request.cost.conflicts() > 0) {
    return "the lines that the copy reads set its wavefronts, not the layout";
  }
  const bool emulated = strip.source == Source::kEmulated;
  std::string words = "wavefronts of this access in another layout";
  if (!all([](const LayoutAlternative& layout) { return !layout.worst; })) {
    words += emulated ? "; outlined: the block's worst" : "; outlined: the array's worst";
  }
  const bool clicks = !all([](const LayoutAlternative& layout) { return layout.sets.empty(); });
  if (clicks) words += pen.hint("; click to set");
  return words;
}

void draw_mark(Pen& pen, Point mark, Source source) {
  pen.source_mark(mark, source, ColourRole::kDim);
  pen.hit({mark.x - pen.px(8), mark.y - pen.px(8), pen.px(13), pen.px(16)}, HitKind::kNone, 0,
          source == Source::kEmulated
              ? "Emulated: the kernel with each value of its own parameter, compiled and traced."
              : "Modelled: the same lanes' elements in another layout, their wavefronts counted "
                "anew.");
}

int most_wavefronts(const LayoutStrip& strip) {
  int most = 1;
  for (const LayoutAlternative& layout : strip.layouts) {
    most = std::max({most, layout.wavefronts, layout.worst ? layout.worst->wavefronts : 0});
  }
  return most;
}

}  // namespace

void draw_what_if(Pen& pen, const Rect& area, const ViewContext& context,
                  const SharedRequest& request) {
  const LayoutStrip strip = layouts_of(context, request);
  const Point mark{area.right() - pen.px(5), area.y + pen.px(4)};
  const bool none = strip.layouts.empty();
  if (!none) draw_mark(pen, mark, strip.source);
  pen.heading(area.x, mark.y, "WHAT IF", none ? "" : caption_of(pen, request, strip),
              area.right() - pen.px(16));
  const float top = area.y + pen.px(16);
  if (none) {
    const TextStyle dim = pen.style(12, ColourRole::kDim);
    pen.text(area.x, top + pen.px(16), pen.fitted(strip.why_none, dim, area.w), dim);
    return;
  }
  // As wide as the ten of a kernel without a parameter at the least, twice that at the most.
  const float gap = pen.px(8);
  const auto count = static_cast<float>(strip.layouts.size());
  const float widest = (area.w - gap * 4) / 5;
  const float width = std::min((area.w - gap * (count - 1)) / count, widest);
  const float height = std::min(area.bottom() - top, pen.px(44));
  const bool with_unit = has_room_for_units(pen, strip.layouts, width);
  const int most = most_wavefronts(strip);
  for (std::size_t i = 0; i < strip.layouts.size(); ++i) {
    Chip chip;
    chip.box = {area.x + (width + gap) * static_cast<float>(i), top, width, height};
    chip.layout = strip.layouts[i];
    chip.first = i == 0;
    chip.with_unit = with_unit;
    draw_chip(pen, strip, chip, most);
  }
}

}  // namespace tilescope
