#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "emulator/emulate.h"
#include "emulator/issued_program.h"
#include "emulator/machine/lifter.h"
#include "emulator/machine/listing.h"

namespace tilescope::machine {
namespace {

Operand operand(std::string_view text) {
  const auto read = read_operand(text);
  EXPECT_TRUE(read.has_value()) << text;
  return read.value_or(Operand{});
}

TEST(MachineOperand, RegistersWithSignsAndSuffixes) {
  const Operand plain = operand("R12.reuse");
  EXPECT_EQ(plain.kind, OperandKind::kRegister);
  EXPECT_EQ(plain.index, 12U);
  EXPECT_TRUE(plain.suffix.empty());
  EXPECT_TRUE(plain.kept);
  EXPECT_FALSE(operand("R12").kept);
  const Operand half = operand("-|R3|.reuse.H0_H0");
  EXPECT_TRUE(half.negated);
  EXPECT_TRUE(half.absolute);
  EXPECT_EQ(half.suffix, "H0_H0");
  EXPECT_EQ(operand("RZ").index, kZeroRegister);
  EXPECT_EQ(operand("UR4").kind, OperandKind::kUniform);
  EXPECT_EQ(operand("!UPT").kind, OperandKind::kUniformPredicate);
  EXPECT_TRUE(operand("!P0").inverted);
}

TEST(MachineOperand, AddressesAndConstants) {
  const Operand global = operand("desc[UR6][R12.64+UR4+0x1c]");
  EXPECT_EQ(global.kind, OperandKind::kAddress);
  EXPECT_EQ(global.index, 12U);
  EXPECT_EQ(global.uniform, 4U);
  EXPECT_EQ(global.value, 0x1c);
  EXPECT_EQ(global.suffix, "64");
  EXPECT_EQ(operand("[R9+-0x4]").value, -4);
  EXPECT_EQ(operand("c[0x0] [0x178]").value, 0x178);
  const Operand constant = operand("-c[0x0][0x210]");
  EXPECT_EQ(constant.kind, OperandKind::kConstant);
  EXPECT_TRUE(constant.negated);
  EXPECT_EQ(constant.value, 0x210);
  EXPECT_EQ(operand("c[0x3][R13+0x8]").index, 13U);
}

TEST(MachineOperand, NumbersLabelsAndWords) {
  EXPECT_EQ(operand("-0x6db6db6d").value, -0x6db6db6d);
  EXPECT_EQ(operand("0.5").number, 0.5);
  EXPECT_TRUE(std::isinf(operand("-INF").number));
  EXPECT_EQ(operand("`(.L_x_1)").text, ".L_x_1");
  EXPECT_EQ(operand("SR_TID.X").text, "SR_TID.X");
  EXPECT_FALSE(read_operand("[R2").has_value());
}

TEST(MachineInstruction, GuardMnemonicModifiersOperands) {
  const auto read = read_instruction("@!P0 LDG.E.128 R4, desc[UR4][R2.64]");
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->guarded);
  EXPECT_TRUE(read->guard.inverted);
  EXPECT_EQ(read->mnemonic, "LDG");
  EXPECT_TRUE(read->has("128"));
  ASSERT_EQ(read->operands.size(), 2U);
  const auto indexed = read_instruction("BRX R4 -0x830 (*\"BRANCH_TARGETS .L_x_1,.L_x_2\"*)");
  ASSERT_TRUE(indexed.has_value());
  ASSERT_EQ(indexed->operands.size(), 2U);
  EXPECT_EQ(indexed->operands[1].value, -0x830);
  EXPECT_EQ(indexed->branch_targets, (std::vector<std::string_view>{".L_x_1", ".L_x_2"}));
}

// A kernel by hand: each thread stores its index, one instruction of four registers.
constexpr std::string_view kListing = R"(
	.section	.nv.info.k,"",@"SHT_CUDA_INFO"
	.sectionflags	@""
	//----- nvinfo : EIATTR_PARAM_CBANK
        /*00d4*/ 	.short	0x0210
	.section	.text.k,"ax",@progbits
k:
.text.k:
	//## File "k.cu", line 3 inlined at "k.cu", line 7
	//## File "k.cu", line 7
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   ULDC.64 UR4, c[0x0][0x210] ;
        /*0020*/                   IMAD.MOV.U32 R5, RZ, RZ, R4 ;
        /*0030*/                   IMAD.WIDE.U32 R2, R4, 0x10, RZ ;
        /*0040*/                   IADD3 R2, P0, R2, UR4, RZ ;
        /*0050*/                   IADD3.X R3, R3, UR5, RZ, P0, !PT ;
        /*0060*/                   CS2R R6, SRZ ;
        /*0070*/                   STG.E.128 desc[UR6][R2.64], R4 ;
        /*0080*/                   WOBBLE.64 R1 ;
        /*0090*/                   EXIT ;
)";
constexpr std::string_view kPtx =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 k_param_0)\n{\nret;\n}\n";

