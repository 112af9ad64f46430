#include "analysis/memory/counters.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "analysis/memory/bank_conflicts.h"

namespace tilescope {

AccessCounters& AccessCounters::operator+=(const AccessCounters& other) {
  requests += other.requests;
  global_requests += other.global_requests;
  local_requests += other.local_requests;
  lanes += other.lanes;
  distinct_bytes += other.distinct_bytes;
  sectors += other.sectors;
  local_sectors += other.local_sectors;
  sectors_ideal += other.sectors_ideal;
  wavefronts += other.wavefronts;
  wavefronts_ideal += other.wavefronts_ideal;
  return *this;
}

AccessCounters AccessCounters::scaled(double factor) const {
  AccessCounters product = *this;
  for (std::uint64_t AccessCounters::*member :
       {&AccessCounters::requests, &AccessCounters::global_requests,
        &AccessCounters::local_requests, &AccessCounters::lanes, &AccessCounters::distinct_bytes,
        &AccessCounters::sectors, &AccessCounters::local_sectors, &AccessCounters::sectors_ideal,
        &AccessCounters::wavefronts, &AccessCounters::wavefronts_ideal}) {
    product.*member =
        static_cast<std::uint64_t>(static_cast<double>(product.*member) * factor + 0.5);
  }
  return product;
}

namespace {

// The addresses of an access relative to its first active lane. Its cost follows from them: sectors
// depend on the base modulo 32 bytes alone, lines and wavefronts on it modulo 128.
struct AddressPattern {
  std::uint32_t active = 0;     // 0: nothing else is set
  std::uint32_t alignment = 0;  // compared before the offsets, for it differs more often
  std::uint8_t bytes_per_lane = 0;
  MemorySpace space = MemorySpace::kNone;
  bool continued = false;
  std::array<std::uint64_t, kWarpSize> offset;
  std::uint32_t shape = 0;  // equal numbers: all but the alignment is equal; of a copy, both are

  friend bool operator==(const AddressPattern& a, const AddressPattern& b) {
    return a.active == b.active && a.alignment == b.alignment &&
           a.bytes_per_lane == b.bytes_per_lane && a.space == b.space &&
           a.continued == b.continued && (a.active == 0 || a.offset == b.offset);
  }
};

// Inactive lanes count as the first active one, so that patterns compare without regard to the
// mask.
void describe(const WarpAccess& access, std::uint32_t alignments, AddressPattern* pattern) {
  pattern->active = access.active;
  const std::uint64_t base =
      access.address[static_cast<std::size_t>(std::countr_zero(access.active))];
  pattern->alignment = static_cast<std::uint32_t>(base & (alignments - 1));
  pattern->bytes_per_lane = access.bytes_per_lane;
  pattern->space = access.space;
  pattern->continued = access.continued;
  if (access.active == 0xffffffffu) {
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      pattern->offset[lane] = access.address[lane] - base;
    }
  } else {
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const bool active = (access.active >> lane & 1u) != 0;
      pattern->offset[lane] = active ? access.address[lane] - base : 0;
    }
  }
}

// An access of this pattern.
WarpAccess access_of(const AddressPattern& pattern, AccessKind kind) {
  WarpAccess access;
  access.active = pattern.active;
  access.bytes_per_lane = pattern.bytes_per_lane;
  access.space = pattern.space;
  access.continued = pattern.continued;
  access.kind = kind;
  if (pattern.active == 0) return access;
  // Far enough up that no lane lies below 0.
  constexpr std::uint64_t kBase = std::uint64_t{1} << 48;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    access.address[lane] = kBase + pattern.alignment + pattern.offset[lane];
  }
  return access;
}

