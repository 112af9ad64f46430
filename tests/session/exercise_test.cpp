// Exercises as files, what is checked of a person's text and what is said of it; every exercise
// that ships.
#include "session/exercise.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "kernel/compile/compile.h"
#include "kernel/test_catalogue.h"
#include "session/exercise_author.h"
#include "session/exercise_check.h"
#include "session/exercise_document.h"
#include "session/exercise_progress.h"
#include "session/lesson_library.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// Lines 1 to 18.
std::string description(const std::string& changed = "", const std::string& to = "") {
  std::string text =
      "{\n"
      "  \"title\": \"Double\",\n"
      "  \"task\": [\"Double every number.\"],\n"
      "  \"kernel\": \"twice\",\n"
      "  \"grid\": \"ceil_div(n, 64)\",\n"
      "  \"block\": \"64\",\n"
      "  \"sizes\": [{\"n\": 256}, {\"n\": 201}],\n"
      "  \"arguments\": [\n"
      "    {\"name\": \"in\", \"type\": \"f32\", \"elements\": \"n\", \"fill\": \"random\"},\n"
      "    {\"name\": \"out\", \"type\": \"f32\", \"elements\": \"n\"},\n"
      "    {\"name\": \"n\", \"type\": \"i32\", \"value\": \"n\"}\n"
      "  ],\n"
      "  \"claims\": [\n"
      "    {\"says\": \"Coalesced\", \"holds\": \"sectors_per_load == 4\"}\n"
      "  ],\n"
      "  \"hints\": [\"Look: {{load_lanes}}.\", \"Multiply by 2.\"],\n"
      "  \"view\": \"coalescing\"\n"
      "}\n";
  if (const std::size_t at = text.find(changed); !changed.empty() && at != std::string::npos) {
    text.replace(at, changed.size(), to);
  }
  return text;
}

const std::string kReference =
    "__global__ void reference(const float* in, float* out, int n) {\n"
    "  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];\n}\n";

std::string kernel(const std::string& body) {
  return "__global__ void twice(const float* in, float* out, int n) {\n"
         "  const int i = blockIdx.x * 64 + threadIdx.x;\n" +
         body + "\n}\n";
}
const std::string kRight = "  if (i < n) out[i] = 2 * in[i];";

class Exercises : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto compiler = compiler_info();
    if (!compiler.ok()) GTEST_SKIP() << to_string(compiler.error());
  }

  Exercise exercise(const std::string& json = description()) {
    const std::string name = "01_topic/02_twice/";
    folder_.write(name + "exercise.json", json);
    folder_.write(name + "reference.cu", kReference);
    folder_.write(name + "start.cu", kernel("  if (i < n) out[i] = in[i];"));
    folder_.write(name + "solution.cu", kernel(kRight));
    auto read = read_exercise(folder_ / "01_topic/02_twice");
    EXPECT_TRUE(read.ok()) << to_string(read.error());
    return read.ok() ? *read : Exercise();
  }
  ExerciseResult check(const std::string& body) {
    auto result = checker_.check(exercise(), {"mine.cu", kernel(body)}, {});
    EXPECT_TRUE(result.ok()) << to_string(result.error());
    return result.ok() ? *std::move(result) : ExerciseResult();
  }
  static const ExerciseRow& row(const ExerciseResult& result, const std::string& says) {
    static const ExerciseRow kNone;
    for (const ExerciseRow& each : result.rows) {
      if (each.says.find(says) != std::string::npos) return each;
    }
    ADD_FAILURE() << "no row " << says;
    return kNone;
  }

  testing::TemporaryFolder folder_;
  ExerciseChecker checker_{testing::device(90), 2};
};

TEST_F(Exercises, HaveTheirNameFromTheFolders) {
  const Exercise read = exercise();
  EXPECT_EQ(read.name, "twice");
  EXPECT_EQ(read.topic, "topic");
  EXPECT_EQ(read.place, fs::path("01_topic/02_twice.cu"));
  EXPECT_EQ(read.sizes.size(), 2U);
  EXPECT_EQ(read.hints[0].values.size(), 1U);
}

