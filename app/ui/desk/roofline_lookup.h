#pragma once
#include <cstddef>
#include <memory>
#include <set>
#include <string>

#include "scene/roofline/roofline_data.h"
#include "session/readings.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

class RecordedLibrary;

// Of this sitting, else what the document's file brought (nullptr: nothing), else recorded.
[[nodiscard]] KnownTimes known_times(const Workbench& bench, const Measurements* opened,
                                     const RecordedLibrary& recorded,
                                     Source opened_as = Source::kRecorded);

// Times of the active kernel and its family for the roofline view: measured in this sitting, else
// recorded; and what each step's lanes move, counted in the background once somebody looks. A text
// of the user's, edited or their own, has what was measured of it.
class RooflineLookup {
 public:
  RooflineLookup();
  // At frame start. `looked_at`: the view is in front, so steps are counted that are not yet.
  void update(Workbench& bench, const std::shared_ptr<const Measurements>& opened,
              const RecordedLibrary& recorded, const Variant& variant, bool looked_at);
  // nullptr: nothing is studied yet, or it is a file of the user's that was not measured.
  [[nodiscard]] const std::shared_ptr<const RooflineData>& data() const { return data_; }
  // As a file of the session has it: what was measured for it is measured, also in another sitting.
  [[nodiscard]] const std::shared_ptr<const RooflineData>& in_file() const { return in_file_; }

 private:
  struct Counts;  // on their way from the jobs
  void ask(Workbench& bench, const CatalogueEntry& step, const ParameterSet& parameters,
           const KernelInstance& launch);
  [[nodiscard]] double moved(const std::string& key) const;
  [[nodiscard]] std::shared_ptr<const RooflineData> make(Workbench& bench, const KnownTimes& times,
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

}  // namespace tilescope
