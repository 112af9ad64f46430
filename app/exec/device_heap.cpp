#include "exec/device_heap.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/quantity.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kPage = 4096;
// Free addresses behind each allocation: an access past an end hits no other one. Large ones lie
// further apart, for an index that is wrong by a factor.
std::uint64_t gap_behind(std::uint64_t bytes) {
  return std::clamp<std::uint64_t>(bytes, std::uint64_t{1} << 20, std::uint64_t{48} << 20);
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

std::string Allocation::description() const {
  if (is_variable()) return fmt::format("the variable '{}'", name);
  return fmt::format("allocation {} ({})", number,
                     format(static_cast<double>(bytes), Unit::kBytes));
}

std::optional<std::uint64_t> DeviceHeap::freed_address(const Request& request) {
  constexpr std::size_t kKept = 2;
  if (request.kind != Allocation::Kind::kDevice || request.caller == 0) return std::nullopt;
  const auto found = freed_by_.find({request.caller, request.bytes});
  if (found == freed_by_.end() || found->second.size() <= kKept) return std::nullopt;
  const std::uint64_t address = found->second.front();
  found->second.pop_front();
  freed_.erase(address);
  // Whole pages have been given back.
  std::byte* const data = arena_.at(address);
  const std::uint64_t first = std::min(round_up(address, kPage), address + request.bytes);
  const std::uint64_t last = std::max(first, (address + request.bytes) / kPage * kPage);
  std::fill(data, data + (first - address), std::byte{0});
  std::fill(data + (last - address), data + request.bytes, std::byte{0});
  return address;
}

std::optional<std::uint64_t> DeviceHeap::take_address(const Request& request) {
  if (const auto freed = freed_address(request)) return freed;
  const bool on_host =
      request.kind == Allocation::Kind::kManaged || request.kind == Allocation::Kind::kPageLocked;
  std::uint64_t& next = on_host ? next_host_ : next_device_;
  const std::uint64_t begin = round_up(next, on_host ? kPage : request.alignment);
  const std::uint64_t limit =
      on_host ? runtime::kHostBegin + runtime::kHostBytes : runtime::kHostBegin;
  const std::uint64_t taken = request.bytes + gap_behind(request.bytes);
  if (taken > limit - begin) return std::nullopt;
  next = begin + taken;
  return begin;
}

Allocation* DeviceHeap::allocate(const Request& request) {
  if (request.bytes > free_bytes()) return nullptr;
  const auto address = take_address(request);
  if (!address) return nullptr;
  const std::uint64_t begin = *address;
  Allocation made;
  made.kind = request.kind;
  made.name = request.name;
  const bool is_own = request.name.empty() && request.kind != Allocation::Kind::kInternal;
  made.number = is_own ? next_number_++ : 0;
  made.address = begin;
  made.bytes = request.bytes;
  made.caller = request.caller;
  made.data = arena_.at(begin);
  made.history = std::make_unique<RegionHistory>(request.bytes);
  // The host writes what it can without telling anybody.
  if (request.kind != Allocation::Kind::kDevice) made.history->write_all();
  used_bytes_ += request.bytes;
  is_map_old_ = true;
  return &live_.emplace(begin, std::move(made)).first->second;
}

std::optional<std::uint64_t> DeviceHeap::take_host_pages(std::uint64_t bytes) {
  const std::uint64_t begin = round_up(next_host_, kPage);
  const std::uint64_t taken = bytes + kPage;
  if (taken > runtime::kHostBegin + runtime::kHostBytes - begin) return std::nullopt;
  next_host_ = begin + taken;
  return begin;
}

Allocation DeviceHeap::allocation_outside(Allocation::Kind kind, std::uint64_t address,
                                          std::uint64_t bytes, std::uint64_t place) {
  Allocation made;
  made.number = next_number_++;
  made.kind = kind;
  made.address = address;
  made.bytes = bytes;
  made.data = arena_.at(place);
  made.history = std::make_unique<RegionHistory>(bytes);
  made.history->write_all();
  is_map_old_ = true;
  return made;
}

std::optional<DeviceHeap::Adopted> DeviceHeap::adopt(std::uint64_t address, std::uint64_t bytes) {
  const auto is_adopted = [&](const Allocation& other) {
    return other.kind == Allocation::Kind::kPageLocked && other.data != arena_.at(other.address);
  };
  const auto end_of = [](const Allocation& other) { return other.address + other.bytes; };
  std::uint64_t first = address / kPage * kPage;
  std::uint64_t last = round_up(address + bytes, kPage);
  const auto after = live_.lower_bound(address);
  auto begin = after;  // of those that share pages with it, or with one that does
  while (begin != live_.begin()) {
    const Allocation& before = std::prev(begin)->second;
    if (!is_adopted(before) || end_of(before) <= first) break;
    if (end_of(before) > address && begin == after) return std::nullopt;
    first = before.address / kPage * kPage;
    --begin;
  }
  auto end = after;
  for (; end != live_.end() && is_adopted(end->second) && end->second.address < last; ++end) {
    if (end->second.address < address + bytes) return std::nullopt;
    last = std::max(last, round_up(end_of(end->second), kPage));
  }
  const auto place = take_host_pages(last - first);
  if (!place) return std::nullopt;
  for (; begin != end; ++begin) begin->second.data = arena_.at(*place + begin->first - first);
  live_.emplace(address, allocation_outside(Allocation::Kind::kPageLocked, address, bytes,
                                            *place + address - first));
  return Adopted{{first, last - first}, *place};
}

Allocation* DeviceHeap::lend(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t in_page = address % kPage;  // keeps what kernels know of its alignment
  const std::uint64_t room = round_up(in_page + bytes, kPage);
  std::optional<std::uint64_t> place;
  if (const auto free = lent_places_.find(room); free != lent_places_.end()) {
    place = free->second;
    lent_places_.erase(free);
  } else {
    place = take_host_pages(room);
  }
  if (!place) return nullptr;
  Allocation made = allocation_outside(Allocation::Kind::kLent, address, bytes, *place + in_page);
  return &live_.insert_or_assign(address, std::move(made)).first->second;
}

void DeviceHeap::free(std::uint64_t address) {
  const auto found = live_.find(address);
  Allocation gone = std::move(found->second);
  live_.erase(found);
  is_map_old_ = true;
  if (gone.kind == Allocation::Kind::kLent) {
    const std::uint64_t in_page = gone.address % kPage;
    lent_places_.emplace(round_up(in_page + gone.bytes, kPage),
                         arena_.address_of(gone.data) - in_page);
    return;
  }
  if (gone.data == arena_.at(gone.address)) {
    used_bytes_ -= gone.bytes;
    arena_.release(gone.address, gone.bytes);
  }
  gone.history.reset();
  if (gone.kind == Allocation::Kind::kDevice && gone.caller != 0)
    freed_by_[{gone.caller, gone.bytes}].push_back(address);
  freed_.insert_or_assign(address, std::move(gone));
}

Allocation* DeviceHeap::find(std::uint64_t address) {
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) return nullptr;
  --after;
  return address - after->second.address < after->second.bytes ? &after->second : nullptr;
}

