#include "runtime/stream_calls.h"

#include <algorithm>

#include "runtime/graph.h"
#include "runtime/program_state.h"

// Streams and events. Work is done when it is asked for, so a stream is always up to date; what the
// program may touch before it has waited is another matter (protocol.h, CopyReply::protect).
namespace tilescope::runtime {

Error make_stream(void** stream, unsigned flags, int priority) {
  if (stream == nullptr) return kInvalidValue;
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  auto* made = new Stream{state.next_stream++, flags, priority};
  state.streams.insert(made);
  *stream = made;
  return kSuccess;
}

Error destroy_stream(void* stream) {
  if (reinterpret_cast<std::uint64_t>(stream) <= 2) return kInvalidResourceHandle;
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  state.streams.erase(static_cast<Stream*>(stream));
  delete static_cast<Stream*>(stream);
  return kSuccess;
}

Error wait_for_stream(const void* stream) {
  if (break_capture(stream)) return kStreamCaptureUnsupported;
  return synchronise(stream_id(stream), stream_id(stream) == 0);
}

void let_stream_wait(void* stream, const void* event) {
  if (event == nullptr || stream_id(stream) == 0) return;
  const Event& after = *static_cast<const Event*>(event);
  ProgramState& state = ProgramState::get();
  if (after.graph != nullptr) {
    const std::scoped_lock lock(state.mutex);
    const bool is_captured = std::ranges::any_of(
        state.streams, [&](const Stream* other) { return other->graph == after.graph; });
    if (is_captured) {
      auto* const joining = static_cast<Stream*>(stream);
      for (Stream* other : state.streams) {
        if (other->id == after.stream && other != joining) other->must_join = false;
      }
      joining->must_join = joining->must_join || joining->graph != after.graph;
      joining->graph = after.graph;
      return;
    }
  }
  Connection::get().ask(Call::kSynchronise, SynchroniseRequest{after.stream, 0, stream_id(stream)});
}

std::function<Error()> host_work(HostFunction function, void* data, const void* stream) {
  return [function, data, id = stream_id(stream)] {
    synchronise(id, id == 0);  // it may touch what the stream has done before
    ProgramState::get().show_printed();
    function(data);
    return kSuccess;
  };
}

Error call_in_order(void* stream, HostFunction function, void* data) {
  if (Graph* graph = capture_of(stream)) return graph->add(host_work(function, data));
  return host_work(function, data, stream)();
}

void call_after(void* stream, StreamCallback callback, void* data) {
  synchronise(stream_id(stream), false);
  callback(stream, ProgramState::get().sticky, data);
}

Error make_event(void** event, unsigned flags) {
  constexpr unsigned kDisableTiming = 2;
  if (event == nullptr) return kInvalidValue;
  auto* made = new Event;
  made->is_timed = (flags & kDisableTiming) == 0;
  *event = made;
  return kSuccess;
}

Error destroy_event(void* event) {
  if (event == nullptr) return kInvalidResourceHandle;
  delete static_cast<Event*>(event);
  return kSuccess;
}

Error record_event(void* event, const void* stream) {
  if (event == nullptr) return kInvalidResourceHandle;
  Event& here = *static_cast<Event*>(event);
  here.seconds = ProgramState::get().modelled_seconds;
  here.stream = stream_id(stream);
  here.was_recorded = true;
  here.graph = capture_of(stream);
  return kSuccess;
}

Error wait_for_event(const void* event) {
  if (event == nullptr) return kInvalidResourceHandle;
  const std::uint64_t stream = static_cast<const Event*>(event)->stream;
  return synchronise(stream, stream == 0);
}

Error elapsed_between(float* milliseconds, const void* start, const void* end) {
  const auto* from = static_cast<const Event*>(start);
  const auto* to = static_cast<const Event*>(end);
  if (from == nullptr || to == nullptr || !from->was_recorded || !to->was_recorded ||
      !from->is_timed || !to->is_timed)
    return kInvalidResourceHandle;
  *milliseconds = static_cast<float>((to->seconds - from->seconds) * 1e3);
  return kSuccess;
}

}  // namespace tilescope::runtime

using namespace tilescope::runtime;

TILESCOPE_EXPORT Error cudaStreamCreate(void** stream) {
  return finish(make_stream(stream, 0, 0), __func__);
}
TILESCOPE_EXPORT Error cudaStreamCreateWithFlags(void** stream, unsigned flags) {
  return finish(make_stream(stream, flags, 0), __func__);
}
TILESCOPE_EXPORT Error cudaStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  return finish(make_stream(stream, flags, priority), __func__);
}
TILESCOPE_EXPORT Error cudaStreamDestroy(void* stream) {
  return finish(destroy_stream(stream), __func__);
}
TILESCOPE_EXPORT Error cudaStreamSynchronize(void* stream) {
  return finish(wait_for_stream(stream), __func__);
}
TILESCOPE_EXPORT Error cudaStreamQuery(void* stream) {
  return finish(wait_for_stream(stream), __func__);
}
TILESCOPE_EXPORT Error cudaStreamWaitEvent(void* stream, void* event, unsigned) {
  let_stream_wait(stream, event);
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaStreamGetFlags(void* stream, unsigned* flags) {
  *flags = stream_id(stream) == 0 ? 0 : static_cast<Stream*>(stream)->flags;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaStreamGetPriority(void* stream, int* priority) {
  *priority = stream_id(stream) == 0 ? 0 : static_cast<Stream*>(stream)->priority;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaStreamGetId(void* stream, unsigned long long* id) {
  *id = stream_id(stream);
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaStreamGetDevice(void*, int* device) {
  *device = 0;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaStreamSetAttribute(void*, int, const void*) {
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaLaunchHostFunc(void* stream, HostFunction function, void* data) {
  return finish(call_in_order(stream, function, data), __func__);
}
TILESCOPE_EXPORT Error cudaStreamAddCallback(void* stream, StreamCallback callback, void* data,
                                             unsigned) {
  call_after(stream, callback, data);
  return finish(kSuccess, __func__);
}

TILESCOPE_EXPORT Error cudaEventCreate(void** event) {
  return finish(make_event(event, 0), __func__);
}
TILESCOPE_EXPORT Error cudaEventCreateWithFlags(void** event, unsigned flags) {
  return finish(make_event(event, flags), __func__);
}
TILESCOPE_EXPORT Error cudaEventDestroy(void* event) {
  return finish(destroy_event(event), __func__);
}
TILESCOPE_EXPORT Error cudaEventRecord(void* event, void* stream) {
  return finish(record_event(event, stream), __func__);
}
TILESCOPE_EXPORT Error cudaEventRecordWithFlags(void* event, void* stream, unsigned) {
  return finish(record_event(event, stream), __func__);
}
TILESCOPE_EXPORT Error cudaEventSynchronize(void* event) {
  return finish(wait_for_event(event), __func__);
}
TILESCOPE_EXPORT Error cudaEventQuery(void* event) {
  return finish(wait_for_event(event), __func__);
}
TILESCOPE_EXPORT Error cudaEventElapsedTime(float* milliseconds, void* start, void* end) {
  return finish(elapsed_between(milliseconds, start, end), __func__);
}
