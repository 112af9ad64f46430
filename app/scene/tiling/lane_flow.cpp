#include <algorithm>
#include <vector>

#include "scene/tiling/copy_flow.h"

namespace tilescope {
namespace {

class LaneFollower {
 public:
  LaneFollower(const KernelStudy& study, const CopyFlow& flow, int lane)
      : trace_(*study.trace),
        flow_(flow),
        lane_(static_cast<std::size_t>(lane)),
        fragments_(flow.registers) {
    result_.registers.resize(flow.registers);
  }

  void run(std::uint32_t e) {
    using Kind = CopyStep::Kind;
    const TraceEvent& event = trace_.events[e];
    if ((event.active >> lane_ & 1U) == 0) return;
    const CopyStep& step = flow_.steps[event.instruction];
    const bool moves = step.kind == Kind::kLoadGlobal || step.kind == Kind::kLoadShared ||
                       step.kind == Kind::kStoreGlobal;
    if (event.access != kNoAccess && moves) return move_memory(e, step);
    if (event.access != kNoAccess && step.kind == Kind::kLoadMatrix) return load_matrix(e, step);
    if (step.kind == Kind::kMove) return move(step);
    multiply(e, step);
    for (const std::uint32_t reg : step.results) set(reg, {}, {});
  }

  LaneFlow take() { return std::move(result_); }

 private:
  [[nodiscard]] Origin known(std::uint32_t reg) const {
    return reg < flow_.registers ? result_.registers[reg] : Origin{};
  }
  [[nodiscard]] Origin fragment(std::uint32_t reg) const {
    return reg < flow_.registers ? fragments_[reg] : Origin{};
  }
  void set(std::uint32_t reg, Origin origin, Origin fragment) {
    if (reg >= flow_.registers) return;
    result_.registers[reg] = origin;
    fragments_[reg] = fragment;
  }

  void move_memory(std::uint32_t e, const CopyStep& step) {
    const WarpAccess access = trace_.access(trace_.events[e].access);
    const std::uint64_t address = access.address[lane_];
    const std::uint32_t bytes =
        bytes_each(access, std::max(step.results.size(), step.operands.size()));
    const bool from_shared = step.kind == CopyStep::Kind::kLoadShared;
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      const std::uint64_t at = address + i * bytes;
      const Origin origin = bytes == 0    ? Origin{}
                            : from_shared ? flow_.shared_word(at / kWordBytes, e)
                                          : flow_.origin_at(at);
      set(step.results[i], origin, origin);
      if (origin.known()) result_.loads.push_back({e, origin, from_shared});
    }
    for (std::size_t i = 0; i < step.operands.size(); ++i) {
      const Origin moved = known(step.operands[i]);
      const Origin place = flow_.origin_at(address + i * bytes);
      if (place.known()) result_.written.push_back({e, place});
      if (moved.known()) result_.stores.push_back({e, moved, place});
    }
  }

  void load_matrix(std::uint32_t e, const CopyStep& step) {
    const WarpAccess access = trace_.access(trace_.events[e].access);
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      const std::uint64_t byte = matrix_elements(access, step.transposed, i, lane_).front();
      const Origin origin = flow_.shared_element(byte, e);
      set(step.results[i], step.transposed ? Origin{} : origin, origin);
      if (origin.known()) result_.loads.push_back({e, origin, true});
    }
  }

  void move(const CopyStep& step) {
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      set(step.results[i], known(step.operands[i]), fragment(step.operands[i]));
    }
  }

  void multiply(std::uint32_t e, const CopyStep& step) {
    const bool matrices =
        step.kind == CopyStep::Kind::kMatrixProduct && step.left < step.operands.size();
    if (matrices) {
      LaneFlow::MatrixProduct product{e, {}, {}};
      for (std::size_t i = 0; i < step.operands.size(); ++i) {
        (i < step.left ? product.left : product.right).push_back(fragment(step.operands[i]));
      }
      if (product.left.front().known() && product.right.front().known()) {
        result_.matrix_product = std::move(product);
      }
    }
    if (step.kind == CopyStep::Kind::kMultiplyAdd) {
      const Origin left = known(step.operands[0]);
      const Origin right = known(step.operands[1]);
      if (left.known() && right.known()) result_.products.push_back({e, left, right});
    }
  }

  const BlockTrace& trace_;
  const CopyFlow& flow_;
  std::size_t lane_;
  // As the registers, with the first of the two elements that a transposing ldmatrix leaves in one.
  std::vector<Origin> fragments_;
  LaneFlow result_;
};

}  // namespace

LaneFlow follow_lane(const KernelStudy& study, const CopyFlow& flow, std::uint32_t warp, int lane,
                     std::uint32_t from, std::uint32_t to) {
  LaneFollower follower(study, flow, lane);
  if (warp < flow.warp_events.size()) {
    const std::vector<std::uint32_t>& events = flow.warp_events[warp];
    for (auto it = std::ranges::lower_bound(events, from); it != events.end() && *it <= to; ++it) {
      follower.run(*it);
    }
  }
  return follower.take();
}

}  // namespace tilescope
