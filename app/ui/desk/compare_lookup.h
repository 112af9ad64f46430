#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/job_pool.h"
#include "scene/compare/compared.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

class RecordedLibrary;
struct Measurements;
struct Desk;

// The variants as the compare view shows them, made anew on a thread of its own when a study or a
// time of theirs changes; and, while somebody looks, their time in step with the active one's.
class CompareLookup {
 public:
  CompareLookup();
  // At frame start; waits for nothing. `looked_at`: the view is in front.
  // `opened`: what the document's file brought; nullptr: nothing.
  void update(Workbench& bench, const std::shared_ptr<const Measurements>& opened,
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
  void ask(Workbench& bench, const RecordedLibrary& recorded);
  void take();
  void show_names(std::size_t active);
  void stand_together(Workbench& bench);

  std::shared_ptr<const ComparedSet> set_;
  std::shared_ptr<const ComparedSet> in_file_;
  std::vector<Seen> seen_;    // that the newest set was asked for with
  std::size_t measured_ = 0;  // points of the bench then
  std::shared_ptr<const Measurements> opened_;
  bool pending_ = false;
  std::uint64_t asked_ = 0;  // number of the newest
  std::shared_ptr<Mailbox> mailbox_;
  // Of each variant when it was last moved along: its study and event.
  std::vector<std::pair<std::shared_ptr<const KernelStudy>, std::uint32_t>> stood_;
  JobPool pool_;  // last: its job ends before the rest goes
};

// Shows one variant alone, or flips from the one that is shown to the base and back.
void flip_compared(Desk& desk);

// Up to three more steps of the active kernel's family, each in a variant of its own: the first and
// the last that can be launched at its size, and one between them.
void compare_ladder(Workbench& bench);

}  // namespace tilescope
