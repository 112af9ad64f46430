#include "emulator/checks/finding_causes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "emulator/program.h"

namespace tilescope {
namespace {

constexpr const char* kPtx = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry k() {
  .reg .pred %p;
  .reg .b64 %rd<2>;
  .shared .align 8 .b64 bar;
  mov.u64 %rd1, bar;
  mbarrier.init.shared.b64 [%rd1], 1;
  mbarrier.test_wait.parity.shared.b64 %p, [%rd1], 0;
  mbarrier.arrive.shared.b64 _, [%rd1];
  ret;
})";

std::uint32_t first(const Program& program, Synchronisation which) {
  const auto& all = program.instructions();
  return static_cast<std::uint32_t>(
      std::ranges::find(all, which, &StaticInstruction::synchronisation) - all.begin());
}

// A count that is too small explains races behind the wait, and a race with the initialisation
// explains what is wrong at waits: a kernel with both is not right.
TEST(FindingCauses, OfTwoThatExplainEachOtherBothStay) {
  const auto program = decode_ptx(kPtx, "k", "");
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const auto finding = [&](FindingKind kind, Synchronisation place) {
    Finding made;
    made.kind = kind;
    made.instruction = first(**program, place);
    return made;
  };
  Finding count = finding(FindingKind::kBarrier, Synchronisation::kWaitMbarrier);
  count.other.emplace().instruction = first(**program, Synchronisation::kStartMbarrier);
  const Finding race = finding(FindingKind::kSharedRace, Synchronisation::kArriveMbarrier);
  std::vector<Finding> findings{count, race};
  leave_out_consequences(**program, findings);
  EXPECT_EQ(findings.size(), 2u);
}

}  // namespace
}  // namespace tilescope