AccessCounters cost_of(const WarpAccess& access, AccessVariant variant) {
  AccessCounters cost;
  cost.lanes = static_cast<std::uint64_t>(std::popcount(access.active));
  cost.requests = 1;
  if (access.space == MemorySpace::kClusterShared) {
    // Loads and stores of another block's shared memory are counted nowhere, atomics where they are
    // executed, as if no bank were wanted twice.
    if (access.kind == AccessKind::kAtomic && !access.continued) {
      cost.wavefronts_ideal =
          static_cast<std::uint64_t>(wavefront_cost(access, variant).ideal_wavefronts);
      cost.wavefronts = cost.wavefronts_ideal;
    }
    return cost;
  }
  if (access.space == MemorySpace::kShared) {
    const WavefrontCost shared = wavefront_cost(access, variant);
    cost.wavefronts = static_cast<std::uint64_t>(shared.wavefronts);
    cost.wavefronts_ideal = static_cast<std::uint64_t>(shared.ideal_wavefronts);
  } else {
    const bool local = access.space == MemorySpace::kLocal;
    const SectorCost moved = local ? local_sector_cost(access) : sector_cost(access);
    cost.sectors = static_cast<std::uint64_t>(moved.sectors);
    cost.sectors_ideal = static_cast<std::uint64_t>(moved.ideal_sectors);
    if (local) {  // each word of a lane is a request of its own
      cost.requests = std::max<std::uint64_t>(access.bytes_per_lane / 4, 1);
      cost.local_requests = cost.requests;
      cost.local_sectors = cost.sectors;
    } else if (access.space == MemorySpace::kGlobal) {
      cost.global_requests = 1;
      cost.distinct_bytes = static_cast<std::uint64_t>(moved.useful_bytes);
    }
  }
  return cost;
}

AccessCounters cost_of(const WarpAccess& source, const WarpAccess& destination,
                       AccessVariant variant) {
  const AsyncCopyCost copy = async_copy_cost(source, destination, variant);
  AccessCounters cost;
  cost.lanes = static_cast<std::uint64_t>(std::popcount(source.active));
  cost.requests = static_cast<std::uint64_t>(copy.requests);
  cost.global_requests = cost.requests;
  cost.distinct_bytes = static_cast<std::uint64_t>(copy.source.useful_bytes);
  cost.sectors = static_cast<std::uint64_t>(copy.source.sectors);
  cost.sectors_ideal = static_cast<std::uint64_t>(copy.source.ideal_sectors);
  cost.wavefronts = static_cast<std::uint64_t>(copy.writes.wavefronts);
  cost.wavefronts_ideal = static_cast<std::uint64_t>(copy.writes.ideal_wavefronts);
  return cost;
}

// The last few patterns of an instruction, each with its cost and how often it came.
template <typename Pattern, std::size_t Kept>
class PatternCounts {
 public:
  struct Entry {
    Pattern pattern;
    AccessCounters cost;
    std::uint64_t times = 0;  // 0: not used yet
  };

  // The entry for which `is_it` holds, or nullptr. Entries last until the next add().
  template <typename Test>
  [[nodiscard]] Entry* find(Test is_it) {
    for (Entry& entry : entries_) {
      if (entry.times != 0 && is_it(entry.pattern)) return &entry;
    }
    return nullptr;
  }

  // In the place of the oldest; not counted yet.
  Entry* add(const Pattern& pattern, const AccessCounters& cost) {
    Entry& entry = entries_[next_];
    next_ = (next_ + 1) % entries_.size();
    dropped_ += entry.cost.scaled(static_cast<double>(entry.times));
    entry = {pattern, cost, 0};
    return &entry;
  }

  [[nodiscard]] AccessCounters sum() const {
    AccessCounters sum = dropped_;
    for (const Entry& entry : entries_) sum += entry.cost.scaled(static_cast<double>(entry.times));
    return sum;
  }

 private:
  std::array<Entry, Kept> entries_;
  std::size_t next_ = 0;
  AccessCounters dropped_;  // of patterns that made room
};

// Costs depend on where an access begins in a sector; of shared memory, in the row of banks.
constexpr std::uint32_t alignments_of(MemorySpace space) {
  return space == MemorySpace::kShared ? 128 : 32;
}
static_assert(TraceSink::kRepeatBases % alignments_of(MemorySpace::kShared) == 0 &&
              TraceSink::kRepeatBases % alignments_of(MemorySpace::kGlobal) == 0);

}  // namespace

struct CountingSink::Copy {
  AddressPattern source;
  AddressPattern destination;
  friend bool operator==(const Copy&, const Copy&) = default;
};

struct CountingSink::Instruction {
  AccessVariant variant = AccessVariant::kPlain;
  PatternCounts<AddressPattern, 8> costs;
  PatternCounts<AddressPattern, 8>::Entry* last = nullptr;
  AccessKind last_kind = AccessKind::kLoad;
  std::uint32_t shapes = 0;  // numbers given to AddressPattern::shape
  // cp.async alone. Source and destination shift against each other from one turn of a loop to the
  // next, so that there are more patterns.
  std::unique_ptr<PatternCounts<Copy, 32>> copies;
  PatternCounts<Copy, 32>::Entry* last_copy = nullptr;
};

