#include "scene/banks/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <utility>

#include "core/quantity.h"
#include "scene/banks/banks_scene.h"

namespace tilescope {
namespace {

constexpr int kMostPad = 8;

struct LogicalPlace {
  std::uint64_t row = 0;
  std::uint64_t col = 0;  // words
};

WarpAccess moved(const WarpAccess& access, const std::array<LogicalPlace, kWarpSize>& places,
                 const std::function<std::uint64_t(LogicalPlace)>& word_of) {
  WarpAccess result = access;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1U) != 0) result.address[lane] = word_of(places[lane]) * 4;
  }
  return result;
}

}  // namespace

std::vector<LayoutAlternative> layout_alternatives(const SharedCost& shared,
                                                   const SharedRegion& region, int pad_now) {
  const WarpAccess& access = shared.access;
  if (!region.pitch_known || region.pitch_words <= static_cast<std::uint64_t>(pad_now)) return {};
  if (access.bytes_per_lane < 4 || region.rows() < 2 || region.moved_in_rows) return {};
  const std::uint64_t width = region.pitch_words - static_cast<std::uint64_t>(pad_now);
  std::array<LogicalPlace, kWarpSize> places{};
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1U) == 0) continue;
    const std::uint64_t word = access.address[lane] / 4;
    if (!region.contains(word)) return {};
    const std::uint64_t inside = word - region.first_word;
    places[lane] = {inside / region.pitch_words, inside % region.pitch_words};
  }
  const std::uint64_t vector_words = access.bytes_per_lane / 4u;
  const auto cost = [&](LayoutAlternative& alternative,
                        const std::function<std::uint64_t(LogicalPlace)>& word_of) {
    const WavefrontCost there = shared.cost_at(moved(access, places, word_of));
    alternative.count = LayoutAlternative::Count::kKnown;
    alternative.wavefronts = there.wavefronts;
    alternative.ideal = there.ideal_wavefronts;
  };
  std::vector<LayoutAlternative> alternatives;
  for (int pad = 0; pad <= kMostPad; ++pad) {
    LayoutAlternative alternative;
    alternative.name = fmt::format("PAD {}", pad);
    alternative.pad = pad;
    alternative.count = LayoutAlternative::Count::kNotAligned;
    const std::uint64_t pitch = width + static_cast<std::uint64_t>(pad);
    if (pitch % vector_words == 0) {
      cost(alternative, [&](LogicalPlace at) { return at.row * pitch + at.col; });
    }
    alternatives.push_back(std::move(alternative));
  }
  LayoutAlternative swizzle;
  swizzle.name = "XOR";
  swizzle.swizzled = true;
  swizzle.count = LayoutAlternative::Count::kNotAligned;
  const std::uint64_t columns = width / vector_words;
  if (width % vector_words == 0 && std::has_single_bit(columns)) {
    cost(swizzle, [&](LogicalPlace at) {
      const std::uint64_t column = at.col / vector_words;
      const std::uint64_t twisted = column ^ (at.row % columns);
      return at.row * width + twisted * vector_words + at.col % vector_words;
    });
  }
  alternatives.push_back(std::move(swizzle));
  return alternatives;
}

std::vector<LayoutAlternative> swizzle_alternatives(const SharedCost& shared,
                                                    const SharedRegion& region) {
  constexpr std::uint64_t kWidest = 128;  // bytes
  const WarpAccess& access = shared.access;
  const std::uint64_t row = region.pitch_words * 4;
  const bool fits = region.pitch_known && region.rows() > 1 && row <= kWidest &&
                    std::has_single_bit(row) && row >= 32 &&
                    (!region.moved_in_rows || region.swizzle_bytes != 0);
  if (!region.by_tensor_copies || !fits) return {};
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1U) != 0 && !region.contains(access.address[lane] / 4)) return {};
  }
  std::vector<LayoutAlternative> alternatives;
  for (const unsigned bytes : {0u, 32u, 64u, 128u}) {
    if (bytes != 0 && bytes < row) continue;
    WarpAccess there = access;
    for (std::uint64_t& address : there.address)
      address = swizzled_byte(swizzled_byte(address, region.swizzle_bytes), bytes);
    const WavefrontCost cost = shared.cost_at(there);
    LayoutAlternative alternative;
    alternative.name = bytes == 0 ? "no swizzle" : fmt::format("{} B", bytes);
    alternative.swizzle_bytes = bytes;
    alternative.swizzled = bytes != 0;
    alternative.current = bytes == region.swizzle_bytes;
    alternative.wavefronts = cost.wavefronts;
    alternative.ideal = cost.ideal_wavefronts;
    alternatives.push_back(std::move(alternative));
  }
  return alternatives;
}

