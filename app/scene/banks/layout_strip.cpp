#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "scene/banks/banks_scene.h"
#include "scene/banks/what_if.h"

namespace tilescope {
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
    return "A copy past the L1 makes no wavefront in any layout.";
  }
  if (request.region == nullptr || !request.region->pitch_known) {
    return "The rows of this array are not known, so no other layout can be tried.";
  }
  if (request.region->moved_in_rows) {
    return "The pieces of its rows are moved already, by what is not known: no other layout can be "
           "tried.";
  }
  if (request.region->rows() > 1) {
    return "This access does not fit the array's rows, so no other layout can be tried.";
  }
  const std::string why = "The array has one row, so there are no rows to pad.";
  const auto skewed = skewed_wavefronts(cost_of(request), *request.region);
  if (!skewed) return why;
  return fmt::format("{} With element i at i + i / 32 the same access takes {}.", why,
                     counted(*skewed, "wavefront"));
}

// The same lanes' elements at other addresses; precondition: request.region.
std::vector<LayoutAlternative> modelled_layouts(const ViewContext& context,
                                                const SharedRequest& request,
                                                const Padding& padding) {
  const SharedRegion& region = *request.region;
  std::vector<LayoutAlternative> layouts =
      layout_alternatives(cost_of(request), region, padding.words);
  const SharedLayout& shared = *context.prepared->shared;
  for (const std::uint32_t event : shared.accesses) {
    const SharedCost other = shared_cost(*context.study, event);
    if (other.access.active == 0) continue;
    const auto lane = static_cast<std::size_t>(std::countr_zero(other.access.active));
    const SharedRegion* theirs = shared.region_at(other.access.address[lane]);
    if (theirs == nullptr || theirs->name != region.name) continue;
    const std::uint32_t instruction = context.study->trace->events[event].instruction;
    note_worst(layout_alternatives(other, *theirs, padding.words),
               context.study->program->instructions()[instruction].outermost.line, layouts);
  }
  return layouts;
}

LayoutStrip modelled(const ViewContext& context, const SharedRequest& request) {
  LayoutStrip strip;
  const ParameterSet& now = context.study->instance.parameters;
  const std::string* swizzle = swizzle_parameter(now);
  if (swizzle != nullptr && now.at(*swizzle) != 0) {
    strip.why_none = fmt::format(
        "{} has moved the pieces of its rows already: set it to 0 to try other layouts.", *swizzle);
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
    strip.why_none = fmt::format("Other values of {} are not counted yet.",
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