TEST_F(Exercises, WhatIsWrittenWrongHasFileLineAndRemedy) {
  struct Wrong {
    const char* changed;
    const char* to;
    int line;
    const char* says;
  };
  const Wrong all[] = {
      {"\"kernel\"", "\"kernle\"", 4, "kernle"},
      {"{\"n\": 256}, ", "", 7, "a ragged one"},
      {"\"f32\", \"elements\": \"n\"}", "\"f23\", \"elements\": \"n\"}", 10, "f23"},
      {"\"elements\": \"n\"}", "\"elements\": \"m\"}", 10, "m"},
      {"== 4", "", 14, "Write a condition"},
      {"sectors_per_load == 4", "sectors_per_load == (4", 14, "')' is missing"},
      {"{{load_lanes}}", "{{load_lanes", 16, "Close the expression"},
      {"\"coalescing\"", "\"coalesing\"", 17, "Did you mean coalescing?"},
  };
  for (const Wrong& wrong : all) {
    folder_.write("t/x/exercise.json", description(wrong.changed, wrong.to));
    const auto read = read_exercise(folder_ / "t/x");
    ASSERT_FALSE(read.ok()) << wrong.changed;
    const std::string said = to_string(read.error());
    EXPECT_NE(said.find("exercise.json:" + std::to_string(wrong.line)), std::string::npos) << said;
    EXPECT_NE(said.find(wrong.says), std::string::npos) << said;
  }
}

TEST_F(Exercises, ARightKernelPasses) {
  const ExerciseResult result = check(kRight);
  EXPECT_TRUE(result.passes());
  EXPECT_EQ(row(result, "Coalesced").found, "4");
  EXPECT_NE(row(result, "3 random inputs and 2 sizes").says, "");
}

TEST_F(Exercises, AWrongElementIsNamedWithItsWriter) {
  const ExerciseResult result = check("  if (i < n) out[i] = i == 70 ? 0 : 2 * in[i];");
  const ExerciseRow& wrong = row(result, "right");
  EXPECT_FALSE(wrong.holds);
  EXPECT_EQ(wrong.line, 3U);
  EXPECT_NE(wrong.why.find("out[70] is 0 and must be "), std::string::npos) << wrong.why;
  EXPECT_NE(wrong.why.find("Line 3 writes it: block 1, thread 6 (warp 0, lane 6)."),
            std::string::npos)
      << wrong.why;
}

TEST_F(Exercises, AnElementThatNobodyWritesIsSaidSo) {
  const ExerciseResult result = check("  if (i < n - 1) out[i] = 2 * in[i];");
  const std::string why = row(result, "right").why;
  EXPECT_NE(why.find("out[255] is 0 and must be"), std::string::npos) << why;
  EXPECT_NE(why.find("No thread writes it."), std::string::npos) << why;
}

TEST_F(Exercises, ARaggedSizeFindsWhatARoundOneDoesNot) {
  const ExerciseResult result = check("  out[i] = 2 * in[i];");
  const ExerciseRow& sound = row(result, "out of bounds");
  EXPECT_FALSE(sound.holds);
  EXPECT_NE(sound.why.find("out[201]"), std::string::npos) << sound.why;
  EXPECT_NE(sound.why.find("n = 201"), std::string::npos) << sound.why;
}

TEST_F(Exercises, AClaimThatFailsIsExplainedByLineAndLanes) {
  const ExerciseResult result = check(
      "  const int j = threadIdx.x % 8 * 8 + threadIdx.x / 8 + blockIdx.x * 64;\n"
      "  if (j < n) out[j] = 2 * in[j];");
  const ExerciseRow& failed = row(result, "Coalesced");
  EXPECT_FALSE(failed.holds);
  EXPECT_EQ(failed.found, "8");
  EXPECT_EQ(failed.wanted, "4");
  EXPECT_EQ(failed.line, 4U);
  EXPECT_EQ(failed.view, View::kCoalescing);
  EXPECT_NE(failed.why.find("Line 4 loads"), std::string::npos) << failed.why;
  EXPECT_NE(failed.why.find("in[192], in[200]"), std::string::npos) << failed.why;
}

TEST_F(Exercises, ALineThatIsNotFoundIsAskedFor) {
  const Exercise own =
      exercise(description("sectors_per_load ==", "sectors_per_load(\\\"// LOAD\\\") =="));
  const auto result = checker_.check(own, {"mine.cu", kernel(kRight)}, {});
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->passes());
  EXPECT_EQ(row(*result, "Coalesced").why,
            "No line has '// LOAD' any more: put it behind the line that it was in.");
  const auto found = checker_.check(own, {"mine.cu", kernel(kRight + "  // LOAD")}, {});
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->passes());
}

TEST_F(Exercises, AnEndlessLoopAndAMistakeOfTheLanguageAreMessages) {
  const ExerciseResult endless = check("  volatile int x = 0;\n  while (i < n) ++x;");
  EXPECT_FALSE(endless.passes());
  EXPECT_EQ(row(endless, "right").found, "it did not run to its end");
  EXPECT_LT(endless.seconds, 20);
  const ExerciseResult wrong = check("  if (i < n) out[i] = 2 * inn[i];");
  EXPECT_EQ(row(wrong, "It compiles").line, 3U);
  EXPECT_NE(row(wrong, "It compiles").why.find("inn"), std::string::npos);
}

