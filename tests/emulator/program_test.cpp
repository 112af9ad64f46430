#include "emulator/program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "emulator/source_phases.h"
#include "kernel_run.h"

namespace tilescope {
namespace {

std::string module_with(const std::string& body) {
  return ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n" +
         body + "\n}\n";
}

struct BadText {
  std::string text;
  int line;
  std::string message;  // part of it
};

class BadPtx : public testing::TestWithParam<BadText> {};

TEST_P(BadPtx, IsAnErrorWithItsLine) {
  const auto program = decode_ptx(GetParam().text, "", "");
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().code, ErrorCode::kCompile);
  EXPECT_EQ(program.error().place.line, GetParam().line) << program.error().message;
  EXPECT_NE(program.error().message.find(GetParam().message), std::string::npos)
      << program.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Texts, BadPtx,
    testing::Values(
        BadText{"", 1, "no PTX"}, BadText{"int main() {}", 1, "no PTX"},
        BadText{module_with(".reg .b32 %r<4>;\nadd.u32 %r1, %r2\nret;"), 8, "';' is expected"},
        BadText{module_with("bra NOWHERE;"), 6, "NOWHERE"},
        BadText{module_with(".reg .b32 %r<4>;\n@%r1 bra X;\nX: ret;"), 7, "no predicate"},
        BadText{module_with(".reg .b33 %r<4>;"), 6, ".b33"},
        BadText{module_with("L: ret;\nL: ret;"), 7, "stands here twice"},
        BadText{module_with(".reg .b32 %r<99999999999>;"), 6, "registers"},
        BadText{".version 9.0\n.target sm_90\n.address_size 32\n", 3, "64-bit"},
        BadText{module_with(".shared .u4 x;"), 6, "no bytes"},
        BadText{".version 9.0\n.bogus x;\n", 2, ".bogus"},
        BadText{module_with(".shared .b8 s[99999999999999999999];"), 6, "more than 64 bits"},
        BadText{module_with(".reg .b32 %r<8>;\nmov.u32 %r1, %r77;"), 7, "'%r77' is not declared"},
        BadText{module_with("mov.u32 %zz, 1;"), 6, "'%zz' is not declared"},
        BadText{".version 99.9\n.target sm_90\n", 1, "99.9"},
        BadText{".version 9.0\n.target foo\n", 2, "foo"}));

TEST(Program, AnErrorInCompiledTextIsThatOfItsSource) {
  const auto program = decode_ptx(
      module_with(".loc 1 7 3\nret;\n.loc 1 8 3\ngarbage\n.loc 1 9 3\nret;") + ".file 1 \"a.cu\"\n",
      "", "");
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().place.file, "a.cu");
  EXPECT_EQ(program.error().place.line, 8);
  EXPECT_NE(program.error().message.find("of the PTX"), std::string::npos);
}

TEST(Program, NamesTheKernelsThatThereAre) {
  const std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.entry a() { ret; }\n.entry b() { ret; }\n";
  const auto several = decode_ptx(text, "", "");
  ASSERT_FALSE(several.ok());
  EXPECT_NE(several.error().remedy.find("a, b"), std::string::npos);
  const auto missing = decode_ptx(text, "c", "");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().remedy.find("a, b"), std::string::npos);
  EXPECT_TRUE(decode_ptx(text, "b", "").ok());
}

TEST(Program, FollowsInlinedLocationsOutToTheKernelsOwnLine) {
  const auto program =
      decode_ptx(module_with(".reg .b32 %r<4>;\n"
                             ".loc 1 40 3\n"
                             "mov.u32 %r1, 1;\n"
                             ".loc 1 7 1, function_name $L__info_string0, inlined_at 1 40 3\n"
                             "mov.u32 %r2, 2;\n"
                             ".loc 3 9 1, function_name $L__info_string1, inlined_at 1 7 1\n"
                             "mov.u32 %r3, 3;\nret;"),
                 "", "");
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const auto& instructions = (*program)->instructions();
  EXPECT_EQ(instructions[2].source.line, 7u);  // file 3 is a header's
  EXPECT_EQ(instructions[2].outermost.line, 40u);
  EXPECT_EQ(instructions[1].outermost.line, 40u);
  EXPECT_EQ(instructions[1].source.line, 7u);
  EXPECT_EQ(instructions[0].source, instructions[0].outermost);
}

