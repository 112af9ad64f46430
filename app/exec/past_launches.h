#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "exec/device_heap.h"

namespace tilescope {

// What launches did to memory: one that comes again with the same contents of all that it uses need
// not be executed, for its results are known. So the loops of benchmarks are emulated twice at
// most.
class PastLaunches {
 public:
  explicit PastLaunches(DeviceHeap& heap) : heap_(heap) {}

  // What was asked for, and how it went.
  class Past {
    friend class PastLaunches;
    struct Content {
      std::uint64_t address = 0;  // of an allocation
      std::uint64_t hash = 0;     // of its bytes
      bool operator==(const Content&) const = default;
    };
    struct Effect {
      std::vector<Content> before;
      std::vector<Content> changed;               // what it is afterwards
      std::vector<std::vector<std::byte>> bytes;  // of `changed`
    };
    struct Use {
      std::uint64_t address = 0;
      std::uint64_t version = 0;
    };
    std::vector<Use> uses;  // as the last one left them
    bool repeats = false;   // once more would change nothing
    std::vector<Content> before;
    std::vector<Effect> effects;
    std::size_t next_effect = 0;  // that is replaced, when there are kMostEffects
  };
  // `words`: all that is asked for. Valid until the next call.
  Past& find(std::string words);

  struct Used {
    const Allocation* allocation = nullptr;
    bool is_read = false;
    bool is_written = false;
  };
  // Does what the launch did before with the same contents. False: it must be executed.
  bool repeat(Past& past);
  // Around its execution. `is_pure`: it did nothing but change memory of the device's, and all of
  // it.
  void begin(Past& past);
  void end(Past& past, std::span<const Used> used, bool is_pure);

  // Somebody else writes to it.
  void note_change(const Allocation& allocation) { ++versions_[allocation.address]; }

 private:
  struct Hashed {
    std::uint64_t version = 0;
    std::uint64_t hash = 0;
  };
  [[nodiscard]] bool would_change_nothing(const Past& past);
  // false: too much, or something that is gone.
  [[nodiscard]] bool contents_of(const Past& past, std::vector<Past::Content>* contents);
  [[nodiscard]] std::uint64_t hash_of(const Allocation& allocation);
  void keep_effect(Past& past, std::span<const Allocation* const> changed);

  DeviceHeap& heap_;
  std::map<std::string, Past> past_;
  std::map<std::uint64_t, std::uint64_t> versions_;  // of what an allocation holds, by address
  std::map<std::uint64_t, Hashed> hashes_;
  std::uint64_t kept_bytes_ = 0;  // of all effects
};

}  // namespace tilescope
