#pragma once
#include <cstdint>
#include <optional>

namespace tilescope {

inline constexpr std::uint32_t kMostParameterBytes = 32764;  // of a kernel, CUDA 12.1 and later

[[nodiscard]] constexpr std::uint32_t rounded_up(std::uint32_t bytes, std::uint32_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Where an argument lies that is a member of a structure, handed to a kernel by value.
struct StructureMember {
  std::uint32_t parameter = 0;        // the structure's index among the kernel's parameters
  std::uint32_t offset = 0;           // of the member, in bytes
  std::uint32_t structure_bytes = 0;  // of the whole structure

  friend bool operator==(const StructureMember&, const StructureMember&) = default;
};

// Index among the kernel's parameters of each argument of a list in turn: one that is no member is
// a parameter by itself.
class ParameterIndex {
 public:
  [[nodiscard]] std::uint32_t next(const std::optional<StructureMember>& member) {
    const std::uint32_t index = member ? member->parameter : next_;
    next_ = index + 1;
    return index;
  }
  [[nodiscard]] std::uint32_t count() const { return next_; }  // of parameters so far

 private:
  std::uint32_t next_ = 0;
};

}  // namespace tilescope