CountingSink::CountingSink(const Program& program)
    : program_(program),
      instructions_(program.instructions().size()),
      copy_(std::make_unique<Copy>()) {}

CountingSink::~CountingSink() = default;

CountingSink::Instruction& CountingSink::instruction_at(const WarpPoint& where) {
  std::unique_ptr<Instruction>& instruction = instructions_[where.instruction];
  if (!instruction) {
    instruction = std::make_unique<Instruction>();
    instruction->variant = program_.instructions()[where.instruction].variant;
  }
  return *instruction;
}

void CountingSink::on_access(const WarpPoint& where, const WarpAccess& access) {
  if (access.active == 0) return;
  if (access.kind == AccessKind::kAsyncCopy) {
    on_copy(where, access);
    return;
  }
  Instruction& instruction = instruction_at(where);
  AddressPattern pattern;
  describe(access, alignments_of(access.space), &pattern);
  auto* entry = instruction.costs.find([&](const auto& known) { return known == pattern; });
  if (entry == nullptr) {
    pattern.shape = ++instruction.shapes;
    entry = instruction.costs.add(pattern, cost_of(access, instruction.variant));
  }
  ++entry->times;
  instruction.last = entry;
  instruction.last_kind = access.kind;
}

bool CountingSink::on_repeat(const WarpPoint& where, std::uint64_t base, std::uint64_t times) {
  Instruction& instruction = *instructions_[where.instruction];
  const AddressPattern& last = instruction.last->pattern;
  const auto alignment = static_cast<std::uint32_t>(base & (alignments_of(last.space) - 1));
  if (alignment != last.alignment) {
    auto* entry = instruction.costs.find([&](const auto& known) {
      return known.shape == last.shape && known.alignment == alignment;
    });
    if (entry == nullptr) {
      AddressPattern moved = last;
      moved.alignment = alignment;
      const WarpAccess access = access_of(moved, instruction.last_kind);
      entry = instruction.costs.add(moved, cost_of(access, instruction.variant));
    }
    instruction.last = entry;
  }
  instruction.last->times += times;
  return true;
}

// The read comes first, unless no lane reads anything.
void CountingSink::on_copy(const WarpPoint& where, const WarpAccess& access) {
  const bool reads = access.space != MemorySpace::kShared;
  describe(access, 128, reads ? &copy_->source : &copy_->destination);
  if (reads) return;
  Instruction& instruction = instruction_at(where);
  if (!instruction.copies) instruction.copies = std::make_unique<PatternCounts<Copy, 32>>();
  auto* entry = instruction.copies->find([&](const Copy& known) { return known == *copy_; });
  if (entry == nullptr) {
    const WarpAccess source = access_of(copy_->source, AccessKind::kAsyncCopy);
    copy_->source.shape = ++instruction.shapes;
    entry = instruction.copies->add(*copy_, cost_of(source, access, instruction.variant));
  }
  ++entry->times;
  instruction.last_copy = entry;
  copy_->source.active = 0;
}

bool CountingSink::on_copy_repeat(const WarpPoint& where, std::uint64_t source,
                                  std::uint64_t destination) {
  Instruction& instruction = *instructions_[where.instruction];
  const std::uint32_t shape = instruction.last_copy->pattern.source.shape;
  const auto from = static_cast<std::uint32_t>(source & 127);
  const auto to = static_cast<std::uint32_t>(destination & 127);
  auto* entry = instruction.copies->find([&](const Copy& known) {
    return known.source.alignment == from && known.destination.alignment == to &&
           known.source.shape == shape;
  });
  if (entry == nullptr) {
    Copy moved = instruction.last_copy->pattern;
    moved.source.alignment = from;
    moved.destination.alignment = to;
    entry = instruction.copies->add(
        moved, cost_of(access_of(moved.source, AccessKind::kAsyncCopy),
                       access_of(moved.destination, AccessKind::kAsyncCopy), instruction.variant));
  }
  ++entry->times;
  instruction.last_copy = entry;
  return true;
}

