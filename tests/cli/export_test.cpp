#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "build_config.h"
#include "program.h"
#include "scene/pages/page.h"
#include "scene/views.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class ExportCommand : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const {
    return "'" + (folder_ / name).string() + "'";
  }
  [[nodiscard]] std::string contents(const std::string& name) const {
    return testing::read_file(folder_ / name);
  }
  testing::TemporaryFolder folder_;
};

TEST_F(ExportCommand, ThroughputComesFromWhatIsRecorded) {
  const std::string kernel = "export gemm/register_tile --view throughput ";
  ASSERT_EQ(run_tilescope(kernel + "--over size -o " + file("a.json")).status, 0);
  const auto json = nlohmann::json::parse(contents("a.json"));
  EXPECT_EQ(json["title"], "Throughput over size");
  EXPECT_EQ(json["measurements"], "recorded on NVIDIA H200 with a cold L2");
  EXPECT_EQ(json["date"].get<std::string>().size(), 10U);
  EXPECT_GE(json["numbers"].size(), 12U);
  ASSERT_EQ(run_tilescope(kernel + "--over TILE_K --theme paper -o " + file("a.svg")).status, 0);
  EXPECT_NE(contents("a.svg").find(">TILE_K</text>"), std::string::npos);
  EXPECT_EQ(contents("a.svg").find("<image"), std::string::npos);
  const auto unknown = run_tilescope(kernel + "--over NOTHING -o " + file("b.svg"));
  EXPECT_EQ(unknown.status, 1);
  EXPECT_NE(unknown.errors.find("STAGES"), std::string::npos) << unknown.errors;
}

// What is recorded is of alpha 1 and beta 0.
TEST_F(ExportCommand, ThroughputWithAnotherBetaIsNotTheRecordedOne) {
  const std::string kernel = "export gemm/register_tile --view throughput --over size ";
  ASSERT_EQ(run_tilescope(kernel + "--beta 0 -o " + file("same.json")).status, 0);
  ASSERT_EQ(run_tilescope(kernel + "--beta 0.5 -o " + file("other.json")).status, 0);
  const auto same = nlohmann::json::parse(contents("same.json"));
  const auto other = nlohmann::json::parse(contents("other.json"));
  EXPECT_GE(same["numbers"].size(), 12U);
  EXPECT_TRUE(other["numbers"].empty());
  EXPECT_NE(other["parameters"].get<std::string>().find("beta 0.5"), std::string::npos);
}

TEST_F(ExportCommand, LaunchesOverTimeAreASessions) {
  const auto kernel =
      run_tilescope("export gemm/naive --view throughput --over time -o " + file("never.svg"));
  EXPECT_EQ(kernel.status, 1);
  EXPECT_NE(kernel.errors.find("--session"), std::string::npos) << kernel.errors;
  nlohmann::json session = {
      {"format", "tilescope session"}, {"version", 1}, {"variants", {{{"kernel", "copy/plain"}}}}};
  const auto exported = [&](const std::string& name) {
    std::ofstream(folder_ / "s.tilescope") << session;
    return run_tilescope("export --session " + file("s.tilescope") +
                         " --view throughput --over time -o " + file(name));
  };
  const auto none = exported("never.svg");
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.errors.find("has no measured launches"), std::string::npos) << none.errors;
  EXPECT_FALSE(fs::exists(folder_ / "never.svg"));
  session["measured"] = {
      {"device",
       {{"name", "NVIDIA H200"},
        {"compute_capability", 90},
        {"multiprocessors", 132},
        {"clock_hz", 1.98e9},
        {"memory_bytes_per_second", 4.8e12}}},
      {"date", "2026-11-23"},
      {"points", nlohmann::json::array()},
      {"live",
       {{"seconds", 60}, {"launches", {{1.5, 2e-5, 0, 1, 0, 1e6}, {2.5, 4e-5, 0, 1, 0, 1e6}}}}}};
  ASSERT_EQ(exported("live.json").status, 0);
  const auto live = nlohmann::json::parse(contents("live.json"));
  EXPECT_EQ(live["measurements"], "measured on NVIDIA H200 with a cold L2");
  EXPECT_EQ(live["date"], "2026-11-23");
  ASSERT_EQ(live["numbers"].size(), 4U);
  EXPECT_EQ(live["numbers"][0]["value"], -1.0);
  EXPECT_EQ(live["numbers"][1]["value"], 1e6 / 2e-5);
  EXPECT_EQ(live["numbers"][2]["value"], 0.0) << "it ends at the last launch";
}

// The rate that a chart over the size shows at the only size where both are recorded.
double rate_in(const nlohmann::json& chart) {
  for (const auto& number : chart["numbers"]) {
    if (number["item"] == "A size 2048² × 1024" && number["name"] == "rate") return number["value"];
  }
  return 0;
}

