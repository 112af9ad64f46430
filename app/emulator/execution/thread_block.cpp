#include "emulator/execution/thread_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/execution/cluster.h"
#include "emulator/execution/finding_log.h"
#include "emulator/execution/register_cells.h"
#include "emulator/program.h"

namespace tilescope {
namespace {

constexpr std::size_t kRegisterAlignment = 64;
constexpr std::byte kUnwritten{0xcd};  // what shared and local memory hold at the start

// Shared memory is handed out in pieces of this size (CUDA occupancy calculator, sm_70 and later).
constexpr std::uint64_t kSharedGranularity = 128;
constexpr std::size_t kSharedSlack = 64;  // never addressed: the limit is shared_bytes

constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t granularity) {
  return (bytes + granularity - 1) / granularity * granularity;
}

// Without the part that is CUDA's own.
std::uint64_t shared_bytes_of(const Code& code, const Launch& launch) {
  const std::uint64_t bytes =
      launch.dynamic_shared_bytes == 0
          ? code.static_shared_bytes
          : std::uint64_t{code.dynamic_shared_offset} + launch.dynamic_shared_bytes;
  // Machine code reads past the end of an array where nobody asks for what is there.
  return code.converges_at_barriers ? round_up(bytes, kSharedGranularity) : bytes;
}

bool names_reserved_shared(const Code& code) {
  return std::any_of(code.specials.begin(), code.specials.end(), [](const SpecialRow& special) {
    return special.value >= SpecialValue::kReservedShared &&
           special.value <= SpecialValue::kReservedSharedEnd;
  });
}

// The same for all threads of a block, another one in each block.
bool is_of_block(SpecialValue value) {
  const auto is_between = [&](SpecialValue first, SpecialValue last) {
    return value >= first && value <= last;
  };
  return is_between(SpecialValue::kCtaidX, SpecialValue::kCtaidZ) ||
         is_between(SpecialValue::kClusterIdX, SpecialValue::kClusterIdZ) ||
         is_between(SpecialValue::kClusterCtaidX, SpecialValue::kClusterCtaidZ) ||
         value == SpecialValue::kClusterRank;
}

Dim3 first_thread(const ThreadBlock& block, const LanesAt& at) {
  return unflatten(
      std::uint64_t{at.warp->index} * kWarpSize + static_cast<unsigned>(std::countr_zero(at.lanes)),
      block.launch().block);
}

}  // namespace

ThreadBlock::ThreadBlock(const Setup& setup) : code_(setup.code), launch_(setup.launch) {
  make_warps();
  parameters_.resize(code_.parameter_bytes);
  make_context(setup);
  fill_start_registers();
}

void ThreadBlock::make_warps() {
  const auto threads = static_cast<std::uint32_t>(launch_.block.count());
  const std::uint32_t warp_count = (threads + kWarpSize - 1) / kWarpSize;
  const std::size_t stride = round_up(code_.register_bytes, kRegisterAlignment);
  register_storage_.resize(stride * warp_count + kRegisterAlignment);
  const auto start = reinterpret_cast<std::uintptr_t>(register_storage_.data());
  registers_ = register_storage_.data() +
               (kRegisterAlignment - start % kRegisterAlignment) % kRegisterAlignment;
  const std::size_t local_stride = std::size_t{code_.local_bytes} * kWarpSize;
  local_storage_.resize(local_stride * warp_count);
  warps_.resize(warp_count);
  for (std::uint32_t w = 0; w < warp_count; ++w) {
    warps_[w].index = w;
    warps_[w].converges_at_barriers = code_.converges_at_barriers;
    warps_[w].registers = registers_ + stride * w;
    warps_[w].local = local_storage_.data() + local_stride * w;
  }
}

void ThreadBlock::make_context(const Setup& setup) {
  std::uint64_t shared_bytes = shared_bytes_of(code_, launch_);
  if (names_reserved_shared(code_)) {
    reserved_shared_ = static_cast<std::uint32_t>(round_up(shared_bytes, kSharedGranularity));
    shared_bytes = reserved_shared_ + kReservedSharedBytes;
  }
  shared_.resize(shared_bytes + kSharedSlack);
  context_.memory = &setup.memory;
  context_.site_region.assign(code_.sites, nullptr);
  context_.shared = shared_.data();
  context_.shared_bytes = shared_bytes;
  context_.reserved_shared = names_reserved_shared(code_) ? reserved_shared_ : shared_bytes;
  context_.local_bytes = code_.local_bytes;
  context_.parameters = parameters_.data();
  context_.parameter_bytes = parameters_.size();
  const std::span<const std::byte> constants =
      launch_.constants.empty() ? std::span<const std::byte>(code_.constant_image)
                                : launch_.constants;
  context_.constants = const_cast<std::byte*>(constants.data());  // stores to it are refused
  context_.constant_bytes = constants.size();
  context_.sink = setup.sink;
  context_.findings = &setup.findings;
  context_.prints = setup.prints;
  context_.device_work = setup.device_work;
  context_.code = &code_;
  context_.block_extent = launch_.block;
  context_.pending = &pending_;
  context_.transfers = &transfers_;
  context_.observers = &observers_;
  if (context_.sink != nullptr) {
    context_.last_access.resize(code_.sites);
    if (context_.sink->takes_repeats_late()) context_.repeats.resize(code_.sites);
  }
}