TEST_F(Exercises, HintsHaveTheAddressesOfThePersonsOwnKernel) {
  const Exercise own = exercise();
  const ExerciseResult result =
      check("  const int j = (i + 1) % 256;\n  if (i < n) out[i] = 2 * in[j] + (j < n ? 0 : 1);");
  const std::string hint = checker_.hint_text(own, 0, &result, {});
  EXPECT_NE(hint.find("Look: lanes 0 to 3: in["), std::string::npos) << hint;
  EXPECT_EQ(checker_.hint_text(own, 1, &result, {}), "Multiply by 2.");
  EXPECT_NE(checker_.hint_text(own, 0, nullptr, {}).find("in["), std::string::npos)
      << "without a run: those of the start";
}

TEST_F(Exercises, TheAuthorIsToldWhatIsWrong) {
  const LessonLibrary lessons = load_lessons(lesson_folders());
  EXPECT_EQ(check_exercise(exercise(), lessons, checker_, {}).size(), 0U);
  const auto only = [&](const Exercise& wrong) {
    const std::vector<Error> found = check_exercise(wrong, lessons, checker_, {});
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? std::string() : to_string(found.front());
  };
  const Exercise good = exercise();
  folder_.write("01_topic/02_twice/start.cu", kernel(kRight));
  EXPECT_NE(only(good).find("start.cu: the start passes"), std::string::npos);
  folder_.write("01_topic/02_twice/start.cu", kernel("  out[i] = ;"));
  const std::string broken = only(good);
  EXPECT_NE(broken.find("start.cu:3: the start does not compile"), std::string::npos) << broken;
  const std::string claim = only(exercise(description("== 4", "== 3")));
  EXPECT_NE(claim.find("the solution fails 'Coalesced': 4"), std::string::npos) << claim;
  const std::string hint = only(exercise(description("load_lanes", "shared_load_lanes")));
  EXPECT_NE(hint.find("exercise.json:16: a value of the hint"), std::string::npos) << hint;
  const std::string lesson =
      only(exercise(description("\"task\"", "\"lesson\": \"transpos\",\n  \"task\"")));
  EXPECT_NE(lesson.find("Did you mean transpose?"), std::string::npos) << lesson;
}

TEST_F(Exercises, WritingThemAgainLeavesWhatAPersonWrote) {
  exercise();
  const ExerciseLibrary library = load_exercises({folder_.path()});
  ASSERT_EQ(library.exercises.size(), 1U);
  const fs::path work = folder_ / "work";
  const auto first = write_exercises(library, work);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->written, 1U);
  const fs::path file = work / "01_topic/02_twice.cu";
  const std::string text = testing::read_file(file);
  EXPECT_TRUE(text.starts_with("// Double\n//\n// Double every number.\n")) << text;
  EXPECT_NE(text.find("// Check it: tilescope learn twice"), std::string::npos);
  folder_.write("work/01_topic/02_twice.cu", "mine");
  const auto again = write_exercises(library, work);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->written, 0U);
  EXPECT_EQ(again->kept, 1U);
  EXPECT_EQ(testing::read_file(file), "mine");
}

TEST_F(Exercises, AreShownAsAPersonsOwnKernelWithTheirLaunch) {
  const Exercise own = exercise();
  const auto variant = variant_of(own, {"mine.cu", kernel(kRight)});
  ASSERT_TRUE(variant.ok());
  const auto shown = instance_of(*variant, testing::catalogue(), testing::device(90));
  const auto launched = instance_of(own, {"mine.cu", kernel(kRight)}, own.sizes.front(), 1);
  ASSERT_TRUE(shown.ok() && launched.ok());
  EXPECT_EQ(launch_words(*shown), launch_words(*launched));
}

// Every exercise that ships: its solution passes, its start does not, its hints have values.
TEST_F(Exercises, ThatShipAreRight) {
  const ExerciseLibrary library = load_exercises({exercise_folders().front()});
  for (const Error& problem : library.problems) ADD_FAILURE() << to_string(problem);
  EXPECT_GE(library.exercises.size(), 30U);
  const LessonLibrary lessons = load_lessons(lesson_folders());
  for (const Exercise& each : library.exercises) {
    for (const Error& problem : check_exercise(each, lessons, checker_, {})) {
      ADD_FAILURE() << to_string(problem);
    }
  }
}

}  // namespace
}  // namespace tilescope
