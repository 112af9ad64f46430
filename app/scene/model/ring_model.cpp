#include "scene/model/ring_model.h"

#include <algorithm>
#include <bit>
#include <map>

#include "analysis/time/tile_copies.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kNoEvent = RingFill::kNever;

class RingBuilder {
 public:
  RingBuilder(const KernelStudy& study, const CopyFlow& flow)
      : trace_(*study.trace),
        flow_(flow),
        next_write_(flow.shared.size()),
        epochs_(*study.program, trace_, flow.warp_events.size()),
        last_wait_(flow.warp_events.size()) {
    for (const StaticInstruction& instruction : study.program->instructions()) {
      effects_.push_back(effect_of(instruction));
    }
  }

  RingModel build() {
    std::uint32_t e = 0;
    for (const TraceEvent& event : trace_.events) visit(e++, event);
    finish();
    return std::move(model_);
  }

 private:
  void visit(std::uint32_t e, const TraceEvent& event) {
    const TimingEffect effect = effects_[event.instruction];
    epochs_.pass(event.warp, effect);
    copy_in_bulk(e);
    const bool waits = effect == TimingEffect::kBarrier || effect == TimingEffect::kWaitGroup ||
                       effect == TimingEffect::kWaitAll || effect == TimingEffect::kWaitPhase;
    if (waits) last_wait_[event.warp] = e;
    for (; next_operand_ < trace_.operand_reads.size() &&
           trace_.operand_reads[next_operand_].event <= e;
         ++next_operand_) {
      read(e, trace_.operand_reads[next_operand_].offset);
    }
    if (event.access == kNoAccess) return;
    const AccessOutline access = trace_.outline(event.access);
    if (access.kind == AccessKind::kAsyncCopy) {
      write(e, trace_.access(event.access + 1), true);
    } else if (access.space == MemorySpace::kShared) {
      const bool stores = access.kind == AccessKind::kStore || access.kind == AccessKind::kStmatrix;
      if (stores) {
        write(e, trace_.access(event.access), false);
      } else if (access.active != 0) {
        read(e, static_cast<std::uint32_t>(access.first_address));
      }
    } else if (access.kind == AccessKind::kLoad && access.space == MemorySpace::kGlobal) {
      note_loads(e, access);
    } else if (access.kind == AccessKind::kStore && access.space == MemorySpace::kGlobal) {
      last_store_ = last_store_ == kNoEvent ? e : last_store_;
    }
  }

  // Judged by the first active lane, as reads are: when which element came into its warp's
  // registers.
  void note_loads(std::uint32_t e, const AccessOutline& access) {
    if (access.active == 0) return;
    for (std::uint64_t byte = 0; byte < access.bytes_per_lane; byte += kWordBytes) {
      const Origin origin = flow_.origin_at(access.first_address + byte);
      if (!origin.known() || !flow_.routes[origin.matrix()].to_shared) continue;
      loaded_[{trace_.events[e].warp, origin.code}] = e;
    }
  }

  void add_load(RingFill& fill, std::uint32_t warp, Origin origin) const {
    const auto load = loaded_.find({warp, origin.code});
    if (load != loaded_.end()) fill.loads.push_back(load->second);
  }

  // What the event put into the word, as far as that is an element.
  Origin written_at(std::uint64_t word, std::uint32_t e) {
    const std::span<const SharedHistory::Write> history = flow_.shared[word];
    std::size_t& next = next_write_[word];
    while (next < history.size() && history[next].event < e) ++next;
    return next < history.size() && history[next].event == e ? history[next].origin : Origin{};
  }