void ThreadBlock::watch(std::size_t instructions) {
  observers_.watch(instructions, context_.sink);
  context_.sink = &observers_;
  context_.last_access.resize(code_.sites);
  context_.repeats.clear();
}

void ThreadBlock::start(std::uint64_t linear_block) {
  context_.block = unflatten(linear_block, launch_.grid);
  context_.point.block = linear_block;
  context_.clock = 0;
  std::fill(shared_.begin(), shared_.end(), kUnwritten);
  std::fill(local_storage_.begin(), local_storage_.end(), kUnwritten);
  set_parameters();
  pending_.reset(code_.uses_async_copies ? context_.shared_bytes : 0);
  const auto threads = static_cast<std::uint32_t>(launch_.block.count());
  barriers_.reset(threads);
  transfers_.reset();
  context_.peer_access.reset();
  std::memcpy(registers_, start_registers_.data(), start_registers_.size());
  for (Warp& warp : warps_) {
    const std::uint32_t left = threads - warp.index * kWarpSize;
    warp.start(left >= kWarpSize ? kFullMask : (1u << left) - 1, 0);
    if (code_.uses_async_copies) warp.async.reset(&pending_, warp.lanes);
  }
  fill_registers_of_block();
}

// What all blocks of the launch find in their registers.
void ThreadBlock::fill_start_registers() {
  start_registers_.assign(
      static_cast<std::size_t>(warps_.back().registers - registers_) + code_.register_bytes,
      std::byte{0});
  for (const Warp& warp : warps_) {
    std::byte* registers = start_registers_.data() + (warp.registers - registers_);
    // The predicate that always holds.
    std::memcpy(registers, &kFullMask,
                std::min<std::size_t>(sizeof kFullMask, code_.register_bytes));
    for (const ConstantRow& constant : code_.constants)
      fill_row(registers, constant.row, constant.wide, constant.bits);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const Dim3 thread = unflatten(std::uint64_t{warp.index} * kWarpSize + lane, launch_.block);
      for (const SpecialRow& special : code_.specials) {
        if (!is_of_block(special.value)) {
          put_cell(registers, special.row, lane, special.wide,
                   value_of(special.value, warp, lane, thread));
        }
      }
    }
  }
}

void ThreadBlock::fill_registers_of_block() {
  for (const SpecialRow& special : code_.specials) {
    if (!is_of_block(special.value)) continue;
    const std::uint32_t value = value_of(special.value, warps_.front(), 0, {});
    for (const Warp& warp : warps_) fill_row(warp.registers, special.row, special.wide, value);
  }
}

