// `tilescope lesson`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

std::string lesson(const std::string& claim) {
  return "---\ntitle: One float\nunderstand: Padding.\nminutes: 5\n"
         "launch tiled: transpose/tiled with PAD = 0, ROWS = 256, COLS = 256\n---\n"
         "## A column\nshow: banks of tiled\nline: tile[tx][ty + step]\n"
         "It takes {{wavefronts_per_load}} wavefronts.\n\n> Say it slowly.\n\nclaim: " +
         claim + "\n";
}

TEST(LessonCommand, ListsTheLessons) {
  const ProgramRun run = run_tilescope("lesson list");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_TRUE(run.output.starts_with("warps_lanes_sectors")) << run.output;
  const auto rows = nlohmann::json::parse(run_tilescope("lesson list --json").output)["lessons"];
  ASSERT_GE(rows.size(), 2U);
  EXPECT_EQ(rows[1]["name"], "transpose");
  EXPECT_EQ(rows[1]["first"][0], "warps_lanes_sectors");
}

TEST(LessonCommand, ChecksAFileAndNamesTheLineThatIsWrong) {
  const testing::TemporaryFolder folder;
  const auto right = folder.write("right.md", lesson("wavefronts_per_load == 32"));
  const ProgramRun good = run_tilescope("lesson check " + right.string());
  EXPECT_EQ(good.status, 0) << good.errors;
  EXPECT_EQ(good.output, "right: 1 step, 2 values and claims hold\n");
  const auto wrong = folder.write("wrong.md", lesson("wavefronts_per_load <= 2"));
  const ProgramRun bad = run_tilescope("lesson check " + right.string() + " " + wrong.string());
  EXPECT_EQ(bad.status, 1);
  EXPECT_NE(bad.errors.find("wrong.md:14: the claim 'wavefronts_per_load <= 2' does not hold: 32 "
                            "against 2. Change"),
            std::string::npos)
      << bad.errors;
  EXPECT_EQ(bad.output, good.output) << "the others are checked all the same";
}

TEST(LessonCommand, SaysWhatThereIsInPlaceOfAnUnknownName) {
  const ProgramRun run = run_tilescope("lesson check transpos");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.errors.find("Did you mean transpose?"), std::string::npos) << run.errors;
}

TEST(LessonCommand, ShowsATranslation) {
  const ProgramRun run = run_tilescope("lesson show transpose --language zh");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_TRUE(run.output.starts_with("一步一步做矩阵转置")) << run.output.substr(0, 200);
  EXPECT_NE(run.output.find("[banks of tiled]"), std::string::npos);
  EXPECT_EQ(run_tilescope("lesson show banks --language en").output,
            run_tilescope("lesson show banks").output);
  const ProgramRun none = run_tilescope("lesson show banks --language zh");
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.errors.find("there is no translation of banks into 'zh'"), std::string::npos)
      << none.errors;
}

TEST(LessonCommand, NamesItsCommandsWhereThereIsNoneOfThatName) {
  const ProgramRun unknown = run_tilescope("lesson frob");
  EXPECT_EQ(unknown.status, 1);
  EXPECT_NE(unknown.errors.find("tilescope lesson has no command frob"), std::string::npos)
      << unknown.errors;
  for (const std::string name : {"list", "check", "export", "show"}) {
    EXPECT_NE(unknown.errors.find(name), std::string::npos) << unknown.errors;
  }
  EXPECT_NE(run_tilescope("lesson chek").errors.find("Did you mean check?"), std::string::npos);
  EXPECT_NE(run_tilescope("lesson").errors.find("needs one of list, check, export and show"),
            std::string::npos);
}

TEST(LessonCommand, SaysWhatIsWrongInALessonThatCannotBeRead) {
  const testing::TemporaryFolder folder;
  folder.write("tilescope/lessons/07_torn.md", "---\ntitle: Torn\n---\n");
  const std::string home = "XDG_DATA_HOME=" + folder.path().string() + " ";
  for (const std::string command : {"check", "show"}) {
    const ProgramRun run = run_tilescope("lesson " + command + " torn", home);
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.errors.find("07_torn.md:3: the head has no 'understand:'"), std::string::npos)
        << run.errors;
  }
}

TEST(LessonCommand, ShowsALessonWithItsNumbers) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("right.md", lesson("1 < 2"));
  const ProgramRun run = run_tilescope("lesson show --notes " + file.string());
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.output.find("1. A column   [banks of tiled]"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("It takes 32 ◆ wavefronts."), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("  > Say it slowly."), std::string::npos) << run.output;
  EXPECT_EQ(run_tilescope("lesson show " + file.string()).output.find("slowly"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