// A kernel of one line, "body<float>(a, b);", whose loads and stores stand in the body's lines.
TEST(Program, SkipsTheCallThatAllAccessesShare) {
  const std::string access = "ld.global.f32 %f1, [%rd1];\n";
  const std::string begin = ".reg .f32 %f<2>;\n.reg .b64 %rd<2>;\n.loc 1 40 3\nmov.u64 %rd1, 0;\n";
  const std::string in_body = ".loc 1 7 1, function_name $L__info_string0, inlined_at 1 40 3\n";
  const std::string in_helper =
      ".loc 1 8 1, function_name $L__info_string0, inlined_at 1 40 3\n"
      ".loc 1 2 1, function_name $L__info_string1, inlined_at 1 8 1\n";
  using Lines = std::vector<std::uint32_t>;
  const auto lines = [&](const std::string& code) {
    const auto program = decode_ptx(module_with(begin + code + "ret;"), "", "");
    EXPECT_TRUE(program.ok());
    Lines result;
    if (!program.ok()) return result;
    for (const StaticInstruction& each : (*program)->instructions()) {
      result.push_back(each.outermost.line);
    }
    return result;
  };
  EXPECT_EQ(lines(in_body + access + in_helper + access), (Lines{40, 7, 8, 8}));
  // Another access in the kernel itself: its lines say where each is called.
  EXPECT_EQ(lines(in_body + access + ".loc 1 41 3\n" + access), (Lines{40, 40, 41, 41}));
  // So does a copy that runs beside the threads, and the mbarrier that announces it.
  const std::string copy =
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd1], [%rd1], 16, "
      "[%rd1];\n";
  const std::string wait = "mbarrier.arrive.shared.b64 _, [%rd1];\n";
  EXPECT_EQ(lines(in_body + access + ".loc 1 41 3\n" + copy), (Lines{40, 40, 41, 41}));
  EXPECT_EQ(lines(in_body + access + ".loc 1 41 3\n" + wait), (Lines{40, 40, 41, 41}));
  EXPECT_EQ(lines(in_body + copy + in_helper + wait), (Lines{40, 7, 8, 8}));
}

// The instructions of a kernel of these statements.
std::vector<StaticInstruction> instructions_of(std::shared_ptr<const Program>* program,
                                               const std::string& body) {
  auto decoded = decode_ptx(module_with(".reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.reg .f32 %f<8>;\n"
                                        ".reg .pred %p<4>;\n.shared .b32 tile[64];\n" +
                                        body + "\nret;"),
                            "", "");
  EXPECT_TRUE(decoded.ok());
  if (!decoded) return {};
  *program = *std::move(decoded);
  return (*program)->instructions();
}

TEST(StaticInstruction, KnowsItsOperandsAndRegisters) {
  std::shared_ptr<const Program> program;
  const auto all = instructions_of(&program,
                                   "@%p1 ld.shared.v2.f32 {%f1, %f2}, [%r1+8];\n"
                                   "fma.rn.f32 %f1, %f2, %f2, %f1;\n"
                                   "st.shared.u32 [tile+4], %r2;");
  ASSERT_EQ(all.size(), 4u);
  const StaticInstruction& load = all[0];
  EXPECT_EQ(load.opcode, "ld.shared.v2.f32");
  EXPECT_TRUE(load.is(Mnemonic::kLd));
  EXPECT_EQ(load.vector, 2);
  ASSERT_NE(load.address(), nullptr);
  EXPECT_EQ(load.address()->displacement, 8);
  std::vector<std::uint32_t> named;
  load.for_registers(load.operands[0], [&](std::uint32_t number) { named.push_back(number); });
  EXPECT_TRUE(std::ranges::equal(load.writes, named));
  ASSERT_EQ(load.reads.size(), 2u);
  EXPECT_EQ(load.reads[0], load.guard);
  const StaticInstruction& sum = all[1];
  EXPECT_EQ(sum.writes[0], named[0]);
  EXPECT_TRUE(std::ranges::equal(sum.reads, std::vector{named[1], named[1], named[0]}));
  EXPECT_EQ(sum.guard, kNoIndex);
  EXPECT_EQ(all[2].address()->base_kind, OperandKind::kVariable);
  EXPECT_TRUE(all[2].writes.empty());
  for (const StaticInstruction& each : all) {
    for (const std::uint32_t number : each.reads) EXPECT_LT(number, program->register_count());
  }
}

