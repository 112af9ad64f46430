#pragma once
#include "runtime/cuda_abi.h"

namespace tilescope::runtime {

// Streams and events, as the calls of the runtime library and of the driver library use them. A
// stream's handle is a Stream*, an event's an Event*.

Error make_stream(void** stream, unsigned flags, int priority);
Error destroy_stream(void* stream);
Error wait_for_stream(const void* stream);
void let_stream_wait(void* stream, const void* event);

using HostFunction = void (*)(void*);
using StreamCallback = void (*)(void*, Error, void*);
Error call_in_order(void* stream, HostFunction function, void* data);
void call_after(void* stream, StreamCallback callback, void* data);

Error make_event(void** event, unsigned flags);
Error destroy_event(void* event);
Error record_event(void* event, const void* stream);
Error wait_for_event(const void* event);
// Modelled: what the launches between the two take on the device that is shown to the program.
Error elapsed_between(float* milliseconds, const void* start, const void* end);

}  // namespace tilescope::runtime
