#include "store/published.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "build_config.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

TEST(Published, FiguresOfTheDocumentsAreThere) {
  const auto figures = load_published(TILESCOPE_SOURCE_DIR "/assets/published/seeds.json");
  ASSERT_TRUE(figures.ok()) << to_string(figures.error());
  std::set<std::string> gpus;
  for (const PublishedFigure& figure : *figures) {
    EXPECT_GT(figure.value, 0) << figure.kernel;
    EXPECT_TRUE(figure.unit == "GFLOP/s" || figure.unit == "GB/s" || figure.unit == "ms");
    gpus.insert(figure.gpu);
  }
  EXPECT_TRUE(gpus.contains("NVIDIA GeForce RTX 3080"));
  EXPECT_TRUE(gpus.contains("NVIDIA GeForce GTX 280"));
}

TEST(Published, FitsALaunchThatHasItsParametersAndSize) {
  PublishedFigure figure;
  figure.parameters = {{"PAD", 0}};
  figure.extents = {{"ROWS", 4000}, {"COLS", 4000}};
  EXPECT_TRUE(figure.fits({{"PAD", 0}, {"TILE", 32}}, figure.extents));
  EXPECT_FALSE(figure.fits({{"PAD", 1}, {"TILE", 32}}, figure.extents));
  EXPECT_FALSE(figure.fits({{"TILE", 32}}, figure.extents));
  EXPECT_FALSE(figure.fits({{"PAD", 0}}, {{"ROWS", 4000}, {"COLS", 4096}}));
}

TEST(Published, TheNaiveGemmOfTheFirstLadderReadsDownAColumn) {
  const auto figures = load_published(TILESCOPE_SOURCE_DIR "/assets/published/seeds.json");
  ASSERT_TRUE(figures.ok()) << to_string(figures.error());
  const std::map<std::string, std::int64_t> extents = {{"M", 2048}, {"N", 2048}, {"K", 1024}};
  std::map<std::string, std::int64_t> parameters = {
      {"BLOCK_X", 16}, {"BLOCK_Y", 16}, {"LANES_DOWN", 1}};
  const auto fits = [&](const PublishedFigure& figure) {
    return figure.kernel == "gemm/naive" && figure.fits(parameters, extents);
  };
  const auto found = std::ranges::find_if(*figures, fits);
  ASSERT_NE(found, figures->end());
  EXPECT_DOUBLE_EQ(found->value, 185.313);
  parameters["LANES_DOWN"] = 0;
  EXPECT_TRUE(std::ranges::none_of(*figures, fits));
}

TEST(Published, AStepMayHaveASizeOfItsOwnOrNoValue) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.write(
      "published.json", R"({"format": 1, "ladders": [{"title": "t", "source": "s", "gpu": "g",
    "unit": "GB/s", "extents": {"ROWS": 4096}, "reference": {"name": "copy", "value": 2},
    "steps": [{"name": "a", "kernel": "k/a", "parameters": {}, "value": 1},
              {"name": "b", "kernel": "k/b", "parameters": {}},
              {"name": "c", "kernel": "k/c", "parameters": {}, "value": 3, "bound": 4,
               "extents": {"ROWS": 4000}}]}]})");
  const auto figures = load_published(file);
  ASSERT_TRUE(figures.ok()) << to_string(figures.error());
  ASSERT_EQ(figures->size(), 2U);
  EXPECT_EQ((*figures)[0].extents.at("ROWS"), 4096);
  EXPECT_EQ((*figures)[1].kernel, "k/c");
  EXPECT_EQ((*figures)[1].extents.at("ROWS"), 4000);
}

TEST(Published, AFileThatIsNoneSaysSo) {
  const auto missing = load_published("/nowhere/x.json");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().place.file, "/nowhere/x.json");
}

}  // namespace
}  // namespace tilescope
