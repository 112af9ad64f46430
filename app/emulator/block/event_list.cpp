#include "emulator/block/event_list.h"

#include <algorithm>

#include "emulator/code.h"

namespace tilescope {

BlockLayouts layouts_of(const Code& code) {
  BlockLayouts layouts;
  layouts.blocks.reserve(code.blocks.size());
  for (const CodeBlock& block : code.blocks) {
    BlockLayouts::Block layout;
    layout.begin = static_cast<std::uint32_t>(layouts.steps.size());
    layout.closes = block.has_instruction;
    std::uint32_t accesses = 0;
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      const MicroOp& op = code.ops[i];
      const bool in_memory = op.access != AccessKind::kNone;
      if (op.hidden == 0) {
        layouts.steps.push_back({op.instruction, accesses, in_memory});
        layout.guarded |= op.guard != 0;
      }
      if (in_memory) accesses += op.access == AccessKind::kAsyncCopy ? 2 : 1;
    }
    if (block.has_instruction) layouts.steps.push_back({block.last.instruction, accesses, false});
    layout.size = static_cast<std::uint32_t>(layouts.steps.size()) - layout.begin;
    layouts.blocks.push_back(layout);
  }
  return layouts;
}

std::size_t EventList::run_of(std::size_t index) const {
  std::size_t run = pages_[index / kPage];
  while (run + 1 < runs_.size() && runs_[run + 1].first <= index) ++run;
  return run;
}

// Of the run's accesses the first that the step's instruction made.
std::uint32_t EventList::access_of(std::size_t run, const BlockLayouts::Step& step) const {
  const std::uint32_t begin = runs_[run].accesses;
  const std::uint32_t end = run + 1 < runs_.size() ? runs_[run + 1].accesses
                                                   : static_cast<std::uint32_t>(accesses_.size());
  const auto is_it = [&](std::uint32_t at) {
    return accesses_.instruction(at) == step.instruction &&
           (at == begin || accesses_.instruction(at - 1) != step.instruction);
  };
  const std::uint32_t likely = begin + step.accesses;
  if (likely < end && is_it(likely)) return likely;
  for (std::uint32_t at = begin; at < end; ++at) {
    if (is_it(at)) return at;
  }
  return kNoAccess;
}

TraceEvent EventList::in_run(std::size_t index_of_run, std::size_t index) const {
  const Run& run = runs_[index_of_run];
  const std::size_t along = index - run.first;
  if (run.block == kSingly) return events_[run.active + along];
  const BlockLayouts::Block& block = layouts_->blocks[run.block];
  const BlockLayouts::Step& step = layouts_->steps[block.begin + along];
  const bool ends = block.closes && along + 1 == block.size;
  return {step.instruction, ends ? run.ended : run.active,
          step.in_memory ? access_of(index_of_run, step) : kNoAccess, run.warp, run.active};
}

void EventList::grow(std::size_t events) {
  size_ += events;
  while (pages_.size() * kPage < size_) {
    pages_.push_back(static_cast<std::uint32_t>(runs_.size() - 1));
  }
}

void EventList::add_run(const Run& run) {
  if (runs_.empty() && size_ > 0) {  // all so far were single ones
    runs_.push_back({});
    grow(0);
  }
  runs_.push_back(run);
}

void EventList::add(const TraceEvent& event, std::uint32_t accesses) {
  if (!runs_.empty() && runs_.back().block != kSingly) {
    add_run({static_cast<std::uint32_t>(size_), accesses, kSingly,
             static_cast<std::uint32_t>(events_.size())});
  }
  events_.push_back(event);
  if (runs_.empty()) {
    ++size_;
  } else {
    grow(1);
  }
}

void EventList::add_block(std::uint32_t block, std::uint16_t warp, std::uint32_t active,
                          std::uint32_t ended, std::uint32_t accesses) {
  add_run({static_cast<std::uint32_t>(size_), accesses, block, active, ended, warp});
  grow(layouts_->blocks[block].size);
}

// Each event by itself, in the same order.
void EventList::spell_out() {
  if (runs_.empty()) return;
  std::vector<TraceEvent> events;
  events.reserve(size_);
  for (const TraceEvent& event : *this) events.push_back(event);
  events_ = std::move(events);
  runs_.clear();
  pages_.clear();
}

void EventList::reorder(std::span<const std::uint32_t> order) {
  spell_out();
  std::vector<TraceEvent> events;
  events.reserve(order.size());
  for (const std::uint32_t event : order) events.push_back(events_[event]);
  size_ = events.size();
  events_ = std::move(events);
}

}  // namespace tilescope
