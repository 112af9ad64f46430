#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace tilescope {

// What is known of a region of global memory that outlives a launch: which bytes have been written
// since it was allocated, a bit each, and whether the launches since forget_use() read or wrote it.
// Thread-safe.
class RegionHistory {
 public:
  explicit RegionHistory(std::uint64_t bytes);

  [[nodiscard]] bool all_written() const { return all_written_.load(std::memory_order_relaxed); }
  void write_all() { all_written_.store(true, std::memory_order_relaxed); }
  // [offset, offset + bytes) lies in the region.
  void write(std::uint64_t offset, std::uint64_t bytes);
  // As if nobody had written it: a copy from bytes that nobody has.
  void forget(std::uint64_t offset, std::uint64_t bytes);
  // Bit i: byte offset + i has not been written. Of at most 64 bytes.
  [[nodiscard]] std::uint64_t missing(std::uint64_t offset, unsigned bytes) const;

  void note_use(bool reads, bool writes) {
    if (reads && !read()) read_.store(true, std::memory_order_relaxed);
    if (writes && !written()) written_.store(true, std::memory_order_relaxed);
  }
  [[nodiscard]] bool read() const { return read_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool written() const { return written_.load(std::memory_order_relaxed); }
  void forget_use();

 private:
  using Word = std::atomic<std::uint64_t>;
  struct Free {
    void operator()(void* words) const { std::free(words); }
  };

  std::uint64_t bytes_;
  std::unique_ptr<Word[], Free> words_;  // pages that nobody touches take no memory
  std::atomic<bool> all_written_{false};
  std::atomic<bool> read_{false};
  std::atomic<bool> written_{false};
};

}  // namespace tilescope
