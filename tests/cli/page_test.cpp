// Pages: `tilescope export -o page.html` and `tilescope lesson export`; and figures for a paper.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/paths.h"
#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

// The status of a script of this folder with the page; 77: what it needs is not installed.
int checked_by(const std::string& script, const std::string& page) {
  const std::filesystem::path file = resource_directory() / "tests" / "cli" / script;
  const std::string command = "python3 '" + file.string() + "' '" + page + "'";
  return WEXITSTATUS(std::system(command.c_str()));
}

class Pages : public ::testing::Test {
 protected:
  [[nodiscard]] std::string written(const std::string& arguments, const std::string& name) const {
    const ProgramRun run = run_tilescope(arguments + " -o " + (folder_ / name).string());
    EXPECT_EQ(run.status, 0) << run.errors;
    return testing::read_file(folder_ / name);
  }
  void expect_sound(const std::string& name) const {
    EXPECT_EQ(checked_by("check_page.py", (folder_ / name).string()), 0);
  }
  testing::TemporaryFolder folder_;
};

const std::string kLesson =
    "---\ntitle: One <column>\nunderstand: Padding & banks.\nminutes: 5\n"
    "number processors: 4, from 1 to 8\n"
    "launch tiled: transpose/tiled with PAD = 0, ROWS = 64, COLS = 64\n---\n"
    "## A column\nshow: banks of tiled\nline: tile[tx][ty + step]\ncontrol: PAD\n"
    "It takes {{wavefronts_per_load}} [wavefront]s of **one** `bank`.\n\n"
    "ask: How many sectors?\nanswer: sectors_per_load\n\nSo many: {{sectors_per_load}}.\n\n"
    "> Say it slowly.\n\n"
    "## The same\n\nStill so.\n\ntry: More?\n- [x] Yes\n- [ ] No\n\nEnd.\n\n"
    "## Turned\nshow: chart of tiled\nover: processors\ncurve: twice = processors * 2\n\n"
    "It is {{processors * 2}} now.\n";

TEST_F(Pages, AViewIsOneFileWithSlidersForAParameterAndTime) {
  const std::string command =
      "export transpose/tiled --size 64x64 -p PAD=1 --view banks --over PAD --moments 4";
  const std::string page = written(command, "a.html");
  EXPECT_TRUE(page == written(command, "b.html"));
  EXPECT_LT(page.size(), 1'800'000U);
  expect_sound("a.html");
  EXPECT_NE(page.find(R"(max="8" value="1")"), std::string::npos) << "PAD is 0 to 8, and 1";
  EXPECT_NE(page.find("<span>time</span>"), std::string::npos);
  EXPECT_NE(page.find("aria-live=\"polite\">Line 47"), std::string::npos);
  EXPECT_NE(page.find("◆ emulated</td>"), std::string::npos);
}

TEST_F(Pages, AChartOrAViewWithoutTimeHasNoSliders) {
  const std::string chart =
      written("export transpose/tiled --view throughput --over PAD", "c.html");
  expect_sound("c.html");
  EXPECT_EQ(chart.find("type=\"range\""), std::string::npos);
  EXPECT_NE(chart.find("○ recorded</td>"), std::string::npos);
}

