#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "core/device_table.h"
#include "kernel/launch/instance.h"
#include "session/lesson_expression.h"

namespace tilescope {

// What lessons asked of their launches, in one file of the program's cache: a lesson that is opened
// again shows its numbers without compiling or emulating anything. Only what is emulated, modelled
// or set is kept, never a time that was measured. Nothing here fails: a file that cannot be read or
// written only makes lessons slower. Owned by one thread; windows of the same program may share the
// file.
class KeptFigures {
 public:
  // `program`: another text for any program that might count otherwise; asked for when the first
  // figure is. A file of another one is begun anew.
  KeptFigures(std::filesystem::path file, std::function<std::string()> program);

  // A digest of all that a launch's figures depend on besides the program; empty where that is not
  // known, as for a source that includes other files.
  [[nodiscard]] static std::string key_of(const KernelInstance& instance,
                                          const DeviceModel& device);

  // nullptr: not kept. Of the quantity, its name and source line count.
  [[nodiscard]] const LessonValue* find(const std::string& launch, const LessonQuantity& quantity);
  void keep(const std::string& launch, const LessonQuantity& quantity, const LessonValue& value);

 private:
  void load();

  std::filesystem::path file_;
  std::function<std::string()> program_;
  bool is_loaded_ = false;
  std::map<std::string, LessonValue> values_;  // by launch, name and source line
};

// The file of the user's cache, of this very program and compiler.
[[nodiscard]] KeptFigures kept_figures_here();

}  // namespace tilescope
