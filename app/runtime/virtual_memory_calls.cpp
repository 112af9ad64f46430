#include <array>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "runtime/driver_calls.h"
#include "runtime/memory.h"
#include "runtime/program_state.h"

// Of the driver library: addresses that are reserved, and memory that is mapped to them. The memory
// of a reserved range is there from the start; what the program maps is only remembered. So one
// piece of memory cannot be mapped to two places, and unmapped addresses are not protected.
namespace tilescope::runtime::driver {
namespace {

constexpr std::size_t kGranularity = std::size_t{2} << 20;

using Properties = std::array<std::uint64_t, 4>;  // CUmemAllocationProp

struct Piece {  // by cuMemCreate
  std::size_t bytes = 0;
  Properties properties{};
  int uses = 1;  // its handle's and its mapping's
};
struct Mapping {
  std::size_t bytes = 0;
  std::uint64_t handle = 0;
};
struct Reservation {
  std::size_t bytes = 0;
  std::map<DeviceAddress, Mapping> mapped;  // by their begin; they do not overlap
};

struct VirtualMemory {
  static VirtualMemory& get() {
    static VirtualMemory memory;
    return memory;
  }

  std::mutex mutex;
  std::map<std::uint64_t, Piece> pieces;
  std::map<DeviceAddress, Reservation> reservations;
  std::uint64_t next_handle = 1;

