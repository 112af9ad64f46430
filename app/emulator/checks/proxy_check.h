#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "emulator/checks/checked_block.h"

namespace tilescope {

// Checks that what the asynchronous proxy reads in shared memory (products of warp groups, bulk
// stores, copies to other blocks) is not what plain stores have written there without a
// fence.proxy.async in between (PTX ISA, "Async proxy", "wgmma.mma_async"). The fence may stand
// with the store or with the reader, or in a third thread: the store must happen before it, and it
// before the read.
class ProxyCheck final : public BlockObserver {
 public:
  explicit ProxyCheck(CheckedBlock& block);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& fence) override;
  void inspect(ObservedAccess& access) override;
  void on_bulk_read(const WarpPoint& where, unsigned lane, const BulkRead& read) override;
  void on_block_end() override;
  [[nodiscard]] std::uint64_t held_bytes() const override {
    return written_.size() * sizeof(Written);
  }

 private:
  struct Written {
    AccessStamp store;
    // The first fence after it, and the last one: who reads knows of one of them at least.
    std::array<AccessStamp, 2> fences;
    bool is_open = false;  // in open_
  };
  struct Unfenced {
    std::uint64_t address = 0;  // in shared memory
    AccessStamp reader;
    AccessStamp store;
    bool is_product = false;  // else a bulk copy
  };

  // A lane that executes the fence and knows of the store.
  [[nodiscard]] std::optional<std::uint32_t> knowing_lane(const AccessStamp& store,
                                                          const WarpStep& fence) const;
  [[nodiscard]] bool is_fenced(const Written& written, const AccessStamp& reader) const;

  CheckedBlock& block_;
  bool any_reader_ = false;                     // in the kernel
  std::vector<Written> written_;                // by piece of 16 bytes
  std::vector<std::uint32_t> open_;             // pieces whose fence not everybody knows of
  std::map<std::uint32_t, Unfenced> unfenced_;  // by the reader's instruction
};

}  // namespace tilescope
