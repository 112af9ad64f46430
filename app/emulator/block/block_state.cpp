#include "emulator/block/block_state.h"

#include <cstring>

#include "emulator/block/launch_state.h"
#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

std::vector<RegisterValue> registers_of(const Code& code, const Warp& warp) {
  std::vector<RegisterValue> values;
  values.reserve(code.registers.size());
  for (const RegisterPlace& place : code.registers) {
    RegisterValue value;
    value.name = place.name;
    value.bytes = place.bytes;
    value.is_float = place.type == DataType::kF32 || place.type == DataType::kF64;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if (place.bytes == 0) {
        std::uint32_t mask;
        std::memcpy(&mask, warp.registers + place.row, sizeof mask);
        value.lanes[lane] = (mask >> lane) & 1u;
      } else {
        std::memcpy(&value.lanes[lane], warp.registers + place.row + lane * place.bytes,
                    place.bytes);
      }
    }
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace

Result<BlockState> state_at(const Program& program, const Launch& launch,
                            const DeviceMemory& memory, std::uint64_t linear_block,
                            std::uint64_t event_count, std::stop_token stop) {
  const Status launchable = check_launch(program, launch);
  if (!launchable) return launchable.error();
  if (linear_block >= launch.grid.count()) {
    return Error{
        ErrorCode::kUsage, "the block lies outside the grid", "Name a block of the grid", {}};
  }
  const Result<DecodedKernel> decoded = decode_with_registers(program);
  if (!decoded) return decoded.error();
  DeviceMemory shared = memory;  // the same buffers; what is written is copied first
  LaunchRegions regions(decoded->code, shared);
  PrivateRegions private_regions(regions.map());
  BlockTrace trace;  // counts events, keeps none
  const EmulationOptions defaults;
  FindingLog findings(defaults.most_findings);
  BlockRunner runner(
      {decoded->code, launch, regions.map(), findings, nullptr, defaults.step_budget});
  bind_arguments(program, runner.context());
  runner.context().private_regions = &private_regions;
  EventRecorder events;
  events.trace = &trace;
  events.stop_after = event_count;
  BlockState state;
  if (runner.run(linear_block, &events, stop) == BlockOutcome::kCancelled) {
    return Error{ErrorCode::kCancelled, "the replay was stopped", {}, {}};
  }
  state.events = events.seen;
  state.shared.assign(
      runner.shared().begin(),
      runner.shared().begin() + static_cast<std::ptrdiff_t>(runner.context().shared_bytes));
  for (const Warp& warp : runner.warps())
    state.registers.push_back(registers_of(decoded->code, warp));
  return state;
}

}  // namespace tilescope
