#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// A file of the user's: CUDA C++, or PTX when its name ends in .ptx.
struct KernelFile {
  std::string path;  // as given; what was pasted has a name of its own and no folder
  std::string source;
};

// How a kernel of a file is launched, as a person writes it, on the command line or in the window.
struct LaunchText {
  std::string kernel;  // a __global__ function, or name<arguments>; empty: the only one
  std::string grid;    // blocks, "X[,Y[,Z]]", each a whole number or an expression (launch_names())
  std::string block;   // threads, likewise
  std::uint32_t dynamic_shared_bytes = 0;
  std::string dynamic_shared;          // the same as an expression; empty: the number
  std::vector<std::string> arguments;  // one per kernel parameter in order, file_arguments()
  std::vector<std::string> defines;    // NAME=VALUE
  ParameterSet parameters;             // of source_parameters(), those that are set

  friend bool operator==(const LaunchText&, const LaunchText&) = default;
};

// Whether a file of this name is taken for CUDA C++: .cu, .cuh, or HIP's .hip and .hip.cpp.
[[nodiscard]] bool is_cuda_source(std::string_view path);
// Whether a file of this name is taken for a KernelFile.
[[nodiscard]] bool is_kernel_file(std::string_view path);

inline constexpr std::size_t kMostSourceBytes = std::size_t{4} << 20;

// Errors (kUsage): no such file, a folder, no text, or more than kMostSourceBytes of it.
[[nodiscard]] Result<KernelFile> read_kernel_file(const std::string& path);

// "32", "32,8" or "32, 8, 2", each from 1, or expressions in `names`: "TILE, TILE / 2". `field` is
// what the error calls it.
[[nodiscard]] Result<Dim3> parse_extent(std::string_view field, std::string_view text,
                                        const ParameterSet& names = {});

// The launch that the text describes, with every mistake named. `prefix` stands before a field's
// name in an error: "--" for options. Extents are held to what every device since sm_75 can launch.
[[nodiscard]] Result<KernelInstance> launch_file(const KernelFile& file, const LaunchText& launch,
                                                 std::string_view prefix = "");

// The kernel's parameter of that index, as parse_argument_spec() reads it, or a structure of such:
// "{i32:4, f32[16]=zero, pad:8}", each member aligned to its size as C does, pad:N for N bytes that
// no member takes, braces in braces for structures in structures. Its members in order.
[[nodiscard]] Result<std::vector<Argument>> file_arguments(std::string_view text,
                                                           std::uint32_t parameter);

// How a file's kernel is launched and on what, in words that are equal where the launches are:
// function, grid, block, shared memory, macros and each argument. Empty for a kernel of the
// catalogue, whose parameters, size and factors say all of it.
[[nodiscard]] std::string launch_words(const KernelInstance& instance);

}  // namespace tilescope
