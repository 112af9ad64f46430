#include "emulator/block/block_runner.h"

#include <algorithm>
#include <cstring>

#include "emulator/block/block_traits.h"
#include "emulator/block/cluster.h"
#include "emulator/block/register_cells.h"
#include "emulator/checks/block_check.h"

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

std::uint32_t count_instructions(const Code& code) {
  std::uint32_t instructions = 0;
  for (const CodeBlock& block : code.blocks) {
    instructions = std::max(instructions, block.last.instruction + 1);
  }
  for (const MicroOp& op : code.ops) instructions = std::max(instructions, op.instruction + 1);
  return instructions;
}

}  // namespace

BlockRunner::BlockRunner(const Setup& setup)
    : code_(setup.code),
      launch_(setup.launch),
      step_budget_(setup.step_budget),
      gives_way_(setup.gives_way),
      turns_(setup.turns) {
  make_warps();
  parameters_.resize(code_.parameter_bytes);
  block_warps_.assign(code_.blocks.size(), 0);
  block_lanes_.assign(code_.blocks.size(), 0);
  const std::uint32_t instructions = count_instructions(code_);
  guarded_lanes_.assign(instructions, 0);
  divergences_.assign(instructions, 0);
  for (const CodeBlock& block : code_.blocks) traits_.push_back(traits_of(code_, block));
  make_context(setup);
}

void BlockRunner::make_warps() {
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

void BlockRunner::make_context(const Setup& setup) {
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
  context_.constants =
      const_cast<std::byte*>(code_.constant_image.data());  // stores to it are refused
  context_.constant_bytes = code_.constant_image.size();
  context_.sink = setup.sink;
  context_.findings = &setup.findings;
  context_.code = &code_;
  context_.block_extent = launch_.block;
  context_.pending = &pending_;
  context_.transfers = &transfers_;
  if (setup.check != nullptr) {
    check_ = std::make_unique<BlockCheck>(*setup.check, context_, setup.sink);
    context_.sink = check_.get();
  }
  if (context_.sink != nullptr) {
    context_.last_access.resize(code_.sites);
    if (context_.sink->takes_repeats_late()) context_.repeats.resize(code_.sites);
  }
}

BlockRunner::~BlockRunner() = default;

// Basic blocks were counted; instructions follow from them.
ExecutionCounts BlockRunner::counts(std::size_t instructions) const {
  ExecutionCounts counts(instructions);
  counts.divergent = divergences_;
  counts.divergent.resize(instructions);  // a kernel of no instruction has a block all the same
  const auto add = [&](const MicroOp& op, std::size_t block) {
    counts.warps[op.instruction] += block_warps_[block];
    counts.threads[op.instruction] += block_lanes_[block];
    counts.lanes[op.instruction] +=
        op.guard != 0 ? guarded_lanes_[op.instruction] : block_lanes_[block];
  };
  for (std::size_t b = 0; b < code_.blocks.size(); ++b) {
    const CodeBlock& block = code_.blocks[b];
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      if (code_.ops[i].hidden == 0) add(code_.ops[i], b);
    }
    if (block.has_instruction) add(block.last, b);
  }
  return counts;
}

void BlockRunner::start_block(std::uint64_t linear_block) {
  context_.block = unflatten(linear_block, launch_.grid);
  context_.point.block = linear_block;
  context_.clock = 0;
  steps_ = 0;
  stopped_lanes_ = false;
  barrier_reported_ = false;
  std::fill(shared_.begin(), shared_.end(), kUnwritten);
  std::fill(local_storage_.begin(), local_storage_.end(), kUnwritten);
  std::fill(parameters_.begin(), parameters_.end(), std::byte{0});
  ParameterIndex index;
  for (const LaunchArgument& argument : launch_.arguments) {
    const std::uint32_t parameter = index.next(argument.member);
    if (parameter >= context_.arguments.size()) break;
    const auto& [offset, bytes] = context_.arguments[parameter];
    const std::uint32_t within = argument.member ? argument.member->offset : 0;
    if (within >= bytes) continue;
    std::memcpy(parameters_.data() + offset + within, &argument.bits,
                std::min<std::size_t>(bytes - within, argument.bytes));
  }
  pending_.reset(code_.uses_async_copies ? context_.shared_bytes : 0);
  const auto threads = static_cast<std::uint32_t>(launch_.block.count());
  barriers_.reset(threads);
  transfers_.reset();
  cluster_phase_ = 0;
  context_.peer_access.reset();
  idle_rounds_ = 0;
  waiting_rounds_ = 0;
  std::memset(
      registers_, 0,
      code_.register_bytes == 0
          ? 0
          : static_cast<std::size_t>(warps_.back().registers - registers_) + code_.register_bytes);
  for (Warp& warp : warps_) {
    const std::uint32_t left = threads - warp.index * kWarpSize;
    warp.start(left >= kWarpSize ? kFullMask : (1u << left) - 1, 0);
    warp.async.reset(&pending_, warp.lanes);
    std::memcpy(warp.registers, &kFullMask, sizeof kFullMask);  // the predicate that always holds
    for (const ConstantRow& constant : code_.constants) {
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        put_cell(warp.registers, constant.row, lane, constant.wide, constant.bits);
      }
    }
    fill_specials(warp);
  }
  if (check_ != nullptr) check_->start_block(warps_);
}

void BlockRunner::join(Cluster& cluster, std::uint32_t rank) {
  cluster_ = &cluster;
  context_.cluster = &cluster;
  context_.shared_origin = cluster.origin_of(rank);
  cluster.members[rank].check = check_.get();
}

std::uint64_t BlockRunner::held_bytes() const {
  return register_storage_.size() + local_storage_.size() + shared_.size() +
         (check_ == nullptr ? 0 : check_->held_bytes());
}

}  // namespace tilescope
