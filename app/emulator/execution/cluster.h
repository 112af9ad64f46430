#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/dim3.h"
#include "emulator/execution/execution_context.h"

namespace tilescope {

class ThreadBlock;

// Which blocks of a grid are run together. Precondition: the grid is a multiple of the extent.
struct ClusterGrid {
  Dim3 grid;
  Dim3 extent;  // of a cluster

  [[nodiscard]] std::uint64_t clusters() const { return grid.count() / extent.count(); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(extent.count()); }
  [[nodiscard]] std::uint64_t block_of(std::uint64_t cluster, std::uint32_t rank) const;
  [[nodiscard]] std::uint64_t cluster_of(std::uint64_t block) const;
};

// The blocks of one cluster while they run: what each can reach of the others.
//
// A shared address names its block from bit 24 on. Machine code has its rank there (SR_CgaCtaId),
// in addresses of its own memory too. PTX has 0 for the block itself, and after mapa 1 and the
// rank, so that an address without a number means the same in every block.
struct Cluster {
  struct Member {
    ThreadBlock* block = nullptr;
    ExecutionContext* context = nullptr;  // the block's
    bool ended = false;                   // it has left the kernel
  };
  std::vector<Member> members;  // by rank
  bool is_machine_code = false;

  static constexpr unsigned kRankShift = 24;
  // What mapa makes of a rank that no cluster has; numbers above are no ranks at all: an offset
  // that wrapped has them.
  static constexpr std::uint32_t kMostRanks = 0x7e;

  [[nodiscard]] std::uint64_t origin_of(std::uint32_t rank) const {
    return is_machine_code ? std::uint64_t{rank} << kRankShift : 0;
  }
  [[nodiscard]] std::uint32_t rank_of(const ExecutionContext& context) const;
};

// Where a shared address lies. `rank` has no block: owner is nullptr.
struct SharedPlace {
  ExecutionContext* owner = nullptr;
  std::uint64_t offset = 0;
  std::uint32_t rank = 0;
  bool ended = false;  // the owner has left the kernel
};
// `reaches_cluster`: of an instruction that can name other blocks; to any other the block's own
// memory is all there is, as to the hardware's.
[[nodiscard]] SharedPlace find_shared(std::uint64_t address, bool reaches_cluster,
                                      ExecutionContext& context);

}  // namespace tilescope
