#include "scene/compared_study.h"

#include "scene/catalogue_study.h"
#include "scene/view/default_selection.h"
#include "scene/views.h"

namespace tilescope {

std::shared_ptr<const ComparedSet> compared_cases(const std::vector<ComparedCase>& cases) {
  std::vector<ComparedVariant> variants;
  for (const ComparedCase& each : cases) {
    ComparedVariant& variant = variants.emplace_back();
    variant.study = catalogue_study(each.kernel, each.parameters, each.extents, &variant.missing);
    if (each.seconds) {
      variant.known = KnownTime{*each.seconds, Source::kRecorded, *each.seconds / 2, "device copy"};
    }
  }
  const std::size_t active = variants.size() - 1;
  return compared_set(std::move(variants), active);
}

ViewContext compared_context(std::shared_ptr<const ComparedSet> set) {
  const ComparedVariant& active = set->variants[set->active];
  ViewContext context = catalogue_context(*active.study);
  context.prepared = active.prepared;
  context.selection = default_selection(View::kCompare, *active.study, *active.prepared);
  for (const ComparedVariant& variant : set->variants) {
    context.compared_at.push_back(
        variant.study == nullptr
            ? Selection{}
            : selection_beside(*active.study, context.selection, *variant.study));
  }
  context.compared = std::move(set);
  return context;
}

}  // namespace tilescope
