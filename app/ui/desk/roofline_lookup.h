#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "scene/roofline/roofline_data.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

class RecordedLibrary;

// The newest measurement of exactly this at the launch's size and factors, else the recorded one.
[[nodiscard]] std::optional<KnownTime> known_time(const Workbench& bench,
                                                  const RecordedLibrary& recorded,
                                                  const CatalogueEntry& step,
                                                  const ParameterSet& parameters,
                                                  const KernelInstance& launch);
[[nodiscard]] KnownTime known_time(const RunResult& result, Source source, const std::string& date,
                                   const std::string& gpu);
// The name of the GPU that the worker measures on; empty: none (yet).
[[nodiscard]] std::string gpu_here(const Workbench& bench);

// Times of the active kernel and its family for the roofline view: measured in this sitting, else
// recorded; and what each step's lanes move, counted in the background once somebody looks.
class RooflineLookup {
 public:
  RooflineLookup();
  // At frame start. `looked_at`: the view is in front, so steps are counted that are not yet.
  void update(Workbench& bench, const RecordedLibrary& recorded, const Variant& variant,
              bool looked_at);
  // nullptr: a file of the user's, or nothing is studied yet.
  [[nodiscard]] const std::shared_ptr<const RooflineData>& data() const { return data_; }

 private:
  struct Counts;  // on their way from the jobs
  void ask(Workbench& bench, const CatalogueEntry& step, const ParameterSet& parameters,
           const KernelInstance& launch);
  [[nodiscard]] double moved(const std::string& key) const;

  std::shared_ptr<Counts> counts_;
  std::set<std::string> asked_;
  std::shared_ptr<const RooflineData> data_;
  // What data_ was made from.
  std::shared_ptr<const KernelStudy> study_;
  std::size_t measured_ = 0;
  std::size_t counted_ = 0;
  bool looked_at_ = false;
};

}  // namespace tilescope
