#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scene/model/copy_flow.h"

namespace tilescope {

struct TilingModel;

enum class Leg : std::uint8_t {
  kGlobalToShared,  // cp.async, alone or in bulk
  kGlobalToRegisters,
  kRegistersToShared,
  kSharedToRegisters,
  kSharedToTensorCore,  // wgmma, which reads its operands itself
  kRegistersToGlobal,
  kSharedToGlobal  // in bulk
};
// Whether it ends in global memory.
[[nodiscard]] constexpr bool stores_to_global(Leg leg) {
  return leg == Leg::kRegistersToGlobal || leg == Leg::kSharedToGlobal;
}

// What an instruction of the selected warp moves: elements that keep their value on the way, or the
// places of C that are stored.
struct Travel {
  Leg leg = Leg::kGlobalToShared;
  std::uint32_t event = 0;
  // Each lane's, in their order; what a tensor core reads by itself, as that of kNoLane.
  static constexpr int kNoLane = -1;
  std::vector<std::pair<int, Origin>> lanes;
  std::vector<Origin> elements;  // those of the selected lane; [] where it moves none
  std::size_t matrices = 0;      // of 8 x 8 elements that an ldmatrix spreads over the warp
  bool in_bulk = false;          // copied by one lane for all: `elements` are all

  [[nodiscard]] std::size_t matrix() const { return lanes.front().second.matrix(); }
  // Whether it brings a whole slice of what is multiplied, not a value for one multiply-add.
  [[nodiscard]] bool brings_matrices() const {
    return matrices > 0 || leg == Leg::kSharedToTensorCore;
  }
};
// nullopt: the event moves nothing that is followed.
[[nodiscard]] std::optional<Travel> travel_at(const KernelStudy& study, const CopyFlow& flow,
                                              std::uint32_t event, int lane);

// The elements that the wgmma `event` reads from shared memory by itself.
[[nodiscard]] std::vector<Origin> operands_read(const KernelStudy& study, const CopyFlow& flow,
                                                std::uint32_t event);

// "A[262…265][507]: shared memory → registers" and shorter ways to say it, the longest first.
[[nodiscard]] std::vector<std::string> travel_words(const TilingModel& model, const Travel& travel);

}  // namespace tilescope