TEST(StaticInstruction, TakesItsUnitAndItsTraitsFromTheTable) {
  std::shared_ptr<const Program> program;
  const auto all = instructions_of(&program,
                                   "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;\n"
                                   "mul.lo.s32 %r1, %r1, %r2;\n"
                                   "cvt.rn.f32.s32 %f1, %r1;\n"
                                   "cvt.u64.u32 %rd1, %r1;\n"
                                   "rsqrt.approx.f32 %f2, %f1;\n"
                                   "cp.async.wait_group 3;\n"
                                   "fence.acq_rel.gpu;\n"
                                   "membar.cta;\n"
                                   "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                                   "{%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4};\n"
                                   "mbarrier.test_wait.parity.shared.b64 %p1, [tile], 0;");
  ASSERT_EQ(all.size(), 11u);
  const auto units = [&](std::size_t i) { return all[i].unit; };
  EXPECT_EQ(units(0), ExecutionUnit::kMemory);
  EXPECT_EQ(all[0].warp_use, WarpUse::kNamed);
  EXPECT_TRUE(all[0].has(Modifier::kBfly));
  EXPECT_EQ(units(1), ExecutionUnit::kMultiply);
  EXPECT_EQ(units(2), ExecutionUnit::kSpecial);
  EXPECT_EQ(units(3), ExecutionUnit::kAlu);
  EXPECT_EQ(units(4), ExecutionUnit::kSpecial);
  EXPECT_EQ(all[5].synchronisation, Synchronisation::kWaitCopies);
  EXPECT_EQ(all[5].groups, 3);
  EXPECT_EQ(all[6].synchronisation, Synchronisation::kDeviceFence);
  EXPECT_EQ(all[7].synchronisation, Synchronisation::kBlockFence);
  EXPECT_EQ(all[8].matrix.m * all[8].matrix.n * all[8].matrix.k, 16 * 8 * 8);
  EXPECT_EQ(all[8].warp_use, WarpUse::kAll);
  EXPECT_EQ(all[9].synchronisation, Synchronisation::kWaitMbarrier);
  EXPECT_EQ(all[10].control, Control::kReturn);
}

TEST(Program, KnowsLoopsAndTheirNesting) {
  const auto program = decode_ptx(module_with(".reg .b32 %r<4>;\n.reg .pred %p<3>;\n"
                                              "OUTER: add.u32 %r1, %r1, 1;\n"
                                              "INNER: add.u32 %r2, %r2, 1;\n"
                                              "setp.lt.u32 %p1, %r2, 5;\n@%p1 bra INNER;\n"
                                              "setp.lt.u32 %p2, %r1, 5;\n@%p2 bra OUTER;\nret;"),
                                  "", "");
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const auto& loops = (*program)->loops();
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].depth, 1);
  EXPECT_EQ(loops[1].depth, 2);
  EXPECT_EQ(loops[1].parent, 1);
  EXPECT_EQ((*program)->instructions()[0].loop, 1);
  EXPECT_EQ((*program)->instructions()[1].loop, 2);
  EXPECT_EQ((*program)->instructions().back().loop, 0);
  EXPECT_EQ((*program)->instructions()[loops[1].header].text, "add.u32 %r2, %r2, 1;");
}