  // The one that has the whole range; nullptr: there is none.
  Reservation* find(DeviceAddress begin, std::size_t bytes) {
    auto after = reservations.upper_bound(begin);
    if (after == reservations.begin()) return nullptr;
    auto& [first, reservation] = *std::prev(after);
    const bool is_inside = begin - first <= reservation.bytes &&
                           bytes <= reservation.bytes - static_cast<std::size_t>(begin - first);
    return is_inside ? &reservation : nullptr;
  }
  // The mapping that an address is in.
  std::pair<const DeviceAddress, Mapping>* find_mapping(DeviceAddress address) {
    Reservation* reservation = find(address, 1);
    if (reservation == nullptr) return nullptr;
    auto after = reservation->mapped.upper_bound(address);
    if (after == reservation->mapped.begin()) return nullptr;
    auto& mapping = *std::prev(after);
    return address - mapping.first < mapping.second.bytes ? &mapping : nullptr;
  }
  void drop(std::uint64_t handle) {
    const auto piece = pieces.find(handle);
    if (piece != pieces.end() && --piece->second.uses == 0) pieces.erase(piece);
  }
};

bool is_whole(std::size_t bytes) { return bytes != 0 && bytes % kGranularity == 0; }

Error reserve(DeviceAddress* address, std::size_t bytes, std::uint64_t caller) {
  if (address == nullptr || !is_whole(bytes)) return kInvalidValue;
  void* place = nullptr;
  if (const Error error = allocate(&place, bytes, MemoryKind::kDevice, caller); error != kSuccess)
    return error;
  *address = reinterpret_cast<DeviceAddress>(place);
  VirtualMemory& memory = VirtualMemory::get();
  const std::lock_guard lock(memory.mutex);
  memory.reservations[*address].bytes = bytes;
  return kSuccess;
}

Error free_reserved(DeviceAddress address, std::size_t bytes) {
  VirtualMemory& memory = VirtualMemory::get();
  const std::lock_guard lock(memory.mutex);
  const auto found = memory.reservations.find(address);
  const bool fits = found != memory.reservations.end() && found->second.bytes == bytes &&
                    found->second.mapped.empty();
  if (!fits) return kInvalidValue;
  memory.reservations.erase(found);
  return release(reinterpret_cast<void*>(address));  // NOLINT: as in driver_memory_calls
}

Error create(std::uint64_t* handle, std::size_t bytes, const void* properties) {
  if (handle == nullptr || properties == nullptr || !is_whole(bytes)) return kInvalidValue;
  VirtualMemory& memory = VirtualMemory::get();
  const std::lock_guard lock(memory.mutex);
  *handle = memory.next_handle++;
  memory.pieces[*handle] = {bytes, *static_cast<const Properties*>(properties)};
  return kSuccess;
}

Error drop_handle(std::uint64_t handle) {
  VirtualMemory& memory = VirtualMemory::get();
  const std::lock_guard lock(memory.mutex);
  if (!memory.pieces.contains(handle)) return kInvalidValue;
  memory.drop(handle);
  return kSuccess;
}

Error map(DeviceAddress address, std::size_t bytes, std::size_t offset, std::uint64_t handle) {
  VirtualMemory& memory = VirtualMemory::get();
  const std::lock_guard lock(memory.mutex);
  const auto piece = memory.pieces.find(handle);
  Reservation* reservation = memory.find(address, bytes);
  if (piece == memory.pieces.end() || reservation == nullptr || !is_whole(bytes) || offset != 0 ||
      bytes > piece->second.bytes) {
    return kInvalidValue;
  }
  const auto after = reservation->mapped.lower_bound(address);
  const bool meets_next = after != reservation->mapped.end() && after->first - address < bytes;
  if (meets_next || memory.find_mapping(address) != nullptr) return kInvalidValue;
  for (const auto& [begin, other] : memory.reservations) {
    for (const auto& [place, mapping] : other.mapped) {
      if (mapping.handle == handle) return kNotSupported;  // one memory at two places
    }
  }
  ++piece->second.uses;
  reservation->mapped[address] = {bytes, handle};
  return kSuccess;
}

// Whole mappings, one after the other.
Error unmap(DeviceAddress address, std::size_t bytes) {
  VirtualMemory& memory = VirtualMemory::get();
  const std::lock_guard lock(memory.mutex);
  Reservation* reservation = memory.find(address, bytes);
  if (reservation == nullptr) return kInvalidValue;
  auto first = reservation->mapped.lower_bound(address);
  std::size_t covered = 0;
  auto last = first;
  while (last != reservation->mapped.end() && last->first == address + covered && covered < bytes) {
    covered += (last++)->second.bytes;
  }
  if (covered != bytes) return kInvalidValue;
  for (auto each = first; each != last; ++each) memory.drop(each->second.handle);
  reservation->mapped.erase(first, last);
  return kSuccess;
}

Error set_access(DeviceAddress address, std::size_t bytes) {
  VirtualMemory& memory = VirtualMemory::get();
  const std::lock_guard lock(memory.mutex);
  if (memory.find(address, bytes) == nullptr) return kInvalidValue;
  for (std::size_t covered = 0; covered < bytes;) {
    const auto* mapping = memory.find_mapping(address + covered);
    if (mapping == nullptr) return kInvalidValue;
    covered = static_cast<std::size_t>(mapping->first - address) + mapping->second.bytes;
  }
  return kSuccess;
}

Error properties_of(void* properties, std::uint64_t handle) {
  VirtualMemory& memory = VirtualMemory::get();
  const std::lock_guard lock(memory.mutex);
  const auto piece = memory.pieces.find(handle);
  if (properties == nullptr || piece == memory.pieces.end()) return kInvalidValue;
  *static_cast<Properties*>(properties) = piece->second.properties;
  return kSuccess;
}

Error retain(std::uint64_t* handle, void* address) {
  VirtualMemory& memory = VirtualMemory::get();
  const std::lock_guard lock(memory.mutex);
  const auto* mapping = memory.find_mapping(reinterpret_cast<DeviceAddress>(address));
  if (handle == nullptr || mapping == nullptr) return kInvalidValue;
  *handle = mapping->second.handle;
  ++memory.pieces[*handle].uses;
  return kSuccess;
}

}  // namespace

Error cuMemGetAllocationGranularity(std::size_t* bytes, const void*, unsigned) {
  if (bytes == nullptr) return told(kInvalidValue, __func__);
  *bytes = kGranularity;
  return told(kSuccess, __func__);
}
Error cuMemAddressReserve(DeviceAddress* address, std::size_t bytes, std::size_t, DeviceAddress,
                          unsigned long long) {
  return told(reserve(address, bytes, TILESCOPE_CALLER), __func__);
}
Error cuMemAddressFree(DeviceAddress address, std::size_t bytes) {
  return told(free_reserved(address, bytes), __func__);
}
Error cuMemCreate(std::uint64_t* handle, std::size_t bytes, const void* properties,
                  unsigned long long) {
  return told(create(handle, bytes, properties), __func__);
}
Error cuMemRelease(std::uint64_t handle) { return told(drop_handle(handle), __func__); }
Error cuMemMap(DeviceAddress address, std::size_t bytes, std::size_t offset, std::uint64_t handle,
               unsigned long long) {
  return told(map(address, bytes, offset, handle), __func__);
}
Error cuMemUnmap(DeviceAddress address, std::size_t bytes) {
  return told(unmap(address, bytes), __func__);
}
Error cuMemSetAccess(DeviceAddress address, std::size_t bytes, const void*, std::size_t) {
  return told(set_access(address, bytes), __func__);
}
Error cuMemGetAccess(unsigned long long* flags, const void*, DeviceAddress address) {
  constexpr unsigned long long kReadAndWrite = 3;
  if (flags == nullptr || set_access(address, 1) != kSuccess) return told(kInvalidValue, __func__);
  *flags = kReadAndWrite;
  return told(kSuccess, __func__);
}
Error cuMemGetAllocationPropertiesFromHandle(void* properties, std::uint64_t handle) {
  return told(properties_of(properties, handle), __func__);
}
Error cuMemRetainAllocationHandle(std::uint64_t* handle, void* address) {
  return told(retain(handle, address), __func__);
}

}  // namespace tilescope::runtime::driver
