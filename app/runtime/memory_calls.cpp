#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "runtime/graph.h"
#include "runtime/memory.h"
#include "runtime/program_state.h"

// Allocation, copies, sets, symbols.
namespace tilescope::runtime {
namespace {

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

// Where this process finds the byte.
std::byte* place(std::uint64_t address, bool in_arena) {
  return in_arena ? Connection::get().inside(address) : reinterpret_cast<std::byte*>(address);
}

Error copy(const CopyRequest& request) {
  if (request.width == 0 || request.rows == 0 || request.slices == 0) return kSuccess;
  const auto reply = Connection::get().ask(Call::kCopy, request);
  if (reply.error != kSuccess) return reply.error;
  const auto answer = reply.head<CopyReply>();
  for (std::size_t i = 0; i < (reply.bytes.size() - sizeof answer) / sizeof(Range); ++i)
    open_pages(reply.at<Range>(sizeof answer, i));
  std::byte* to = place(request.to, answer.to_arena != 0);
  const std::byte* from = place(request.from, answer.from_arena != 0);
  for (std::uint64_t slice = 0; slice < request.slices; ++slice) {
    for (std::uint64_t row = 0; row < request.rows; ++row) {
      std::memmove(to + slice * request.to_slice + row * request.to_pitch,
                   from + slice * request.from_slice + row * request.from_pitch, request.width);
    }
  }
  close_pages(answer.protect);
  ProgramState& state = ProgramState::get();
  state.modelled_seconds = state.modelled_seconds + answer.seconds;
  if (request.is_async == 0) ProgramState::get().show_printed();
  return kSuccess;
}

// At once, or when the graph is launched that the stream's work is captured into.
Error copy_in_order(const CopyRequest& request, const void* stream) {
  if (Graph* graph = capture_of(stream)) return graph->add([request] { return copy(request); });
  return copy(request);
}

Error set_rows(void* to, int value, std::size_t pitch, std::size_t width, std::size_t height,
               std::uint64_t caller, const void* stream = nullptr) {
  if (Graph* graph = capture_of(stream)) {
    return graph->add([=] { return set_rows(to, value, pitch, width, height, caller); });
  }
  if (width == 0 || height == 0) return kSuccess;
  const SetRequest request{number(to), pitch, width, height, caller};
  const auto reply = Connection::get().ask(Call::kSet, request);
  if (reply.error != kSuccess) return reply.error;
  for (std::size_t row = 0; row < height; ++row)
    std::memset(Connection::get().inside(number(to) + row * pitch), value, width);
  return kSuccess;
}

// The bytes of a __device__ or __constant__ variable from `offset` on; nullptr: they are not in it.
Error symbol_place(const void* symbol, std::size_t offset, std::size_t bytes, void** place_of) {
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  const auto found = state.variables.find(symbol);
  if (found == state.variables.end()) return kInvalidSymbol;
  if (const Error error = state.resolve(found->second); error != kSuccess) return error;
  const Range& range = found->second.range;
  if (offset > range.bytes || bytes > range.bytes - offset) return kInvalidValue;
  *place_of = reinterpret_cast<void*>(range.begin + offset);
  return kSuccess;
}

Error copy_to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                     std::uint64_t caller, Asynchrony how = {}) {
  void* to = nullptr;
  if (const Error error = symbol_place(symbol, offset, bytes, &to); error != kSuccess) return error;
  return copy_bytes(to, from, bytes, kDefault, caller, how);
}

Error copy_from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                       std::uint64_t caller, Asynchrony how = {}) {
  void* from = nullptr;
  if (const Error error = symbol_place(symbol, offset, bytes, &from); error != kSuccess)
    return error;
  return copy_bytes(to, from, bytes, kDefault, caller, how);
}

}  // namespace

Error copy_bytes(void* to, const void* from, std::size_t bytes, int kind, std::uint64_t caller,
                 Asynchrony how) {
  CopyRequest request;
  request.to = number(to);
  request.from = number(from);
  request.width = bytes;
  request.kind = static_cast<std::uint32_t>(kind);
  request.is_async = how.is_async ? 1 : 0;
  request.stream = stream_id(how.stream);
  request.caller = caller;
  return copy_in_order(request, how.stream);
}

Error copy_rows(void* to, const void* from, const Rows& rows, int kind, std::uint64_t caller,
                Asynchrony how) {
  if (rows.width > rows.to_pitch || rows.width > rows.from_pitch) return 12;  // invalid pitch
  CopyRequest request;
  request.to = number(to);
  request.from = number(from);
  request.to_pitch = rows.to_pitch;
  request.from_pitch = rows.from_pitch;
  request.width = rows.width;
  request.rows = rows.height;
  request.kind = static_cast<std::uint32_t>(kind);
  request.is_async = how.is_async ? 1 : 0;
  request.stream = stream_id(how.stream);
  request.caller = caller;
  return copy_in_order(request, how.stream);
}

