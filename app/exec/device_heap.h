#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/memory_map.h"
#include "emulator/region_history.h"
#include "exec/arena.h"
#include "runtime/protocol.h"

namespace tilescope {

// A piece of device memory, or of memory that host and device share.
struct Allocation {
  enum class Kind : std::uint8_t {
    kDevice,      // cudaMalloc
    kManaged,     // cudaMallocManaged, __managed__
    kPageLocked,  // cudaMallocHost, cudaHostRegister
    kLent,        // an array of the host's, whose bytes are the device's for a launch
    kVariable,    // __device__, __constant__; __managed__ is kManaged
    kInternal,    // not the program's: what the blocks of a cooperative launch meet at
  };
  std::uint32_t number = 0;  // counts from 1 among the program's own; 0: not one of these
  Kind kind = Kind::kDevice;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t caller = 0;  // where the program has it from: an address in the program
  std::string name;          // of a variable
  std::byte* data = nullptr;
  std::unique_ptr<RegionHistory> history;
  ElementType type = ElementType::kU8;

  [[nodiscard]] bool is_variable() const { return number == 0 && kind != Kind::kInternal; }
  [[nodiscard]] bool is_host_visible() const {
    return kind == Kind::kManaged || kind == Kind::kPageLocked;
  }
  [[nodiscard]] bool holds(std::uint64_t at, std::uint64_t count) const {
    return at >= address && at - address <= bytes && count <= bytes - (at - address);
  }
  // "allocation 3 (4 KiB)", "the variable 'table'"
  [[nodiscard]] std::string description() const;
};

// All memory that kernels can reach. A pointer that was freed points to nothing: an address is
// given out again only to the place in the program that had it before, for as many bytes, and only
// after two others of these have been freed. So the rounds of a loop see the same addresses again
// (past_launches.h).
class DeviceHeap {
 public:
  // `most_bytes`: of all allocations together.
  DeviceHeap(const Arena& arena, std::uint64_t most_bytes)
      : arena_(arena), most_bytes_(most_bytes) {}

  struct Request {
    Allocation::Kind kind = Allocation::Kind::kDevice;
    std::uint64_t bytes = 0;
    std::uint64_t alignment = 512;
    std::uint64_t caller = 0;
    std::string name{};
  };
  // nullptr: there is not so much memory.
  Allocation* allocate(const Request& request);
  // Memory of the program's own at `address` (cudaHostRegister): the program must copy these pages
  // to their place in the arena and have them there from now on. They hold all of its pages, and
  // those of what was adopted before and lies in one page with it. nullopt: some of it is adopted
  // already, or there are no places left.
  struct Adopted {
    runtime::Range pages;
    std::uint64_t place = 0;  // an address of the arena
  };
  std::optional<Adopted> adopt(std::uint64_t address, std::uint64_t bytes);
  // An array of the program's own at `address`: kernels find it there, and its bytes at
  // Allocation::data. Precondition: none of it is lent already. nullptr: there is no place left.
  Allocation* lend(std::uint64_t address, std::uint64_t bytes);
  // Precondition: it is live.
  void free(std::uint64_t address);

  [[nodiscard]] Allocation* find(std::uint64_t address);  // that holds it
  [[nodiscard]] const Allocation* find_freed(std::uint64_t address) const;
  [[nodiscard]] const Allocation* nearest(std::uint64_t address) const;  // that begins before it
  [[nodiscard]] const std::map<std::uint64_t, Allocation>& live() const { return live_; }
  [[nodiscard]] std::uint64_t used_bytes() const { return used_bytes_; }
  [[nodiscard]] std::uint64_t free_bytes() const { return most_bytes_ - used_bytes_; }

  // Of all of it, as launches see it. Made anew when allocations have come or gone.
  [[nodiscard]] const MemoryMap& map();
  // What kernels find in constant memory: filled before each launch.
  [[nodiscard]] std::vector<std::byte>& constant_bank() { return constant_bank_; }
  // From now on the region has this name in findings; "" takes the usual one again.
  void rename(std::uint64_t address, std::string name, ElementType type);

 private:
  // Where an allocation begins; nullopt: there are no addresses left.
  [[nodiscard]] std::optional<std::uint64_t> take_address(const Request& request);
  [[nodiscard]] std::optional<std::uint64_t> freed_address(const Request& request);
  // For memory whose addresses are not the arena's: whole pages. nullopt: there are none left.
  [[nodiscard]] std::optional<std::uint64_t> take_host_pages(std::uint64_t bytes);
  [[nodiscard]] Allocation allocation_outside(Allocation::Kind kind, std::uint64_t address,
                                              std::uint64_t bytes, std::uint64_t place);

  static constexpr std::size_t kConstantBankBytes = std::size_t{1} << 20;

  const Arena& arena_;
  std::uint64_t most_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t next_device_ = runtime::kDeviceBegin + (std::uint64_t{1} << 30);
  std::uint64_t next_host_ = runtime::kHostBegin + (std::uint64_t{1} << 21);
  std::uint32_t next_number_ = 1;
  std::map<std::uint64_t, Allocation> live_;
  std::map<std::uint64_t, Allocation> freed_;
  using Place = std::pair<std::uint64_t, std::uint64_t>;     // caller, bytes
  std::map<Place, std::deque<std::uint64_t>> freed_by_;      // the oldest first
  std::multimap<std::uint64_t, std::uint64_t> lent_places_;  // free ones: bytes, where in the arena
  std::vector<std::byte> constant_bank_ = std::vector<std::byte>(kConstantBankBytes);
  MemoryMap map_;
  bool is_map_old_ = true;
};

}  // namespace tilescope
