#include "exec/memory_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/quantity.h"
#include "emulator/texture.h"
#include "runtime/cuda_abi.h"

namespace tilescope {

namespace wire = runtime;

namespace {

// What frees it, where that is something else; nullptr: it is right.
const char* other_way_to_free(const Allocation& allocation, wire::Freeing how) {
  if (how == wire::Freeing::kLent) return nullptr;
  if (allocation.kind != Allocation::Kind::kPageLocked)
    return how == wire::Freeing::kDevice ? nullptr : "cudaFree()";
  if (Arena::holds(allocation.address))
    return how == wire::Freeing::kHost ? nullptr : "cudaFreeHost()";
  return how == wire::Freeing::kRegistered ? nullptr : "cudaHostUnregister()";
}

}  // namespace

Answer MemoryCalls::allocate(const wire::AllocateRequest& request) {
  const auto kind = request.kind == wire::MemoryKind::kManaged      ? Allocation::Kind::kManaged
                    : request.kind == wire::MemoryKind::kPageLocked ? Allocation::Kind::kPageLocked
                                                                    : Allocation::Kind::kDevice;
  const Allocation* made =
      heap_.allocate({.kind = kind, .bytes = request.bytes, .caller = request.caller});
  if (made == nullptr) return refusal(wire::kMemoryAllocation);
  launcher_.note_change(*made);
  if (origins_.size() < kMostOrigins)
    origins_.push_back({made->number, made->bytes, request.caller});
  Answer answered;
  answered.add(wire::Range{made->address, made->bytes});
  return answered;
}

// The object is the address of what describes it, in memory that kernels can read.
Answer MemoryCalls::texture(const wire::TextureRequest& request) {
  const bool is_known =
      request.kind <= 2 && request.width > 0 && request.channels <= 4 &&
      (request.channel_bits == 8 || request.channel_bits == 16 || request.channel_bits == 32);
  if (!is_known || heap_.find(request.data) == nullptr) return refusal(wire::kInvalidValue);
  TextureObject texture;
  texture.data = request.data;
  texture.width = request.width;
  texture.height = request.height;
  texture.depth = request.depth;
  texture.layers = request.layers;
  texture.pitch = request.pitch;
  texture.slice = request.slice;
  texture.channels = static_cast<std::uint8_t>(request.channels);
  texture.channel_bits = static_cast<std::uint8_t>(request.channel_bits);
  texture.kind = static_cast<TextureObject::Kind>(request.kind);
  for (std::size_t axis = 0; axis < texture.address_mode.size(); ++axis)
    texture.address_mode[axis] =
        static_cast<TextureObject::AddressMode>(request.address_modes[axis] & 3);
  texture.is_linear = request.is_linear != 0;
  texture.reads_normalised = request.reads_normalised != 0;
  texture.has_normalised_coordinates = request.has_normalised_coordinates != 0;
  texture.is_buffer = request.is_buffer != 0;
  std::copy_n(request.border, texture.border.size(), texture.border.begin());
  Answer made = allocate({wire::MemoryKind::kDevice, sizeof texture, request.caller});
  if (made.error != wire::kSuccess) return made;
  wire::Range range;
  std::memcpy(&range, made.bytes.data(), sizeof range);
  Allocation& holder = *heap_.find(range.begin);
  std::memcpy(holder.data, &texture, sizeof texture);
  holder.history->write_all();
  return made;
}

Answer MemoryCalls::release(const wire::FreeRequest& request) {
  Allocation* found = heap_.find(request.address);
  if (found == nullptr || found->address != request.address || found->is_variable()) {
    if (const Allocation* freed = heap_.find_freed(request.address)) {
      problems_.note({.kind = HostProblem::Kind::kUseAfterFree,
                      .message = fmt::format("frees {} a second time", freed->description())});
    }
    return refusal(wire::kInvalidValue);
  }
  if (const char* right = other_way_to_free(*found, request.how)) {
    problems_.note({.kind = HostProblem::Kind::kFailedCall,
                    .message = fmt::format("{} cannot be freed this way: call {}",
                                           found->description(), right)});
    return refusal(request.how == wire::Freeing::kRegistered ? wire::kHostMemoryNotRegistered
                                                             : wire::kInvalidValue);
  }
  const wire::Range range{found->address, found->bytes};
  heap_.free(request.address);
  Answer made;
  made.add(range);
  return made;
}

Answer MemoryCalls::adopt(const wire::Range& range) {
  const auto adopted = heap_.adopt(range.begin, range.bytes);
  if (!adopted) return refusal(wire::kHostMemoryAlreadyRegistered);
  Answer answered;
  answered.add(wire::RegisterReply{adopted->pages, adopted->place});
  return answered;
}

Answer MemoryCalls::lend(const wire::Range& range) {
  const Allocation* before = heap_.find(range.begin);
  if (range.bytes == 0 || before != nullptr) return refusal(wire::kInvalidValue);
  const Allocation* made = heap_.lend(range.begin, range.bytes);
  if (made == nullptr) return refusal(wire::kMemoryAllocation);
  launcher_.note_change(*made);
  Answer answered;
  answered.add(wire::Range{arena_.address_of(made->data), made->bytes});
  return answered;
}

bool MemoryCalls::find_side(const wire::CopyRequest& request, Side side, Allocation** found) {
  const bool is_target = side == Side::kTarget;
  const std::uint64_t address = is_target ? request.to : request.from;
  const std::uint64_t pitch = is_target ? request.to_pitch : request.from_pitch;
  const std::uint64_t slice = is_target ? request.to_slice : request.from_slice;
  const bool on_device = request.kind == wire::kDeviceToDevice ||
                         request.kind == static_cast<std::uint32_t>(
                                             is_target ? wire::kHostToDevice : wire::kDeviceToHost);
  *found = heap_.find(address);
  const char* verb = is_target ? "writes" : "reads";
  if (*found == nullptr) {
    if (!Arena::holds(address) && !on_device) return address != 0;
    HostProblem problem{
        .kind = HostProblem::Kind::kOutOfBounds, .message = {}, .caller = request.caller};
    if (const Allocation* freed = heap_.find_freed(address)) {
      problem.kind = HostProblem::Kind::kUseAfterFree;
      problem.message =
          fmt::format("a copy {} {}, which has been freed", verb, freed->description());
    } else if (!Arena::holds(address)) {
      problem.message = fmt::format(
          "a copy {} host memory ({:#x}) where its kind says that it is the device's: swap the "
          "pointers, or name another kind",
          verb, address);
    } else {
      problem.message =
          fmt::format("a copy {} address {:#x}, which is in no allocation", verb, address);
    }
    problems_.note(std::move(problem));
    return false;
  }
  const std::uint64_t bytes =
      (request.slices - 1) * slice + (request.rows - 1) * pitch + request.width;
  const Allocation& allocation = **found;
  if (allocation.holds(address, bytes)) return true;
  const std::uint64_t room = allocation.bytes - (address - allocation.address);
  problems_.note({.kind = HostProblem::Kind::kOutOfBounds,
                  .message = fmt::format("a copy {} {} bytes of {} from byte {} on: {} too many",
                                         verb, format_count(bytes), allocation.description(),
                                         format_count(address - allocation.address),
                                         format_count(bytes - room)),
                  .caller = request.caller});
  return false;
}

Answer MemoryCalls::copy(const wire::CopyRequest& request) {
  Allocation* to = nullptr;
  Allocation* from = nullptr;
  if (request.kind > wire::kDefault) return refusal(21);  // invalid direction
  if (!find_side(request, Side::kTarget, &to) || !find_side(request, Side::kSource, &from))
    return refusal(wire::kInvalidValue);
  const auto for_rows = [&](auto f) {
    for (std::uint64_t slice = 0; slice < request.slices; ++slice) {
      for (std::uint64_t row = 0; row < request.rows; ++row)
        f(slice * request.to_slice + row * request.to_pitch,
          slice * request.from_slice + row * request.from_pitch);
    }
  };
  const bool unwritten = from != nullptr && !from->history->all_written();
  if (to != nullptr) {
    launcher_.note_change(*to);
    for_rows([&](std::uint64_t at, std::uint64_t) {
      to->history->write(request.to - to->address + at, request.width);
    });
  }
  if (unwritten) {
    bool any = false;
    for_rows([&](std::uint64_t to_offset, std::uint64_t from_offset) {
      const std::uint64_t begin = request.from - from->address + from_offset;
      for (std::uint64_t at = 0; at < request.width; at += 64) {
        const auto bytes = static_cast<unsigned>(std::min<std::uint64_t>(64, request.width - at));
        const std::uint64_t missing = from->history->missing(begin + at, bytes);
        any |= missing != (bytes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1);
        if (to == nullptr || missing == 0) continue;
        for (unsigned i = 0; i < bytes; ++i) {
          if ((missing >> i & 1u) != 0)
            to->history->forget(request.to - to->address + to_offset + at + i, 1);
        }
      }
    });
    if (!any) {
      problems_.note(
          {.kind = HostProblem::Kind::kUninitialised,
           .message = fmt::format("copies {} bytes of {}, of which nobody has written any",
                                  format_count(request.width * request.rows * request.slices),
                                  from->description()),
           .caller = request.caller});
    }
  }
  wire::CopyReply reply;
  reply.to_arena = to != nullptr && Arena::holds(request.to) ? 1 : 0;
  reply.from_arena = from != nullptr && Arena::holds(request.from) ? 1 : 0;
  // A copy inside the device reads and writes its memory; any other passes the bus.
  constexpr double kBusBytesPerSecond = 25e9;  // PCIe 4.0 x16, of 32
  constexpr double kCopyOverhead = 2e-6;
  const auto bytes = static_cast<double>(request.width * request.rows * request.slices);
  const bool inside =
      to != nullptr && from != nullptr && !to->is_host_visible() && !from->is_host_visible();
  reply.seconds = kCopyOverhead + (inside ? 2 * bytes / device_.memory_bytes_per_second
                                          : bytes / kBusBytesPerSecond);
  std::vector<wire::Range> open;
  if (request.is_async == 0) open = release_pending(request.stream, true);
  // The host may not read what comes before it has waited.
  if (request.is_async != 0 && to != nullptr && to->is_host_visible() && reply.to_arena != 0 &&
      from != nullptr && request.rows == 1 && request.slices == 1) {
    constexpr std::uint64_t kPage = 4096;
    // Allocations that the host sees have pages of their own.
    const std::uint64_t first = request.to / kPage * kPage;
    const std::uint64_t end = (request.to + request.width + kPage - 1) / kPage * kPage;
    reply.protect = {first, end - first};
    pending_.push_back(
        {reply.protect, {request.to, request.width}, {request.stream}, "cudaMemcpyAsync"});
  }
  Answer made;
  made.add(reply);
  for (const wire::Range& range : open) made.add(range);
  return made;
}

Answer MemoryCalls::set(const wire::SetRequest& request) {
  Allocation* found = heap_.find(request.to);
  const std::uint64_t bytes = (request.rows - 1) * request.pitch + request.width;
  if (found == nullptr || !found->holds(request.to, bytes) || !Arena::holds(request.to)) {
    HostProblem problem{
        .kind = HostProblem::Kind::kOutOfBounds, .message = {}, .caller = request.caller};
    if (found != nullptr) {
      const std::uint64_t room = found->bytes - (request.to - found->address);
      problem.message = fmt::format("cudaMemset writes {} bytes of {} from byte {} on: {} too many",
                                    format_count(bytes), found->description(),
                                    format_count(request.to - found->address),
                                    format_count(bytes - std::min(bytes, room)));
    } else {
      problem.message =
          fmt::format("cudaMemset writes address {:#x}, which is in no allocation", request.to);
    }
    problems_.note(std::move(problem));
    return refusal(wire::kInvalidValue);
  }
  launcher_.note_change(*found);
  for (std::uint64_t row = 0; row < request.rows; ++row)
    found->history->write(request.to - found->address + row * request.pitch, request.width);
  return {};
}

bool MemoryCalls::copy_inside(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  Allocation* target = heap_.find(to);
  const Allocation* source = heap_.find(from);
  if (target == nullptr || source == nullptr || !target->holds(to, bytes) ||
      !source->holds(from, bytes))
    return false;
  std::memmove(target->data + (to - target->address), source->data + (from - source->address),
               bytes);
  launcher_.note_change(*target);
  target->history->write(to - target->address, bytes);
  return true;
}

bool MemoryCalls::set_inside(std::uint64_t to, std::uint8_t value, std::uint64_t bytes) {
  Allocation* target = heap_.find(to);
  if (target == nullptr || !target->holds(to, bytes)) return false;
  std::memset(target->data + (to - target->address), value, bytes);
  launcher_.note_change(*target);
  target->history->write(to - target->address, bytes);
  return true;
}

std::vector<wire::Range> MemoryCalls::release_pending(std::uint64_t stream, bool all) {
  std::vector<wire::Range> open;
  std::vector<Pending> left;
  for (Pending& pending : pending_) {
    // Who waits for a stream may well have waited for the default stream, as the stream itself
    // does.
    if (all || pending.streams.contains(stream) || pending.streams.contains(0)) {
      open.push_back(pending.range);
    } else {
      left.push_back(std::move(pending));
    }
  }
  pending_ = std::move(left);
  return open;
}

Answer MemoryCalls::synchronise(const wire::SynchroniseRequest& request) {
  Answer made;
  if (request.waiting_stream != 0) {
    for (Pending& pending : pending_) {
      if (pending.streams.contains(request.stream)) pending.streams.insert(request.waiting_stream);
    }
    return made;
  }
  for (const wire::Range& range : release_pending(request.stream, request.all != 0))
    made.add(range);
  return made;
}

Answer MemoryCalls::pointer(std::uint64_t address) {
  wire::PointerReply reply;
  if (const Allocation* found = heap_.find(address)) {
    reply.is_known = 1;
    reply.kind = found->kind == Allocation::Kind::kManaged      ? wire::MemoryKind::kManaged
                 : found->kind == Allocation::Kind::kPageLocked ? wire::MemoryKind::kPageLocked
                                                                : wire::MemoryKind::kDevice;
    reply.range = {found->address, found->bytes};
  }
  Answer made;
  made.add(reply);
  return made;
}

Answer MemoryCalls::fault(const wire::FaultRequest& request) {
  const char* verb = request.writes != 0 ? "writes" : "reads";
  Answer made;
  const auto holds = [&](const wire::Range& range) {
    return request.address - range.begin < range.bytes;
  };
  // Of those that lie on one page the one that is meant comes first.
  std::ranges::stable_partition(pending_, [&](const Pending& each) { return holds(each.used); });
  for (const Pending& pending : pending_) {
    if (!holds(pending.range)) continue;
    const Allocation* found = heap_.find(request.address);
    if (request.is_atomic == 0 && holds(pending.used)) {
      problems_.note({.kind = HostProblem::Kind::kNotWaited,
                      .message = fmt::format(
                          "host code {} {}, which {} may still be using: wait first "
                          "(cudaDeviceSynchronize, cudaStreamSynchronize)",
                          verb, found == nullptr ? "memory" : found->description(), pending.reason),
                      .caller = request.instruction + 1});
    }
    const wire::Range opened = pending.range;
    made.add(wire::FaultReply{opened});
    std::erase_if(pending_,
                  [&](const Pending& other) { return other.range.begin == opened.begin; });
    return made;
  }
  const Allocation* found = heap_.find(request.address);
  const Allocation* freed = heap_.find_freed(request.address);
  HostProblem problem{
      .kind = HostProblem::Kind::kHostAccess, .message = {}, .caller = request.instruction + 1};
  if (found != nullptr) {
    problem.message = fmt::format(
        "host code {} byte {} of {}, which is the device's: copy it with cudaMemcpy, or allocate "
        "it with cudaMallocManaged; the program ends here, as on a GPU",
        verb, format_count(request.address - found->address), found->description());
  } else if (freed != nullptr) {
    problem.kind = HostProblem::Kind::kUseAfterFree;
    problem.message =
        fmt::format("host code {} {}, which has been freed", verb, freed->description());
  } else {
    problem.message = fmt::format("host code {} device address {:#x}, which is in no allocation",
                                  verb, request.address);
  }
  problems_.note(std::move(problem));
  made.add(wire::FaultReply{});
  return made;
}

void MemoryCalls::note_leaks() {
  std::uint64_t leaked = 0;
  std::uint64_t bytes = 0;
  for (const auto& [address, allocation] : heap_.live()) {
    if (allocation.number == 0) continue;
    ++leaked;
    bytes += allocation.bytes;
  }
  if (leaked != 0) {
    problems_.note({.kind = HostProblem::Kind::kLeak,
                    .message = fmt::format("{} ({}) never freed", counted(leaked, "allocation"),
                                           format(static_cast<double>(bytes), Unit::kBytes)),
                    .is_mistake = false});
  }
}

}  // namespace tilescope