Error set_elements(void* to, unsigned value, std::size_t element_bytes, std::size_t count,
                   std::uint64_t caller, const void* stream) {
  if (element_bytes == 1 || value == 0) {
    const std::size_t bytes = element_bytes * count;
    return set_rows(to, static_cast<int>(value), bytes, bytes, 1, caller, stream);
  }
  auto work = set_work(to, static_cast<int>(value), element_bytes, 0, element_bytes * count, 1);
  if (Graph* graph = capture_of(stream)) return graph->add(std::move(work));
  return work();
}

Error share_pages(Range range) {
  Connection& connection = Connection::get();
  const auto reply = connection.ask(Call::kRegister, range);
  if (reply.error != kSuccess) return reply.error;
  const auto [pages, place] = reply.head<RegisterReply>();
  void* first = reinterpret_cast<void*>(pages.begin);
  void* mapped = nullptr;
  // They may be this thread's stack, which must not change between the two.
  std::thread([&] {
    std::memcpy(connection.inside(place), first, pages.bytes);
    mapped = ::mmap(first, pages.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                    connection.memory(), static_cast<off_t>(place - kDeviceBegin));
  }).join();
  return mapped == MAP_FAILED ? kMemoryAllocation : kSuccess;
}

constexpr std::size_t kPitch = 512;  // texturePitchAlignment is 32; cudaMallocPitch gives this
std::size_t pitch_of(std::size_t width) { return (width + kPitch - 1) / kPitch * kPitch; }

PointerReply ask_pointer(std::uint64_t address) {
  return Connection::get().ask(Call::kPointer, Range{address, 0}).head<PointerReply>();
}

Error allocate(void** pointer, std::size_t bytes, MemoryKind kind, std::uint64_t caller) {
  if (pointer == nullptr) return kInvalidValue;
  if (bytes == 0) {
    *pointer = nullptr;
    return kSuccess;
  }
  const auto reply = Connection::get().ask(Call::kAllocate, AllocateRequest{kind, bytes, caller});
  if (reply.error != kSuccess) return reply.error;
  const auto range = reply.head<Range>();
  if (kind != MemoryKind::kDevice) open_pages(range);
  *pointer = reinterpret_cast<void*>(range.begin);
  return kSuccess;
}

Error release(void* pointer, Freeing how) {
  if (pointer == nullptr) return kSuccess;
  const Error waited = synchronise(0, true);  // cudaFree waits for the device
  const auto reply = Connection::get().ask(Call::kFree, FreeRequest{number(pointer), how});
  if (reply.error != kSuccess) return reply.error;
  const auto range = reply.head<Range>();
  if (range.begin - kDeviceBegin < kArenaBytes) close_pages(range);  // not the program's own pages
  return waited;
}

Error copy_box(const Copy3& box, std::uint64_t caller, Asynchrony how) {
  // One side of the copy, in bytes.
  struct Side {
    std::uint64_t begin = 0, pitch = 0, slice = 0;
  };
  const auto side_of = [](const void* array, const PitchedPointer& pointer, const Position3& at) {
    if (array == nullptr) {
      const std::uint64_t slice = pointer.pitch * pointer.height;
      return Side{number(pointer.pointer) + at.x + pointer.pitch * at.y + slice * at.z,
                  pointer.pitch, slice};
    }
    const Array& of = *static_cast<const Array*>(array);
    const std::uint64_t slice = of.pitch * of.rows();
    return Side{number(of.memory) + at.x * of.texel_bytes() + of.pitch * at.y + slice * at.z,
                of.pitch, slice};
  };
  const void* array = box.to_array != nullptr ? box.to_array : box.from_array;
  const std::size_t unit = array == nullptr ? 1 : static_cast<const Array*>(array)->texel_bytes();
  const Side to = side_of(box.to_array, box.to, box.to_position);
  const Side from = side_of(box.from_array, box.from, box.from_position);
  CopyRequest request;
  request.to = to.begin;
  request.to_pitch = to.pitch;
  request.to_slice = to.slice;
  request.from = from.begin;
  request.from_pitch = from.pitch;
  request.from_slice = from.slice;
  request.width = box.extent.width * unit;
  request.rows = box.extent.height;
  request.slices = box.extent.depth;
  request.kind = static_cast<std::uint32_t>(box.kind);
  request.is_async = how.is_async ? 1 : 0;
  request.stream = stream_id(how.stream);
  request.caller = caller;
  return copy_in_order(request, how.stream);
}

