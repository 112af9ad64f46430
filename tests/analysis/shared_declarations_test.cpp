#include <gtest/gtest.h>

#include "analysis/study/static_shared.h"

namespace tilescope {
namespace {

std::string extents_of(std::string_view source, std::string_view name) {
  const auto extents = source_extents(source, name);
  if (!extents) return "none";
  std::string words;
  for (const Expression& extent : *extents) words += "[" + extent.text() + "]";
  return words;
}

TEST(SharedDeclarations, HaveTheExtentsBehindTheirOwnName) {
  const std::string_view source =
      "__shared__ float as[TILE][TILE + 1], bs [4] [8];\n__shared__ int flags[f(2)], more[3];\n";
  EXPECT_EQ(extents_of(source, "as"), "[TILE][TILE + 1]");
  EXPECT_EQ(extents_of(source, "bs"), "[4][8]");
  EXPECT_EQ(extents_of(source, "more"), "[3]");
  EXPECT_EQ(extents_of(source, "flags"), "none");
  EXPECT_EQ(extents_of(source, "s"), "none");
  EXPECT_EQ(extents_of("__shared__ float a[2", "a"), "none");
}

}  // namespace
}  // namespace tilescope
