// Options that mean nothing for what is exported are refused, and what can be guessed is.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class ExportOptions : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] ProgramRun run(const std::string& arguments) const {
    return run_tilescope("export " + arguments);
  }
  void expect_refused(const std::string& arguments, const std::string& option) const {
    const ProgramRun done = run(arguments + " -o " + file("a.svg"));
    EXPECT_EQ(done.status, 1) << arguments;
    EXPECT_NE(done.errors.find(option + " has no meaning here"), std::string::npos)
        << arguments << ": " << done.errors;
    EXPECT_FALSE(fs::exists(file("a.svg"))) << arguments;
  }
  // Of these variants.
  [[nodiscard]] std::string session(const std::string& first, const std::string& second) const {
    return folder_
        .write("two.tilescope", R"({"format": "tilescope session", "version": 1, "variants": [)" +
                                    first + ", " + second + "]}")
        .string();
  }
  [[nodiscard]] static std::string tiled(int tile) {
    return R"({"kernel": "transpose/tiled", "parameters": {"TILE": )" + std::to_string(tile) +
           R"(}, "size": {"ROWS": 4096, "COLS": 4096}})";
  }
  testing::TemporaryFolder folder_;
};

TEST_F(ExportOptions, OfAnotherViewAreRefused) {
  for (const char* option : {"--over PAD", "--unit time", "--device A100", "--beside copy/plain",
                             "--from 3", "--history", "--warm", "--heat", "--time-zoom 2",
                             "--fps 5", "--scale 2", "--all", "--variant B", "--format pdf"}) {
    expect_refused("transpose/tiled --view banks " + std::string(option),
                   std::string(option).substr(0, std::string(option).find(' ')));
  }
  expect_refused("transpose/tiled --view throughput --lane 3", "--lane");
  expect_refused("transpose/tiled --view counters --heat", "--heat");
  expect_refused("transpose/tiled --view counters --set lane_window=64", "--set");
  expect_refused("transpose/tiled --view banks --as-written", "--as-written");
  expect_refused("transpose/tiled --view counters --side-by-side", "--side-by-side");
}

// Each scene of the lecture is a picture of its own view, named by its place.
TEST_F(ExportOptions, ScenesOfASessionAreAFileEach) {
  const std::string small = R"({"kernel": "transpose/tiled", "parameters": {"PAD": 0}, )"
                            R"("size": {"ROWS": 64, "COLS": 64}})";
  const auto scene = [&](const std::string& name, const std::string& view) {
    return R"({"name": ")" + name + R"(", "view": ")" + view + R"(", "variants": [)" + small + "]}";
  };
  const std::string text = R"({"format": "tilescope session", "version": 1, "variants": [)" +
                           small + R"(], "scenes": [)" + scene("A column: why?", "banks") + ", " +
                           scene("Rows", "coalescing") + "]}";
  const std::string lecture = folder_.write("lecture.tilescope", text).string();
  const ProgramRun done = run("--session " + lecture + " --scenes -o " + file("pictures"));
  EXPECT_EQ(done.status, 0) << done.errors;
  const std::string column = testing::read_file(folder_ / "pictures/01_A_column_why.svg");
  EXPECT_NE(column.find("WHAT IF"), std::string::npos);
  const std::string rows = testing::read_file(folder_ / "pictures/02_Rows.svg");
  EXPECT_NE(rows.find("GLOBAL MEMORY INSTRUCTIONS"), std::string::npos);

  const std::string without = session(tiled(32), tiled(16));
  const ProgramRun refused = run("--session " + without + " --scenes -o " + file("none"));
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.errors.find("the session has no scenes"), std::string::npos) << refused.errors;
  EXPECT_FALSE(fs::exists(file("none")));
  for (const char* option : {"--variant B", "--view banks", "-p PAD=1", "--all"}) {
    EXPECT_EQ(run("--session " + lecture + " --scenes -o " + file("p") + " " + option).status, 1)
        << option;
  }
}

// The size that a refusal names serves, and one px less in height does not.
TEST_F(ExportOptions, ASizeThatIsTooSmallIsRefusedWithTheLeastThatServes) {
  for (const char* what : {"--view banks", "--view roofline", "--view compare --beside copy/plain",
                           "--view counters", "--view throughput --over PAD --text-scale 3"}) {
    const std::string of =
        "transpose/tiled --size 256 " + std::string(what) + " -o " + file("a.svg") + " --pixels ";
    const ProgramRun small = run(of + "320x240");
    EXPECT_EQ(small.status, 1) << what;
    const std::string words = "needs at least ";
    const auto at = small.errors.find(words);
    ASSERT_NE(at, std::string::npos) << what << ": " << small.errors;
    int width = 0;
    int height = 0;
    ASSERT_EQ(std::sscanf(small.errors.c_str() + at + words.size(), "%d x %d", &width, &height), 2);
    EXPECT_FALSE(fs::exists(file("a.svg"))) << what;
    const auto size = [&](int h) { return std::to_string(width) + "x" + std::to_string(h); };
    const bool is_page = std::string(what) == "--view counters";  // as high as its text by itself
    EXPECT_EQ(run(of + size(height - 1)).status, is_page ? 0 : 1)
        << what << " " << size(height - 1);
    const ProgramRun least = run(of + size(height));
    EXPECT_EQ(least.status, 0) << what << " " << size(height) << ": " << least.errors;
    fs::remove(file("a.svg"));
  }
}

// A column of a paper.
TEST_F(ExportOptions, AChartFitsIntoAColumn) {
  for (const char* size : {"320x240", "336x240", "400x240", "480x240", "8000x240"}) {
    const ProgramRun done =
        run(std::string("transpose/tiled --view throughput --over PAD --theme paper -o ") +
            file("c.pdf") + " --pixels " + size);
    EXPECT_EQ(done.status, 0) << size << ": " << done.errors;
  }
}

