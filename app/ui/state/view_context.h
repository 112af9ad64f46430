#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/counter_check.h"
#include "analysis/study/kernel_study.h"
#include "analysis/time/measured_phases.h"
#include "core/job_pool.h"
#include "scene/banks/layout_variants.h"
#include "scene/compare/compared.h"
#include "scene/roofline/roofline_figure.h"
#include "scene/view/view.h"
#include "session/known_measurements.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

struct WindowState;
struct Variant;

inline constexpr float kLectureText = 1.6F;

// What a view of this variant is drawn from as the window stands. `study` may be an older one of
// it.
[[nodiscard]] ViewContext view_context(const WindowState& state, const KernelStudy* study,
                                       const Variant& variant);

// "block 3, 2  ·  warp 0  ·  lane 5". Precondition: the variant has a study.
[[nodiscard]] std::string selection_words(const Variant& variant);

class RecordedLibrary;

// Times of the active kernel and its family for the roofline view: measured in this sitting, else
// recorded; and what each step's lanes move, counted in the background once somebody looks. A text
// of the user's, edited or their own, has what was measured of it.
class RooflineLookup {
 public:
  RooflineLookup();
  // At frame start. `looked_at`: the view is in front, so steps are counted that are not yet.
  void update(Workbench& workbench, const std::shared_ptr<const Measurements>& opened,
              const RecordedLibrary& recorded, const Variant& variant, bool looked_at);
  // nullptr: nothing is studied yet, or it is a file of the user's that was not measured.
  [[nodiscard]] const std::shared_ptr<const RooflineData>& data() const { return data_; }
  // As a file of the session has it: what was measured for it is measured, also in another sitting.
  [[nodiscard]] const std::shared_ptr<const RooflineData>& in_file() const { return in_file_; }

 private:
  struct Counts;  // on their way from the jobs
  void ask(Workbench& workbench, const CatalogueEntry& step, const ParameterSet& parameters,
           const KernelInstance& launch);
  [[nodiscard]] double moved(const std::string& key) const;
  [[nodiscard]] std::shared_ptr<const RooflineData> make(Workbench& workbench,
                                                         const KnownMeasurements& all,
                                                         const CatalogueEntry* entry);

  std::shared_ptr<Counts> counts_;
  std::set<std::string> asked_;
  std::shared_ptr<const RooflineData> data_;
  std::shared_ptr<const RooflineData> in_file_;
  // What data_ was made from.
  std::shared_ptr<const KernelStudy> study_;
  std::size_t measured_ = 0;
  std::shared_ptr<const Measurements> opened_;
  std::size_t counted_ = 0;
  bool looked_at_ = false;
};

struct Measurements;

// The variants as the compare view shows them, made anew on a thread of its own when a study or a
// time of theirs changes; and, while somebody looks, their time in step with the active one's.
class CompareLookup {
 public:
  CompareLookup();
  // At frame start; waits for nothing. `looked_at`: the view is in front.
  // `opened`: what the document's file brought; nullptr: nothing.
  void update(Workbench& workbench, const std::shared_ptr<const Measurements>& opened,
              const RecordedLibrary& recorded, bool looked_at);
  // A newer set is being made; the next update() after it is done brings it.
  [[nodiscard]] bool pending() const { return pending_; }
  // nullptr: there is one variant alone.
  [[nodiscard]] const std::shared_ptr<const ComparedSet>& set() const { return set_; }
  // As a file of the session has it: what was measured for it is measured, also in another sitting.
  [[nodiscard]] const std::shared_ptr<const ComparedSet>& in_file() const { return in_file_; }

 private:
  // What a variant is shown by.
  struct Seen {
    std::shared_ptr<const KernelStudy> study;
    bool measured = false;
    std::string missing;
    std::string name;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  struct Mailbox;
  void ask(Workbench& workbench, const RecordedLibrary& recorded);
  void take();
  void show_names(std::size_t active);
  void stand_together(Workbench& workbench);

  std::shared_ptr<const ComparedSet> set_;
  std::shared_ptr<const ComparedSet> in_file_;
  std::vector<Seen> seen_;    // that the newest set was asked for with
  std::size_t measured_ = 0;  // points of the workbench then
  std::shared_ptr<const Measurements> opened_;
  bool pending_ = false;
  std::uint64_t asked_ = 0;  // number of the newest
  std::shared_ptr<Mailbox> mailbox_;
  // Of each variant when it was last moved along: its study and event.
  std::vector<std::pair<std::shared_ptr<const KernelStudy>, std::uint32_t>> stood_;
  JobPool pool_;  // last: its job ends before the rest goes
};

// Shows one variant alone, or flips from the one that is shown to the base and back.
void flip_compared(WindowState& state);

// Up to three more steps of the active kernel's family, each in a variant of its own: the first and
// the last that can be launched at its size, and one between them.
void compare_ladder(Workbench& workbench);

// The active kernel with other values of its padding or swizzle, for the banks view: emulated in
// the background once somebody looks, and again when anything else about the kernel changed.
class LayoutLookup {
 public:
  LayoutLookup();
  // At frame start. `looked_at`: the view is in front.
  void update(Workbench& workbench, const Variant& variant, bool looked_at);
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

class Workbench;

// The hardware's counters beside the active variant's emulated ones: those read in this sitting,
// else those that the document's file brought, else recorded ones; made anew when either side
// changes.
class HardwareLookup {
 public:
  // `opened`: what the document's file brought; nullptr: nothing.
  void update(const Workbench& workbench, const std::shared_ptr<const Measurements>& opened,
              const RecordedLibrary& recorded, const Variant& variant);
  // nullptr: nobody has read any, or there is nothing emulated to hold against them yet.
  [[nodiscard]] const std::shared_ptr<const HardwareCounters>& counters() const {
    return counters_;
  }
  // As a file of the session has them: measured, whether in this sitting or in another.
  [[nodiscard]] const std::shared_ptr<const HardwareCounters>& in_file() const { return in_file_; }

 private:
  std::shared_ptr<const KernelStudy> study_;
  std::size_t read_ = 0;
  std::shared_ptr<const Measurements> opened_;
  std::shared_ptr<const HardwareCounters> counters_;
  std::shared_ptr<const HardwareCounters> in_file_;
};

// Where the warps of the active variant's block were on the GPU: in this sitting, else as the
// document's file has it; made anew when either side changes. The study that was active before
// keeps its own, for a picture that fades out.
class PhaseLookup {
 public:
  // `opened`: what the document's file brought; nullptr: nothing.
  void update(const Workbench& workbench, const std::shared_ptr<const Measurements>& opened,
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
