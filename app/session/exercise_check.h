#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "core/device_table.h"
#include "core/result.h"
#include "emulator/device_memory.h"
#include "kernel/launch/file_launch.h"
#include "scene/view/view.h"
#include "session/exercise.h"
#include "session/lesson_figures.h"
#include "store/recorded_library.h"

namespace tilescope {

// One thing that an exercise asks for, and what was found.
struct ExerciseRow {
  std::string says = {};    // "It is right for 3 random inputs and 2 sizes"
  std::string wanted = {};  // "≤ 1"; empty: the words say it
  std::string found = {};   // "32"
  bool holds = false;
  std::string why = {};           // where it does not hold: by lane, bank and line
  std::optional<View> view = {};  // that shows it
  std::uint32_t line = 0;         // of the person's file; 0: none
  // Of the traced block, the access that it is about; nullopt: none.
  std::optional<std::uint32_t> event = {};
};

// A person's kernel after its check.
struct ExerciseResult {
  std::vector<ExerciseRow> rows;
  std::shared_ptr<const LaunchFacts>
      facts;  // at the first size; nullptr: it did not run to its end
  double seconds = 0;

  [[nodiscard]] bool passes() const;
  [[nodiscard]] const ExerciseRow* first_failure() const;  // nullptr: it passes
};

// Checks texts against exercises, all by emulation: the same result on every machine. Owned by one
// thread; what the exercise itself brings (reference, start, solution) is computed once.
class ExerciseChecker {
 public:
  ExerciseChecker(DeviceModel device, unsigned workers)
      : device_(std::move(device)), workers_(workers) {}

  // kUsage or kMachine: the exercise itself is broken. What is wrong with the person's file is a
  // row that does not hold. A kernel that does not end is stopped after some seconds.
  [[nodiscard]] Result<ExerciseResult> check(const Exercise& exercise, const KernelFile& own,
                                             const std::stop_token& stop);

  // A hint with its values, from the addresses of the person's kernel where it ran to its end, else
  // of the start's, else of the solution's.
  [[nodiscard]] std::string hint_text(const Exercise& exercise, std::size_t hint,
                                      const ExerciseResult* result, const std::stop_token& stop);

 private:
  class Run;
  using Memory = std::shared_ptr<const DeviceMemory>;
  using Facts = std::shared_ptr<const LaunchFacts>;

  [[nodiscard]] Result<Memory> reference(const Exercise& exercise, std::size_t size, int seed,
                                         const std::stop_token& stop);
  // Of start.cu or solution.cu.
  [[nodiscard]] Result<Facts> shipped(const Exercise& exercise, const std::string& which,
                                      const std::stop_token& stop);
  [[nodiscard]] LessonLookup lookup(const Exercise& exercise, const LaunchFacts& own,
                                    const std::stop_token& stop);

  DeviceModel device_;
  unsigned workers_;
  RecordedLibrary recorded_;  // of nothing
  std::map<std::tuple<std::string, std::size_t, int>, Memory> references_;
  std::map<std::tuple<std::string, std::string>, Facts> shipped_;
};

}  // namespace tilescope