std::vector<AccessCounters> CountingSink::counters() const {
  std::vector<AccessCounters> counters(instructions_.size());
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    if (!instructions_[i]) continue;
    counters[i] += instructions_[i]->costs.sum();
    if (instructions_[i]->copies) counters[i] += instructions_[i]->copies->sum();
  }
  return counters;
}

// A bit for each element of a buffer.
struct ReachSink::Marks {
  using Bits = std::vector<std::uint64_t>;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  unsigned shift = 0;  // an element has 1 << shift bytes
  Bits read;           // empty before the first
  Bits written;

  void mark(Bits* bits, std::uint64_t first, std::uint64_t last) const {
    if (bits->empty()) bits->resize((((bytes - 1) >> shift) >> 6) + 1);
    for (std::uint64_t word = first >> 6; word <= last >> 6; ++word) {
      std::uint64_t set = ~std::uint64_t{0};
      if (word == first >> 6) set &= ~std::uint64_t{0} << (first & 63);
      if (word == last >> 6) set &= ~std::uint64_t{0} >> (63 - (last & 63));
      (*bits)[word] |= set;
    }
  }
  [[nodiscard]] std::uint64_t sectors(const Bits& bits) const {
    const unsigned elements = static_cast<unsigned>(kSectorBytes) >> shift;
    const std::uint64_t one =
        elements >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << elements) - 1;
    std::uint64_t count = 0;
    for (const std::uint64_t word : bits) {
      for (unsigned at = 0; word != 0 && at < 64; at += elements) count += (word >> at & one) != 0;
    }
    return count;
  }
};

ReachSink::ReachSink(const Program& program, const DeviceMemory& memory) : counting_(program) {
  for (const DeviceMemory::Buffer& buffer : memory.buffers()) {
    const auto shift = static_cast<unsigned>(std::countr_zero(size_of(buffer.type)));
    marks_.push_back({buffer.address, buffer.bytes(), shift, {}, {}});
  }
}

ReachSink::~ReachSink() = default;

void ReachSink::mark(std::uint64_t address, std::uint64_t bytes, bool reads, bool writes) {
  const auto holds = [&](const Marks& marks) {
    return address >= marks.address && address - marks.address < marks.bytes;
  };
  if (last_ == nullptr || !holds(*last_)) {
    const auto found = std::ranges::find_if(marks_, holds);
    if (found == marks_.end()) return;
    last_ = &*found;
  }
  const std::uint64_t offset = address - last_->address;
  const std::uint64_t first = offset >> last_->shift;
  const std::uint64_t last = (std::min(offset + bytes, last_->bytes) - 1) >> last_->shift;
  if (reads) last_->mark(&last_->read, first, last);
  if (writes) last_->mark(&last_->written, first, last);
}

void ReachSink::on_access(const WarpPoint& where, const WarpAccess& access) {
  counting_.on_access(where, access);
  if (access.space != MemorySpace::kGlobal) return;
  const bool writes = access.kind == AccessKind::kStore || access.kind == AccessKind::kAtomic;
  const bool reads = access.kind != AccessKind::kStore;
  for (std::uint32_t left = access.active; left != 0;) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    left &= left - 1;
    // Neighbours in one go.
    std::uint64_t bytes = access.bytes_per_lane;
    for (std::size_t next = lane + 1; (left >> next & 1U) != 0 && next < kWarpSize; ++next) {
      if (access.address[next] != access.address[lane] + bytes) break;
      bytes += access.bytes_per_lane;
      left &= left - 1;
    }
    mark(access.address[lane], bytes, reads, writes);
  }
}

void ReachSink::merge(const ReachSink& other) {
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    for (Marks::Bits Marks::*bits : {&Marks::read, &Marks::written}) {
      Marks::Bits& to = marks_[i].*bits;
      const Marks::Bits& from = other.marks_[i].*bits;
      to.resize(std::max(to.size(), from.size()));
      for (std::size_t word = 0; word < from.size(); ++word) to[word] |= from[word];
    }
  }
}

std::vector<BufferReach> ReachSink::reach() const {
  std::vector<BufferReach> reach;
  for (const Marks& marks : marks_) {
    BufferReach& of = reach.emplace_back();
    for (const std::uint64_t word : marks.read) {
      of.elements_read += static_cast<std::uint64_t>(std::popcount(word));
    }
    of.sectors_read = marks.sectors(marks.read);
    of.sectors_written = marks.sectors(marks.written);
  }
  return reach;
}

