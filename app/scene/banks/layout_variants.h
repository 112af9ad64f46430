#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "kernel/catalogue/catalogue.h"

namespace tilescope {

class InputCache;  // analysis/memory/launch_memory.h

// A parameter by which a kernel lays out its shared arrays: words behind each row, or an exclusive
// or of places in a row with the row's number. By name; nullptr: the kernel has none.
[[nodiscard]] const std::string* pad_parameter(const ParameterSet& parameters);
[[nodiscard]] const std::string* swizzle_parameter(const ParameterSet& parameters);

// One execution of an access of shared memory, told so that another build of the kernel has it too:
// the how manieth of its kind that a warp executes on a line.
struct AccessPlace {
  std::uint32_t warp = 0;
  std::uint16_t file = 0;
  std::uint32_t line = 0;
  AccessKind kind = AccessKind::kNone;
  std::uint32_t nth = 0;
  std::uint32_t of = 0;  // how many there are
};
// Precondition: the event accesses shared memory. `shared`: those of its warp that do, ascending.
[[nodiscard]] AccessPlace place_of_access(const KernelStudy& study, std::uint32_t event,
                                          const std::vector<std::uint32_t>& shared);

// The kernel with one value of each of its layout's parameters.
struct LayoutVariant {
  struct Cost {
    std::uint16_t wavefronts = 0;
    std::uint16_t ideal = 0;
    [[nodiscard]] int conflicts() const { return wavefronts > ideal ? wavefronts - ideal : 0; }
  };
  ParameterSet values;   // of pad_parameter() and swizzle_parameter(), those that it has
  std::int64_t pad = 0;  // in the parameter's unit
  bool swizzled = false;
  Cost worst;  // of the traced block: most conflicts
  std::uint32_t worst_line = 0;
  using Line = std::tuple<std::uint32_t, std::uint16_t, std::uint32_t, AccessKind>;  // of a warp
  std::map<Line, std::vector<Cost>> costs;                                           // in order

  // nullopt: this build has no such access, or the line has more or fewer of them.
  [[nodiscard]] std::optional<Cost> cost_at(const AccessPlace& place) const;
};

// All legal ones, PAD ascending, then the exclusive or; [] for a kernel without such parameters.
struct LayoutVariants {
  std::string id;
  ParameterSet others;  // the parameters that all of them share
  ParameterSet extents;
  std::uint64_t block = 0;
  std::vector<LayoutVariant> layouts;

  // Whether they are of this study's kernel, block and other parameters.
  [[nodiscard]] bool belong_to(const KernelStudy& study) const;
};

// Emulated: each is compiled and its block traced, as a study with these values is; tens of
// milliseconds a value. `study` is of `entry`, as it ships, and traced. Errors: kCancelled, and
// what keeps a legal variant from being compiled or traced.
[[nodiscard]] Result<LayoutVariants> layout_variants(const CatalogueEntry& entry,
                                                     const KernelStudy& study,
                                                     const DeviceModel& device, InputCache* inputs,
                                                     std::stop_token stop);
// Whether there would be any.
[[nodiscard]] bool has_layout_variants(const CatalogueEntry& entry, const KernelStudy& study);

}  // namespace tilescope
