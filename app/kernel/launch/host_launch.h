#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/dim3.h"
#include "kernel/launch/host_members.h"
#include "kernel/launch/launch_guess.h"
#include "kernel/source/kernel_signature.h"

namespace tilescope {

// What a file's own host code says of how it launches a kernel, as far as that follows from
// constants: kernel<32><<<grid, dim3(16, 16), 4096>>>(...).
struct HostLaunch {
  std::string template_arguments;  // "<32>"; empty: none
  std::optional<Dim3> block;
  std::optional<std::uint32_t> dynamic_shared_bytes;
  // The same as it is written, where that names constants: "TILE", "TILE / 2"; else empty.
  std::vector<std::string> block_text;
  std::string dynamic_shared_text;
  // By axis the name that stands there, of which nothing is known, or nothing; empty: the block is
  // known.
  std::vector<std::string> block_names;
  std::vector<std::string> grid_text;  // of constants, of names that are handed over and of others
                                       // of which nothing is known; empty: not found
  std::vector<std::string> arguments;  // as they are written, without a cast
  // What of them follows from constants and from what the host's variables are declared with: a
  // number as it is written in C, "8", "2.0f".
  std::vector<std::string> argument_values;  // empty: not known
  // Whether each is the counter of a loop around the launch; its value is the first one.
  std::vector<bool> argument_counts;
  // The others in terms of those: "ceil_div(n, 32)"; as it is written where nothing more is known.
  std::vector<std::string> argument_texts;
  // Dynamic shared bytes in the same terms.
  std::string shared_text;
  // What the host allocates behind each that is a pointer.
  std::vector<std::optional<std::int64_t>> argument_bytes;
  // The same in the terms of argument_texts, where that is no number.
  std::vector<std::string> argument_bytes_texts;
  // What it puts into those that are structures.
  std::vector<HostMembers> argument_members;

  // The extent of the chosen block that the host calls `name`.
  [[nodiscard]] std::optional<std::uint32_t> extent_of(const std::string& name,
                                                       const Dim3& chosen) const;
};

// Of the first launch of `kernel` (as find_kernels() names it) whose block is known and that no if
// rules out, else the first; all empty where there is none. Names are followed to where they are
// declared and to what the function around the launch is called with. `lasting`: constants that
// mean the same beside the kernel, so that texts may name them; none: those of the source.
[[nodiscard]] HostLaunch find_host_launch(const std::string& source, const std::string& kernel,
                                          const ParameterSet* lasting = nullptr);

// The host function around that launch; empty: nothing launches it, or the source calls the
// function itself.
[[nodiscard]] std::string uncalled_launcher(const std::string& source, const std::string& kernel);

[[nodiscard]] bool is_whole_number(ElementType type);

// A number that the file's own launch hands to the parameter at this place, or puts into this
// member of it, as a form takes it: "8", "2.0"; empty: none is known.
[[nodiscard]] std::string handed_value(const ParameterText& parameter, std::size_t position,
                                       const HostLaunch& launched);

// Bytes that the host allocates behind the pointer at this place; 0: not known.
[[nodiscard]] std::int64_t handed_bytes(const ParameterText& parameter, std::size_t position,
                                        const HostLaunch& launched);

// The words and signs of host code; a member is one word with its object, "atoms.count", also
// behind an arrow, and with the brackets behind it: "image.width()".
[[nodiscard]] std::vector<std::string> words_and_paths(const std::string& host_text);

// What the host computes of numbers that it hands to the kernel, in the kernel's own names and
// numbers: blocks = ceil_div(n, 32) beside n. `form` has the numbers.
class HandedNumbers {
 public:
  HandedNumbers(const KernelFile& file, const KernelSignature& signature,
                const HostLaunch& launched, const LaunchForm& form);

  struct Text {
    std::string text;                // in the kernel's names and the file's constants
    std::string numbers;             // in the kernel's names and numbers
    bool follows_arguments = false;  // it names some of them
    bool follows_constants = false;
    std::optional<std::int64_t> value;
  };
  [[nodiscard]] Text read(const std::string& host_text) const;

 private:
  ParameterSet numbers_;
  ParameterSet names_;                         // with the file's constants
  std::map<std::string, std::string> handed_;  // what the host calls them
};

// Lets the arguments that the host computes of others, the dynamic shared memory and the buffers
// that it allocates for so many elements follow those.
void derive_arguments(const KernelFile& file, const KernelSignature& signature,
                      const HostLaunch& launched, LaunchForm* form);

// Threads of a block, and of the largest launch of numbers alone.
struct GridBound {
  std::uint64_t threads = 1;
  std::uint64_t most_threads = 1;
  bool numbers_count = false;  // the arguments are the file's own, so numbers alone are meant
};
// The grid as the file launches it, where that follows from its constants and what the kernel is
// handed; empty: it does not.
[[nodiscard]] std::string launched_grid(const KernelFile& file, const KernelSignature& signature,
                                        const HostLaunch& launched, const LaunchForm& form,
                                        const GridBound& bound);

}  // namespace tilescope
