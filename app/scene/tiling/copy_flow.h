#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/kernel_study.h"
#include "scene/tiling/matrix_view.h"

namespace tilescope {

// Which element of which matrix a 32-bit word holds: what was loaded from global memory and since
// then only copied. 0: none, or computed.
struct Origin {
  std::uint64_t code = 0;

  static Origin of(std::size_t matrix, std::uint64_t element) {
    return {(static_cast<std::uint64_t>(matrix) + 1) << 48U | element};
  }
  [[nodiscard]] bool known() const { return code != 0; }
  [[nodiscard]] std::size_t matrix() const {  // index into matrix_views()
    return static_cast<std::size_t>((code >> 48U) - 1);
  }
  [[nodiscard]] std::uint64_t element() const { return code & 0xffffffffffffU; }
  friend bool operator==(const Origin&, const Origin&) = default;
};

// What one static instruction does to copies, from its PTX text. Registers are numbered by name.
struct CopyStep {
  enum class Kind : std::uint8_t {
    kOther,  // its results are computed
    kLoadGlobal,
    kStoreGlobal,
    kLoadShared,
    kStoreShared,
    kAsyncCopy,
    kMove,
    kMultiplyAdd,
  };
  Kind kind = Kind::kOther;
  std::vector<std::uint32_t> results;   // registers written
  std::vector<std::uint32_t> operands;  // registers read, in order; ~0u: no register
};

// The flow of elements through shared memory and registers in one block, followed instruction by
// instruction through the trace: loads, stores, cp.async and moves keep an element, all else ends
// it. Arithmetic of packed or vector types is not followed.
struct CopyFlow {
  std::vector<MatrixView> matrices;
  std::vector<CopyStep> steps;  // by static instruction
  std::uint32_t registers = 0;
  std::vector<std::vector<std::uint32_t>> warp_events;  // all events of a warp, ascending

  struct SharedWrite {
    std::uint32_t event = 0;
    Origin origin;
  };
  std::vector<std::vector<SharedWrite>> shared;  // by 4-byte word of shared memory, ascending

  // Where the elements of a matrix went when they were read from global memory.
  struct Route {
    bool to_shared = false;
    bool to_registers = false;
    bool lost = false;  // some were loaded in a way that is not followed
    // None of them ever lay in shared memory.
    [[nodiscard]] bool bypasses_shared() const { return to_registers && !to_shared && !lost; }
  };
  std::vector<Route> routes;  // parallel to matrices

  bool complete = true;  // false: later writes were left out to bound the memory

  // What a word of shared memory holds just before `event` runs.
  [[nodiscard]] Origin shared_word(std::uint64_t word, std::uint32_t event) const;
  [[nodiscard]] std::optional<std::size_t> matrix_at(std::uint64_t address) const;
  [[nodiscard]] Origin origin_at(std::uint64_t address) const;
};
[[nodiscard]] CopyFlow copy_flow_of(const KernelStudy& study);

// One lane's way from `from` up to and with `to`: what its registers hold and what it multiplied.
struct LaneFlow {
  std::vector<Origin> registers;  // by CopyFlow's numbers
  struct Product {
    std::uint32_t event = 0;
    Origin left;
    Origin right;
  };
  std::vector<Product> products;  // multiply-adds of two followed elements, in order
  struct Store {
    std::uint32_t event = 0;
    Origin from;  // a followed element that went to global memory
    Origin to;    // its new place
  };
  std::vector<Store> stores;
  struct Load {
    std::uint32_t event = 0;
    Origin origin;
    bool from_shared = false;
  };
  std::vector<Load> loads;  // of followed elements into registers, in order
  struct Written {
    std::uint32_t event = 0;
    Origin to;
  };
  std::vector<Written> written;  // places in global memory, whatever was stored there, in order
};
[[nodiscard]] LaneFlow follow_lane(const KernelStudy& study, const CopyFlow& flow,
                                   std::uint32_t warp, int lane, std::uint32_t from,
                                   std::uint32_t to);

}  // namespace tilescope