std::function<Error()> copy_work(const Copy3& box) {
  return [box] { return copy_box(box, 0); };
}

std::function<Error()> set_work(void* to, int value, std::size_t element_bytes, std::size_t pitch,
                                std::size_t width, std::size_t height) {
  return [=]() -> Error {
    if (const Error error = set_rows(to, value, pitch, width, height, 0); error != kSuccess)
      return error;
    if (element_bytes == 1) return kSuccess;
    for (std::size_t row = 0; row < height; ++row) {
      std::byte* begin = Connection::get().inside(number(to) + row * pitch);
      for (std::size_t at = 0; at + element_bytes <= width; at += element_bytes)
        std::memcpy(begin + at, &value, element_bytes);
    }
    return kSuccess;
  };
}

}  // namespace tilescope::runtime

using namespace tilescope::runtime;

TILESCOPE_EXPORT Error cudaMalloc(void** pointer, std::size_t bytes) {
  return finish(allocate(pointer, bytes, MemoryKind::kDevice, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaMallocAsync(void** pointer, std::size_t bytes, void*) {
  return finish(allocate(pointer, bytes, MemoryKind::kDevice, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, void*, void*) {
  return finish(allocate(pointer, bytes, MemoryKind::kDevice, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  if (bytes == 0) return finish(kInvalidValue, __func__);
  return finish(allocate(pointer, bytes, MemoryKind::kManaged, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaMallocHost(void** pointer, std::size_t bytes) {
  return finish(allocate(pointer, bytes, MemoryKind::kPageLocked, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return finish(allocate(pointer, bytes, MemoryKind::kPageLocked, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                                       std::size_t height) {
  if (pitch == nullptr) return finish(kInvalidValue, __func__);
  *pitch = pitch_of(width);
  return finish(allocate(pointer, *pitch * height, MemoryKind::kDevice, TILESCOPE_CALLER),
                __func__);
}
TILESCOPE_EXPORT Error cudaMalloc3D(PitchedPointer* pointer, Extent3 extent) {
  if (pointer == nullptr) return finish(kInvalidValue, __func__);
  const std::size_t pitch = pitch_of(extent.width);
  *pointer = {nullptr, pitch, extent.width, extent.height};
  return finish(allocate(&pointer->pointer, pitch * extent.height * extent.depth,
                         MemoryKind::kDevice, TILESCOPE_CALLER),
                __func__);
}
TILESCOPE_EXPORT Error cudaFree(void* pointer) {
  if (is_graph_memory(pointer)) return finish(kSuccess, __func__);
  return finish(release(pointer), __func__);
}
TILESCOPE_EXPORT Error cudaFreeAsync(void* pointer, void* stream) {
  // A graph that is launched again uses the same memory again.
  if (capture_of(stream) != nullptr || is_graph_memory(pointer)) return finish(kSuccess, __func__);
  return finish(release(pointer), __func__);
}
TILESCOPE_EXPORT Error cudaFreeHost(void* pointer) {
  return finish(release(pointer, Freeing::kHost), __func__);
}

TILESCOPE_EXPORT Error cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  if (device == nullptr) return finish(kInvalidValue, __func__);
  if (ask_pointer(number(host)).is_known == 0) return finish(kInvalidValue, __func__);
  *device = host;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaHostGetFlags(unsigned* flags, void*) {
  *flags = 2;  // mapped
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  if (pointer == nullptr || bytes == 0) return finish(kInvalidValue, __func__);
  return finish(share_pages({number(pointer), bytes}), __func__);
}
TILESCOPE_EXPORT Error cudaHostUnregister(void* pointer) {
  return finish(release(pointer, Freeing::kRegistered), __func__);
}

TILESCOPE_EXPORT Error cudaPointerGetAttributes(PointerAttributes* attributes,
                                                const void* pointer) {
  if (attributes == nullptr) return finish(kInvalidValue, __func__);
  const PointerReply answer = ask_pointer(number(pointer));
  // That of CUDA 12 ends before `reserved`.
  attributes->type = 0;
  attributes->device = answer.is_known != 0 ? 0 : -2;
  attributes->device_pointer = nullptr;
  attributes->host_pointer = const_cast<void*>(pointer);
  if (answer.is_known != 0) {
    attributes->device_pointer = const_cast<void*>(pointer);
    attributes->type = answer.kind == MemoryKind::kDevice    ? 2
                       : answer.kind == MemoryKind::kManaged ? 3
                                                             : 1;
    if (answer.kind == MemoryKind::kDevice) attributes->host_pointer = nullptr;
  }
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const auto memory = Connection::get().ask_bytes(Call::kMemory, {}).head<MemoryReply>();
  if (free != nullptr) *free = memory.free;
  if (total != nullptr) *total = memory.total;
  return finish(kSuccess, __func__);
}

// Hints that change no result.
TILESCOPE_EXPORT Error cudaMemAdvise(const void*, std::size_t, int, int) {
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaMemPrefetchAsync(const void*, std::size_t, int, void*) {
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaStreamAttachMemAsync(void*, void*, std::size_t, unsigned) {
  return finish(kSuccess, __func__);
}

TILESCOPE_EXPORT Error cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return finish(copy_bytes(to, from, bytes, kind, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind,
                                       void* stream) {
  return finish(copy_bytes(to, from, bytes, kind, TILESCOPE_CALLER, {true, stream}), __func__);
}
TILESCOPE_EXPORT Error cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return finish(copy_bytes(to, from, bytes, kDefault, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                           void* stream) {
  return finish(copy_bytes(to, from, bytes, kDefault, TILESCOPE_CALLER, {true, stream}), __func__);
}
TILESCOPE_EXPORT Error cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from,
                                    std::size_t from_pitch, std::size_t width, std::size_t height,
                                    int kind) {
  return finish(copy_rows(to, from, {to_pitch, from_pitch, width, height}, kind, TILESCOPE_CALLER),
                __func__);
}
TILESCOPE_EXPORT Error cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                                         std::size_t from_pitch, std::size_t width,
                                         std::size_t height, int kind, void* stream) {
  return finish(copy_rows(to, from, {to_pitch, from_pitch, width, height}, kind, TILESCOPE_CALLER,
                          {true, stream}),
                __func__);
}
TILESCOPE_EXPORT Error cudaMemcpy3D(const Copy3* box) {
  if (box == nullptr) return finish(kInvalidValue, __func__);
  return finish(copy_box(*box, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaMemcpy3DAsync(const Copy3* box, void* stream) {
  if (box == nullptr) return finish(kInvalidValue, __func__);
  return finish(copy_box(*box, TILESCOPE_CALLER, {true, stream}), __func__);
}

TILESCOPE_EXPORT Error cudaMemset(void* to, int value, std::size_t bytes) {
  return finish(set_rows(to, value, bytes, bytes, 1, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaMemsetAsync(void* to, int value, std::size_t bytes, void* stream) {
  return finish(set_rows(to, value, bytes, bytes, 1, TILESCOPE_CALLER, stream), __func__);
}
TILESCOPE_EXPORT Error cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                                    std::size_t height) {
  return finish(set_rows(to, value, pitch, width, height, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                                         std::size_t height, void* stream) {
  return finish(set_rows(to, value, pitch, width, height, TILESCOPE_CALLER, stream), __func__);
}
TILESCOPE_EXPORT Error cudaMemset3D(PitchedPointer to, int value, Extent3 extent) {
  Error error = kSuccess;
  for (std::size_t slice = 0; slice < extent.depth && error == kSuccess; ++slice) {
    error = set_rows(static_cast<char*>(to.pointer) + slice * to.pitch * to.height, value, to.pitch,
                     extent.width, extent.height, TILESCOPE_CALLER);
  }
  return finish(error, __func__);
}

TILESCOPE_EXPORT Error cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                                          std::size_t offset, int) {
  return finish(copy_to_symbol(symbol, from, bytes, offset, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaMemcpyToSymbolAsync(const void* symbol, const void* from,
                                               std::size_t bytes, std::size_t offset, int,
                                               void* stream) {
  return finish(copy_to_symbol(symbol, from, bytes, offset, TILESCOPE_CALLER, {true, stream}),
                __func__);
}
TILESCOPE_EXPORT Error cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                            std::size_t offset, int) {
  return finish(copy_from_symbol(to, symbol, bytes, offset, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                                 std::size_t offset, int, void* stream) {
  return finish(copy_from_symbol(to, symbol, bytes, offset, TILESCOPE_CALLER, {true, stream}),
                __func__);
}
TILESCOPE_EXPORT Error cudaGetSymbolAddress(void** address, const void* symbol) {
  return finish(symbol_place(symbol, 0, 0, address), __func__);
}
TILESCOPE_EXPORT Error cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  void* unused = nullptr;
  const Error error = symbol_place(symbol, 0, 0, &unused);
  if (error == kSuccess) *bytes = ProgramState::get().variables.at(symbol).range.bytes;
  return finish(error, __func__);
}
