#include "kernel/source/ptx_place.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

constexpr const char* kPtx = R"(.version 9.0
.visible .entry first()
{
	.loc	1 4 2
	ret;
	.loc	2 30 5, function_name $L__info_string0, inlined_at 1 5 3
	trap;
}
.visible .entry second()
{
	ret;
	.loc 3 1 1
	ret;
}
	.file	1 "/tmp/a.cu"
	.file	2 "/tmp/a.h", 1, 2
)";

TEST(PtxPlace, IsTheLocBeforeTheLine) {
  const Place ret = source_place(kPtx, 5);
  EXPECT_EQ(ret.file, "/tmp/a.cu");
  EXPECT_EQ(ret.line, 4);
  EXPECT_EQ(source_place(kPtx, 6).line, 4);  // not yet
  const Place trap = source_place(kPtx, 7);
  EXPECT_EQ(trap.file, "/tmp/a.h");
  EXPECT_EQ(trap.line, 30);
}

TEST(PtxPlace, IsEmptyWhereNothingIsSaid) {
  for (const int line : {0, 1, 3, 11, 13}) {  // 13: of a file without a name
    EXPECT_EQ(source_place(kPtx, line).file, "") << line;
    EXPECT_EQ(source_place(kPtx, line).line, 0) << line;
  }
  EXPECT_EQ(source_place("", 1).line, 0);
}

}  // namespace
}  // namespace tilescope