TEST(SourcePhases, AreTakenFromTheKernelOnly) {
  const std::string source =
      "#define TILESCOPE_PHASE(name)\n"
      "__device__ void f() { TILESCOPE_PHASE(other); }\n"
      "__global__ void a(int n) {\n"
      "  TILESCOPE_PHASE(load);\n"
      "  // TILESCOPE_PHASE(commented)\n"
      "  if (n) { TILESCOPE_PHASE( compute ); }\n"
      "}\n"
      "__global__ void b() { TILESCOPE_PHASE(wrong); }\n";
  const auto phases = find_phases(source, "_Z1ai");
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].name, "load");
  EXPECT_EQ(phases[0].line, 4);
  EXPECT_EQ(phases[1].name, "compute");
  EXPECT_EQ(phases[1].line, 6);
}

TEST(Program, HasThePhasesOfACatalogueKernel) {
  const PreparedKernel prepared = prepare_kernel("transpose/tiled", {}, "64x64");
  ASSERT_NE(prepared.program, nullptr);
  EXPECT_EQ(prepared.program->phases(), (std::vector<std::string>{"load", "wait", "store"}));
  for (const StaticInstruction& instruction : prepared.program->instructions()) {
    if (instruction.is_barrier) {
      EXPECT_EQ(instruction.phase, 1);
    }
    if (instruction.access == AccessKind::kLoad && instruction.space == MemorySpace::kShared) {
      EXPECT_EQ(instruction.phase, 2);
    }
  }
}

// Its copies and products run beside the threads, in functions that the kernel calls.
TEST(Program, HasThePhasesOfAKernelThatCopiesByTensorMaps) {
  const PreparedKernel prepared = prepare_kernel("gemm/tensor_store", {}, "256x256x64");
  ASSERT_NE(prepared.program, nullptr);
  const auto phase_of = [&](const StaticInstruction& instruction) {
    return instruction.phase < 0
               ? std::string()
               : prepared.program->phases()[static_cast<std::size_t>(instruction.phase)];
  };
  std::size_t products = 0;
  for (const StaticInstruction& instruction : prepared.program->instructions()) {
    if (instruction.operation == Operation::kWarpgroupProduct) {
      EXPECT_EQ(phase_of(instruction), "compute");
      ++products;
    }
    if (instruction.operation == Operation::kTensorStore) {
      EXPECT_EQ(phase_of(instruction), "epilogue");
    }
  }
  EXPECT_GT(products, 0u);
}

TEST(Program, HandsThePhaseOfACallToTheFunction) {
  const PreparedKernel prepared = prepare_kernel("divergence/switch", {}, "64x64");
  ASSERT_NE(prepared.program, nullptr);
  const auto& phases = prepared.program->phases();
  const auto compute = std::find(phases.begin(), phases.end(), "compute") - phases.begin();
  std::size_t adds = 0;
  for (const StaticInstruction& instruction : prepared.program->instructions()) {
    if (!instruction.text.starts_with("add.s32") || instruction.loop == 0) continue;
    EXPECT_EQ(instruction.phase, compute) << instruction.text;
    ++adds;
  }
  EXPECT_GT(adds, 0u);
}

// Whatever the text, decoding answers: mutations of a real module must neither crash nor hang.
TEST(Program, SurvivesMutatedText) {
  const PreparedKernel prepared = prepare_kernel("transpose/tiled", {}, "64x64");
  ASSERT_NE(prepared.program, nullptr);
  const auto compiled = compile({prepared.instance, 90, false}, {});
  ASSERT_TRUE(compiled.ok());
  std::mt19937 random(11);
  const std::string tokens = "{}[](),;:.@%!|<>+-=0123456789abcxr \n\"";
  for (int round = 0; round < 2000; ++round) {
    std::string text = compiled->ptx;
    const std::size_t edits = 1 + random() % 6;
    for (std::size_t i = 0; i < edits; ++i) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = tokens[random() % tokens.size()];
          break;
        case 1:
          text.erase(at, random() % 40);
          break;
        case 2:
          text.insert(at, 1, tokens[random() % tokens.size()]);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 60));
          break;
      }
    }
    const auto program = decode_ptx(text, "", "");
    if (!program.ok()) {
      EXPECT_FALSE(program.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace tilescope
