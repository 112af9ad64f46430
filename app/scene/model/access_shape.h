#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/study/kernel_study.h"
#include "emulator/warp_access.h"

namespace tilescope {

// What the addresses of one warp's access look like, as far as words need it.
enum class LanePattern : std::uint8_t {
  kNone,        // no lane is active
  kSingle,      // one lane alone
  kBroadcast,   // every active lane the same address
  kContiguous,  // lane by lane the next element, upwards or downwards, without gaps
  kStrided,     // equal distances, other than one element
  kShared,      // elements side by side, each wanted by several lanes
  kApart,       // elements at equal distances, wanted by several lanes
  kRuns,        // some runs of neighbouring elements, apart from each other
  kScattered,
};

struct AccessShape {
  LanePattern pattern = LanePattern::kNone;
  int lanes = 0;     // active
  int distinct = 0;  // different addresses
  // kStrided, kContiguous: from a lane to the next; where lanes that do not take part leave gaps
  // between elements, to the next active one.
  std::int64_t stride_bytes = 0;
  int lanes_each = 0;  // of each address, when all have as many, else 0
  int runs = 0;        // kRuns
  int run_length = 0;  // kRuns: elements in each, when all are equal, else 0
  std::int64_t run_distance_bytes =
      0;                    // kRuns, kApart: between the starts, when all are equal, else 0
  std::uint64_t first = 0;  // the lowest address
  std::uint64_t last = 0;   // the highest
};
[[nodiscard]] AccessShape shape_of(const WarpAccess& access);

// "32 floats", "1 float4", "7 values of 2 B": elements as a person of this buffer calls them.
[[nodiscard]] std::string elements_phrase(std::uint64_t count, ElementType type,
                                          int bytes_per_lane);
// "loads", "stores", "updates", "copies"
[[nodiscard]] std::string_view verb_of(AccessKind kind);
// "load", "store", "atomic", "async copy"
[[nodiscard]] std::string_view noun_of(AccessKind kind);

// The buffer an access goes to: where it starts and what it is called; none when it hits none.
struct BufferPlace {
  std::size_t argument = 0;  // index into KernelInstance::arguments
  std::uint64_t address = 0;
  ElementType type = ElementType::kF32;
  std::string name;
};
[[nodiscard]] std::optional<BufferPlace> buffer_of(const KernelStudy& study, std::uint64_t address);

}  // namespace tilescope
