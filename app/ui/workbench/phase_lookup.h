#pragma once
#include <array>
#include <cstddef>
#include <memory>

#include "analysis/kernel_study.h"
#include "analysis/measured_phases.h"

namespace tilescope {

struct Measurements;
class Workbench;

// Where the warps of the active variant's block were on the GPU: in this sitting, else as the
// document's file has it; made anew when either side changes. The study that was active before
// keeps its own, for a picture that fades out.
class PhaseLookup {
 public:
  // `opened`: what the document's file brought; nullptr: nothing.
  void update(const Workbench& bench, const std::shared_ptr<const Measurements>& opened,
              const std::shared_ptr<const KernelStudy>& study);
  // nullptr: of this study nothing was measured, or it was not active lately.
  [[nodiscard]] std::shared_ptr<const MeasuredPhases> shown(const KernelStudy* study) const;
  // The active one's as a file of the session has them: measured, in this sitting or in another.
  [[nodiscard]] const std::shared_ptr<const MeasuredPhases>& in_file() const { return in_file_; }

 private:
  struct Found {
    std::shared_ptr<const KernelStudy> study;
    std::shared_ptr<const MeasuredPhases> phases;
  };
  std::array<Found, 2> found_;  // the active one's, and the one's before
  std::shared_ptr<const MeasuredPhases> in_file_;
  std::size_t read_ = 0;
  std::shared_ptr<const Measurements> opened_;
};

}  // namespace tilescope