  void write(std::uint32_t e, const WarpAccess& access, bool is_async) {
    std::uint32_t fill = kNoEvent;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1U) == 0) continue;
      const std::uint64_t end = access.address[lane] + access.bytes_per_lane;
      for (std::uint64_t byte = access.address[lane]; byte < end; byte += 4) {
        const std::uint64_t word = byte / 4;
        if (word >= flow_.shared.size()) break;
        const Origin origin = written_at(word, e);
        if (!origin.known()) continue;
        if (fill == kNoEvent) fill = begun(e, is_async);
        epochs_.write(static_cast<std::uint32_t>(word * 4), fill);
        add(model_.fills[fill], origin);
        const bool is_first = static_cast<int>(lane) == std::countr_zero(access.active);
        if (!is_async && is_first) add_load(model_.fills[fill], trace_.events[e].warp, origin);
      }
    }
  }

  // Also what other blocks of the cluster copy here, which comes before the event.
  void copy_in_bulk(std::uint32_t e) {
    for (; next_copy_ < trace_.bulk_copies.size(); ++next_copy_) {
      const BulkCopy& copy = trace_.bulk_copies[next_copy_];
      if (copy.event > e) return;
      if (!copy.loads()) continue;
      const std::uint32_t fill = begun(epochs_.tile_of(copy), e);
      const std::uint64_t end = copy.shared + copy.bytes;
      for (std::uint64_t byte = copy.shared; byte < end; byte += kWordBytes) {
        epochs_.write(static_cast<std::uint32_t>(byte), fill);
        const Origin origin = flow_.origin_at(copy.global + byte - copy.shared);
        if (origin.known()) add(model_.fills[fill], origin);
      }
    }
  }

  std::uint32_t begun(std::uint32_t e, bool is_async) {
    return begun(epochs_.tile_of(trace_.events[e].warp, e, is_async), e);
  }
  std::uint32_t begun(std::uint32_t fill, std::uint32_t e) {
    if (fill == model_.fills.size()) model_.fills.emplace_back();
    std::vector<std::uint32_t>& writes = model_.fills[fill].writes;
    if (writes.empty() || writes.back() != e) writes.push_back(e);
    return fill;
  }

  void add(RingFill& fill, Origin origin) const {
    const MatrixView& view = flow_.matrices[origin.matrix()];
    const std::uint64_t row = origin.element() / view.leading;
    const std::uint64_t col = origin.element() % view.leading;
    const std::uint64_t wide = std::max<std::uint64_t>(1, 4 / size_of(view.type));  // in a word
    auto part =
        std::ranges::find(fill.parts, origin.matrix(), &std::pair<std::size_t, ElementBox>::first);
    if (part == fill.parts.end()) {
      fill.parts.emplace_back(origin.matrix(), ElementBox{});
      part = std::prev(fill.parts.end());
    }
    part->second.add(row, col, wide);
  }

  void read(std::uint32_t e, std::uint32_t byte) {
    const std::uint32_t writer = epochs_.writer(byte);
    if (writer == TileEpochs::kNobody) return;
    RingFill& fill = model_.fills[writer];
    last_store_ = kNoEvent;  // what is stored after the last read ends the last tile's use
    if (fill.first_read != kNoEvent) return;
    fill.first_read = e;
    fill.whole = std::max(last_wait_[trace_.events[e].warp], fill.writes.back());
    if (in_use_ != kNoEvent) model_.fills[in_use_].used_until = fill.whole;
    in_use_ = writer;
  }

  void finish() {
    if (in_use_ != kNoEvent) model_.fills[in_use_].used_until = last_store_;
    model_.stages = epochs_.parts();
    if (model_.stages.empty() || !flow_.complete) {
      model_ = {};
      return;
    }
    for (std::uint32_t i = 0; i < model_.fills.size(); ++i) {
      RingFill& fill = model_.fills[i];
      fill.stage = epochs_.part_of(i, model_.stages);
      std::ranges::sort(fill.loads);
      fill.loads.erase(std::unique(fill.loads.begin(), fill.loads.end()), fill.loads.end());
      if (fill.loads.empty() || i == 0) continue;
      const std::uint32_t read = model_.fills[i - 1].first_read;
      model_.prefetches |= read > fill.loads.front() && read < fill.writes.front();
    }
  }

  const BlockTrace& trace_;
  const CopyFlow& flow_;
  std::vector<TimingEffect> effects_;    // by static instruction
  std::vector<std::size_t> next_write_;  // by word: into its history
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> loaded_;  // by warp and element
  TileEpochs epochs_;                     // its tiles are the model's fills
  std::vector<std::uint32_t> last_wait_;  // event, by warp
  std::size_t next_operand_ = 0;          // of BlockTrace::operand_reads
  std::size_t next_copy_ = 0;             // of BlockTrace::bulk_copies
  std::uint32_t in_use_ = kNoEvent;       // fill
  std::uint32_t last_store_ = kNoEvent;   // the first to global memory since the last read
  RingModel model_;
};

}  // namespace

const ElementBox* RingFill::part_of(std::size_t matrix) const {
  for (const auto& [of, box] : parts) {
    if (of == matrix) return &box;
  }
  return nullptr;
}

RingModel::Stage RingModel::stage_at(std::uint32_t stage, std::uint32_t event) const {
  Stage now;
  for (std::size_t i = fills.size(); i-- > 0;) {
    const RingFill& fill = fills[i];
    if (fill.stage != stage || fill.writes.front() > event) continue;
    const auto done = std::ranges::upper_bound(fill.writes, event) - fill.writes.begin();
    now.fill = i;
    now.issued = static_cast<double>(done) / static_cast<double>(fill.writes.size());
    const std::uint32_t whole = fill.whole == kNoEvent ? fill.writes.back() : fill.whole;
    now.state = event < whole             ? StageState::kIssued
                : event < fill.first_read ? StageState::kReady
                : event < fill.used_until ? StageState::kUsed
                                          : StageState::kFree;
    return now;
  }
  return now;
}

std::optional<RingModel::Waiting> RingModel::in_registers(std::uint32_t event) const {
  for (std::size_t i = 0; i < fills.size(); ++i) {
    const RingFill& fill = fills[i];
    if (fill.loads.empty() || event < fill.loads.front() || event >= fill.writes.front()) continue;
    const auto done = std::ranges::upper_bound(fill.loads, event) - fill.loads.begin();
    return Waiting{i, static_cast<double>(done) / static_cast<double>(fill.loads.size())};
  }
  return std::nullopt;
}

bool RingModel::is_loaded_by(std::uint32_t event) const {
  return std::ranges::any_of(fills, [event](const RingFill& fill) {
    return std::ranges::binary_search(fill.loads, event);
  });
}

std::optional<std::uint32_t> RingModel::written_by(std::uint32_t event) const {
  for (const RingFill& fill : fills) {
    if (std::ranges::binary_search(fill.writes, event)) return fill.stage;
  }
  return std::nullopt;
}

RingModel ring_model_of(const KernelStudy& study, const CopyFlow& flow) {
  return RingBuilder(study, flow).build();
}

}  // namespace tilescope
