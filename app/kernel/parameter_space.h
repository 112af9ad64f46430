#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "core/result.h"
#include "kernel/parameter_values.h"

namespace tilescope {

// Every legal combination of some of an entry's parameters, the others as they are. Values are in
// the order of CatalogueEntry::parameters.
struct ParameterSpace {
  std::vector<std::vector<std::int64_t>> sets;  // ascending, each once
  std::uint64_t combinations = 0;               // that the sliders offer, legal or not
  bool complete = true;                         // false: there are more than `most` legal ones
};

// `explored` names parameters; unknown names are left out. At most `most` sets are kept. A few
// microseconds a combination. Fails where the entry's rules cannot be understood, and kCancelled.
[[nodiscard]] Result<ParameterSpace> parameter_space(const CatalogueEntry& entry,
                                                     const ParameterSet& from,
                                                     const std::set<std::string>& explored,
                                                     const ParameterSet& extents,
                                                     const DeviceModel& device, std::size_t most,
                                                     const std::stop_token& stop);

// In which order a tuner tries them: the start first, then always the nearest to the best found so
// far that was not tried, in steps of the sliders. So the best one's neighbours come first, and in
// the end every set came once.
class TuningOrder {
 public:
  // `start` need not be one of the sets.
  TuningOrder(const CatalogueEntry& entry, ParameterSpace space, std::vector<std::int64_t> start);

  [[nodiscard]] std::size_t size() const { return space_.sets.size(); }
  [[nodiscard]] const std::vector<std::int64_t>& set(std::size_t index) const {
    return space_.sets[index];
  }
  // The next one to try; nullopt: all were handed out.
  [[nodiscard]] std::optional<std::size_t> next();
  // What came of it; less is better. What failed is not told.
  void found(std::size_t index, double seconds);

 private:
  [[nodiscard]] std::vector<std::int32_t> steps_of(const std::vector<std::int64_t>& values) const;

  void put_in_order();

  const CatalogueEntry* entry_;
  ParameterSpace space_;
  std::vector<std::int32_t> steps_;  // places on the sliders, set after set
  std::vector<bool> tried_;
  std::vector<std::size_t> queue_;  // those that were not tried, nearest first, if is_in_order_
  std::size_t next_in_queue_ = 0;
  bool is_in_order_ = false;
  std::vector<std::int32_t> centre_;  // of the best one, first of the start
  double best_seconds_ = 0;           // 0: none yet
};

}  // namespace tilescope