std::shared_ptr<const Program> decoded() {
  const auto written = decode_ptx(kPtx, "k", "");
  EXPECT_TRUE(written.ok());
  auto issued = decode_machine_code(kListing, **written);
  EXPECT_TRUE(issued.ok()) << to_string(issued.error());
  return *issued;
}

TEST(MachineCode, OneMemoryInstructionStaysOne) {
  const auto program = decoded();
  std::size_t counted = 0;
  const StaticInstruction* store = nullptr;
  for (const StaticInstruction& instruction : program->instructions()) {
    if (!instruction.counts) continue;
    ++counted;
    if (instruction.access == AccessKind::kStore) store = &instruction;
  }
  EXPECT_EQ(counted, 10U);
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->bytes_per_lane, 16);
  EXPECT_EQ(store->text, "STG.E.128 desc[UR6][R2.64], R4");
  EXPECT_EQ(store->source.line, 3U);
  EXPECT_EQ(store->outermost.line, 7U);
  EXPECT_EQ(store->opcode, "STG.E.128");
  EXPECT_EQ(store->unit, ExecutionUnit::kMemory);
  ASSERT_NE(store->issued, nullptr);
  EXPECT_EQ(store->issued->operands[1].index, 4U);
}

TEST(MachineCode, UnitsAndControlAreTheMachines) {
  const auto program = decoded();
  const auto find = [&](std::string_view mnemonic) -> const StaticInstruction& {
    return *std::ranges::find(program->instructions(), mnemonic, &StaticInstruction::mnemonic);
  };
  EXPECT_EQ(find("IMAD").unit, ExecutionUnit::kMultiply);
  EXPECT_EQ(find("IADD3").unit, ExecutionUnit::kAlu);
  EXPECT_EQ(find("ULDC").unit, ExecutionUnit::kNone);
  EXPECT_EQ(find("EXIT").control, Control::kReturn);
}

TEST(MachineCode, WhatNobodyKnowsIsUnsupportedByName) {
  const auto program = decoded();
  ASSERT_EQ(program->unsupported().size(), 1U);
  EXPECT_EQ(program->instructions()[program->unsupported().front()].text, "WOBBLE.64 R1");
}

TEST(MachineCode, AnotherKernelIsAnError) {
  EXPECT_FALSE(read_listing(kListing, "other").ok());
  EXPECT_FALSE(read_listing("", "k").ok());
}

TEST(MachineCode, StoresWhatTheMachineWould) {
  const auto program = decoded();
  auto bytes = std::make_shared<std::vector<std::byte>>(32 * 16, std::byte{0xff});
  DeviceMemory memory;
  memory.add("out", ElementType::kU32, bytes);
  Launch launch;
  launch.block = {32, 1, 1};
  launch.arguments = {memory.buffers()[0].address};
  const auto run = emulate(*program, launch, memory, {}, [] { return nullptr; }, {}, {});
  ASSERT_TRUE(run.ok()) << to_string(run.error());
  EXPECT_FALSE(run->complete);  // WOBBLE
  std::array<std::uint32_t, 4> last{};
  std::memcpy(last.data(), memory.buffers()[0].contents->data() + 31 * 16, 16);
  EXPECT_EQ(last, (std::array<std::uint32_t, 4>{31, 31, 0, 0}));
}

