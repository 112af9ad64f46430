// What two times must have in common to be set against one another.
#include "core/conditions.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

const Conditions kOwn{"NVIDIA H100 80GB HBM3", "580.159.04", true, {}};

Conditions with(void (*change)(Conditions&)) {
  Conditions other = kOwn;
  change(other);
  return other;
}

TEST(Conditions, ARatioIsFormedUnderLikeOnesAlone) {
  EXPECT_EQ(ratio({6, kOwn}, {3, kOwn}), 2);
  for (const Conditions& other :
       {with([](Conditions& c) { c.gpu = "NVIDIA H200"; }),
        with([](Conditions& c) { c.driver = "590.1"; }),
        with([](Conditions& c) { c.cold = false; }), with([](Conditions& c) {
          c.factors = {{"beta", 1}};
        }),
        with([](Conditions& c) { c.gpu.clear(); })}) {
    EXPECT_FALSE(ratio({6, kOwn}, {3, other})) << apart_words(other, kOwn);
    EXPECT_FALSE(apart_words(other, kOwn).empty());
  }
  EXPECT_FALSE(ratio({6, kOwn}, {0, kOwn}));
}

TEST(Conditions, SayWhatSetsThemApart) {
  EXPECT_EQ(apart_words(kOwn, kOwn), "");
  EXPECT_EQ(apart_words(with([](Conditions& c) { c.gpu = "NVIDIA H200"; }), kOwn), "H200");
  EXPECT_EQ(apart_words(with([](Conditions& c) { c.driver = "590.1"; }), kOwn), "driver 590.1");
  EXPECT_EQ(apart_words(with([](Conditions& c) { c.driver.clear(); }), kOwn), "unknown driver");
  EXPECT_EQ(apart_words(with([](Conditions& c) { c.cold = false; }), kOwn), "warm L2");
  EXPECT_EQ(apart_words(with([](Conditions& c) { c.factors = {{"alpha", 2}}; }), kOwn), "alpha 2");
  EXPECT_EQ(apart_words({}, kOwn), "unknown GPU");
}

TEST(Conditions, NameAGpuShortly) {
  EXPECT_EQ(short_gpu("NVIDIA GeForce RTX 3080"), "RTX 3080");
  EXPECT_EQ(short_gpu("a GPU that nobody names"), "unnamed GPU");
}

}  // namespace
}  // namespace tilescope
