// Points as they were measured, found by what they are of.
#include <gtest/gtest.h>

#include "session/measurements.h"

namespace tilescope {
namespace {

LaunchKey key(std::int64_t tile, std::int64_t size, bool cold = true) {
  return {"gemm/x", "text", {{"TILE", tile}}, {{"N", size}}, {}, cold};
}
Measurement point(const LaunchKey& of, double seconds) {
  Measurement measured;
  measured.of = of;
  measured.result.kernel.median_seconds = seconds;
  return measured;
}
double seconds_of(const Measurement* found) {
  return found == nullptr ? 0 : found->result.kernel.median_seconds;
}

TEST(MeasuredPoints, TheNewestThatHasATimeIsFound) {
  MeasuredPoints points;
  EXPECT_EQ(points.newest_of(key(8, 64)), nullptr);
  EXPECT_EQ(points.newest_of_kernel(key(8, 64)), nullptr);
  points.add(point(key(8, 64), 3));
  points.add(point(key(16, 64), 2));
  points.add(point(key(8, 64), 1));
  points.add(point(key(8, 64), 0));  // was wrong
  EXPECT_EQ(seconds_of(points.newest_of(key(8, 64))), 1);
  EXPECT_EQ(seconds_of(points.newest_of(key(16, 64))), 2);
  EXPECT_EQ(points.newest_of(key(16, 64, false)), nullptr);
  EXPECT_EQ(points.newest_of(key(16, 128)), nullptr);
  EXPECT_EQ(seconds_of(points.newest_of_kernel(key(32, 64))), 1);
  EXPECT_EQ(points.newest_of_kernel(key(32, 128)), nullptr);
  EXPECT_EQ(points.all().size(), 4U);
}

TEST(MeasuredPoints, OfEachDriverTheNewestIsFound) {
  MeasuredPoints points;
  for (const char* driver : {"550", "580", "550"}) {
    Measurement one = point(key(8, 64), 1 + static_cast<double>(points.all().size()));
    one.machine.driver = driver;
    points.add(one);
  }
  const auto all = points.all_of(key(8, 64));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(seconds_of(all[0]), 3);
  EXPECT_EQ(seconds_of(all[1]), 2);
  EXPECT_EQ(all, all_of(points.all(), key(8, 64)));
}

TEST(MeasuredPoints, EachSizeComesOnce) {
  MeasuredPoints points;
  for (const std::int64_t size : {64, 32, 64, 128}) points.add(point(key(8, size), 1));
  points.add(point(key(16, 256), 1));
  EXPECT_EQ(points.sizes_of(key(8, 0)),
            (std::vector<ParameterSet>{{{"N", 64}}, {{"N", 32}}, {{"N", 128}}}));
}

// What charts and ladder ask in a frame, of what a long run of the tuner leaves: as a search of all
// points answers it.
TEST(MeasuredPoints, OfThousandsTheAnswerIsThatOfASearch) {
  MeasuredPoints points;
  for (std::int64_t i = 0; i < 3000; ++i) {
    points.add(point(key(i % 700, 64 + i % 3), 1 + static_cast<double>(i)));
  }
  for (std::int64_t tile = 0; tile < 710; tile += 7) {
    EXPECT_EQ(points.all_of(key(tile, 65)), all_of(points.all(), key(tile, 65))) << tile;
  }
}

}  // namespace
}  // namespace tilescope