std::vector<LineCounters> counters_by_line(const Program& program, const LaunchCounters& counters) {
  std::vector<LineCounters> lines;
  const auto key = [](const LineCounters& line) {
    return std::tuple(line.line.file, line.line.line, line.instruction_class, line.space,
                      line.access);
  };
  for (std::size_t i = 0; i < program.instructions().size(); ++i) {
    const StaticInstruction& instruction = program.instructions()[i];
    if (counters.executed.warps[i] == 0 || !instruction.counts) continue;
    LineCounters row;
    row.line = instruction.outermost;
    row.instruction_class = instruction.instruction_class;
    row.space = instruction.space;
    row.access = instruction.access;
    row.executed = counters.executed.warps[i];
    row.lanes = counters.executed.lanes[i];
    row.divergent = counters.executed.divergent[i];
    row.memory = counters.by_instruction[i];
    lines.push_back(row);
  }
  std::sort(lines.begin(), lines.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::vector<LineCounters> merged;
  for (const LineCounters& row : lines) {
    if (merged.empty() || key(merged.back()) != key(row)) {
      merged.push_back(row);
      continue;
    }
    merged.back().executed += row.executed;
    merged.back().lanes += row.lanes;
    merged.back().divergent += row.divergent;
    merged.back().memory += row.memory;
  }
  return merged;
}

namespace {

using Metrics = std::map<std::string, std::uint64_t>;

// What one instruction adds under Nsight Compute's names.
class InstructionMetrics {
 public:
  InstructionMetrics(const StaticInstruction& instruction, std::uint64_t executed,
                     const AccessCounters& counters, Metrics* metrics)
      : instruction_(instruction), executed_(executed), counters_(counters), metrics_(*metrics) {}

  void add() {
    switch (instruction_.access) {
      case AccessKind::kLoad:
        add_plain("ld");
        break;
      case AccessKind::kStore:
        add_plain("st");
        break;
      case AccessKind::kAsyncCopy:
        add_executed("ldgsts");
        add_global("ld");
        add_conflicts("ldgsts");
        break;
      case AccessKind::kLdmatrix:
        add_executed("ldsm");
        add_shared("ld");
        break;
      case AccessKind::kStmatrix:
        add_executed("shared_stsm");
        add_shared("st");
        break;
      case AccessKind::kAtomic:
        add_atomic();
        break;
      case AccessKind::kNone:
        break;
    }
  }

 private:
  // Through a generic address: where the lanes turned out to point.
  [[nodiscard]] bool is_shared() const {
    if (instruction_.space == MemorySpace::kGeneric) return counters_.wavefronts != 0;
    return instruction_.space == MemorySpace::kShared;
  }
  [[nodiscard]] bool is_global() const {
    if (instruction_.space == MemorySpace::kGeneric) return counters_.global_requests != 0;
    return instruction_.space == MemorySpace::kGlobal;
  }
  [[nodiscard]] bool is_local() const {
    if (instruction_.space == MemorySpace::kGeneric) return counters_.local_requests != 0;
    return instruction_.space == MemorySpace::kLocal;
  }

  void add_plain(const std::string& op) {
    if (instruction_.space == MemorySpace::kGeneric) {
      add_executed("generic_" + op);
    } else if (is_global()) {
      add_executed("global_" + op);
    } else if (is_shared()) {
      add_executed("shared_" + op);
    } else if (is_local()) {
      add_executed("local_" + op);
    }
    if (is_global()) add_global(op);
    if (is_local()) add_local(op);
    if (is_shared()) add_shared(op);
  }

  void add_atomic() {
    const bool reduces = instruction_.variant == AccessVariant::kReduction;
    if (instruction_.space == MemorySpace::kShared) {
      add_executed("shared_atom");
    } else {
      add_executed(reduces && instruction_.space == MemorySpace::kGlobal ? "global_red"
                                                                         : "generic_atom");
    }
    if (is_global()) add_global(reduces ? "red" : "atom");
    if (is_shared()) add_shared("atom");
    if (instruction_.space == MemorySpace::kGeneric) add_looking_for_shared();
  }

  // A generic atomic goes through the pipe of shared memory also where it turns out to be on global
  // memory (measured on an H200).
  void add_looking_for_shared() {
    const bool two =
        instruction_.variant == AccessVariant::kCompareAndSwap || instruction_.bytes_per_lane == 8;
    metrics_["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"] +=
        counters_.global_requests * (two ? 2 : 1);
  }

  void add_executed(const std::string& op) {
    metrics_["smsp__inst_executed_op_" + op + ".sum"] += executed_;
  }
  void add_global(const std::string& op) {
    metrics_["l1tex__t_requests_pipe_lsu_mem_global_op_" + op + ".sum"] +=
        counters_.global_requests;
    metrics_["l1tex__t_sectors_pipe_lsu_mem_global_op_" + op + ".sum"] +=
        counters_.sectors - counters_.local_sectors;
  }
  void add_local(const std::string& op) {
    metrics_["l1tex__t_requests_pipe_lsu_mem_local_op_" + op + ".sum"] += counters_.local_requests;
    metrics_["l1tex__t_sectors_pipe_lsu_mem_local_op_" + op + ".sum"] += counters_.local_sectors;
  }
  void add_shared(const std::string& op) {
    metrics_["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op + ".sum"] +=
        counters_.wavefronts;
    add_conflicts(op);
  }
  void add_conflicts(const std::string& op) {
    const bool two_a_step = instruction_.variant == AccessVariant::kCompareAndSwap;
    metrics_["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op + ".sum"] +=
        (counters_.wavefronts - counters_.wavefronts_ideal) / (two_a_step ? 2 : 1);
  }

  const StaticInstruction& instruction_;
  std::uint64_t executed_;
  const AccessCounters& counters_;
  Metrics& metrics_;
};

// A kernel without shared loads has none of them, and says so.
Metrics zeros() {
  Metrics metrics;
  for (const char* op : {"global_ld", "global_st", "global_red", "generic_ld", "generic_st",
                         "generic_atom", "shared_ld", "shared_st", "shared_atom", "shared_stsm",
                         "ldsm", "ldgsts", "local_ld", "local_st"}) {
    metrics[std::string("smsp__inst_executed_op_") + op + ".sum"] = 0;
  }
  for (const char* op : {"ld", "st", "red", "atom"}) {
    for (const char* what : {"requests", "sectors"}) {
      metrics[std::string("l1tex__t_") + what + "_pipe_lsu_mem_global_op_" + op + ".sum"] = 0;
    }
  }
  for (const char* op : {"ld", "st"}) {
    for (const char* what : {"requests", "sectors"}) {
      metrics[std::string("l1tex__t_") + what + "_pipe_lsu_mem_local_op_" + op + ".sum"] = 0;
    }
  }
  for (const char* op : {"ld", "st", "atom"}) {
    metrics[std::string("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_") + op + ".sum"] = 0;
  }
  for (const char* op : {"ld", "st", "atom", "ldgsts"}) {
    metrics[std::string("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_") + op + ".sum"] = 0;
  }
  return metrics;
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const auto& [name, zero] : zeros()) names.push_back(name);
  return names;
}

std::map<std::string, std::uint64_t> metrics_of(const Program& program,
                                                const LaunchCounters& counters) {
  Metrics metrics = zeros();
  for (std::size_t i = 0; i < program.instructions().size(); ++i) {
    InstructionMetrics(program.instructions()[i], counters.executed.warps[i],
                       counters.by_instruction[i], &metrics)
        .add();
  }
  // Of the PTX alone nobody knows how many instructions the machine makes of it.
  if (program.is_machine_code()) {
    std::uint64_t& executed = metrics["smsp__inst_executed.sum"];
    std::uint64_t& threads = metrics["smsp__thread_inst_executed.sum"];
    std::uint64_t& lanes = metrics["smsp__thread_inst_executed_pred_on.sum"];
    for (std::size_t i = 0; i < program.instructions().size(); ++i) {
      if (!program.instructions()[i].counts) continue;
      executed += counters.executed.warps[i];
      threads += counters.executed.threads[i];
      lanes += counters.executed.lanes[i];
    }
  }
  return metrics;
}

std::map<std::string, std::uint64_t> metrics_that_depend_on_turns(const Program& program,
                                                                  const LaunchCounters& counters) {
  if (counters.other_turns == nullptr) return {};
  Metrics others = metrics_of(program, *counters.other_turns);
  for (const auto& [name, value] : metrics_of(program, counters)) {
    if (others.at(name) == value) others.erase(name);
  }
  return others;
}

}  // namespace tilescope
