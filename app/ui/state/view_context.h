#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "core/job_pool.h"
#include "scene/view/view.h"
#include "session/view_queries.h"

namespace tilescope {

struct WindowState;
struct Variant;
class Workbench;

inline constexpr float kLectureText = 1.6F;

// What a view of this variant is drawn from as the window stands. `study` may be an older one of
// it.
[[nodiscard]] ViewContext view_context(const WindowState& state, const KernelStudy* study,
                                       const Variant& variant);

// "block 3, 2  ·  warp 0  ·  lane 5". Precondition: the variant has a study.
[[nodiscard]] std::string selection_words(const Variant& variant);

// What the views of the active variant show beside its study: asked for at each frame, computed
// beside the frames. Until it is there the last is drawn.
class WindowFacts {
 public:
  explicit WindowFacts(Workbench& workbench);
  // At frame start; waits for nothing.
  void update(const WindowState& state);
  // A view in sight shows other numbers of stages: the next update() asks for them.
  void want_stages() { wants_stages_ = true; }

  [[nodiscard]] const ViewFacts& shown() const { return shown_.known(); }
  // As a file of the session has them: what was measured for it is measured, also in another
  // run of the program.
  [[nodiscard]] const ViewFacts& in_file() const {
    return has_file_ ? in_file_.known() : shown_.known();
  }
  // That they are of; nullptr: none.
  [[nodiscard]] const KernelStudy* study() const { return study_.get(); }
  // The next update() after a comparison is done has it.
  [[nodiscard]] bool pending() const { return shown_.pending() || in_file_.pending(); }

 private:
  OtherLaunches launches_;
  ViewQueries shown_;
  ViewQueries in_file_;
  std::shared_ptr<const KernelStudy> study_;
  bool has_file_ = false;
  bool wants_stages_ = false;
  JobPool pool_{1};  // of comparisons; last: its job ends before the rest goes
};

// The time of compared variants goes with the active one's.
class LinkedTime {
 public:
  // At frame start. `compared`: the comparison is in front.
  void update(Workbench& workbench, bool compared);

 private:
  // Of each variant when it was last moved along: its study and event.
  std::vector<std::pair<std::shared_ptr<const KernelStudy>, std::uint32_t>> stood_;
};

// Shows one variant alone, or flips from the one that is shown to the base and back.
void flip_compared(WindowState& state);

// The active kernel's family in order: what can be launched at its size with the usual parameters,
// and itself. Precondition: it is of the catalogue.
[[nodiscard]] std::vector<const CatalogueEntry*> ladder_of(const Workbench& workbench);

// Up to four steps of the active kernel's family, itself among them, each in a variant of its own
// in the ladder's order: the first and the last that can be launched at its size, and between them.
void compare_ladder(Workbench& workbench);

// Adds the active variant once more, for another GPU: one that a worker has, else one of the same
// compute capability, else the first of the list. Nothing where there are four variants.
void compare_gpus(Workbench& workbench);

}  // namespace tilescope
