#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/warp_access.h"

namespace tilescope {

inline constexpr std::uint32_t kNoAccess = 0xffffffff;
inline constexpr std::uint32_t kNoInstruction = 0xffffffff;

// An access as a trace keeps it: where its first active lane's address is, and its shape.
struct AccessRecord {
  std::uint64_t base;
  std::uint32_t shape;        // AccessList's
  std::uint32_t instruction;  // static index; kNoInstruction: of no lane (OperandRead)
};

// An access without the addresses of its other lanes.
struct AccessOutline {
  std::uint64_t first_address = 0;  // of the first active lane
  // Accesses of one shape lie and go alike, but for that address.
  std::uint32_t shape = 0;
  std::uint32_t active = 0;
  std::uint8_t bytes_per_lane = 0;
  MemorySpace space = MemorySpace::kGlobal;
  AccessKind kind = AccessKind::kLoad;
};

// Accesses in the order in which a block made them. Their shapes (the lanes that take part, their
// distances from the first one: a stride where they are equal, else a pattern) are kept once.
class AccessList {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  // With all its addresses.
  [[nodiscard]] WarpAccess operator[](std::uint32_t index) const;
  [[nodiscard]] std::uint32_t instruction(std::uint32_t index) const {
    return record(index).instruction;
  }
  // A small part of the work of the whole access.
  [[nodiscard]] AccessOutline outline(std::uint32_t index) const {
    const AccessRecord& found = record(index);
    const Shape& shape = shapes_[found.shape];
    return {found.base, found.shape, shape.active, shape.bytes_per_lane, shape.space, shape.kind};
  }

  // The shape of an access. `like`: one that it probably has (of the same instruction's last
  // access), or kNoAccess; makes it cheap, changes nothing else.
  [[nodiscard]] std::uint32_t shape_of(const WarpAccess& access, std::uint32_t like);
  void append(const AccessRecord& record);

  // Records written in place: those of an AccessLog.
  static constexpr std::size_t kChunk = 1024;
  // Room for as many more, where the last ones have been filled.
  [[nodiscard]] AccessRecord* add_chunk();
  void set_size(std::size_t size) { size_ = size; }

 private:
  using Chunk = std::array<AccessRecord, kChunk>;
  [[nodiscard]] const AccessRecord& record(std::uint32_t index) const {
    return (*chunks_[index / kChunk])[index % kChunk];
  }
  struct Shape {
    std::int64_t stride = 0;            // between neighbouring lanes, when pattern is kNoAccess
    std::uint32_t pattern = kNoAccess;  // first of 32 distances from the base in patterns_
    std::uint32_t active = 0;
    std::uint8_t bytes_per_lane = 0;
    MemorySpace space = MemorySpace::kGlobal;
    AccessKind kind = AccessKind::kLoad;
  };
  [[nodiscard]] Shape describe(const WarpAccess& access);
  [[nodiscard]] bool fits(const WarpAccess& access, const Shape& shape) const;
  [[nodiscard]] bool lies_as(const WarpAccess& access, const Shape& shape) const;

  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
  std::vector<Shape> shapes_;
  std::vector<std::int64_t> patterns_;
};

// The address of the first active lane; 0 without one.
[[nodiscard]] std::uint64_t base_of(const WarpAccess& access);

// Writes accesses into a trace that nothing else adds to. Executors do so directly where an access
// is like the instruction's last one; all else comes through the trace's sink.
class AccessLog {
 public:
  explicit AccessLog(AccessList& list) : list_(list) {}
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  // Of the next access, in the list.
  [[nodiscard]] std::uint32_t next_index() const {
    return static_cast<std::uint32_t>(full_ - static_cast<std::size_t>(end_ - next_));
  }
  [[gnu::always_inline]] void add(const AccessRecord& record) {
    if (next_ == end_) [[unlikely]]
      go_on();
    *next_++ = record;
  }
  [[nodiscard]] std::uint32_t last_shape() const { return next_[-1].shape; }
  void finish() { list_.set_size(next_index()); }

 private:
  void go_on();

  AccessList& list_;
  AccessRecord* next_ = nullptr;
  AccessRecord* end_ = nullptr;
  std::size_t full_ = 0;  // accesses at end_
};

}  // namespace tilescope
