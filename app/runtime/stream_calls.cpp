#include "runtime/graph.h"
#include "runtime/program_state.h"

// Streams and events. Work is done when it is asked for, so a stream is always up to date; what the
// program may touch before it has waited is another matter (protocol.h, CopyReply::protect).
namespace tilescope::runtime {
namespace {

Error make_stream(void** stream, unsigned flags, int priority) {
  if (stream == nullptr) return kInvalidValue;
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  auto* made = new Stream{state.next_stream++, flags, priority};
  state.streams.insert(made);
  *stream = made;
  return kSuccess;
}

Error record(Event* event, const void* stream) {
  if (event == nullptr) return kInvalidResourceHandle;
  event->seconds = ProgramState::get().modelled_seconds;
  event->stream = stream_id(stream);
  event->was_recorded = true;
  event->graph = capture_of(stream);
  return kSuccess;
}

using HostFunction = void (*)(void*);
using StreamCallback = void (*)(void*, Error, void*);

}  // namespace
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
  if (reinterpret_cast<std::uint64_t>(stream) <= 2) return finish(kInvalidResourceHandle, __func__);
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  state.streams.erase(static_cast<Stream*>(stream));
  delete static_cast<Stream*>(stream);
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaStreamSynchronize(void* stream) {
  return finish(synchronise(stream_id(stream), stream_id(stream) == 0), __func__);
}
TILESCOPE_EXPORT Error cudaStreamQuery(void* stream) {
  return finish(synchronise(stream_id(stream), stream_id(stream) == 0), __func__);
}
TILESCOPE_EXPORT Error cudaStreamWaitEvent(void* stream, void* event, unsigned) {
  Graph* graph = event == nullptr ? nullptr : static_cast<Event*>(event)->graph;
  if (graph != nullptr && stream_id(stream) != 0) static_cast<Stream*>(stream)->graph = graph;
  if (event != nullptr && graph == nullptr && stream_id(stream) != 0) {
    Connection::get().ask(Call::kSynchronise, SynchroniseRequest{static_cast<Event*>(event)->stream,
                                                                 0, stream_id(stream)});
  }
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
  if (Graph* graph = capture_of(stream)) {
    return finish(graph->add([function, data] {
      function(data);
      return kSuccess;
    }),
                  __func__);
  }
  ProgramState::get().show_printed();
  function(data);
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaStreamAddCallback(void* stream, StreamCallback callback, void* data,
                                             unsigned) {
  synchronise(stream_id(stream), false);
  callback(stream, ProgramState::get().sticky, data);
  return finish(kSuccess, __func__);
}

TILESCOPE_EXPORT Error cudaEventCreate(void** event) {
  *event = new Event;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaEventCreateWithFlags(void** event, unsigned flags) {
  constexpr unsigned kDisableTiming = 2;
  auto* made = new Event;
  made->is_timed = (flags & kDisableTiming) == 0;
  *event = made;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaEventDestroy(void* event) {
  if (event == nullptr) return finish(kInvalidResourceHandle, __func__);
  delete static_cast<Event*>(event);
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaEventRecord(void* event, void* stream) {
  return finish(record(static_cast<Event*>(event), stream), __func__);
}
TILESCOPE_EXPORT Error cudaEventRecordWithFlags(void* event, void* stream, unsigned) {
  return finish(record(static_cast<Event*>(event), stream), __func__);
}
TILESCOPE_EXPORT Error cudaEventSynchronize(void* event) {
  if (event == nullptr) return finish(kInvalidResourceHandle, __func__);
  const std::uint64_t stream = static_cast<Event*>(event)->stream;
  return finish(synchronise(stream, stream == 0), __func__);
}
TILESCOPE_EXPORT Error cudaEventQuery(void* event) {
  if (event == nullptr) return finish(kInvalidResourceHandle, __func__);
  const std::uint64_t stream = static_cast<Event*>(event)->stream;
  return finish(synchronise(stream, stream == 0), __func__);
}
// Modelled: what the launches between the two take on the device that is shown to the program.
TILESCOPE_EXPORT Error cudaEventElapsedTime(float* milliseconds, void* start, void* end) {
  const auto* from = static_cast<Event*>(start);
  const auto* to = static_cast<Event*>(end);
  if (from == nullptr || to == nullptr || !from->was_recorded || !to->was_recorded ||
      !from->is_timed || !to->is_timed)
    return finish(kInvalidResourceHandle, __func__);
  *milliseconds = static_cast<float>((to->seconds - from->seconds) * 1e3);
  return finish(kSuccess, __func__);
}
