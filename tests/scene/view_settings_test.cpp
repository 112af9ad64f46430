#include "scene/view_settings.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "scene/view/view.h"

namespace tilescope {
namespace {

// Each known name changes something, so that the list of names cannot fall behind.
TEST(SettingCheck, KnowsEveryNameThatChangesSomething) {
  for (const char* name :
       {"heat", "device", "latency_cycles", "lane_window", "compare_base", "compare_mode",
        "compare_pane", "compare_view", "compare_part", "compare_ladder", "step:gemm/naive"}) {
    EXPECT_TRUE(check_setting(name, 0).ok()) << name;
    ViewSettings changed;
    for (const std::int64_t value : {1, 0}) {
      change_setting(changed, {.kind = HitKind::kSetting, .value = value, .name = name});
      if (!(changed == ViewSettings{})) break;
    }
    EXPECT_FALSE(changed == ViewSettings{}) << name;
    const Status unknown = check_setting("nothing", 1);
    ASSERT_FALSE(unknown.ok());
    if (!std::string_view(name).starts_with("step:")) {
      EXPECT_NE(unknown.error().remedy.find(name), std::string::npos) << name;
    }
  }
}

TEST(SettingCheck, SaysTheRangeOfAValueOutOfPlace) {
  const Status refused = check_setting("compare_mode", 7);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "compare_mode cannot be 7");
  EXPECT_EQ(refused.error().remedy, "It is 0 to 2");
  EXPECT_FALSE(check_setting("heat", -1).ok());
  EXPECT_FALSE(check_setting("step:", 1).ok());
  EXPECT_NE(check_setting("lane_windw", 1).error().remedy.find("Did you mean lane_window?"),
            std::string::npos);
}

}  // namespace
}  // namespace tilescope
