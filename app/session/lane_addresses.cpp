#include "session/lane_addresses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>

#include "analysis/memory/bank_conflicts.h"
#include "analysis/memory/coalescing.h"
#include "core/buffer_recipe.h"
#include "core/text.h"
#include "emulator/warp_access.h"
#include "scene/model/access_shape.h"
#include "scene/model/shared_layout.h"

namespace tilescope {
namespace {

constexpr std::size_t kLanesTold = 4;  // the first ones, then the last

// "in[64]"; of a buffer that is a matrix "in[1][0]".
std::string global_element(const KernelStudy& study, std::uint64_t address) {
  const auto buffer = buffer_of(study, address);
  if (!buffer) return fmt::format("address {:#x}", address);
  const std::uint64_t element = (address - buffer->address) / size_of(buffer->type);
  const Argument& argument = study.instance.arguments[buffer->argument];
  if (argument.rows > 1 && argument.leading > 0) {
    return fmt::format("{}[{}][{}]", buffer->name, element / argument.leading,
                       element % argument.leading);
  }
  return fmt::format("{}[{}]", buffer->name, element);
}

// "tile[3][0] in bank 0".
std::string shared_element(const PreparedStudy& prepared, std::uint64_t address) {
  const std::uint64_t word = address / kBankBytes;
  const SharedRegion* region = prepared.shared->region_at(address);
  std::string place = fmt::format("word {}", word);
  if (region != nullptr && region->contains(word) && !region->name.empty()) {
    const std::uint64_t inside = word - region->first_word;
    const std::uint64_t bytes = region->element_bytes;
    const auto extents = std::ranges::count(region->declaration, '[');
    const std::uint64_t within = address % kBankBytes;
    if (extents == 1 && bytes != 0) {
      place = fmt::format("{}[{}]", region->name, (inside * kBankBytes + within) / bytes);
    } else if (extents == 2 && region->pitch_known && bytes != 0) {
      const std::uint64_t column = (inside % region->pitch_words * kBankBytes + within) / bytes;
      place = fmt::format("{}[{}][{}]", region->name, inside / region->pitch_words, column);
    } else {
      place = fmt::format("word {} of {}", inside, region->name);
    }
  }
  return fmt::format("{} in bank {}", place, word % kBankCount);
}

template <typename Element>
std::string lanes_in_words(const WarpAccess& access, const Element& element) {
  std::vector<std::size_t> lanes;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1U) != 0) lanes.push_back(lane);
  }
  const std::size_t told = lanes.size() <= kLanesTold + 1 ? lanes.size() : kLanesTold;
  std::vector<std::string> numbers;
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < told; ++i) {
    numbers.push_back(std::to_string(lanes[i]));
    elements.push_back(element(access.address[lanes[i]]));
  }
  const bool in_a_row = told > 2 && lanes[told - 1] == lanes[0] + told - 1;
  const std::string which =
      in_a_row ? fmt::format("{} to {}", lanes[0], lanes[told - 1]) : joined(numbers);
  std::string words =
      fmt::format("lane{} {}: {}", told == 1 ? "" : "s", which, fmt::join(elements, ", "));
  if (told < lanes.size()) {
    words += fmt::format("; lane {}: {}", lanes.back(), element(access.address[lanes.back()]));
  }
  return words;
}

class Collector {
 public:
  Collector(const KernelStudy& study, const PreparedStudy& prepared)
      : study_(study), prepared_(prepared), first_of_(study.program->instructions().size(), true) {}

  void take(std::uint32_t event) {
    const TraceEvent& traced = study_.trace->events[event];
    if (traced.access == kNoAccess) return;
    if (!first_of_[traced.instruction] && is_ideal(traced.instruction)) return;
    const StaticInstruction& instruction = study_.program->instructions()[traced.instruction];
    const WarpAccess access = study_.trace->access(traced.access);
    if (access.active == 0) return;
    first_of_[traced.instruction] = false;
    const bool copies = instruction.access == AccessKind::kAsyncCopy;
    const bool reads =
        instruction.access == AccessKind::kLoad || instruction.access == AccessKind::kLdmatrix;
    const std::uint32_t line = instruction.outermost.line;
    if (access.space == MemorySpace::kGlobal) {
      const SectorCost cost = sector_cost(access);
      keep({.line = line,
            .is_load = reads || copies,
            .event = event,
            .warp = traced.warp,
            .excess = cost.sectors - cost.ideal_sectors},
           access);
    }
    if (copies || access.space == MemorySpace::kShared) {
      const SharedCost shared = shared_cost(study_, event);
      if (shared.access.active == 0) return;
      keep({.line = line,
            .is_shared = true,
            .is_load = reads,
            .event = event,
            .warp = traced.warp,
            .excess = shared.cost.wavefronts - shared.cost.ideal_wavefronts},
           shared.access);
    }
  }

  std::vector<LineAccess> lines() && {
    std::vector<LineAccess> all;
    for (auto& [key, kept] : worst_) {
      const WarpAccess& access = kept.second;
      kept.first.lanes =
          kept.first.is_shared
              ? lanes_in_words(access, [&](auto at) { return shared_element(prepared_, at); })
              : lanes_in_words(access, [&](auto at) { return global_element(study_, at); });
      all.push_back(std::move(kept.first));
    }
    return all;
  }

 private:
  // No access of this instruction costs more than its first one.
  [[nodiscard]] bool is_ideal(std::uint32_t instruction) const {
    const AccessCounters& counted = study_.counters->by_instruction[instruction];
    return counted.sectors == counted.sectors_ideal &&
           counted.wavefronts == counted.wavefronts_ideal;
  }
  void keep(LineAccess access, const WarpAccess& addresses) {
    const auto key = std::tuple(access.line, access.is_shared, access.is_load);
    const auto known = worst_.find(key);
    if (known == worst_.end() || access.excess > known->second.first.excess) {
      worst_[key] = {std::move(access), addresses};
    }
  }

  const KernelStudy& study_;
  const PreparedStudy& prepared_;
  std::vector<bool> first_of_;  // by instruction: none of its accesses was taken
  std::map<std::tuple<std::uint32_t, bool, bool>, std::pair<LineAccess, WarpAccess>> worst_;
};

}  // namespace

std::vector<LineAccess> line_accesses(const KernelStudy& study, const PreparedStudy& prepared) {
  Collector collector(study, prepared);
  for (const PreparedStudy::WarpAccesses& warp : prepared.warps) {
    for (const std::uint32_t event : warp.global) collector.take(event);
    for (const std::uint32_t event : warp.shared) collector.take(event);
  }
  return std::move(collector).lines();
}

}  // namespace tilescope