TEST_F(ExportCommand, ThroughputWithAWarmL2IsAChartOfItsOwn) {
  const std::string chart = "export gemm/naive --view throughput --over size ";
  ASSERT_EQ(run_tilescope(chart + "-o " + file("cold.json")).status, 0);
  ASSERT_EQ(run_tilescope(chart + "--warm -o " + file("warm.json")).status, 0);
  const auto cold = nlohmann::json::parse(contents("cold.json"));
  const auto warm = nlohmann::json::parse(contents("warm.json"));
  EXPECT_EQ(warm["measurements"], "recorded on NVIDIA H200 with a warm L2");
  EXPECT_GT(rate_in(cold), 0);
  EXPECT_GT(rate_in(warm), rate_in(cold));
  EXPECT_LT(warm["numbers"].size(), cold["numbers"].size());
}

TEST_F(ExportCommand, TheTunersTableHoldsEveryRecordedCombination) {
  const std::string table = "export gemm/register_tile --view tuner ";
  ASSERT_EQ(run_tilescope(table + "-p STAGES=2 -o " + file("a.json")).status, 0);
  const auto json = nlohmann::json::parse(contents("a.json"));
  EXPECT_EQ(json["view"], "tuner");
  EXPECT_EQ(json["parameter_values"]["STAGES"], 2);
  double before = 0;
  int places = 0;
  for (const auto& number : json["numbers"]) {
    if (number["name"] != "time") continue;
    EXPECT_EQ(number["source"], "recorded");
    EXPECT_GE(number["value"].get<double>(), before);
    before = number["value"];
    ++places;
  }
  EXPECT_GE(places, 5);
  EXPECT_EQ(run_tilescope(table + "--over size -o " + file("b.svg")).status, 1);
  EXPECT_EQ(run_tilescope(table + "-o " + file("b.gif")).status, 1);
}

TEST_F(ExportCommand, TheHistoryComesFirstWhereItIsAskedFor) {
  std::string runs = testing::read_file(TILESCOPE_SOURCE_DIR "/assets/recorded/h200.json");
  const std::string gpu = "\"gpu\": \"NVIDIA H200\"";
  ASSERT_NE(runs.find(gpu), std::string::npos);
  runs.replace(runs.find(gpu), gpu.size(), "\"gpu\": \"NVIDIA Mine\"");
  std::ofstream(folder_ / "mine.json") << runs;
  const char* data = std::getenv("XDG_DATA_HOME");
  const std::string before = data != nullptr ? data : "";
  ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
  const auto imported = run_tilescope("history --import " + file("mine.json"));
  const std::string chart = "export gemm/naive --view throughput --over size ";
  const auto mine = run_tilescope(chart + "--history -o " + file("mine.csv"));
  const auto tuned = run_tilescope("export gemm/naive --view tuner --history -o " + file("t.csv"));
  const auto shipped = run_tilescope(chart + "-o " + file("shipped.csv"));
  if (data != nullptr) {
    ::setenv("XDG_DATA_HOME", before.c_str(), 1);
  } else {
    ::unsetenv("XDG_DATA_HOME");
  }
  ASSERT_EQ(imported.status, 0) << imported.errors;
  ASSERT_EQ(mine.status, 0) << mine.errors;
  ASSERT_EQ(shipped.status, 0) << shipped.errors;
  EXPECT_NE(contents("mine.csv").find("recorded on NVIDIA Mine with a cold L2;"),
            std::string::npos);
  ASSERT_EQ(tuned.status, 0) << tuned.errors;
  EXPECT_NE(contents("t.csv").find("recorded on NVIDIA Mine with"), std::string::npos);
  EXPECT_NE(contents("shipped.csv").find("recorded on NVIDIA H200 with a cold L2,"),
            std::string::npos);
}

TEST_F(ExportCommand, TheStatedDateIsInTheFile) {
  const std::string kernel = "export gemm/naive --view throughput --date 2020-02-29 -o ";
  ASSERT_EQ(run_tilescope(kernel + file("a.csv")).status, 0);
  EXPECT_NE(contents("a.csv").find("about,,date,2020-02-29,,,\r\n"), std::string::npos);
  for (const char* date : {"today", "2026-13-01", "2021-02-29"}) {
    const auto wrong = run_tilescope(std::string("export gemm/naive --view throughput --date ") +
                                     date + " -o " + file("b.csv"));
    EXPECT_EQ(wrong.status, 1) << date;
  }
}

TEST_F(ExportCommand, TextStaysTextInEveryView) {
  for (const View view : all_views()) {
    const std::string name(name_of(view));
    const std::string of_view = view == View::kTiling    ? " --heat"
                                : view == View::kCompare ? " --beside transpose/naive"
                                                         : "";
    const auto done = run_tilescope("export transpose/tiled --size 64 --view " + name + " -o " +
                                    file(name + ".svg") + of_view);
    if (done.errors.find("NVRTC") != std::string::npos) GTEST_SKIP() << done.errors;
    ASSERT_EQ(done.status, 0) << done.errors;
    const std::string svg = contents(name + ".svg");
    EXPECT_NE(svg.find("<text "), std::string::npos) << name;
    EXPECT_EQ(svg.find("<image"), std::string::npos) << name;
    const std::string kernel = view == View::kCompare ? "A transpose/tiled" : "transpose/tiled";
    EXPECT_NE(svg.find("<dc:subject>kernel: " + kernel), std::string::npos) << name;
  }
}

