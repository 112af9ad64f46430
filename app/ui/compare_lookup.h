#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scene/compared.h"
#include "ui/workbench.h"

namespace tilescope {

class RecordedLibrary;
struct Desk;

// The variants as the compare view shows them, made anew when a study or a time of theirs changes;
// and, while somebody looks, their time in step with the active one's.
class CompareLookup {
 public:
  // At frame start. `looked_at`: the view is in front. A millisecond or two when a study arrived.
  void update(Workbench& bench, const RecordedLibrary& recorded, bool looked_at);
  // nullptr: there is one variant alone.
  [[nodiscard]] const std::shared_ptr<const ComparedSet>& set() const { return set_; }

 private:
  // What a variant of set_ was made from.
  struct Seen {
    std::shared_ptr<const KernelStudy> study;
    bool measured = false;
    std::string missing;
    std::string name;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  void make(Workbench& bench, const RecordedLibrary& recorded, std::vector<Seen> seen);
  void stand_together(Workbench& bench);

  std::shared_ptr<const ComparedSet> set_;
  std::vector<Seen> seen_;
  std::size_t measured_ = 0;  // points of the bench
  // Of each variant when it was last moved along: its study and event.
  std::vector<std::pair<std::shared_ptr<const KernelStudy>, std::uint32_t>> stood_;
};

// Shows one variant alone, or flips from the one that is shown to the base and back.
void flip_compared(Desk& desk);

// Up to three more steps of the active kernel's family, each in a variant of its own: the first and
// the last that can be launched at its size, and one between them.
void compare_ladder(Workbench& bench);

}  // namespace tilescope