TEST_F(Pages, ALessonHasItsTextWithValuesItsPicturesAndAsksBeforeItTells) {
  const std::string file = folder_.write("column.md", kLesson).string();
  const std::string page = written("lesson export " + file, "l.html");
  EXPECT_TRUE(page == written("lesson export " + file, "m.html"));
  expect_sound("l.html");
  EXPECT_LT(page.size(), 800'000U);
  EXPECT_NE(page.find("One &lt;column&gt;"), std::string::npos);
  EXPECT_NE(page.find("<span class=\"value\">32<span class=\"mark emulated\""), std::string::npos);
  EXPECT_NE(page.find("data-answer=\"4\""), std::string::npos);
  EXPECT_NE(page.find("<dt id=\"term0\">Wavefront</dt>"), std::string::npos);
  EXPECT_NE(page.find("data-values=\"2|4|6|8|10|12|14|16\"><span>8</span>"), std::string::npos)
      << "the text follows the slider";
  EXPECT_LT(page.find("Show the answer"), page.find("So many:")) << "folded below it";
  EXPECT_EQ(page.find("Say it slowly"), std::string::npos);
  EXPECT_NE(written("lesson export --notes " + file, "n.html").find("Say it slowly"),
            std::string::npos);
}

TEST_F(Pages, AChartHasASliderForEachNumberThatItTurns) {
  const std::string lesson =
      "---\ntitle: Two numbers\nunderstand: Both turn.\nminutes: 5\n"
      "number hands: 2, from 1 to 2\nnumber share: 0.5, from 0 to 1.0\n"
      "launch tiled: transpose/tiled with ROWS = 64, COLS = 64\n---\n"
      "## Turned\nshow: chart of tiled\nover: hands\ncontrol: share\nset: share = 0.75\n"
      "curve: faster = 1 / (1 - share + share / hands) as times\n\n"
      "It is {{share * 100 + hands}} now.\n";
  const std::string page =
      written("lesson export " + folder_.write("two.md", lesson).string(), "two.html");
  expect_sound("two.html");
  EXPECT_NE(page.find("<span>share</span>"), std::string::npos);
  EXPECT_NE(page.find("<span>hands</span>"), std::string::npos);
  EXPECT_NE(page.find("0.7|0.75|0.8"), std::string::npos) << "where the lesson sets it";
  EXPECT_NE(page.find("data-values=\"1|2|11|12|21|22|"), std::string::npos)
      << "the text follows both";
  EXPECT_NE(page.find("share 0.75; hands 2; faster: 1.6 ×"), std::string::npos);
  const int driven = checked_by("drive_page.py", (folder_ / "two.html").string());
  EXPECT_TRUE(driven == 0 || driven == 77) << "as a reader uses it; 77: chromium is not installed";
}

TEST_F(Pages, AShippedLessonIsThereInItsLanguagesAndNotTooLarge) {
  const std::string page = written("lesson export transpose", "t.html");
  expect_sound("t.html");
  EXPECT_LT(page.size(), 3'000'000U);
  EXPECT_NE(page.find("data-spoken lang=\"zh\""), std::string::npos);
  EXPECT_NE(page.find("一步一步做矩阵转置"), std::string::npos);
}

TEST_F(Pages, ABrowserShowsThem) {
  (void)written("export transpose/tiled --size 64x64 -p PAD=0 --view banks --over PAD --moments 3",
                "v.html");
  const int driven = checked_by("drive_page.py", (folder_ / "v.html").string());
  if (driven == 77) GTEST_SKIP() << "chromium is not installed";
  EXPECT_EQ(driven, 0);
  (void)written("lesson export " + folder_.write("column.md", kLesson).string(), "w.html");
  EXPECT_EQ(checked_by("drive_page.py", (folder_ / "w.html").string()), 0);
}

TEST_F(Pages, WhatCannotBeAPageIsRefused) {
  const auto refused = [](const std::string& arguments) {
    const ProgramRun run = run_tilescope(arguments);
    EXPECT_EQ(run.status, 1) << arguments;
    return run.errors;
  };
  EXPECT_NE(refused("lesson export transpose -o a.pdf").find("ending in .html"), std::string::npos);
  EXPECT_NE(refused("lesson export transpos -o a.html").find("Did you mean transpose?"),
            std::string::npos);
  EXPECT_NE(
      refused("export transpose/tiled --view banks --over PAX -o a.html").find("Did you mean PAD?"),
      std::string::npos);
}

TEST_F(Pages, AFigureHasItsSizeOnPaper) {
  const std::string figure =
      "export transpose/tiled --view banks --part grid --size 84mmx60mm --text 8pt --no-sentence "
      "--no-provenance";
  const std::string svg = written(figure, "f.svg");
  EXPECT_NE(svg.find(R"(width="84mm" height="60mm")"), std::string::npos);
  EXPECT_EQ(svg.find("as stored in memory"), std::string::npos) << "the grid alone";
  EXPECT_NE(svg.find("<desc>Banks. Line 47"), std::string::npos) << "in the file's words it is";
  EXPECT_NE(written(figure, "f.pdf").find("[ 0 0 238.110"), std::string::npos) << "84 mm in pt";
  EXPECT_TRUE(
      written("export copy/plain --paper 3.6inx80mm --view coalescing --part sectors", "i.svg")
          .find(R"(width="3.6in" height="80mm")") != std::string::npos);
}

TEST_F(Pages, ASizeOnPaperThatCannotBeIsRefused) {
  const auto refused = [this](const std::string& arguments) {
    const ProgramRun run = run_tilescope("export transpose/tiled --view banks " + arguments +
                                         " -o " + (folder_ / "r.svg").string());
    EXPECT_EQ(run.status, 1) << arguments;
    return run.errors;
  };
  EXPECT_NE(refused("--paper 84mm").find("84mmx60mm"), std::string::npos);
  EXPECT_NE(refused("--paper 84mmx0mm").find("84mmx60mm"), std::string::npos);
  EXPECT_NE(refused("--text 2pt").find("8pt"), std::string::npos);
  EXPECT_NE(refused("--part chart").find("It has grid, array and layouts"), std::string::npos);
  EXPECT_NE(refused("--paper 40mmx30mm").find("mm here"), std::string::npos);
  EXPECT_NE(refused("--paper 84mmx60mm --pixels 800x600").find("both"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
