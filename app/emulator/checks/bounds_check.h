#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "emulator/checks/checked_block.h"

namespace tilescope {

// Reports accesses that cannot be made: out of bounds, misaligned, into the shared memory of a
// block that is not there. Always at work, for such an access is not executed.
class AccessFaultCheck final : public BlockObserver {
 public:
  explicit AccessFaultCheck(ExecutionContext& context) : context_(context) {}

  void on_fault(const AccessFault& fault) override;
  // It begins at a multiple of its alignment, and its rows are as far apart (PTX ISA, "wmma.load":
  // that of a lane's fragment; the CUDA C++ Programming Guide asks of halves and floats 16 bytes
  // for the leading dimension, which are the most that is checked here).
  void on_matrix(const MicroOp& op, unsigned lane, const MatrixPlace& matrix) override;

 private:
  [[nodiscard]] std::string text_of(const AccessFault& fault) const;

  ExecutionContext& context_;
};

// Checks that an address computed from one array stays in it: past its end it would hit the next
// one unseen. Takes such accesses out.
class ArrayBoundsCheck final : public BlockObserver {
 public:
  explicit ArrayBoundsCheck(CheckedBlock& block) : block_(block) {}

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void inspect(ObservedAccess& access) override;
  void on_bulk_copy(const WarpPoint& where, unsigned lane, const BulkTransfers::Copy& copy,
                    std::span<const BulkPiece> pieces) override;

 private:
  [[nodiscard]] bool is_in_local_array(std::uint32_t instruction) const;
  // Do these bytes lie in one of the arrays that the address may be computed from?
  [[nodiscard]] bool is_in_array(const CheckedAccess& access, std::uint64_t begin,
                                 std::uint64_t end) const;
  void report(const CheckedAccess& access, unsigned lane);
  [[nodiscard]] std::string shared_text(const CheckedAccess& access, std::uint64_t offset) const;

  CheckedBlock& block_;
};

// What is said of an access out of bounds. The array is the one that the address is computed from,
// where that is known; else the one before it.
struct BadAccess {
  const MicroOp& op;
  MemorySpace space = MemorySpace::kGlobal;
  std::uint64_t address = 0;  // in its space
  bool writes = false;
};
[[nodiscard]] std::string bounds_text(const BadAccess& access, const ExecutionContext& context);

// The same of an access outside of the one array that it is meant for, which has `array_bytes`, but
// inside its memory: it hits another array.
[[nodiscard]] std::string neighbour_text(const BadAccess& access, const PlacedVariable& array,
                                         std::uint64_t array_bytes);

}  // namespace tilescope