void note_worst(const std::vector<LayoutAlternative>& other, std::uint32_t line,
                std::vector<LayoutAlternative>& alternatives) {
  constexpr auto kKnown = LayoutAlternative::Count::kKnown;
  for (std::size_t i = 0; i < other.size() && i < alternatives.size(); ++i) {
    LayoutAlternative& noted = alternatives[i];
    if (noted.count != kKnown || other[i].count != kKnown) continue;
    const int conflicts = other[i].wavefronts - other[i].ideal;
    const int before =
        noted.worst ? noted.worst->wavefronts - noted.worst->ideal : noted.wavefronts - noted.ideal;
    if (conflicts > before) {
      noted.worst = LayoutAlternative::Worst{other[i].wavefronts, other[i].ideal, line};
    }
  }
}

std::optional<int> skewed_wavefronts(const SharedCost& shared, const SharedRegion& region) {
  const WarpAccess& access = shared.access;
  if (!region.pitch_known || region.rows() != 1 || access.bytes_per_lane != 4) return std::nullopt;
  WarpAccess skewed = access;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1U) == 0) continue;
    const std::uint64_t word = access.address[lane] / 4;
    if (!region.contains(word)) return std::nullopt;
    const std::uint64_t inside = word - region.first_word;
    skewed.address[lane] = (inside + inside / kBankCount) * 4;
  }
  return shared.cost_at(skewed).wavefronts;
}

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
  if (layout.swizzle_bytes == 0u) return "a tensor map without a swizzle";
  if (layout.swizzle_bytes) return fmt::format("a {}-byte swizzle", *layout.swizzle_bytes);
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
      return "the compiler generates different accesses for this line";
  }
  return "";
}

// "Click to set PAD 8 and SWIZZLE 0."
std::string click_words(const LayoutAlternative& layout) {
  if (layout.current) return " This is the current layout.";
  if (layout.swizzle_bytes)
    return " The host sets it when it encodes the tensor map (cuTensorMapEncodeTiled), and the "
           "kernel reads its chunks accordingly.";
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
    hit.kind = HitKind::kParameters;
    hit.parameters = layout.sets;
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
    return "a copy that bypasses L1 needs no wavefront in any layout";
  }
  if (request.copy && same && request.cost.conflicts() > 0) {
    return "the source lines determine the wavefronts of this copy, not the layout";
  }
  const bool emulated = strip.source == Source::kEmulated;
  const bool swizzles = strip.layouts.front().swizzle_bytes.has_value();
  std::string words = swizzles ? "wavefronts of this access with another swizzle of the tensor map"
                               : "wavefronts of this access in another layout";
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
              ? "Emulated: the kernel, compiled and traced with each value of its own parameter."
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

