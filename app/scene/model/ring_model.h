#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "scene/model/copy_flow.h"

namespace tilescope {

// One tile on its way through shared memory: what is put there in one go (a group of cp.async, the
// bulk copies that one phase of an mbarrier announces, or the stores between two barriers), and its
// use. Moments are events of the trace.
struct RingFill {
  static constexpr std::uint32_t kNever = 0xffffffff;
  std::uint32_t stage = 0;            // which buffer: RingModel::stages
  std::vector<std::uint32_t> loads;   // into registers, of what is written; none: it is copied
  std::vector<std::uint32_t> writes;  // of any warp, ascending, as loads
  std::uint32_t whole = kNever;       // the wait or barrier before its first read
  std::uint32_t first_read = kNever;
  std::uint32_t used_until = kNever;                      // then the next tile's turn begins
  std::vector<std::pair<std::size_t, ElementBox>> parts;  // of each matrix

  [[nodiscard]] const ElementBox* part_of(std::size_t matrix) const;  // nullptr: none of it
};

enum class StageState : std::uint8_t {
  kEmpty,
  kIssued,  // some of its copies are, or some of it is stored; nobody has waited for it
  kReady,   // it was waited for
  kUsed,    // its values are read and multiplied
  kFree     // its tile is done with
};

// The buffers of shared memory that tiles go through in turn.
struct RingModel {
  std::vector<std::uint32_t> stages;  // first byte of each, ascending; more than 16: none are kept
  std::vector<RingFill> fills;        // in the order in which they begin

  // A tile is loaded into registers while one before it is still read, and waits there.
  bool prefetches = false;

  [[nodiscard]] bool is_ring() const { return stages.size() > 1; }
  // Whether there is a way of several places to draw.
  [[nodiscard]] bool has_way() const { return is_ring() || prefetches; }
  struct Stage {
    StageState state = StageState::kEmpty;
    std::size_t fill = 0;  // that it holds, or held last; not for kEmpty
    double issued = 0;     // 0..1 of the fill's writes
  };
  // At the moment just after `event`.
  [[nodiscard]] Stage stage_at(std::uint32_t stage, std::uint32_t event) const;
  // The tile that lies in registers at that moment, from its first load to its first store; none:
  // no tile does.
  struct Waiting {
    std::size_t fill = 0;
    double loaded = 0;  // 0..1 of its loads are issued
  };
  [[nodiscard]] std::optional<Waiting> in_registers(std::uint32_t event) const;
  [[nodiscard]] bool is_loaded_by(std::uint32_t event) const;
  // The stage that this event writes to; none: no copy of a tile.
  [[nodiscard]] std::optional<std::uint32_t> written_by(std::uint32_t event) const;
};
[[nodiscard]] RingModel ring_model_of(const KernelStudy& study, const CopyFlow& flow);

}  // namespace tilescope
