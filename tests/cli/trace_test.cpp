#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "program.h"

namespace tilescope {
namespace {

using nlohmann::json;

json trace(const std::string& arguments, int expected_status = 0) {
  const ProgramRun run = run_tilescope("trace " + arguments + " --json");
  EXPECT_EQ(run.status, expected_status) << run.errors;
  return json::parse(run.output, nullptr, false);
}

double per_request(const json& document, const std::string& line_class, const char* cost) {
  double total = 0;
  double requests = 0;
  for (const json& line : document["lines"]) {
    if (line["class"] != line_class) continue;
    total += line[cost].get<double>();
    requests += line["requests"].get<double>();
  }
  return total / requests;
}

TEST(Trace, NaiveTransposeStoresASectorPerLane) {
  const json document = trace("transpose/naive --size 256");
  EXPECT_EQ(per_request(document, "global_store", "sectors"), 32);
  EXPECT_EQ(per_request(document, "global_load", "sectors"), 4);
  EXPECT_EQ(document["metrics"]["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"], 256 * 256);
  EXPECT_TRUE(document["complete"].get<bool>());
  EXPECT_TRUE(document["result"]["ok"].get<bool>());
  EXPECT_EQ(document["emulated"]["blocks"], document["emulated"]["of_blocks"]);
}

TEST(Trace, TiledTransposeWithoutPadMeetsInOneBank) {
  const json document = trace("-p PAD=0 transpose/tiled --size 256");
  EXPECT_EQ(per_request(document, "global_store", "sectors"), 4);
  EXPECT_EQ(per_request(document, "shared_load", "wavefronts"), 32);
}

TEST(Trace, OneFloatOfPadRemovesTheConflict) {
  const json document = trace("transpose/tiled --size 256 -p PAD=1");
  EXPECT_EQ(per_request(document, "global_store", "sectors"), 4);
  EXPECT_EQ(per_request(document, "shared_load", "wavefronts"), 1);
}

TEST(Trace, SaysHowAClustersAccessesCount) {
  const char* launch =
      "trace tests/corpus/kernels/c_access.cu --kernel far_loads --block 64 "
      "--arg 'i32[4096]=random:1' --arg 'i32[128]=zero' --arg i32:1 --arg i32:3 --grid ";
  const ProgramRun run = run_tilescope(std::string(launch) + "2");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.output.find("not counted as wavefronts"), std::string::npos) << run.output;
  const ProgramRun ragged = run_tilescope(std::string(launch) + "3");
  EXPECT_EQ(ragged.status, 1);
  EXPECT_NE(ragged.errors.find("cannot be cut into clusters of 2 x 1 x 1"), std::string::npos)
      << ragged.errors;
  EXPECT_EQ(
      run_tilescope("trace transpose/naive --size 64").output.find("not counted as wavefronts"),
      std::string::npos);
}

TEST(Trace, TakesAlphaAndBetaOfAGemm) {
  const json document = trace("gemm/shared_tile --size 33x40x17 --alpha 2 --beta -0.5");
  EXPECT_TRUE(document["result"]["ok"].get<bool>());
  const json plain = trace("gemm/shared_tile --size 33x40x17");
  const char* loads = "smsp__inst_executed_op_global_ld.sum";
  EXPECT_GT(document["metrics"][loads], plain["metrics"][loads]);  // C is read too
}

TEST(Trace, WhatHasNoAlphaOrBetaSaysSo) {
  const ProgramRun transpose = run_tilescope("trace transpose/tiled --size 64 --beta 1");
  EXPECT_EQ(transpose.status, 1);
  EXPECT_NE(transpose.errors.find("transpose/tiled has no factor beta"), std::string::npos)
      << transpose.errors;
  const ProgramRun endless = run_tilescope("trace gemm/naive --size 64 --alpha inf");
  EXPECT_EQ(endless.status, 1);
  EXPECT_NE(endless.errors.find("no finite f32"), std::string::npos) << endless.errors;
  const ProgramRun window =
      run_tilescope("--headless --no-gpu --screenshot x.png --beta nan gemm/naive");
  EXPECT_EQ(window.status, 1);
  EXPECT_NE(window.errors.find("--beta nan is no finite f32"), std::string::npos) << window.errors;
}

TEST(Trace, TakesAWholeProgramAsItIs) {
  const json document = trace(
      "tests/kernels/files/whole_program.cu --grid 4 --block 256 --arg 'f32[1000]=iota' --arg "
      "'f32[1000]' "
      "--arg i32:1000 --arg f32:2");
  for (const char* key : {"kernel", "arch", "grid", "block", "registers", "static_shared_bytes",
                          "dynamic_shared_bytes", "spill_bytes", "complete", "metrics", "lines",
                          "instructions", "findings", "emulated"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  std::uint64_t executed = 0;
  for (const json& row : document["instructions"]) executed += row["executed"].get<std::uint64_t>();
  EXPECT_EQ(executed, document["metrics"].value("smsp__inst_executed.sum", executed));
  EXPECT_EQ(document["kernel"], "scale");
  EXPECT_EQ(document["metrics"]["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"], 32);
  EXPECT_EQ(document["metrics"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], 125);
  for (const json& line : document["lines"]) {
    if (line["class"] != "global_store") continue;
    EXPECT_EQ(line["line"], 18);
  }
}

// The 64 floats that a launch leaves in an argument.
std::vector<float> written(const std::string& launch, const std::string& argument) {
  const auto file = std::filesystem::path(testing::TempDir()) / "tilescope_trace_out.bin";
  const json document = trace(launch + " --out " + argument + "=" + file.string());
  EXPECT_TRUE(document["findings"].empty()) << document["findings"].dump(1);
  std::ifstream stream(file, std::ios::binary);
  std::vector<float> values(64);
  stream.read(reinterpret_cast<char*>(values.data()), 256);
  EXPECT_TRUE(stream.good());
  std::filesystem::remove(file);
  return values;
}

TEST(Trace, WritesABufferBack) {
  EXPECT_EQ(written("tests/kernels/files/whole_program.cu --grid 1 --block 64 --arg 'f32[64]=iota' "
                    "--arg 'f32[64]' --arg i32:64 --arg f32:3",
                    "1")[5],
            15.0f);
}

TEST(Trace, TakesStructuresAsArguments) {
  const std::string launch =
      "tests/kernels/files/structures.cu --grid 1,1 --block 8,8 "
      "--arg '{i32:8, i32:8, f32[64]=iota}' --arg '{i32:8,i32:8,f32[64]=zero}' ";
  const std::string rest = " --arg '{f32:0, f32:0.25}'";
  for (const char* counting : {" --as-written", ""}) {
    const std::vector<float> values =
        written(launch +
                    "--arg '{i8:7, pad:15, f32:0, f32:0, f32:0.5, f32:0, f64:1, f64:2, f64:3, "
                    "pad:8}'" +
                    rest + counting,
                "out.elements");
    EXPECT_EQ(values[0], 0.75F);
    EXPECT_EQ(values[9], 9 * 2 + 0.75F);
    EXPECT_EQ(values[63], 63 * 2 + 0.75F);
  }
  const ProgramRun whole = run_tilescope("trace " + launch + "--arg i64:7" + rest);
  EXPECT_NE(whole.errors.find("is a structure of 64 bytes"), std::string::npos) << whole.errors;
  const ProgramRun few = run_tilescope("trace " + launch + "--arg '{i8:7, f64:1}'" + rest);
  EXPECT_NE(few.errors.find("has 64 bytes, and its members make 16"), std::string::npos)
      << few.errors;
}

TEST(Trace, ALaunchToBeginWithHasTheStructuresMembers) {
  const ProgramRun run = run_tilescope("trace tests/kernels/files/structures.cu");
  constexpr std::string_view kSaid = "guessed launch: ";
  const std::size_t guess = run.errors.find(kSaid);
  ASSERT_NE(guess, std::string::npos) << run.errors;
  const std::string options = run.errors.substr(guess + kSaid.size());
  const json document =
      trace("tests/kernels/files/structures.cu --sample " + options.substr(0, options.find('\n')));
  EXPECT_TRUE(document["findings"].empty());
}

TEST(Trace, FollowsTablesOfAddresses) {
  for (const char* counting : {" --as-written", ""}) {
    const std::vector<float> values = written(
        "tests/kernels/files/address_tables.cu --grid 1 --block 64 --arg 'f32[64]' --arg "
        "i32:64" +
            std::string(counting),
        "out");
    EXPECT_EQ(values[2], 3 + 10 + 20 + 300);
    EXPECT_EQ(values[7], 8 + 40 + 40 + 100);
  }
}

TEST(Trace, ASampleOfBlocksThatWaitForEachOtherIsTheWholeGrid) {
  const json document = trace(
      "tests/kernels/files/grid_barrier.cu --grid 64 --block 64 --arg 'f32[4096]=zero' --arg "
      "'u32[1]=zero' --arg i32:4096 --sample");
  EXPECT_TRUE(document["findings"].empty());
  EXPECT_TRUE(document["complete"].get<bool>());
  EXPECT_EQ(document["emulated"]["blocks"], 64);
}

TEST(Trace, NamesTheAccessPastAnEnd) {
  const json document =
      trace("tests/kernels/files/out_of_bounds.cu --grid 1 --block 64 --arg 'f32[64]'", 2);
  ASSERT_FALSE(document["findings"].empty());
  const json& finding = document["findings"][0];
  EXPECT_EQ(finding["kind"], "out_of_bounds");
  EXPECT_EQ(finding["line"], 2);
  EXPECT_EQ(finding["thread"], json({63, 0, 0}));
}

TEST(Trace, AHeadersAccessIsTheLinesThatCallsIt) {
  const std::string launch =
      "tests/kernels/files/halves.cu --grid 1 --block 32 --arg 'f16[64]=random:1' --arg 'f16[64]'";
  EXPECT_TRUE(trace(launch + " --shared 128")["findings"].empty());
  const json document = trace(launch, 2);
  ASSERT_EQ(document["findings"].size(), 2U);
  EXPECT_EQ(document["findings"][0]["line"], 5);
  EXPECT_EQ(document["findings"][1]["line"], 7);
  EXPECT_EQ(document["findings"][1]["message"],
            "reads kept, but the launch gives it 0 bytes of dynamic shared memory: give it what "
            "the array needs");
}

TEST(Trace, NamesOneOfTheAccessesToBlocksThatHaveLeft) {
  const json document = trace(
      "tests/mutations/cluster_halo.cu -D MUTANT=1 --arch sm_90 --grid 4 --block 64 --arg "
      "f32[256]=random:1 f32[256]=zero",
      2);
  const json& findings = document["findings"];
  EXPECT_EQ(
      std::ranges::count_if(findings, [](const json& each) { return each["kind"] == "barrier"; }),
      1)
      << findings.dump(1);
}

TEST(Trace, AFileWithoutALaunchGetsOneThatWasTried) {
  const ProgramRun run = run_tilescope("trace tests/kernels/files/halves.cu --sample");
  EXPECT_EQ(run.status, 0) << run.errors << run.output;
  const std::size_t guess = run.errors.find("halves.cu: guessed launch: --grid ");
  ASSERT_NE(guess, std::string::npos) << run.errors;
  for (const char* option : {" --block ", " --shared ", " --arg "}) {
    EXPECT_NE(run.errors.find(option, guess), std::string::npos) << run.errors;
  }
}

TEST(Trace, CompileErrorsHaveFileAndLine) {
  const ProgramRun run = run_tilescope(
      "trace tests/kernels/files/does_not_compile.cu --grid 1 --block 32 --arg 'f32[32]'");
  EXPECT_EQ(run.status, 4);
  EXPECT_NE(run.errors.find("does_not_compile.cu:2"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("undeclared"), std::string::npos) << run.errors;
}

struct Mistake {
  const char* arguments;
  int status;
  const char* says;
};

void PrintTo(const Mistake& mistake, std::ostream* stream) { *stream << mistake.arguments; }

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, GetOneClearLine) {
  const ProgramRun run = run_tilescope(GetParam().arguments);
  EXPECT_EQ(run.status, GetParam().status) << run.errors;
  EXPECT_NE(run.errors.find(GetParam().says), std::string::npos) << run.errors;
}

INSTANTIATE_TEST_SUITE_P(
    Trace, Mistakes,
    testing::Values(
        Mistake{"trace gemm/nonesuch", 1, "no kernel 'gemm/nonesuch'"},
        Mistake{"trace nonesuch.cu --grid 1 --block 1", 1,
                "nonesuch.cu: cannot read it: No such file"},
        Mistake{"trace gemm/naive --size 12x", 1, "12x"},
        Mistake{"trace gemm/naive --size 0", 1, "0"},
        Mistake{"trace gemm/naive -p BLOCK=4", 1, "BLOCK_X"},
        Mistake{"trace gemm/register_tile -p TILE_M=96 -p THREAD_M=16 -p THREAD_N=16", 1, "TILE_M"},
        Mistake{"trace gemm/naive --arch sm_20", 1, "sm_75"},
        Mistake{"trace tests/kernels/files/whole_program.cu --block 32", 1, "--grid"},
        Mistake{"trace tests/kernels/files/whole_program.cu --grid 1 --block 32 --arg i32:1", 1,
                "argument"},
        Mistake{"trace tests/kernels/files/whole_program.cu --grid 1 --block 2000", 1, "1024"},
        Mistake{"nonesuch", 1, "no kernel 'nonesuch'"}));

TEST(Trace, AFileMayHaveAnyName) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("tilescope_names_" + std::to_string(::getpid()));
  for (const char* name : {"q\"x.cu", "a\nb.cu", "back\\slash.cu", "a\"\n.file 9 \"x.cu",
                           "\xd0\xb4\xd0\xbe\xd0\xbc.cu", "lat\xff.cu", "100%.cu"}) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / name) << "__global__ void f(float* x) {\n  x[threadIdx.x] = 1;\n}\n";
    const json document =
        trace("'" + (folder / name).string() + "' --grid 1 --block 32 --arg 'f32[32]=zero'");
    ASSERT_TRUE(document.is_object()) << name;
    ASSERT_FALSE(document["lines"].empty()) << name;
    const std::string shown = document["lines"].back()["file"];
    const std::string whole = (folder / name).string();
    EXPECT_EQ(shown.substr(0, whole.find('\xff')), whole.substr(0, whole.find('\xff')));
    EXPECT_TRUE(shown.ends_with(".cu")) << shown;
    std::filesystem::remove_all(folder);
  }
}

