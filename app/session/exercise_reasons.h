#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "analysis/study/kernel_study.h"
#include "core/dim3.h"
#include "emulator/device_memory.h"
#include "session/exercise_check.h"
#include "session/lesson_figures.h"

namespace tilescope {

// An element that a kernel got wrong.
struct WrongElement {
  std::size_t argument = 0;  // index into KernelInstance::arguments
  std::size_t buffer = 0;    // index into DeviceMemory::buffers()
  std::uint64_t element = 0;
  double got = 0;
  double want = 0;
  std::uint64_t wrong = 0;  // elements of all buffers that are wrong
  std::uint32_t line = 0;   // that wrote it last; explain_wrong_element() finds it
};
// The first one. `relative`: the error that is allowed, by the largest element of its buffer.
// nullopt: all are right.
[[nodiscard]] std::optional<WrongElement> first_wrong_element(const KernelStudy& study,
                                                              const DeviceMemory& got,
                                                              const DeviceMemory& want,
                                                              double relative);
// "out[1000] is 0 and must be 0.5 (n = 1,000, input 1). No thread writes it. 24 elements are
// wrong." Executes the launch once more to see who writes it.
[[nodiscard]] std::string explain_wrong_element(const KernelStudy& study, WrongElement& wrong,
                                                const std::string& launch,
                                                const std::stop_token& stop);

// Puts into the row the view that shows why a claim does not hold, the line, and the sentence of
// that view with the addresses of the lanes. `usual`: the exercise's view.
void explain_claim(const LessonExpression& claim, View usual, const LaunchFacts& facts,
                   ExerciseRow* row);

// "(3, 2)"
[[nodiscard]] std::string index_words(const Dim3& index);

}  // namespace tilescope