std::uint32_t ThreadBlock::value_of(SpecialValue special, const Warp& warp, unsigned lane,
                                    const Dim3& thread) const {
  const Dim3& grid = launch_.grid;
  const Dim3& block = launch_.block;
  const Dim3& cluster = code_.cluster;
  const std::uint32_t bit = 1u << lane;
  switch (special) {
    case SpecialValue::kTidX:
      return thread.x;
    case SpecialValue::kTidY:
      return thread.y;
    case SpecialValue::kTidZ:
      return thread.z;
    case SpecialValue::kNtidX:
      return block.x;
    case SpecialValue::kNtidY:
      return block.y;
    case SpecialValue::kNtidZ:
      return block.z;
    case SpecialValue::kCtaidX:
      return context_.block.x;
    case SpecialValue::kCtaidY:
      return context_.block.y;
    case SpecialValue::kCtaidZ:
      return context_.block.z;
    case SpecialValue::kNctaidX:
      return grid.x;
    case SpecialValue::kNctaidY:
      return grid.y;
    case SpecialValue::kNctaidZ:
      return grid.z;
    case SpecialValue::kClusterIdX:
      return context_.block.x / cluster.x;
    case SpecialValue::kClusterIdY:
      return context_.block.y / cluster.y;
    case SpecialValue::kClusterIdZ:
      return context_.block.z / cluster.z;
    case SpecialValue::kNclusterIdX:
      return grid.x / cluster.x;
    case SpecialValue::kNclusterIdY:
      return grid.y / cluster.y;
    case SpecialValue::kNclusterIdZ:
      return grid.z / cluster.z;
    case SpecialValue::kClusterCtaidX:
      return context_.block.x % cluster.x;
    case SpecialValue::kClusterCtaidY:
      return context_.block.y % cluster.y;
    case SpecialValue::kClusterCtaidZ:
      return context_.block.z % cluster.z;
    case SpecialValue::kClusterNctaidX:
      return cluster.x;
    case SpecialValue::kClusterNctaidY:
      return cluster.y;
    case SpecialValue::kClusterNctaidZ:
      return cluster.z;
    case SpecialValue::kClusterRank:
      return static_cast<std::uint32_t>(
          flatten({context_.block.x % cluster.x, context_.block.y % cluster.y,
                   context_.block.z % cluster.z},
                  cluster));
    case SpecialValue::kClusterSize:
      return static_cast<std::uint32_t>(cluster.count());
    case SpecialValue::kLaneid:
      return lane;
    case SpecialValue::kWarpid:
      return warp.index;
    case SpecialValue::kNwarpid:
      return static_cast<std::uint32_t>(warps_.size());
    case SpecialValue::kLanemaskEq:
      return bit;
    case SpecialValue::kLanemaskLe:
      return bit | (bit - 1);
    case SpecialValue::kLanemaskLt:
      return bit - 1;
    case SpecialValue::kLanemaskGe:
      return ~(bit - 1);
    case SpecialValue::kLanemaskGt:
      return ~(bit | (bit - 1));
    case SpecialValue::kDynamicSharedBytes:
      return launch_.dynamic_shared_bytes;
    case SpecialValue::kTotalSharedBytes:
      return static_cast<std::uint32_t>(context_.shared_bytes);
    case SpecialValue::kFrame:
      return code_.frame_start;
    case SpecialValue::kReservedShared:
      return reserved_shared_;
    case SpecialValue::kReservedSharedOfGroups:  // the first bytes are the system's
      return reserved_shared_ + kReservedSharedBytes / 2;
    case SpecialValue::kReservedSharedEnd:
      return reserved_shared_ + kReservedSharedBytes;
    case SpecialValue::kGridWorkspaceHigh:
      return static_cast<std::uint32_t>(launch_.grid_workspace >> 32);
    case SpecialValue::kGridWorkspaceLow:
      return static_cast<std::uint32_t>(launch_.grid_workspace);
    case SpecialValue::kNsmid:
      return 1;
    case SpecialValue::kSmid:
    case SpecialValue::kGridid:
    case SpecialValue::kZero:
      return 0;
  }
  return 0;
}

void ThreadBlock::set_parameters() {
  std::fill(parameters_.begin(), parameters_.end(), std::byte{0});
  ParameterIndex index;
  for (const LaunchArgument& argument : launch_.arguments) {
    const std::uint32_t parameter = index.next(argument.member);
    if (parameter >= context_.arguments.size()) break;
    const auto& [offset, bytes] = context_.arguments[parameter];
    const std::uint32_t within = argument.member ? argument.member->offset : 0;
    if (within >= bytes) continue;
    std::byte* const to = parameters_.data() + offset + within;
    if (!argument.object.empty() && bytes - within >= argument.object.size()) {
      std::memcpy(to, argument.object.data(), argument.object.size());
      continue;
    }
    const std::uint64_t bits = argument.object.empty() ? argument.bits : argument.object_address;
    std::memcpy(to, &bits, std::min<std::size_t>(bytes - within, argument.bytes));
  }
}

void ThreadBlock::join(Cluster& cluster, std::uint32_t rank) {
  context_.cluster = &cluster;
  context_.shared_origin = cluster.origin_of(rank);
}

std::uint64_t ThreadBlock::held_bytes() const {
  return 2 * register_storage_.size() + local_storage_.size() + shared_.size() +
         observers_.held_bytes();
}

LanesAt lanes_at(const Code& code, const Warp& warp, const Split& split) {
  const CodeBlock& block = code.blocks[split.at_barrier() ? split.at : split.block];
  const bool begun = split.at_barrier() || block.begin == block.end;
  return {&warp, begun ? block.last.instruction : code.ops[block.begin].instruction, split.mask};
}

std::string thread_text(const ThreadBlock& block, const LanesAt& at) {
  const Dim3 thread = first_thread(block, at);
  return fmt::format("thread ({},{},{})", thread.x, thread.y, thread.z);
}

void report_at(const ThreadBlock& block, const LanesAt& at, FindingKind kind, std::string message,
               const LanesAt* other) {
  const ExecutionContext& context = block.context();
  if (!context.findings->wants(kind, at.instruction, context.point.block)) return;
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.instruction = at.instruction;
  finding.block = context.block;
  finding.thread = first_thread(block, at);
  if (other != nullptr)
    finding.other = Finding::Other{other->instruction, context.block, first_thread(block, *other)};
  context.findings->add(context.point.block, std::move(finding));
}

}  // namespace tilescope
