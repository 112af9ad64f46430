#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scene/tiling/copy_flow.h"
#include "scene/view.h"

namespace tilescope {

struct TilingModel;

enum class Leg : std::uint8_t {
  kGlobalToShared,  // cp.async
  kGlobalToRegisters,
  kRegistersToShared,
  kSharedToRegisters,
  kRegistersToGlobal
};

// What an instruction of the selected warp moves: elements that keep their value on the way, or the
// places of C that are stored.
struct Travel {
  Leg leg = Leg::kGlobalToShared;
  std::uint32_t event = 0;
  std::vector<std::pair<int, Origin>> lanes;  // each lane's, in their order
  std::vector<Origin> elements;               // those of the selected lane; [] where it moves none

  [[nodiscard]] std::size_t matrix() const { return lanes.front().second.matrix(); }
};
// nullopt: the event moves nothing that is followed.
[[nodiscard]] std::optional<Travel> travel_at(const KernelStudy& study, const CopyFlow& flow,
                                              std::uint32_t event, int lane);

// "A[262…265][507]: shared memory → registers" and shorter ways to say it, the longest first.
[[nodiscard]] std::vector<std::string> travel_words(const TilingModel& model, const Travel& travel);

}  // namespace tilescope