TEST_F(ExportCommand, ThePagesHoldTheirTextAndNumbers) {
  for (const Page page : all_pages()) {
    const std::string name(name_of(page));
    const std::string of = "export transpose/naive --size 64 --view " + name + " -o ";
    const auto done = run_tilescope(of + file(name + ".svg"));
    if (done.errors.find("NVRTC") != std::string::npos) GTEST_SKIP() << done.errors;
    ASSERT_EQ(done.status, 0) << done.errors;
    const std::string svg = contents(name + ".svg");
    EXPECT_EQ(svg.find("<image"), std::string::npos) << name;
    EXPECT_NE(svg.find(page == Page::kSource ? "__global__" : ">l1tex__t_sectors_pipe"),
              std::string::npos)
        << name;
    EXPECT_EQ(svg.find("more line"), std::string::npos) << "all of them have room";
    ASSERT_EQ(run_tilescope(of + file(name + ".json")).status, 0);
    const auto json = nlohmann::json::parse(contents(name + ".json"));
    EXPECT_EQ(json["view"], name);
    EXPECT_GT(json["numbers"].size(), 5U);
    for (const char* ending : {".pdf", ".png", ".csv"}) {
      EXPECT_EQ(run_tilescope(of + file(name + ending)).status, 0) << ending;
    }
    EXPECT_NE(run_tilescope(of + file("a.gif")).errors.find("has no animation"), std::string::npos);
  }
}

TEST_F(ExportCommand, AnAnimationTakesStepsAndMoments) {
  const std::string kernel = "export transpose/tiled --size 64 --view tiling --seconds 1 --fps 5 ";
  const auto done = run_tilescope(kernel + "--from 3 --to step:1 -o " + file("a.gif"));
  if (done.errors.find("NVRTC") != std::string::npos) GTEST_SKIP() << done.errors;
  ASSERT_EQ(done.status, 0) << done.errors;
  EXPECT_TRUE(contents("a.gif").starts_with("GIF89a"));
  EXPECT_EQ(run_tilescope(kernel + "--from step:9999 -o " + file("b.gif")).status, 1);
  EXPECT_EQ(run_tilescope(kernel + "--from 9 --to 3 -o " + file("b.gif")).status, 1);
  EXPECT_EQ(run_tilescope(kernel + "--fps 99 -o " + file("b.gif")).status, 1);
  EXPECT_FALSE(fs::exists(folder_ / "b.gif"));
  EXPECT_EQ(run_tilescope("export gemm/naive --view throughput -o " + file("b.gif")).status, 1);
}

TEST_F(ExportCommand, KernelsWithXmlCharactersAndOddNames) {
  const fs::path kernel = folder_ / "a <b> & c.cu";
  std::ofstream(kernel) << "template <int N> __global__ void f(float* x) {\n"
                           "  x[threadIdx.x] = N < 3 && N > 1 ? 1 : 0;  // <&>\n}\n";
  const auto done = run_tilescope(
      "export '" + kernel.string() +
      "' --kernel 'f<2>' --grid 1 --block 32 --arg 'f32[32]=zero' --view coalescing -o " +
      file("x y.svg"));
  if (done.errors.find("NVRTC") != std::string::npos) GTEST_SKIP() << done.errors;
  ASSERT_EQ(done.status, 0) << done.errors;
  const std::string svg = contents("x y.svg");
  EXPECT_NE(svg.find("a &lt;b&gt; &amp; c.cu"), std::string::npos);
  EXPECT_EQ(svg.find("<b>"), std::string::npos);
}

TEST_F(ExportCommand, MistakesSayWhatToDo) {
  const std::string chart = "export gemm/naive --view throughput -o ";
  const auto unknown = run_tilescope(chart + file("a.bmp"));
  EXPECT_EQ(unknown.status, 1);
  EXPECT_NE(unknown.errors.find(".svg, .pdf, .png, .html, .csv, .json, .gif or .mp4"),
            std::string::npos);
  const auto setting = run_tilescope("export gemm/naive --set lane_windw=3 -o " + file("a.svg"));
  EXPECT_EQ(setting.status, 1);
  EXPECT_NE(setting.errors.find("Did you mean lane_window? Settings: heat, lane_window"),
            std::string::npos)
      << setting.errors;
  const auto missing = run_tilescope(chart + file("no/a.svg"));
  EXPECT_EQ(missing.status, 3);
  EXPECT_NE(missing.errors.find("Choose a folder that exists"), std::string::npos);
  fs::create_directories(folder_ / "folder.svg");
  EXPECT_NE(run_tilescope(chart + file("folder.svg")).errors.find("It is a folder"),
            std::string::npos);
  fs::create_symlink("/dev/full", folder_ / "full.pdf");
  const auto full = run_tilescope(chart + file("full.pdf"));
  EXPECT_EQ(full.status, 3);
  EXPECT_NE(full.errors.find("Make room"), std::string::npos);
  EXPECT_EQ(run_tilescope("export gemm/naive --set heat -o " + file("a.svg")).status, 1);
}

}  // namespace
}  // namespace tilescope
