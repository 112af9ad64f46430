#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "emulator/block/access_list.h"

namespace tilescope {

struct Code;

// One executed warp instruction.
struct TraceEvent {
  std::uint32_t instruction = 0;     // static index
  std::uint32_t active = 0;          // lanes that execute it (predicate included)
  std::uint32_t access = kNoAccess;  // BlockTrace::access(); a cp.async has two: this and the next
  std::uint16_t warp = 0;
  std::uint32_t present = 0;  // lanes that came along, also those that the predicate switched off
};

// The instructions of a program's basic blocks, as they show in a trace.
struct BlockLayouts {
  struct Step {
    std::uint32_t instruction = 0;
    std::uint32_t accesses = 0;  // that the steps before it probably make
    bool in_memory = false;
  };
  struct Block {
    std::uint32_t begin = 0;  // in steps
    std::uint32_t size = 0;
    bool guarded = false;  // a predicate may switch lanes off, besides at its end
    bool closes = false;   // the last step is the instruction that ends the block
  };
  std::vector<Step> steps;
  std::vector<Block> blocks;  // as Code::blocks
};
[[nodiscard]] BlockLayouts layouts_of(const Code& code);

// Executed instructions in their order, with their accesses. A basic block that a warp went through
// as a whole is kept as one run and spelt out where it is read: keeping the events costs little
// beside executing them.
class EventList {
 public:
  EventList() = default;
  explicit EventList(std::shared_ptr<const BlockLayouts> layouts) : layouts_(std::move(layouts)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] TraceEvent operator[](std::size_t index) const {
    return runs_.empty() ? events_[index] : in_run(run_of(index), index);
  }
  [[nodiscard]] TraceEvent front() const { return (*this)[0]; }
  [[nodiscard]] TraceEvent back() const { return (*this)[size_ - 1]; }

  // Reads events, as values.
  class Iterator {
   public:
    using value_type = TraceEvent;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(const EventList& list, std::size_t index) : list_(&list), index_(index) {}
    TraceEvent operator*() const { return (*list_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) { return {*list_, index_++}; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) {
      return static_cast<difference_type>(a.index_) - static_cast<difference_type>(b.index_);
    }

   private:
    const EventList* list_ = nullptr;
    std::size_t index_ = 0;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size_}; }

  // A single event. `accesses`: how many there were before it.
  void add(const TraceEvent& event, std::uint32_t accesses);
  // All instructions of a basic block for the lanes `active`, its end for `ended`.
  void add_block(std::uint32_t block, std::uint16_t warp, std::uint32_t active, std::uint32_t ended,
                 std::uint32_t accesses);
  void push_back(const TraceEvent& event) {
    add(event, static_cast<std::uint32_t>(accesses_.size()));
  }
  // Event i is then what event order[i] was; each is kept by itself.
  void reorder(std::span<const std::uint32_t> order);
  void reserve_runs(std::size_t runs) { runs_.reserve(runs); }

  [[nodiscard]] const AccessList& accesses() const { return accesses_; }
  [[nodiscard]] AccessList& accesses() { return accesses_; }

 private:
  static constexpr std::uint32_t kSingly = 0xffffffff;
  static constexpr std::size_t kPage = 32;  // events
  struct Run {
    std::uint32_t first = 0;     // event
    std::uint32_t accesses = 0;  // before it
    std::uint32_t block = kSingly;
    std::uint32_t active = 0;  // kSingly: where its events begin in events_
    std::uint32_t ended = 0;
    std::uint16_t warp = 0;
  };
  [[nodiscard]] std::size_t run_of(std::size_t index) const;
  [[nodiscard]] TraceEvent in_run(std::size_t run, std::size_t index) const;
  [[nodiscard]] std::uint32_t access_of(std::size_t run, const BlockLayouts::Step& step) const;
  void add_run(const Run& run);
  void grow(std::size_t events);

  std::shared_ptr<const BlockLayouts> layouts_;
  std::vector<TraceEvent> events_;
  std::vector<Run> runs_;             // empty: all events are in events_, in order
  std::vector<std::uint32_t> pages_;  // the run in which each page begins
  std::size_t size_ = 0;
  AccessList accesses_;
};

}  // namespace tilescope
