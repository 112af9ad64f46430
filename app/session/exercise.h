#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression.h"
#include "core/result.h"
#include "core/word_search.h"
#include "kernel/launch/file_launch.h"
#include "kernel/launch/instance.h"
#include "scene/view/view.h"
#include "session/lesson_expression.h"

namespace tilescope {

// One argument of an exercise's kernel. Expressions are over the sizes.
struct ExerciseArgument {
  std::string name;      // as errors call it
  std::string type;      // "f32"
  std::string elements;  // of a buffer; empty: it is a matrix or a number
  std::string rows;      // of a matrix
  std::string cols;
  std::string fill;   // of a buffer, as a kernel's description has it; "random" gets the seed
  std::string value;  // of a number: an expression, or decimal where the type is a float
};

// What must hold of a person's kernel, in the language of lessons.
struct ExerciseClaim {
  std::string says;  // the same in words
  LessonExpression holds;
};

// A text with values in it, as a lesson's paragraph has them: `words` and `values` in turns, the
// words first; one more of them.
struct ExerciseHint {
  std::vector<std::string> words;
  std::vector<LessonExpression> values;
};

// A kernel to be written or mended, and what is checked of it: a folder with exercise.json,
// start.cu, solution.cu and reference.cu (docs/exercises.md).
struct Exercise {
  std::string name;   // of the folder, without its number: "padded_tile"
  std::string topic;  // of the folder above: "banks"
  std::filesystem::path folder;
  std::filesystem::path place;  // below a folder to work in: "04_banks/02_padded_tile.cu"
  std::string title;
  std::string lesson;             // that teaches the topic; may be empty
  std::vector<std::string> task;  // paragraphs
  std::string kernel;             // the __global__ function of the person's file
  std::string grid;               // over the sizes and the macros of the file
  std::string block;
  std::string shared_bytes;
  std::vector<ParameterSet> sizes;  // the first is the one that claims count; one more at least
  int seeds = 3;                    // random inputs at the first size
  double tolerance = 0;             // in units of 2^-24 of the largest element; 0: bit for bit
  std::vector<ExerciseArgument> arguments;
  std::vector<ExerciseClaim> claims;
  std::vector<ExerciseHint> hints;
  View view = View::kCoalescing;
  bool start_compiles = true;

  [[nodiscard]] std::filesystem::path file(std::string_view which) const;  // "start.cu"
};
// What a search finds the exercise by.
[[nodiscard]] SearchedText searched_text(const Exercise& exercise);

// Reads exercise.json. kUsage with file and line: what is written wrong.
[[nodiscard]] Result<Exercise> read_exercise(const std::filesystem::path& folder);

// All exercises below the folders, NN_topic/NN_name/exercise.json, in the order of their numbers.
// What cannot be read is left out and named in `problems`, as is a name that comes twice.
struct ExerciseLibrary {
  std::vector<Exercise> exercises;
  std::vector<Error> problems;

  [[nodiscard]] const Exercise* find(std::string_view name) const;  // nullptr: none
};
[[nodiscard]] ExerciseLibrary load_exercises(const std::vector<std::filesystem::path>& folders);
// Of the program, and the user's own in data_directory()/exercise_sources.
[[nodiscard]] std::vector<std::filesystem::path> exercise_folders();

// How the kernel of a person's file is launched at a size on the inputs of a seed, as a person
// would write it on the command line. kUsage: an expression has no value.
[[nodiscard]] Result<LaunchText> launch_of(const Exercise& exercise, const ParameterSet& size,
                                           int seed);
[[nodiscard]] Result<KernelInstance> instance_of(const Exercise& exercise, const KernelFile& file,
                                                 const ParameterSet& size, int seed);
// The same inputs for `reference`, which one thread executes.
[[nodiscard]] Result<KernelInstance> reference_of(const Exercise& exercise,
                                                  const ParameterSet& size, int seed);

// "n = 1,000"
[[nodiscard]] std::string size_words(const ParameterSet& size);
// start.cu below a comment that says what to do: what the person's file begins as. kMachine: it
// cannot be read.
[[nodiscard]] Result<std::string> first_text(const Exercise& exercise);

}  // namespace tilescope