// What R2, R3 hold, as thread 0 stores them after these instructions.
std::uint64_t stored_after(const std::vector<std::string>& instructions) {
  std::string listing(kListing.substr(0, kListing.find("\t//##")));
  std::vector<std::string> all = {"ULDC.64 UR4, c[0x0][0x210]"};
  all.insert(all.end(), instructions.begin(), instructions.end());
  for (const char* const last :
       {"MOV R8, UR4", "MOV R9, UR5", "STG.E.64 desc[UR6][R8.64], R2", "EXIT"}) {
    all.emplace_back(last);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    listing += fmt::format("        /*{:04x}*/                   {} ;\n", 16 * i, all[i]);
  }
  const auto written = decode_ptx(kPtx, "k", "");
  const auto issued = decode_machine_code(listing, **written);
  EXPECT_TRUE(issued.ok());
  EXPECT_TRUE((*issued)->unsupported().empty());
  DeviceMemory memory;
  memory.add("out", ElementType::kU64, std::make_shared<std::vector<std::byte>>(8));
  Launch launch;
  launch.block = {1, 1, 1};
  launch.arguments = {memory.buffers()[0].address};
  const auto run = emulate(**issued, launch, memory, {}, [] { return nullptr; }, {}, {});
  EXPECT_TRUE(run.ok() && run->complete);
  std::uint64_t value = 0;
  std::memcpy(&value, memory.buffers()[0].contents->data(), 8);
  return value;
}

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

// As ptxas makes fmax(double, double): a where P1 is set, and a NaN made quiet where P2 is.
std::uint64_t extreme(const char* name, double a, double b) {
  const std::uint64_t first = bits_of(a);
  const std::uint64_t second = bits_of(b);
  return stored_after({fmt::format("MOV R4, {:#x}", first & 0xffffffffU),
                       fmt::format("MOV R5, {:#x}", first >> 32),
                       fmt::format("MOV R6, {:#x}", second & 0xffffffffU),
                       fmt::format("MOV R7, {:#x}", second >> 32),
                       fmt::format("DSETP.{}.AND P1, P2, R4, R6, PT", name), "SEL R2, R4, R6, P1",
                       "FSEL R3, R5, R7, P1", "@P2 LOP3.LUT R3, R7, 0x80000, RZ, 0xfc, !PT"});
}

TEST(MachineCode, LargerAndSmallerOfDoubles) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(extreme("MAX", 1.5, -2.25), bits_of(1.5));
  EXPECT_EQ(extreme("MAX", -2.25, 1.5), bits_of(1.5));
  EXPECT_EQ(extreme("MIN", 1.5, -2.25), bits_of(-2.25));
  EXPECT_EQ(extreme("MIN", 3.0, 3.0), bits_of(3.0));
  EXPECT_EQ(extreme("MAX", -0.0, 0.0), bits_of(0.0));
  EXPECT_EQ(extreme("MAX", kNan, -2.25), bits_of(-2.25));
  EXPECT_EQ(extreme("MIN", 1.5, kNan), bits_of(1.5));
  EXPECT_TRUE(std::isnan(std::bit_cast<double>(extreme("MAX", kNan, kNan))));
}

// b - (a << 10) on 64 bits, as ptxas writes the rest of a loop: the carry says that nothing was
// borrowed, of a = 0 too.
TEST(MachineCode, ShiftedDifferencesCarry) {
  const auto difference = [](std::uint64_t b, std::uint32_t a) {
    return stored_after({fmt::format("MOV R4, {:#x}", b & 0xffffffffU),
                         fmt::format("MOV R5, {:#x}", b >> 32), fmt::format("MOV R6, {:#x}", a),
                         "SHF.L.U64.HI R7, R6, 0xa, RZ", "LEA R2, P3, -R6, R4, 0xa",
                         "IMAD.X R3, R5, 0x1, ~R7, P3"});
  };
  for (const std::uint64_t b : {0ULL, 1ULL, 0xfffULL, 0x100000000ULL, 0x1200000400ULL}) {
    for (const std::uint32_t a : {0U, 1U, 3U, 0x00400000U, 0x80000000U}) {
      EXPECT_EQ(difference(b, a), b - (std::uint64_t{a} << 10)) << b << " " << a;
    }
  }
}

TEST(MachineCode, ProductsAreScaled) {
  const auto product = [](const char* name) {
    const std::uint64_t bits =
        stored_after({"MOV R4, 0x40400000", fmt::format("{} R2, R4, 5", name), "MOV R3, RZ"});
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  };
  EXPECT_EQ(product("FMUL"), 15.0F);
  EXPECT_EQ(product("FMUL.D4"), 3.75F);
  EXPECT_EQ(product("FMUL.M8"), 120.0F);
  EXPECT_EQ(product("FMUL.D8.SAT"), 1.0F);
}

}  // namespace
}  // namespace tilescope::machine
