#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "scene/model/matrix_view.h"

namespace tilescope {

// Which element of which matrix a register or a 32-bit word of shared memory holds: what was loaded
// from global memory and since then only copied, or made wider. 0: none, or computed.
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

// What one static instruction does to copies. Registers have the program's numbers.
struct CopyStep {
  enum class Kind : std::uint8_t {
    kOther,  // its results are computed
    kLoadGlobal,
    kStoreGlobal,
    kLoadShared,
    kStoreShared,
    kAsyncCopy,
    kBulkLoad,    // cp.async.bulk from global to shared memory, with a tensor map or without
    kBulkStore,   // ... and back, reductions too
    kLoadMatrix,  // ldmatrix
    kMove,
    kMultiplyAdd,
    kMatrixProduct,  // mma.sync: operands are the registers of a, then those of b
    kGroupProduct,   // wgmma: reads a and b, or b alone, from shared memory by itself
  };
  Kind kind = Kind::kOther;
  bool transposed = false;              // of kLoadMatrix
  std::size_t left = 0;                 // of kMatrixProduct: so many operands are a's
  std::vector<std::uint32_t> results;   // registers written
  std::vector<std::uint32_t> operands;  // registers read, in order; ~0u: no register
};

inline constexpr std::uint32_t kWordBytes = 4;
// What a lane gets of an 8 x 8 matrix of 16-bit elements by an ldmatrix: two elements, side by side
// in a row, or, transposed, below one another in a column. Byte offsets into shared memory. `rows`:
// the access, whose lane 8 i + r names row r of matrix i (PTX ISA, "ldmatrix").
[[nodiscard]] std::array<std::uint64_t, 2> matrix_elements(const WarpAccess& rows, bool transposed,
                                                           std::size_t matrix, std::size_t lane);

// What was put into each 4-byte word of shared memory, and when.
class SharedHistory {
 public:
  struct Write {
    std::uint32_t event = 0;
    Origin origin;
  };
  [[nodiscard]] std::size_t size() const {
    return begin_.empty() ? 0 : begin_.size() - 1;
  }  // words
  // The writes into a word, ascending.
  [[nodiscard]] std::span<const Write> operator[](std::size_t word) const {
    return std::span(writes_).subspan(begin_[word], begin_[word + 1] - begin_[word]);
  }

  struct Record {
    std::uint32_t word = 0;
    Write write;
  };
  SharedHistory() = default;
  // `records` in the order of the trace, of words below `words`.
  SharedHistory(std::size_t words, std::span<const Record> records);

 private:
  std::vector<std::size_t> begin_;  // by word: into writes_; and their end
  std::vector<Write> writes_;       // by word, then time
};

// The flow of elements through shared memory and registers in one block, followed instruction by
// instruction through the trace: loads, stores, copies, moves and conversions that do not round
// keep an element, all else ends it. Arithmetic of packed or vector types is not followed, nor what
// a transposing ldmatrix loads: its registers hold elements of two rows.
struct CopyFlow {
  std::vector<MatrixView> matrices;
  std::vector<CopyStep> steps;  // by static instruction
  std::uint32_t registers = 0;
  std::vector<std::vector<std::uint32_t>> warp_events;  // all events of a warp, ascending

  SharedHistory shared;

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
  // The element that lies at a byte of it.
  [[nodiscard]] Origin shared_element(std::uint64_t byte, std::uint32_t event) const;
  [[nodiscard]] std::optional<std::size_t> matrix_at(std::uint64_t address) const;
  [[nodiscard]] Origin origin_at(std::uint64_t address) const;
  // What a register gets from as many bytes of global memory: a part of an element is not followed.
  [[nodiscard]] Origin loaded_from(std::uint64_t address, std::uint32_t bytes) const;
};
// What bulk copies, those of tensor maps included, load from global to shared memory, and what they
// store from there.
struct BulkBytes {
  std::uint64_t loaded = 0;
  std::uint64_t stored = 0;  // reductions too
  [[nodiscard]] std::uint64_t all() const { return loaded + stored; }
};
[[nodiscard]] BulkBytes bulk_bytes(const BlockTrace& trace);
// The bulk copies that `event` issues, one for each lane that does; before them those that came
// from other blocks since the event before.
[[nodiscard]] std::span<const BulkCopy> bulk_copies_of(const BlockTrace& trace,
                                                       std::uint32_t event);
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
  // The last matrix product of registers: the first element in each of a's, and of b's.
  struct MatrixProduct {
    std::uint32_t event = 0;
    std::vector<Origin> left;
    std::vector<Origin> right;
  };
  std::optional<MatrixProduct> matrix_product;
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
