#include "session/variant_instance.h"

#include <algorithm>
#include <utility>

namespace tilescope {

Result<KernelInstance> instance_of(const VariantDocument& variant, const Catalogue& catalogue,
                                   const DeviceModel& device) {
  if (variant.is_own()) {
    auto launch = launch_text(variant.launch);
    if (!launch) return std::move(launch).error();
    auto instance = launch_file({variant.file, *variant.text()}, *launch);
    if (instance && !variant.name.empty()) instance->id = instance->title = variant.name;
    return instance;
  }
  const CatalogueEntry* entry = catalogue.find(variant.kernel);
  if (entry == nullptr) return Error{ErrorCode::kUsage, "no kernel is chosen", "", {}};
  auto instance = instantiate(*entry, variant.parameters, variant.extents, variant.factors, device);
  if (!instance || variant.edited == nullptr) return instance;
  instance->id = edited_id(instance->id);
  instance->title += ", edited";
  instance->source = *variant.edited;
  return instance;
}

std::string edited_id(const std::string& kernel) { return kernel + " (edited)"; }

bool keep_inside(const KernelStudy& study, Selection* selection, TimeMarks* marks) {
  const Selection selection_before = *selection;
  const TimeMarks marks_before = *marks;
  const std::size_t events = study.trace->events.size();
  const auto last = static_cast<std::uint32_t>(events == 0 ? 0 : events - 1);
  const std::uint64_t warps = std::max<std::uint64_t>((study.launch.block.count() + 31) / 32, 1);
  selection->block = std::min(selection->block, study.launch.grid.count() - 1);
  selection->warp = std::min(selection->warp, static_cast<std::uint32_t>(warps - 1));
  selection->event = std::min(selection->event, last);
  const auto move = [&](std::optional<std::uint32_t>& event) {
    if (event) event = std::min(*event, last);
  };
  move(marks->loop_in);
  move(marks->loop_out);
  for (std::optional<std::uint32_t>& bookmark : marks->bookmarks) move(bookmark);
  return !(selection_before == *selection) || !(marks_before == *marks);
}

}  // namespace tilescope
