#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>

#include "emulator/emulate.h"
#include "emulator/issued_program.h"

// What YIELD does to lanes that are apart. Each lane goes three times round an outer loop, and in
// it round an inner one as often as a table says. The numbers were read on an H200 (driver 580,
// CUDA 13.0) with a kernel that noted the active lanes and the clock at these three places; where
// the emulator forms other groups, the test says so (docs/accuracy.md).
namespace tilescope {
namespace {

constexpr std::string_view kPtx =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 k_param_0)\n{\nret;\n}\n";
constexpr std::string_view kListing = R"(
	.section	.nv.info.k,"",@"SHT_CUDA_INFO"
	.sectionflags	@""
	//----- nvinfo : EIATTR_PARAM_CBANK
        /*00d4*/ 	.short	0x0210
	.section	.text.k,"ax",@progbits
k:
.text.k:
        /*0000*/                   S2R R9, SR_TID.X ;
        /*0010*/                   IMAD.MOV.U32 R8, RZ, RZ, RZ ;
.L_x_6:
        /*0040*/                   IMAD R3, R8, 0x20, R9 ;
        /*0050*/                   LDC.64 R6, c[0x0][0x210] ;
        /*0060*/                   IMAD.WIDE R6, R3, 0x4, R6 ;
        /*0070*/                   LDG.E R16, desc[UR6][R6.64] ;
        /*0080*/                   BSSY B0, `(.L_x_4) ;
        /*0090*/                   IMAD.MOV.U32 R21, RZ, RZ, RZ ;
.L_x_5:
        /*00a0*/                   YIELD ;
        /*00b0*/                   ISETP.LT.AND P1, PT, R21, R16, PT ;
        /*00c0*/                   IADD3 R21, R21, 0x1, RZ ;
        /*00d0*/               @P1 BRA `(.L_x_5) ;
        /*00e0*/                   BSYNC B0 ;
.L_x_4:
        /*00f0*/                   IADD3 R8, R8, 0x1, RZ ;
        /*0100*/                   ISETP.GE.AND P0, PT, R8, 0x3, PT ;
        /*0110*/              @!P0 BRA `(.L_x_6) ;
        /*0120*/                   EXIT ;
)";

struct Groups {
  std::uint64_t rounds = 0;  // of the outer loop: how many groups of lanes began one
  std::uint64_t inner = 0;
  std::uint64_t ends = 0;
  bool operator==(const Groups&) const = default;
};

// `last` is the inner round that a lane leaves in, by round of the outer loop and lane.
Groups executed(int (*last)(int round, int lane)) {
  const auto written = decode_ptx(kPtx, "k", "");
  EXPECT_TRUE(written.ok());
  const auto issued = decode_machine_code(kListing, **written);
  EXPECT_TRUE(issued.ok()) << to_string(issued.error());
  if (!issued.ok()) return {};
  auto table = std::make_shared<std::vector<std::byte>>(3 * 32 * sizeof(int));
  for (int i = 0; i < 3 * 32; ++i) {
    const int value = last(i / 32, i % 32);
    std::memcpy(table->data() + static_cast<std::size_t>(i) * sizeof value, &value, sizeof value);
  }
  DeviceMemory memory;
  const auto index = memory.add("table", ElementType::kI32, table);
  Launch launch;
  launch.block = {32, 1, 1};
  launch.arguments = {memory.buffers()[index].address};
  const auto run = emulate(**issued, launch, memory, {}, [] { return nullptr; }, {}, {});
  EXPECT_TRUE(run.ok());
  EXPECT_TRUE(run->complete);
  for (const Finding& finding : run->findings) ADD_FAILURE() << finding.message;
  EXPECT_TRUE((*issued)->unsupported().empty());
  std::map<std::string, std::uint64_t> counts;
  for (std::size_t i = 0; i < (*issued)->instructions().size(); ++i) {
    const StaticInstruction& instruction = (*issued)->instructions()[i];
    if (instruction.counts) counts[std::string(instruction.text)] += run->counts.warps[i];
  }
  return {counts.at("LDG.E R16, desc[UR6][R6.64]"), counts.at("IADD3 R21, R21, 0x1, RZ"),
          counts.at("IADD3 R8, R8, 0x1, RZ")};
}

// The H200 ends ten groups.
TEST(Yield, LanesGoOnWithThoseOfOtherRounds) {
  const auto groups = executed([](int, int lane) { return lane % 4; });
  EXPECT_EQ(groups, (Groups{7, 12, 9}));
}

TEST(Yield, HalfAWarpIsLetGoWithoutTheOther) {
  const auto groups = executed([](int, int lane) { return lane < 16 ? 1 : 5; });
  EXPECT_EQ(groups, (Groups{5, 18, 5}));
}

// Two of these groups wait one round longer on the H200 than here, by a rule that is not known.
TEST(Yield, NineGroupsMeetNearlyAsTheyDoOnTheHardware) {
  const auto groups = executed([](int round, int lane) { return (lane * 7 + round * 5) % 9; });
  EXPECT_EQ(groups.rounds, 16U);
  EXPECT_EQ(groups.inner, 21U);
  EXPECT_NEAR(static_cast<double>(groups.ends), 19, 1);
}

TEST(Yield, LanesThatAreTogetherStayTogether) {
  EXPECT_EQ(executed([](int, int) { return 2; }), (Groups{3, 9, 3}));
}

}  // namespace
}  // namespace tilescope
