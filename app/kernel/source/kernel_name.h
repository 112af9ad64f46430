#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "kernel/source/device_source.h"

namespace tilescope {

// Which kernel of some files a person means.
struct KernelChoice {
  // What NVRTC is to name: "ns::scale<4>". Empty where it cannot be asked: `entry` says then what
  // to look for among the compiled ones.
  std::string expression;
  std::string entry;  // a mangled name, or the plain name of overloaded kernels
  // Of overloaded kernels: the launch's arguments, "f32*", "i32"; empty where that is a
  // structure.
  std::vector<std::string> arguments = {};
  // Compiled with its files whether it is named or not: neither an instance of a template nor made
  // by a macro. What the compiler gives is then the same for all such kernels.
  bool is_in_module = false;
};

// `wanted` may be empty, which takes the only one; plain or qualified; with template arguments; or
// mangled. Errors (kUsage): several it could be, a template without arguments (with those that the
// file launches), no kernel at all.
[[nodiscard]] Result<KernelChoice> choose_kernel(const std::vector<DeviceSource>& files,
                                                 std::string_view wanted);

// The kernels of the files, qualified, each once.
[[nodiscard]] std::vector<std::string> kernel_names(const std::vector<DeviceSource>& files);

// Names of the .entry functions of a PTX module, in order.
[[nodiscard]] std::vector<std::string> find_entries(std::string_view ptx);

// "ns::scale<4>(float*)" of a mangled name, without tags ([abi:v1]); any other as it is.
[[nodiscard]] std::string demangle(const std::string& name);
// "ns::scale<4>" of it: without parameters and return type.
[[nodiscard]] std::string name_without_parameters(const std::string& name);

// "reduce_kernel<512, ReduceOp<float>>" of
// "void at::native::reduce_kernel<512, at::native::ReduceOp<float> >(…)": for people. Arguments of
// templates that would make it longer than `most` bytes are "…".
[[nodiscard]] std::string short_name(const std::string& name, std::size_t most = 56);

// The only entry that demangles to this qualified name; nullopt: there is none, or several.
[[nodiscard]] std::optional<std::string> exact_entry(const std::vector<std::string>& entries,
                                                     std::string_view wanted);

// The entry that is, or demangles to, `wanted`; of several the only one that takes arguments of
// these types, as KernelChoice has them. Of several still, and where there is none, an error that
// lists what there is.
[[nodiscard]] Result<std::string> choose_entry(const std::vector<std::string>& entries,
                                               std::string_view wanted,
                                               const std::vector<std::string>& arguments = {});

}  // namespace tilescope
