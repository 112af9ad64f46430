#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/dim3.h"
#include "kernel/host/host_members.h"
#include "kernel/source/kernel_signature.h"

namespace tilescope {

// What a launch hands to one parameter of the kernel. Texts and values are empty where they are not
// known.
struct HandedArgument {
  std::string written;  // as it stands there, without a cast
  // What follows from constants and from what the host's variables are declared with: a number as
  // it is written in C, "8", "2.0f".
  std::string value;
  bool counts = false;  // it is the counter of a loop around the launch; its value is the first one
  // In terms of the others as they are written: "ceil_div(n, 32)"; as it is written where nothing
  // more is known.
  std::string text;
  std::optional<std::int64_t> bytes;  // that the host allocates behind a pointer
  std::string bytes_text;             // the same in the terms of `text`, where that is no number
  HostMembers members;                // what it puts into a structure
};

// What a file's own host code says of how it launches a kernel, as far as that follows from
// constants: kernel<32><<<grid, dim3(16, 16), 4096>>>(...).
struct LaunchSite {
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
  std::vector<HandedArgument> arguments;
  // Dynamic shared bytes in the terms of HandedArgument::text.
  std::string shared_text;

  // What is handed over at this place; an argument of which nothing is known where there is none.
  [[nodiscard]] const HandedArgument& argument(std::size_t position) const;
  // Those as they are written.
  [[nodiscard]] std::vector<std::string> written_arguments() const;

  // The extent of the chosen block that the host calls `name`.
  [[nodiscard]] std::optional<std::uint32_t> extent_of(const std::string& name,
                                                       const Dim3& chosen) const;
};

// Of the first launch of `kernel` (as find_kernels() names it) whose block is known and that no if
// rules out, else the first; all empty where there is none. Names are followed to where they are
// declared and to what the function around the launch is called with. `lasting`: constants that
// mean the same beside the kernel, so that texts may name them; none: those of the source.
[[nodiscard]] LaunchSite find_launch_site(const std::string& source, const std::string& kernel,
                                          const ParameterSet* lasting = nullptr);

// The host function around that launch; empty: nothing launches it, or the source calls the
// function itself.
[[nodiscard]] std::string uncalled_launcher(const std::string& source, const std::string& kernel);

// A number that the file's own launch hands to the parameter at this place, or puts into this
// member of it, as a form takes it: "8", "2.0"; empty: none is known.
[[nodiscard]] std::string handed_value(const ParameterText& parameter, std::size_t position,
                                       const LaunchSite& launched);

// Bytes that the host allocates behind the pointer at this place; 0: not known.
[[nodiscard]] std::int64_t handed_bytes(const ParameterText& parameter, std::size_t position,
                                        const LaunchSite& launched);

// The words and signs of host code; a member is one word with its object, "atoms.count", also
// behind an arrow, and with the brackets behind it: "image.width()".
[[nodiscard]] std::vector<std::string> words_and_paths(const std::string& host_text);

}  // namespace tilescope
