#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/kernel_study.h"
#include "scene/tiling/ring_model.h"

namespace tilescope {

// A product's main loop told by its tiles: which one a step multiplies, and which it brings. A loop
// that fills its ring first has more steps than there are tiles.
struct StepTiles {
  // Of tiles that go through shared memory, from 0 to `count` - 1; 0: the steps are not these.
  std::uint32_t count = 0;
  std::uint32_t filling = 0;  // steps before the first product
  struct Brought {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  std::vector<std::optional<Brought>> brought;  // by step

  [[nodiscard]] std::optional<std::uint32_t> multiplied_in(std::uint32_t step) const;
  [[nodiscard]] std::optional<Brought> brought_in(std::uint32_t step) const;
};
// `steps`: of the warp that has most.
[[nodiscard]] StepTiles step_tiles_of(const KernelStudy& study, const RingModel& ring,
                                      std::uint32_t steps);

// "tile 31 of 0…63", "filling, 1 of 2"; without such tiles "step 5 of 64", `steps` of them.
[[nodiscard]] std::string step_in_words(const StepTiles& tiles, std::uint32_t step,
                                        std::size_t steps);

}  // namespace tilescope