const Allocation* DeviceHeap::find_freed(std::uint64_t address) const {
  auto after = freed_.upper_bound(address);
  if (after == freed_.begin()) return nullptr;
  --after;
  return address - after->second.address < after->second.bytes ? &after->second : nullptr;
}

const Allocation* DeviceHeap::nearest(std::uint64_t address) const {
  auto after = live_.upper_bound(address);
  return after == live_.begin() ? nullptr : &(--after)->second;
}

const MemoryMap& DeviceHeap::map() {
  if (!is_map_old_) return map_;
  map_ = {};
  for (const auto& [address, allocation] : live_) {
    map_.add({address, allocation.bytes, allocation.data,
              allocation.name.empty() ? fmt::format("allocation {}", allocation.number)
                                      : allocation.name,
              allocation.type, allocation.history.get()});
  }
  map_.add({kConstantWindow, constant_bank_.size(), constant_bank_.data(), "constant memory"});
  map_.finish();
  is_map_old_ = false;
  return map_;
}

void DeviceHeap::rename(std::uint64_t address, std::string name, ElementType type) {
  Allocation& allocation = live_.at(address);
  if (allocation.name == name && allocation.type == type) return;
  allocation.name = std::move(name);
  allocation.type = type;
  is_map_old_ = true;
}

}  // namespace tilescope
