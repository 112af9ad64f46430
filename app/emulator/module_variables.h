#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dim3.h"
#include "core/result.h"
#include "ptx/data_type.h"

namespace tilescope {

// A .global or .const variable of a PTX module, in memory that outlives a launch.
struct ModuleVariable {
  std::string symbol;
  std::string name;  // as people wrote it
  DataType type = DataType::kB8;
  bool is_constant = false;
  bool is_managed = false;  // the host uses it, too
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 1;
  std::uint64_t address = 0;     // device address
  std::vector<std::byte> image;  // what it holds at the start; `bytes` long
};

// The module's variables, each where `place` puts it, in the order of the text. Addresses of
// functions and of other .global variables are filled into the images; those of constants are not,
// for a constant's generic address is another one in each kernel. Errors: text that is no PTX.
[[nodiscard]] Result<std::vector<ModuleVariable>> module_variables(
    std::string_view ptx, const std::function<std::uint64_t(const ModuleVariable&)>& place);

// What a launch decides about a program beside its text (decode_placed_ptx()).
struct ProgramPlacement {
  std::map<std::string, std::uint64_t, std::less<>> globals;  // device address, by symbol
  std::optional<Dim3> cluster;  // blocks; the kernel's own attribute goes before
};

}  // namespace tilescope
