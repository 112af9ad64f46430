#include "store/published.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

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

TEST(Published, AFileThatIsNoneSaysSo) {
  const auto missing = load_published("/nowhere/x.json");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().place.file, "/nowhere/x.json");
}

}  // namespace
}  // namespace tilescope
