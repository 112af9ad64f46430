// What a person is told who wrote a name that does not exist.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/text.h"

namespace tilescope {
namespace {

TEST(DidYouMean, NamesTheOneThatIsNear) {
  EXPECT_EQ(did_you_mean("tile_n", {"TILE_M", "TILE_N"}), "Did you mean TILE_N?");
  EXPECT_EQ(did_you_mean("x", {"rows"}), "There is only rows");
}

TEST(DidYouMean, ListsAFewNamesWhole) {
  EXPECT_EQ(did_you_mean("parsecs", {"flop/s", "bytes/s", "time"}),
            "It is one of flop/s, bytes/s, time");
}

TEST(DidYouMean, OfManyNamesTellsTheNearestAndHowToSeeAll) {
  std::vector<std::string> names{"transpose/naive", "transpose/tiled", "transpose/coalesced"};
  for (int i = 0; i < 20; ++i) names.push_back("gemm/variant_" + std::to_string(i));
  EXPECT_EQ(did_you_mean("Transpose/of_tomorrow", names, "'tilescope list' shows all"),
            "The nearest of 23 are transpose/tiled, transpose/naive and transpose/coalesced; "
            "'tilescope list' shows all");
  const std::string without = did_you_mean("Transpose/of_tomorrow", names);
  EXPECT_TRUE(without.ends_with("and transpose/coalesced")) << without;
}

}  // namespace
}  // namespace tilescope
