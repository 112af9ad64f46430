#include "runtime/device_access.h"

#include <algorithm>
#include <mutex>
#include <string_view>

#include "runtime/program_state.h"

using namespace tilescope::runtime;

namespace {

// The libraries do their work when they are called, so no graph could do it again.
bool is_any_captured() {
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  return std::ranges::any_of(state.streams,
                             [](const Stream* stream) { return stream->graph != nullptr; });
}

}  // namespace

TILESCOPE_EXPORT void* cudaTilescopePlace(const void* pointer, std::size_t bytes, int writes) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  if (address - kDeviceBegin >= kArenaBytes) return const_cast<void*>(pointer);
  if (is_any_captured()) {
    cudaTilescopeMissing("a library's work in a captured stream");
    return nullptr;
  }
  if (bytes == 0) return Connection::get().inside(address);
  Connection& connection = Connection::get();
  if (writes != 0) {
    const SetRequest request{address, bytes, bytes, 1, TILESCOPE_CALLER};
    if (connection.ask(Call::kSet, request).error != kSuccess) return nullptr;
  } else {
    const auto answer = connection.ask(Call::kPointer, Range{address, 0}).head<PointerReply>();
    if (answer.is_known == 0 || address + bytes > answer.range.begin + answer.range.bytes)
      return nullptr;
  }
  return connection.inside(address);
}

TILESCOPE_EXPORT void cudaTilescopeSpend(double seconds) {
  ProgramState& state = ProgramState::get();
  state.modelled_seconds = state.modelled_seconds + seconds;
}

TILESCOPE_EXPORT void cudaTilescopeMissing(const char* name) {
  const std::string_view text(name);
  Connection::get().ask_bytes(Call::kMissing, std::as_bytes(std::span(text.data(), text.size())));
}

TILESCOPE_EXPORT double cudaTilescopePeak() {
  const DeviceFacts& device = Connection::get().device();
  constexpr double kLanes = 128;
  return 2 * kLanes * device.multiprocessors * device.clock_khz * 1e3;
}