namespace {

using Count = LayoutAlternative::Count;

SharedCost cost_of(const SharedRequest& request) {
  return {request.access, request.cost, request.copy, request.lanes_meet};
}

const ParameterSpec* spec_of(const CatalogueEntry* entry, const std::string* name) {
  if (entry == nullptr || name == nullptr) return nullptr;
  const auto spec = std::ranges::find(entry->parameters, *name, &ParameterSpec::name);
  return spec == entry->parameters.end() ? nullptr : &*spec;
}

// One of the kernel's builds, as a chip; the present one counts what is shown.
LayoutAlternative alternative_of(const LayoutVariant& variant, const ParameterSet& now,
                                 const AccessPlace& place, const SharedRequest& request) {
  LayoutAlternative layout;
  layout.source = Source::kEmulated;
  layout.name = variant.swizzled                ? std::string("XOR")
                : pad_parameter(now) != nullptr ? fmt::format("PAD {}", variant.pad)
                                                : std::string("plain");
  layout.swizzled = variant.swizzled;
  layout.pad = variant.pad;
  for (const auto& [name, value] : variant.values) {
    if (now.at(name) != value) layout.sets.emplace_back(name, value);
  }
  layout.current = layout.sets.empty();
  layout.count = Count::kElsewhere;
  if (layout.current) {
    layout.count = Count::kKnown;
    layout.wavefronts = request.cost.wavefronts;
    layout.ideal = request.cost.ideal_wavefronts;
  } else if (const auto there = variant.cost_at(place)) {
    layout.count = Count::kKnown;
    layout.wavefronts = there->wavefronts;
    layout.ideal = there->ideal;
  }
  const int conflicts = layout.count == Count::kKnown ? layout.wavefronts - layout.ideal : 0;
  const LayoutVariant::Cost& worst = variant.worst;
  if (worst.conflicts() > conflicts) {
    layout.worst = LayoutAlternative::Worst{worst.wavefronts, worst.ideal, variant.worst_line};
  }
  return layout;
}

// The words of padding that the array's rows have, and how many of its elements are a word.
struct Padding {
  int words = 0;
  std::uint64_t element_bytes = 0;  // 0: not known
};
Padding padding_of(const ViewContext& context, const SharedRegion& region) {
  Padding padding{
      static_cast<int>(region.pitch_words - std::min(region.used_words, region.pitch_words)),
      region.element_bytes};
  const ParameterSet& now = context.study->instance.parameters;
  const std::string* pad = pad_parameter(now);
  if (pad == nullptr || region.element_bytes == 0) return padding;
  const std::int64_t bytes = now.at(*pad) * static_cast<std::int64_t>(region.element_bytes);
  if (bytes >= 0 && bytes % 4 == 0) padding.words = static_cast<int>(bytes / 4);
  return padding;
}

// A text of the user's may have a parameter that is not emulated ahead: a click sets it.
void offer_parameter(const ViewContext& context, const Padding& padding, LayoutStrip& strip) {
  const ParameterSet& now = context.study->instance.parameters;
  const std::string* pad = pad_parameter(now);
  const std::string* swizzle = swizzle_parameter(now);
  for (LayoutAlternative& layout : strip.layouts) {
    if (layout.swizzle_bytes) continue;
    if (layout.swizzled) {
      if (swizzle != nullptr && now.at(*swizzle) != 1) layout.sets.emplace_back(*swizzle, 1);
      continue;
    }
    const std::int64_t bytes = layout.pad * 4;
    if (pad == nullptr || padding.element_bytes == 0) continue;
    const auto element = static_cast<std::int64_t>(padding.element_bytes);
    if (bytes % element != 0) continue;
    const std::int64_t value = bytes / element;
    layout.current = now.at(*pad) == value;
    const ParameterSpec* spec = spec_of(context.entry, pad);
    const bool legal =
        spec == nullptr || std::ranges::find(spec->values, value) != spec->values.end();
    if (!layout.current && legal) layout.sets.emplace_back(*pad, value);
  }
}

std::string why_no_layouts(const SharedRequest& request) {
  if (request.copy && request.cost.wavefronts == 0) {
    return "A copy that bypasses L1 needs no wavefront in any layout.";
  }
  const bool known = request.region != nullptr && request.region->pitch_known;
  const bool fast = request.cost.wavefronts <= request.cost.ideal_wavefronts;
  if (fast && (!known || request.region->rows() == 1)) {
    return "This access takes no more wavefronts than it must: no other layout is faster.";
  }
  if (!known) {
    return "The rows of this array are not known, so no other layout can be tried.";
  }
  if (request.region->by_tensor_copies && request.region->rows() > 1) {
    return "Tensor copies fill these rows without gaps, and swizzle only rows of up to 128 B.";
  }
  if (request.region->swizzle_bytes != 0) {
    return fmt::format(
        "Its rows are in the {}-byte swizzle, and no tensor copy fills them: other layouts are not "
        "tried.",
        request.region->swizzle_bytes);
  }
  if (request.region->moved_in_rows) {
    return "Its rows are already permuted in an unknown way, so no other layout can be tried.";
  }
  if (request.region->rows() > 1) {
    return "This access does not fit the array's rows, so no other layout can be tried.";
  }
  const std::string why = "This array has no rows to pad.";
  const auto skewed = skewed_wavefronts(cost_of(request), *request.region);
  if (!skewed) return why;
  return fmt::format("{} If element i were stored at i + i / 32, this access would need {}.", why,
                     counted(*skewed, "wavefront"));
}

// The same lanes' elements at other addresses; precondition: request.region.
std::vector<LayoutAlternative> modelled_layouts(const ViewContext& context,
                                                const SharedRequest& request,
                                                const Padding& padding) {
  const SharedRegion& region = *request.region;
  std::vector<LayoutAlternative> layouts = swizzle_alternatives(cost_of(request), region);
  const bool swizzles = !layouts.empty();
  if (region.by_tensor_copies && !swizzles) return layouts;  // they leave no room for padding
  if (!swizzles) layouts = layout_alternatives(cost_of(request), region, padding.words);
  const SharedLayout& shared = *context.prepared->shared;
  for (const std::uint32_t event : shared.accesses) {
    const SharedCost other = shared_cost(*context.study, event);
    if (other.access.active == 0) continue;
    const auto lane = static_cast<std::size_t>(std::countr_zero(other.access.active));
    const SharedRegion* theirs = shared.region_at(other.access.address[lane]);
    if (theirs == nullptr || theirs->name != region.name) continue;
    const std::uint32_t instruction = context.study->trace->events[event].instruction;
    note_worst(swizzles ? swizzle_alternatives(other, *theirs)
                        : layout_alternatives(other, *theirs, padding.words),
               context.study->program->instructions()[instruction].outermost.line, layouts);
  }
  return layouts;
}

LayoutStrip modelled(const ViewContext& context, const SharedRequest& request) {
  LayoutStrip strip;
  const ParameterSet& now = context.study->instance.parameters;
  const std::string* swizzle = swizzle_parameter(now);
  if (swizzle != nullptr && now.at(*swizzle) != 0) {
    strip.why_none =
        fmt::format("{} already permutes its rows: set it to 0 to try other layouts.", *swizzle);
    return strip;
  }
  if (request.region != nullptr) {
    const Padding padding = padding_of(context, *request.region);
    strip.layouts = modelled_layouts(context, request, padding);
    offer_parameter(context, padding, strip);
  }
  if (strip.layouts.empty()) strip.why_none = why_no_layouts(request);
  return strip;
}

// Of the kernel's own parameter, one for each of its legal values.
LayoutStrip emulated(const ViewContext& context, const SharedRequest& request) {
  const KernelStudy& study = *context.study;
  const ParameterSet& now = study.instance.parameters;
  const std::string* pad = pad_parameter(now);
  LayoutStrip strip;
  strip.source = Source::kEmulated;
  if (const ParameterSpec* spec = spec_of(context.entry, pad)) strip.pad_unit = spec->unit;
  if (context.layouts == nullptr || !context.layouts->belong_to(study)) {
    strip.why_none = fmt::format("Other values of {} are still being counted.",
                                 pad != nullptr ? *pad : *swizzle_parameter(now));
    return strip;
  }
  const AccessPlace place =
      place_of_access(study, request.event, context.prepared->warps[request.warp].shared);
  for (const LayoutVariant& variant : context.layouts->layouts) {
    strip.layouts.push_back(alternative_of(variant, now, place, request));
  }
  if (swizzle_parameter(now) == nullptr && request.region != nullptr) {
    const Padding padding = padding_of(context, *request.region);
    for (LayoutAlternative& layout : modelled_layouts(context, request, padding)) {
      if (layout.swizzled) strip.layouts.push_back(std::move(layout));
    }
  }
  return strip;
}

}  // namespace

LayoutStrip layouts_of(const ViewContext& context, const SharedRequest& request) {
  const bool own = context.entry != nullptr && has_layout_variants(*context.entry, *context.study);
  return own ? emulated(context, request) : modelled(context, request);
}

}  // namespace tilescope
