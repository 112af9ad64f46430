#include <gtest/gtest.h>

#include "emulator/emulate.h"
#include "emulator/issued_program.h"

// Warps that meet in the loop that an atomicAdd of floats to shared memory becomes (here it adds
// integers). The order in which they come was measured on an H200: docs/accuracy.md.
namespace tilescope {
namespace {

constexpr std::string_view kPtx =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".shared .align 4 .b8 words[32];\n.visible .entry k()\n{\nret;\n}\n";
constexpr std::string_view kListing = R"(
	.section	.nv.info.k,"",@"SHT_CUDA_INFO"
	.sectionflags	@""
	.section	.text.k,"ax",@progbits
k:
.text.k:
        /*0000*/                   S2R R9, SR_TID.X ;
        /*0010*/                   LOP3.LUT R8, R9, 0x7, RZ, 0xc0, !PT ;
        /*0020*/                   SHF.L.U32 R8, R8, 0x2, RZ ;
.L_x_1:
        /*0030*/                   LDS R2, [R8] ;
        /*0040*/                   IADD3 R3, R2, 0x1, RZ ;
        /*0050*/                   ATOMS.CAST.SPIN R3, [R8], R2, R3 ;
        /*0060*/                   ISETP.EQ.U32.AND P0, PT, R3, 0x1, PT ;
        /*0070*/              @!P0 BRA `(.L_x_1) ;
        /*0080*/                   EXIT ;
)";

// Warps that executed the loop's load, of a block of so many.
std::uint64_t loads(std::uint32_t warps) {
  const auto written = decode_ptx(kPtx, "k", "");
  EXPECT_TRUE(written.ok());
  const auto issued = decode_machine_code(kListing, **written);
  EXPECT_TRUE(issued.ok()) << to_string(issued.error());
  if (!issued.ok()) return 0;
  EXPECT_TRUE((*issued)->unsupported().empty());
  DeviceMemory memory;
  Launch launch;
  launch.block = {32 * warps, 1, 1};
  launch.dynamic_shared_bytes = 2048;
  const auto run = emulate(**issued, launch, memory, {}, [] { return nullptr; }, {}, {});
  EXPECT_TRUE(run.ok());
  EXPECT_TRUE(run->complete);
  for (std::size_t i = 0; i < (*issued)->instructions().size(); ++i) {
    if ((*issued)->instructions()[i].text.find("LDS") != std::string::npos) {
      return run->counts.warps[i];
    }
  }
  return 0;
}

// 32 lanes on 8 words: 4 take turns at each. The lowest warp wins its 4 rounds, while the others'
// fail; then the next one its own.
TEST(CompareAndSwap, WarpsThatMeetTryAgain) {
  EXPECT_EQ(loads(1), 4U);
  EXPECT_EQ(loads(2), 4U + 8U);
  EXPECT_EQ(loads(3), 4U + 8U + 12U);
}

}  // namespace
}  // namespace tilescope
