#include "ui/desk/layout_lookup.h"

#include <mutex>
#include <utility>

#include "analysis/launch_memory.h"

namespace tilescope {

struct LayoutLookup::Arrived {
  std::mutex mutex;
  std::shared_ptr<const LayoutVariants> newest;
  unsigned answered = 0;  // the number of the last question, be it that there are none
  InputCache inputs;
};

LayoutLookup::LayoutLookup() : arrived_(std::make_shared<Arrived>()) {}

void LayoutLookup::update(Workbench& bench, const Variant& variant, bool looked_at) {
  {
    const std::lock_guard lock(arrived_->mutex);
    if (arrived_->newest != nullptr) variants_ = std::exchange(arrived_->newest, nullptr);
    pending_ = arrived_->answered != questions_;
  }
  const std::shared_ptr<const KernelStudy>& study = variant.study;
  if (!looked_at || study == nullptr || !study->traced() || variant.entry == nullptr ||
      study->device == nullptr || variant.study_pending || asked_.lock() == study ||
      !has_layout_variants(*variant.entry, *study) ||
      (variants_ != nullptr && variants_->belong_to(*study))) {
    return;
  }
  asked_ = study;
  pending_ = true;
  ++questions_;
  bench.submit_background("layouts", [entry = *variant.entry, study, arrived = arrived_,
                                      question = questions_](const std::stop_token& stop) {
    auto variants = layout_variants(entry, *study, *study->device, &arrived->inputs, stop);
    const std::lock_guard lock(arrived->mutex);
    arrived->answered = question;
    if (variants) arrived->newest = std::make_shared<const LayoutVariants>(*std::move(variants));
  });
}

}  // namespace tilescope
