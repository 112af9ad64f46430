#include <imgui.h>
#include <imgui_te_context.h>

#include <algorithm>

#include "ui_fixture.h"

namespace tilescope {
namespace {

bool contains(const TextAudit& audit, const std::string& words) {
  return std::ranges::any_of(
      audit.texts, [&](const auto& text) { return text.words.find(words) != std::string::npos; });
}

TEST_F(UiTest, ARecordedRunSaysThatItWasThrottled) {
  bench_->choose_kernel(entry("gemm/naive"));
  for (const auto& [name, value] : entry("gemm/naive").default_extents) {
    bench_->set_extent(name, value);
  }
  bench_->set_parameter("BLOCK_X", 16);
  bench_->set_parameter("BLOCK_Y", 16);
  draw_frames(4);
  const TextAudit throttled = audit();
  EXPECT_TRUE(contains(throttled, "throttled: power cap"));
  EXPECT_FALSE(contains(throttled, "not throttled"));
  EXPECT_TRUE(contains(throttled, "median known to"));
  bench_->set_parameter("BLOCK_Y", 8);
  draw_frames(4);
  EXPECT_TRUE(contains(audit(), "not throttled"));
}

}  // namespace
}  // namespace tilescope
