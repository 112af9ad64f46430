#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "emulator/checks/checked_block.h"
#include "emulator/checks/race_check.h"

namespace tilescope {

// Checks that what the asynchronous proxy reads or writes (products of warp groups, bulk copies) is
// not what plain stores have written there without a fence.proxy.async in between (PTX ISA, "Async
// proxy", "wgmma.mma_async"). The fence may stand with the store or with the user, or in a third
// thread: the store must happen before it, and it before the use. Of what another block of the
// cluster stores any such fence of the cluster in between counts. Of global memory, which bulk
// copies read, any such fence of the block since it began counts.
class ProxyCheck final : public BlockObserver {
 public:
  ProxyCheck(CheckedBlock& block, RaceCheck& races);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& fence) override;
  void inspect(ObservedAccess& access) override;
  void on_bulk_read(const WarpPoint& where, unsigned lane, const BulkRead& read) override;
  void on_bulk_copy(const WarpPoint& where, unsigned lane, const BulkTransfers::Copy& copy,
                    std::span<const BulkPiece> pieces) override;
  void on_peer_store(const Finding::Other& by, std::uint64_t offset, unsigned bytes) override;
  void on_block_end() override;
  [[nodiscard]] std::uint64_t held_bytes() const override {
    return written_.size() * sizeof(Written);
  }

 private:
  struct Written {
    AccessStamp store;
    // The first fence after it, and the last one: who uses it knows of one of them at least.
    std::array<AccessStamp, 2> fences;
    bool is_open = false;  // in open_
  };
  enum class Use : std::uint8_t { kMultiplied, kCopiedOut, kCopiedOver, kCopiedIn };
  struct Unfenced {
    std::uint64_t address = 0;  // in shared memory; kCopiedIn: in global memory
    AccessStamp user;
    AccessStamp store;
    Use use = Use::kMultiplied;
    std::optional<Finding::Other> peer;  // the store is another block's
  };
  struct PeerStore {
    Finding::Other by;
    std::uint64_t fences = 0;  // of the cluster's blocks before it
  };
  // A lane's bulk copy uses these bytes.
  void check_copy(const WarpPoint& where, unsigned lane, std::uint64_t offset, std::uint64_t bytes,
                  Use use);

  void check_source(const WarpPoint& where, unsigned lane, std::span<const BulkPiece> pieces);
  [[nodiscard]] Finding describe(std::uint32_t instruction, const Unfenced& found) const;

  // A lane that executes the fence and knows of the store.
  [[nodiscard]] std::optional<std::uint32_t> knowing_lane(const AccessStamp& store,
                                                          const WarpStep& fence) const;
  [[nodiscard]] bool lacks_fence(const Written& written, const AccessStamp& user) const;
  // The store of another block to the piece that no fence follows; nullptr: there is none.
  [[nodiscard]] const PeerStore* unfenced_peer(std::uint64_t piece) const;
  [[nodiscard]] std::uint64_t fences_of_cluster() const;

  CheckedBlock& block_;
  RaceCheck& races_;
  bool any_user_ = false;                           // in the kernel
  bool stores_global_ = false;                      // it has plain stores there
  bool fenced_global_ = false;                      // by this block
  std::vector<Written> written_;                    // by piece of 16 bytes
  std::vector<std::uint32_t> open_;                 // pieces whose fence not everybody knows of
  std::map<std::uint64_t, PeerStore> peer_stores_;  // by piece; the last
  std::map<std::uint32_t, Unfenced> unfenced_;      // by the user's instruction
};

}  // namespace tilescope
