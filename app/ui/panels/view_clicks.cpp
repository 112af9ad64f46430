#include "ui/panels/view_clicks.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "analysis/moment.h"
#include "ui/desk/compare_lookup.h"

namespace tilescope {
namespace {

// "PAD=8,SWIZZLE=0": values that keep the rules only together.
void set_together(Workbench& bench, std::string_view settings) {
  ParameterSet parameters = bench.active().parameters;
  while (!settings.empty()) {
    const std::string_view one = settings.substr(0, settings.find(','));
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) return;
    std::int64_t value = 0;
    std::from_chars(one.data() + equals + 1, one.data() + one.size(), value);
    parameters[std::string(one.substr(0, equals))] = value;
    settings.remove_prefix(std::min(settings.size(), one.size() + 1));
  }
  bench.apply(parameters);
}

void do_action(Desk& desk, const Hit& hit) {
  constexpr std::string_view kSet = "set:";
  if (hit.name.starts_with(kSet)) set_together(desk.bench, hit.name.substr(kSet.size()));
  if (hit.name == "activate") desk.bench.activate(static_cast<int>(hit.value));
  if (hit.name == "add_variant") desk.bench.add_variant();
  if (hit.name == "compare_ladder") compare_ladder(desk.bench);
  constexpr std::string_view kKernel = "kernel:";
  if (!hit.name.starts_with(kKernel)) return;
  const CatalogueEntry* entry = desk.bench.catalogue().find(hit.name.substr(kKernel.size()));
  if (entry != nullptr) desk.bench.choose_kernel(*entry);
}

// In another variant's pane: time moves in the active one, and the others follow; what is that
// variant's own makes it the active one.
Hit of_active(Desk& desk, Hit hit) {
  const int active = desk.bench.active_index();
  const auto count = static_cast<int>(desk.bench.variants().size());
  if (hit.variant < 0 || hit.variant == active || hit.variant >= count) return hit;
  if (hit.kind == HitKind::kEvent) {
    const Variant& from = desk.bench.variants()[static_cast<std::size_t>(hit.variant)];
    if (from.study == nullptr || desk.bench.active().study == nullptr) return hit;
    hit.value = same_share(*from.study, static_cast<std::uint32_t>(hit.value),
                           *desk.bench.active().study, desk.bench.active().selection.warp);
  } else if (hit.kind == HitKind::kLine || hit.kind == HitKind::kParameter ||
             hit.kind == HitKind::kBlock) {
    desk.bench.activate(hit.variant);
  }
  return hit;
}

}  // namespace

std::optional<ElementOwner> owner_under(const Variant& variant, const Hit& hit) {
  if (hit.kind != HitKind::kElement || variant.prepared == nullptr) return std::nullopt;
  return owner_of_element(*variant.prepared->tiling, hit);
}

void act_on(Desk& desk, const Hit& clicked) {
  const Hit hit = of_active(desk, clicked);
  Variant& variant = desk.bench.active();
  switch (hit.kind) {
    case HitKind::kLane:
      variant.selection.lane = static_cast<int>(hit.value);
      break;
    case HitKind::kWarp:
      variant.selection.warp = static_cast<std::uint32_t>(hit.value);
      if (hit.value2 > 0) variant.selection.event = static_cast<std::uint32_t>(hit.value2 - 1);
      break;
    case HitKind::kBlock:
      desk.bench.select_block(static_cast<std::uint64_t>(hit.value));
      break;
    case HitKind::kLine:
      variant.selection.line = variant.selection.line == static_cast<std::uint32_t>(hit.value)
                                   ? 0
                                   : static_cast<std::uint32_t>(hit.value);
      break;
    case HitKind::kParameter:
      desk.focused_parameter = hit.name;
      desk.bench.set_parameter(hit.name, hit.value);
      break;
    case HitKind::kEvent:
      variant.selection.event = static_cast<std::uint32_t>(hit.value);
      break;
    case HitKind::kSetting:
      change_setting(desk.view_settings, hit);
      break;
    case HitKind::kAction:
      do_action(desk, hit);
      break;
    case HitKind::kElement:
      if (const auto owner = owner_under(variant, hit)) {
        variant.selection.warp = owner->warp;
        variant.selection.lane = owner->lane;
      }
      break;
    case HitKind::kNone:
    case HitKind::kArgument:
      break;
  }
}

}  // namespace tilescope
