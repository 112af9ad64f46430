#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "kernel/launch/file_launch.h"
#include "kernel/source/kernel_signature.h"

namespace tilescope {

// How one argument, or a member of one, is made, in the pieces that a form has fields for.
struct ArgumentForm {
  std::string name;      // "image.width"
  std::string declared;  // its type as it stands in the source
  bool is_buffer = false;
  std::string type;                       // "f32"
  std::string count;                      // buffers: elements
  std::string fill;                       // buffers: "zero", "iota", "ramp", "random:1", "@FILE"
  std::string value;                      // numbers
  std::optional<StructureMember> member;  // none: an argument by itself
  bool is_allocated = false;              // buffers: the host says how many elements there are
  // Numbers: what the host computes, of other arguments' names: "ceil_div(n, 32)"; empty: nothing
  // is known.
  std::string follows = {};
  // Buffers that hold pointers: the members of one of `count` structures, each pointer to a buffer
  // of its own.
  std::vector<ArgumentForm> behind = {};

  // "f32[4096]=random:1", "i32:5", "{f32[64]=zero, i32:5}[16]"
  [[nodiscard]] std::string text() const;
  friend bool operator==(const ArgumentForm&, const ArgumentForm&) = default;
};

// Bytes of one of a buffer's elements; 0: its type is not known.
[[nodiscard]] std::uint64_t element_bytes(const ArgumentForm& buffer);

// Of a buffer with all that its pointers lead to; 0: it is none, or its length is no number.
[[nodiscard]] std::uint64_t bytes_of(const ArgumentForm& argument);
// How many buffers its pointers lead to.
[[nodiscard]] std::uint64_t buffers_behind(const ArgumentForm& argument);

// What a buffer of text holds: random small letters.
inline constexpr std::string_view kLetters = "97 + random % 26";
// Whether a buffer is one of plain char, which numbers seldom are kept in.
[[nodiscard]] bool may_be_text(const ArgumentForm& argument);
// Of a buffer that is read: letters, whole numbers that may serve as indices (a ramp), or random
// ones of this seed.
[[nodiscard]] std::string usual_contents(const ArgumentForm& buffer, std::size_t seed);

// The launch of one kernel of a file, field by field.
struct LaunchForm {
  std::string kernel;  // with template arguments where it has them
  std::string grid;
  std::string block;
  std::string dynamic_shared;  // bytes
  std::vector<ArgumentForm> arguments;
  ParameterSet parameters = {};  // macros that were set, LaunchText::parameters
  bool is_written = false;       // grid, block and all numbers are those of the file's own launch

  friend bool operator==(const LaunchForm&, const LaunchForm&) = default;
};

// Gives the numbers that follow from others the value that these have now.
void follow_others(LaunchForm* form);

// With another value of one of source_parameters(); a number of the kernel's template changes the
// kernel's name.
[[nodiscard]] LaunchForm with_parameter(LaunchForm form, const KernelFile& file,
                                        const ParameterSpec& spec, std::int64_t value);

// As launch_file() takes it. kUsage: what an argument holds is not known.
[[nodiscard]] Result<LaunchText> launch_text(const LaunchForm& form);

}  // namespace tilescope
