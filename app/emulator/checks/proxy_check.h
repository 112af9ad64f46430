#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "emulator/checks/checked_block.h"

namespace tilescope {

// Checks that the products of warp groups and bulk stores find in shared memory what plain stores
// have written there: they read through the asynchronous proxy, so that a fence.proxy.async must
// lie between (PTX ISA, "wgmma.mma_async", "Async proxy"). A fence by any thread counts, whether or
// not it is ordered after the store.
class ProxyCheck final : public BlockObserver {
 public:
  explicit ProxyCheck(CheckedBlock& block);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& fence) override;
  void inspect(ObservedAccess& access) override;
  void on_bulk_read(const WarpPoint& where, unsigned lane, std::uint64_t offset,
                    std::uint64_t bytes) override;
  void on_block_end() override;
  [[nodiscard]] std::uint64_t held_bytes() const override {
    return written_.size() * sizeof(Written);
  }

 private:
  struct Written {
    std::uint32_t fences = 0;  // before it
    AccessStamp store;
  };
  struct Unfenced {
    std::uint64_t address = 0;  // in shared memory
    AccessStamp reader;
    AccessStamp store;
    bool is_product = false;  // else a bulk store
  };

  CheckedBlock& block_;
  bool any_reader_ = false;                     // in the kernel
  std::uint32_t fences_ = 0;                    // of the block, so far and 1
  std::vector<Written> written_;                // by piece of 16 bytes
  std::map<std::uint32_t, Unfenced> unfenced_;  // by the reader's instruction
};

}  // namespace tilescope
