#include "ui/desk/view_context.h"

#include "session/variant_instance.h"
#include "ui/desk/desk.h"

namespace tilescope {

ViewContext view_context(const Desk& desk, const KernelStudy* study, const Variant& variant) {
  ViewContext context;
  context.study = study;
  context.prepared = variant.prepared;
  context.selection = variant.selection;
  context.camera = variant.camera;
  context.theme = desk.theme();
  context.settings = desk.view_settings;
  context.time_zoom = variant.time_zoom;
  context.alternatives = variant.alternatives;
  context.phases = desk.phases.shown(study);
  context.layouts = desk.layouts.variants();
  context.devices = desk.bench.devices();
  context.entry = variant.entry;
  context.roofline = desk.roofline.data();
  context.hardware = desk.hardware.counters();
  context.compared = desk.compare.set();
  if (context.compared) {
    for (std::size_t i = 0; i < context.compared->variants.size(); ++i) {
      const ComparedVariant& shown = context.compared->variants[i];
      const Variant& own = desk.bench.variants()[i];
      Selection& at = context.compared_at.emplace_back(own.selection);
      TimeMarks ignored;
      // While a newer set is made, this one shows an older study.
      if (shown.study && shown.study != own.study) keep_inside(*shown.study, &at, &ignored);
    }
  }
  if (desk.hovered.kind == HitKind::kLane) {
    context.hovered_lane = static_cast<int>(desk.hovered.value);
  }
  if (desk.hovered.kind == HitKind::kLine) {
    context.hovered_line = static_cast<std::uint32_t>(desk.hovered.value);
    context.hovered_variant =
        desk.hovered.variant >= 0 ? desk.hovered.variant : desk.bench.active_index();
  } else if (desk.hovered_line != 0) {
    context.hovered_line = desk.hovered_line;
    context.hovered_variant = desk.bench.active_index();
  }
  context.text_scale = desk.lecture ? kLectureText : 1.0F;
  return context;
}

std::string selection_words(const Variant& variant) {
  const Dim3& grid = variant.study->launch.grid;
  const Dim3 block = unflatten(variant.selection.block, grid);
  std::string words = "block " + std::to_string(block.x) + ", " + std::to_string(block.y);
  if (grid.z > 1) words += ", " + std::to_string(block.z);
  return words + "  ·  warp " + std::to_string(variant.selection.warp) + "  ·  lane " +
         std::to_string(variant.selection.lane);
}

}  // namespace tilescope
