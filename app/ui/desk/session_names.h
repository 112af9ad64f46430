#pragma once
#include "session/session_file.h"
#include "ui/desk/desk.h"

namespace tilescope {

// What the window's documents refer to by name.
[[nodiscard]] inline SessionNames names_of(const Desk& desk) {
  return {desk.bench.catalogue(), *desk.bench.devices()};
}

}  // namespace tilescope
