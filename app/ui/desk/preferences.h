#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "ui/desk/desk.h"

namespace tilescope {

// What the interface remembers between sittings, in data_directory()/interface.json.
struct Remembered {
  Preferences preferences;
  std::map<std::string, bool> panel_open;
};
// Defaults where there is no file or it cannot be read.
[[nodiscard]] Remembered load_remembered(const std::filesystem::path& file);
void save_remembered(const std::filesystem::path& file, const Remembered& remembered);

}  // namespace tilescope
