#pragma once
#include <string_view>
#include <vector>

#include "core/device_table.h"
#include "core/result.h"
#include "kernel/catalogue.h"

namespace tilescope {

// What the program ships with and the user's own kernels beside it.
struct Resources {
  Catalogue catalogue;
  std::vector<DeviceModel> devices;
};
[[nodiscard]] Result<Resources> load_resources();

// "sm_90" -> 90; fails with what the compiler knows.
[[nodiscard]] Result<int> parse_architecture(std::string_view text);

}  // namespace tilescope
