#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "emulator/execution/access_list.h"

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

  // Reads events one after the other, as values.
  class Iterator {
   public:
    using value_type = TraceEvent;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    TraceEvent operator*() const {
      return list_->runs_.empty() ? list_->events_[index_] : list_->in_run(run_, index_);
    }
    Iterator& operator++() {
      ++index_;
      if (run_ + 1 < list_->runs_.size() && list_->runs_[run_ + 1].first <= index_) ++run_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) {
      return static_cast<difference_type>(a.index_) - static_cast<difference_type>(b.index_);
    }

   private:
    friend class EventList;
    Iterator(const EventList& list, std::size_t index) : list_(&list), index_(index) {}

    const EventList* list_ = nullptr;
    std::size_t index_ = 0;
    std::size_t run_ = 0;  // that holds index_, where there are runs
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size_}; }

  // A warp's way through a basic block, or a single event of its.
  struct Passage {
    std::uint32_t begin = 0;  // event
    std::uint16_t warp = 0;
    std::uint32_t block = kSingly;              // of the layouts
    std::span<const BlockLayouts::Step> steps;  // one an event
  };
  static constexpr std::uint32_t kSingly = 0xffffffff;
  // All events in order, a passage at a time: much less work than one by one.
  template <typename Take>
  void for_each_passage(const Take& take) const {
    if (runs_.empty()) return take_singly(0, 0, size_, take);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Run& run = runs_[i];
      const std::size_t end = i + 1 < runs_.size() ? runs_[i + 1].first : size_;
      if (run.block == kSingly) {
        take_singly(run.first, run.active, end - run.first, take);
        continue;
      }
      const BlockLayouts::Block& block = layouts_->blocks[run.block];
      take(Passage{run.first, run.warp, run.block,
                   std::span(layouts_->steps).subspan(block.begin, block.size)});
    }
  }

  // A single event. `accesses`: how many there were before it.
  void add(const TraceEvent& event, std::uint32_t accesses);
  // All instructions of a basic block for the lanes `active`, its end for `ended`.
  void add_block(std::uint32_t block, std::uint16_t warp, std::uint32_t active, std::uint32_t ended,
                 std::uint32_t accesses);
  void push_back(const TraceEvent& event) {
    add(event, static_cast<std::uint32_t>(accesses_.size()));
  }
  // Event i is then what event order[i] was; each is kept by itself. `order` names each event once.
  void reorder(std::span<const std::uint32_t> order);
  void reserve_runs(std::size_t runs) { runs_.reserve(runs); }

  [[nodiscard]] const AccessList& accesses() const { return accesses_; }
  [[nodiscard]] AccessList& accesses() { return accesses_; }

 private:
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
  void spell_out();

  // `size` events from `index` on, which lie in events_ from `place` on.
  template <typename Take>
  void take_singly(std::size_t index, std::size_t place, std::size_t size, const Take& take) const {
    for (std::size_t i = 0; i < size; ++i) {
      const TraceEvent& event = events_[place + i];
      const BlockLayouts::Step step{event.instruction, 0, event.access != kNoAccess};
      take(Passage{static_cast<std::uint32_t>(index + i), event.warp, kSingly, {&step, 1}});
    }
  }

  std::shared_ptr<const BlockLayouts> layouts_;
  std::vector<TraceEvent> events_;
  std::vector<Run> runs_;             // empty: all events are in events_, in order
  std::vector<std::uint32_t> pages_;  // the run in which each page begins
  std::size_t size_ = 0;
  AccessList accesses_;
};

}  // namespace tilescope