TEST_F(ExportOptions, WithASessionThatSaysItItselfAreRefused) {
  const std::string of = "--session " + session(tiled(32), tiled(16)) + " --view banks ";
  for (const char* option : {"--line 34", "--lane 7", "--size 64", "--set lane_window=2"}) {
    expect_refused(of + option, std::string(option).substr(0, std::string(option).find(' ')));
  }
  EXPECT_EQ(run("transpose/tiled " + of + "-o " + file("a.svg")).status, 1);
}

TEST_F(ExportOptions, AnotherNumberOfASessionsVariantIsApplied) {
  const std::string of = "--session " + session(tiled(32), tiled(32)) + " --view banks ";
  const ProgramRun plain = run(of + "-o " + file("plain.svg"));
  if (plain.errors.find("NVRTC") != std::string::npos) GTEST_SKIP() << plain.errors;
  ASSERT_EQ(plain.status, 0) << plain.errors;
  ASSERT_EQ(run(of + "-p PAD=0 -o " + file("bare.svg")).status, 0);
  EXPECT_NE(testing::read_file(file("plain.svg")), testing::read_file(file("bare.svg")));
  EXPECT_NE(testing::read_file(file("bare.svg")).find("PAD 0"), std::string::npos);
  EXPECT_EQ(run(of + "-p NOSUCH=0 -o " + file("no.svg")).status, 1);
}

TEST_F(ExportOptions, ASessionsPicturesGoOnAfterABrokenVariantAndHoldItsCharts) {
  const std::string broken =
      R"({"file": "mine.cu", "source": "__global__ void f(float* p) { *p = nonsense; }", )"
      R"("launch": {"kernel": "f", "grid": "1", "block": "32", "shared": "", )"
      R"("arguments": [{"name": "p", "buffer": true, "type": "f32", "count": "32", )"
      R"("fill": "zero"}]}})";
  const std::string both = session(broken, tiled(32));
  const ProgramRun done = run("--session " + both + " --all --format csv -o " + file("all"));
  if (done.errors.find("NVRTC") != std::string::npos) GTEST_SKIP() << done.errors;
  EXPECT_EQ(done.status, 4) << done.errors;
  EXPECT_NE(done.errors.find("variant A"), std::string::npos) << done.errors;
  EXPECT_TRUE(fs::exists(file("all/B_transpose_tiled_banks.csv"))) << done.output;
  EXPECT_TRUE(fs::exists(file("all/B_transpose_tiled_source.csv"))) << done.output;
  EXPECT_TRUE(fs::exists(file("all/B_transpose_tiled_counters.csv"))) << done.output;
  EXPECT_TRUE(fs::exists(file("all/B_transpose_tiled_throughput_over_TILE.csv"))) << done.output;
  EXPECT_TRUE(fs::exists(file("all/B_transpose_tiled_tuner.csv"))) << done.output;
  EXPECT_FALSE(fs::exists(file("all/A_mine_cu_banks.csv"))) << done.output;
}

TEST_F(ExportOptions, ASessionHasChartsOneByOne) {
  const std::string of = "--session " + session(tiled(32), tiled(16)) + " --view throughput ";
  const ProgramRun done = run(of + "--over TILE --unit time -o " + file("a.svg"));
  ASSERT_EQ(done.status, 0) << done.errors;
  EXPECT_NE(testing::read_file(file("a.svg")).find("TILE"), std::string::npos);
  EXPECT_EQ(run(of + "--over NOSUCH -o " + file("b.svg")).status, 1);
}

TEST_F(ExportOptions, ASessionSaysWhetherTheL2IsWarm) {
  const auto session =
      folder_.write("warm.tilescope",
                    R"({"format": "tilescope session", "version": 1, "l2": "warm", "variants": [)" +
                        tiled(32) + "]}");
  const std::string chart = " --view throughput --over size -o ";
  ASSERT_EQ(run("--session " + session.string() + chart + file("a.csv")).status, 0);
  ASSERT_EQ(run("transpose/tiled --warm --size 4096" + chart + file("b.csv")).status, 0);
  EXPECT_NE(testing::read_file(file("a.csv")).find("with a warm L2"), std::string::npos);
  EXPECT_TRUE(testing::read_file(file("a.csv")) == testing::read_file(file("b.csv")));
  expect_refused("--session " + session.string() + " --view throughput --warm", "--warm");
}

TEST_F(ExportOptions, AFileWithoutALaunchIsGuessedAndSaysSo) {
  std::ofstream(file("mine.cu")) << "__global__ void scale(const float* in, float* out, int n) {\n"
                                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "  if (i < n) out[i] = 2 * in[i];\n}\n";
  const ProgramRun done = run(file("mine.cu") + " --view coalescing -o " + file("a.svg"));
  if (done.errors.find("NVRTC") != std::string::npos) GTEST_SKIP() << done.errors;
  ASSERT_EQ(done.status, 0) << done.errors;
  EXPECT_NE(done.errors.find("guessed launch: --grid "), std::string::npos) << done.errors;
  // What it says is what it did.
  const std::string launch = done.errors.substr(done.errors.find("--grid "));
  const ProgramRun said = run(file("mine.cu") + " --view coalescing -o " + file("b.svg") + " " +
                              launch.substr(0, launch.find('\n')));
  ASSERT_EQ(said.status, 0) << said.errors;
  EXPECT_EQ(testing::read_file(file("a.svg")), testing::read_file(file("b.svg")));
  EXPECT_EQ(run(file("mine.cu") + " --grid 4 -o " + file("c.svg")).status, 1);
}

}  // namespace
}  // namespace tilescope
