// `tilescope learn`: a person's folder, progress and hints, watching, grading a class.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "build_config.h"
#include "core/paths.h"
#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// Each test has a person of its own.
class LearnCommand : public ::testing::Test {
 protected:
  [[nodiscard]] ProgramRun learn(const std::string& arguments) const {
    return run_tilescope("learn " + arguments, "XDG_DATA_HOME=" + (home_ / "data").string() + " ");
  }
  [[nodiscard]] std::string work() const { return (home_ / "work").string(); }
  static fs::path solution(const std::string& exercise) {
    return resource_directory() / "assets/exercises" / exercise / "solution.cu";
  }
  void solve(const std::string& exercise) const {
    fs::copy_file(solution(exercise), work() + "/" + exercise + ".cu",
                  fs::copy_options::overwrite_existing);
  }

  testing::TemporaryFolder home_;
};

const std::string kFirst = "01_threads/01_one_for_each";

TEST_F(LearnCommand, GoesFromTheListToTheFirstExerciseThatPasses) {
  const ProgramRun before = learn("");
  EXPECT_EQ(before.status, 0) << before.errors;
  EXPECT_NE(before.output.find("Next: One thread for each number (one_for_each)"),
            std::string::npos)
      << before.output;
  EXPECT_NE(learn("one_for_each").errors.find("learn start"), std::string::npos);
  EXPECT_EQ(learn("start " + work()).status, 0);

  const ProgramRun fails = learn("one_for_each");
  EXPECT_EQ(fails.status, 2);
  EXPECT_NE(fails.output.find("sum[256] is 0 and must be"), std::string::npos) << fails.output;
  EXPECT_NE(fails.output.find("tilescope --exercise one_for_each"), std::string::npos);
  EXPECT_NE(fails.output.find("--hint   (1 of 3)"), std::string::npos);
  const ProgramRun hint = learn("one_for_each --hint");
  EXPECT_NE(hint.output.find("Hint 1: "), std::string::npos);
  EXPECT_EQ(hint.output.find("Hint 2: "), std::string::npos);
  EXPECT_NE(learn("one_for_each --hint").output.find("[31]"), std::string::npos)
      << "the second has the addresses";

  solve(kFirst);
  const ProgramRun passes = learn(work() + "/" + kFirst + ".cu");
  EXPECT_EQ(passes.status, 0) << passes.output;
  EXPECT_NE(passes.output.find("Next: Threads past the end"), std::string::npos) << passes.output;
  const auto rows = nlohmann::json::parse(learn("--json").output)["exercises"];
  EXPECT_EQ(rows[0]["state"], "passes");
  EXPECT_EQ(rows[1]["state"], "not begun");
}

TEST_F(LearnCommand, SaysWhatThereIsInPlaceOfAnUnknownName) {
  const ProgramRun run = learn("one_for_eech");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.errors.find("there is no exercise one_for_eech"), std::string::npos) << run.errors;
}

TEST_F(LearnCommand, ChecksAgainWithinASecondOfASave) {
  ASSERT_EQ(learn("start " + work()).status, 0);
  solve(kFirst);
  ASSERT_EQ(learn("one_for_each").status, 0);  // compiled and kept
  const std::string file = work() + "/01_threads/02_past_the_end.cu";
  ASSERT_EQ(learn("past_the_end").status, 2);
  fs::copy_file(solution("01_threads/02_past_the_end"), home_ / "solved.cu");
  ASSERT_EQ(learn("--as past_the_end " + (home_ / "solved.cu").string()).status, 0);
  ASSERT_EQ(learn("past_the_end").status, 2);
  // The shell saves the solution when the watcher waits, and looks a second later.
  const std::string log = (home_ / "log").string();
  const ProgramRun run =
      run_tilescope("--version > /dev/null; kill $watcher; cat " + log,
                    "export XDG_DATA_HOME=" + (home_ / "data").string() +
                        "; '" TILESCOPE_PROGRAM "' learn watch > " + log +
                        " & watcher=$!; for i in $(seq 100); do grep -q Waiting " + log +
                        " && break; sleep 0.1; done; cp " + (home_ / "solved.cu").string() + " " +
                        file + "; sleep 1; ");
  EXPECT_NE(run.output.find("Threads past the end   [past_the_end]\n\n  ✓"), std::string::npos)
      << run.output;
  EXPECT_NE(run.output.find("[rows_and_columns]"), std::string::npos)
      << "the next one follows: " << run.output;
}

TEST_F(LearnCommand, GradesAClassWhateverItHandsIn) {
  const std::string one = "class/ada/deep/01_one_for_each.cu";
  home_.write(one, testing::read_file(solution(kFirst)));
  // Prints for longer than the limit.
  home_.write("class/bob/02_past_the_end.cu",
              "__global__ void scale(const float*, float*, float, int) {\n"
              "  while (true) printf(\"on and on and on and on\\n\");\n}\n");
  home_.write("class/bob/01_one_for_each.cu",
              "__global__ void add(const float*, const float*, float*, int) {\n"
              "  volatile int x = 0;\n  while (true) ++x;\n}\n");
  home_.write("class/cy/01_one_for_each.cu", std::string(5 << 20, '/'));
  home_.write("class/cy/02_past_the_end.cu",
              "__global__ void scale(const float*, float*, float, int) {\n"
              "  *reinterpret_cast<int*>(8) = 1;\n  asm(\"trap;\");\n}\n");
  const ProgramRun run = learn("grade --json --limit 2 " + (home_ / "class").string());
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto all = nlohmann::json::parse(run.output);
  const auto& students = all["students"];
  ASSERT_EQ(students.size(), 3U);
  EXPECT_EQ(students[0]["student"], "ada");
  EXPECT_EQ(students[0]["passed"], 1);
  const auto& bob = students[1]["exercises"];
  EXPECT_EQ(bob[0]["state"], "fails");
  EXPECT_NE(bob[0]["message"].get<std::string>().find("a loop here does not end"),
            std::string::npos)
      << bob[0];
  EXPECT_EQ(bob[1]["state"], "stopped") << bob[1];
  const auto& cy = students[2]["exercises"];
  EXPECT_EQ(cy[0]["state"], "broken") << cy[0];
  EXPECT_NE(cy[0]["message"], "");
  EXPECT_EQ(cy[1]["state"], "fails") << cy[1];
  EXPECT_EQ(nlohmann::json::parse(learn("--json").output)["exercises"][0]["state"], "not begun")
      << "a teacher's own progress stays as it is";
}

TEST_F(LearnCommand, TellsAuthorsFileAndLine) {
  const fs::path own = home_ / "01_topic/01_mine";
  fs::create_directories(own);
  fs::copy(resource_directory() / "assets/exercises" / kFirst, own, fs::copy_options::recursive);
  EXPECT_EQ(learn("check " + own.string()).status, 0);
  std::string json = testing::read_file(own / "exercise.json");
  json.replace(json.find("sectors_per_load"), 16, "sectors_per_lode");
  home_.write("01_topic/01_mine/exercise.json", json);
  const ProgramRun run = learn("check " + home_.path().string());
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.errors.find("there is no quantity sectors_per_lode"), std::string::npos)
      << run.errors;
}

}  // namespace
}  // namespace tilescope
