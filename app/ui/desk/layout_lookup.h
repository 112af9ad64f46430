#pragma once
#include <memory>

#include "scene/banks/layout_variants.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

// The active kernel with other values of its padding or swizzle, for the banks view: emulated in
// the background once somebody looks, and again when anything else about the kernel changed.
class LayoutLookup {
 public:
  LayoutLookup();
  // At frame start. `looked_at`: the view is in front.
  void update(Workbench& bench, const Variant& variant, bool looked_at);
  // nullptr: none yet, or of another kernel. Those of older parameters say so by
  // LayoutVariants::belong_to().
  [[nodiscard]] const std::shared_ptr<const LayoutVariants>& variants() const { return variants_; }

  // Whether they are on their way: nothing else asks for the frame that shows them.
  [[nodiscard]] bool pending() const { return pending_; }

 private:
  struct Arrived;  // from the job
  std::shared_ptr<Arrived> arrived_;
  std::shared_ptr<const LayoutVariants> variants_;
  std::weak_ptr<const KernelStudy> asked_;
  unsigned questions_ = 0;
  bool pending_ = false;
};

}  // namespace tilescope