// Which warp is first decides what its atomic returns, and so which sectors the stores share.
TEST(Trace, SaysWhichCountsDependOnTheOrderOfWarps) {
  const std::string file = "tests/kernels/files/tickets.cu";
  const std::string buffers = " --grid 32 --block 256 --arg 'f32[8192]=random:1' 'f32[8192]=zero'";
  const char* stores = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
  const json compact = trace(file + " --kernel compact" + buffers + " 'u32[1]=zero' i32:8192");
  const json& others = compact["metrics_with_other_turns"];
  ASSERT_TRUE(others.contains(stores)) << others;
  EXPECT_EQ(others.size(), 1u) << others;
  EXPECT_NE(others[stores], compact["metrics"][stores]);
  const ProgramRun text =
      run_tilescope("trace " + file + " --kernel compact" + buffers + " 'u32[1]=zero' i32:8192");
  EXPECT_NE(text.output.find(" or "), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("with the last warp and block first"), std::string::npos);
}

TEST(Trace, CountsThatNoOrderChangesHaveNoOther) {
  const std::string file = "tests/kernels/files/tickets.cu";
  EXPECT_FALSE(trace(file + " --kernel count_above --grid 32 --block 256 --arg "
                            "'f32[8192]=random:1' 'u32[1]=zero' i32:8192")
                   .contains("metrics_with_other_turns"));
  EXPECT_FALSE(trace(file + " --kernel last_block --grid 8 --block 128 --arg 'f32[1024]=random:1' "
                            "'f32[1024]=zero' 'u32[1]=zero' 'f32[128]=zero'")
                   .contains("metrics_with_other_turns"));
}

}  // namespace
}  // namespace tilescope
