#include "kernel/compile/compile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "compile_fixture.h"
#include "kernel/catalogue/parameter_values.h"

namespace tilescope {
namespace {

using testing::catalogue;
using testing::catalogue_request;
using testing::entry;

using Compile = testing::CompileTest;

bool has_line_information(const std::string& ptx) {
  return ptx.find("\t.loc\t") != std::string::npos && ptx.find(".file") != std::string::npos;
}

// These share the cache of all tests: other tests compile the same kernels.
TEST(CompileCatalogue, EveryKernelAtItsDefaults) {
  for (const CatalogueEntry& kernel : catalogue().entries) {
    const Result<CompiledKernel> compiled = compile(catalogue_request(kernel, {}), {});
    ASSERT_TRUE(compiled.ok()) << kernel.id << ": " << to_string(compiled.error());
    EXPECT_EQ(compiled->kernel, kernel.kernel);
    EXPECT_EQ(compiled->architecture, "sm_90");
    EXPECT_TRUE(compiled->compiler.starts_with("NVRTC ")) << compiled->compiler;
    EXPECT_NE(compiled->ptx.find(".entry " + kernel.kernel), std::string::npos);
    EXPECT_TRUE(has_line_information(compiled->ptx)) << kernel.id;
    EXPECT_TRUE(compiled->cubin.empty());
    EXPECT_FALSE(compiled->has_resources);
    EXPECT_EQ(compiled->log, "") << kernel.id;
  }
}

// The parameters with these pinned, the others at the nearest values that are legal with them.
// Empty: there are none.
ParameterSet nearest_legal(const CatalogueEntry& kernel, const ParameterSet& pinned) {
  CatalogueEntry entry = kernel;
  for (ParameterSpec& parameter : entry.parameters) {
    const auto pin = pinned.find(parameter.name);
    if (pin != pinned.end()) parameter.values = {pin->second};
  }
  const auto violations = check_rules(entry, pinned, kernel.default_extents, testing::device(90));
  return violations.empty() ? pinned : violations.front().nearest_legal;
}

// Both ends of every slider: all sliders at once at that end where that is legal, else each alone.
TEST(CompileCatalogue, EveryKernelAtTheEndsOfItsSliders) {
  for (const CatalogueEntry& kernel : catalogue().entries) {
    for (const bool last : {false, true}) {
      std::vector<ParameterSet> alone;
      ParameterSet all;
      for (const ParameterSpec& parameter : kernel.parameters) {
        const std::int64_t end = last ? parameter.values.back() : parameter.values.front();
        all[parameter.name] = end;
        alone.push_back(nearest_legal(kernel, {{parameter.name, end}}));
        ASSERT_FALSE(alone.back().empty()) << kernel.id << " " << parameter.name << " " << end;
        EXPECT_EQ(alone.back().at(parameter.name), end);
      }
      const bool together =
          check_rules(kernel, all, kernel.default_extents, testing::device(90)).empty();
      for (const ParameterSet& changes : together ? std::vector{all} : alone) {
        const Result<CompiledKernel> compiled = compile(catalogue_request(kernel, changes), {});
        EXPECT_TRUE(compiled.ok()) << kernel.id << " " << values_words(&kernel, changes) << ": "
                                   << to_string(compiled.error());
      }
    }
  }
}

TEST(CompileCatalogue, EveryArchitectureThatIsAskedFor) {
  for (int capability : {75, 80, 86, 89, 90, 100, 120}) {
    for (const CatalogueEntry& kernel : catalogue().entries) {
      // All of them on the oldest and the newest; between, one shows that the name is passed on.
      const bool is_between = capability > 75 && capability < 120;
      if (is_between && kernel.id != "gemm/naive" && kernel.id != "gemm/warpgroup") continue;
      if (!testing::runs_on(kernel, capability)) continue;
      ParameterSet changes;
      if (capability < 80 && kernel.id == "gemm/register_tile") {
        changes = {{"ASYNC", 0}, {"STAGES", 2}};
      }
      const Result<CompiledKernel> compiled =
          compile(catalogue_request(kernel, changes, capability), {});
      ASSERT_TRUE(compiled.ok()) << kernel.id << ": " << to_string(compiled.error());
      const std::string target = ".target sm_" + std::to_string(capability);
      EXPECT_NE(compiled->ptx.find(target), std::string::npos) << kernel.id;
    }
  }
}

TEST_F(Compile, AnUnknownArchitectureListsTheKnownOnes) {
  CompileRequest request = catalogue_request(entry("gemm/naive"), {});
  request.compute_capability = 35;
  const Result<CompiledKernel> compiled = compile(request, {});
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, ErrorCode::kUsage);
  EXPECT_NE(compiled.error().remedy.find("sm_90"), std::string::npos);
}

TEST_F(Compile, CubinTellsItsResources) {
  CompileRequest request = catalogue_request(entry("transpose/tiled"), {{"TILE", 64}, {"PAD", 3}});
  request.want_cubin = true;
  const Result<CompiledKernel> compiled = compile(request, {});
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  ASSERT_TRUE(compiled->has_resources);
  EXPECT_EQ(compiled->resources.static_shared_bytes, 64 * 67 * 4);
  EXPECT_GT(compiled->resources.registers, 8);
  EXPECT_EQ(compiled->resources.spill_store_bytes, 0);
  ASSERT_GT(compiled->cubin.size(), 4U);
  EXPECT_EQ(compiled->cubin[1], std::byte{'E'});  // ELF
}

// Two blocks of the default register tile share a multiprocessor's 65,536 registers.
TEST_F(Compile, RegisterTileKeepsToItsRegisters) {
  const std::vector<ParameterSet> buffered = {{{"STAGES", 1}},
                                              {{"STAGES", 2}},
                                              {{"STAGES", 3}},
                                              {{"STAGES", 1}, {"ASYNC", 0}},
                                              {{"STAGES", 2}, {"ASYNC", 0}}};
  for (const ParameterSet& changes : buffered) {
    CompileRequest request = catalogue_request(entry("gemm/register_tile"), changes);
    request.want_cubin = true;
    const Result<CompiledKernel> compiled = compile(request, {});
    ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
    SCOPED_TRACE(values_words(&entry("gemm/register_tile"), changes));
    EXPECT_LE(compiled->resources.registers, 128);
    EXPECT_EQ(compiled->resources.spill_load_bytes, 0);
    EXPECT_EQ(compiled->resources.stack_bytes, 0);
  }
}

TEST_F(Compile, SpillsAreSeen) {
  const Result<CompiledKernel> compiled = compile_text(R"(
__global__ void __launch_bounds__(1024, 2) spills(float* p) {
  float x[64];
  for (int i = 0; i < 64; ++i) x[i] = p[threadIdx.x + 32 * i];
  for (int r = 0; r < 100; ++r) {
#pragma unroll
    for (int i = 0; i < 64; ++i) x[i] = x[i] * x[(i + 7) % 64] + x[(i + 13) % 64];
  }
  for (int i = 0; i < 64; ++i) p[threadIdx.x + 32 * i] = x[i];
})",
                                                       "", true);
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_GT(compiled->resources.spill_store_bytes, 0);
  EXPECT_GT(compiled->resources.stack_bytes, 0);
  EXPECT_LE(compiled->resources.registers, 32);
}

// What is emulated is what runs: asking for the cubin does not change the PTX. Of kernels with
// hundreds of sums (gemm/tensor_fed, gemm/split_k) NVRTC numbers some registers differently from
// one time to the next, by what it compiled before and whatever is asked for: they are not among
// these.
TEST(CompileCatalogue, PtxIsTheSameWithAndWithoutCubin) {
  for (const char* id :
       {"copy/plain", "transpose/tiled", "transpose/tensor_copy", "gemm/naive",
        "gemm/register_tile", "gemm/tensor_core", "gemm/warpgroup", "gemm/multicast",
        "reduction/unrolled", "scan/brent_kung", "histogram/privatised", "softmax/online"}) {
    CompileRequest request = catalogue_request(entry(id), {});
    const Result<CompiledKernel> ptx = compile(request, {});
    request.want_cubin = true;
    const Result<CompiledKernel> both = compile(request, {});
    ASSERT_TRUE(ptx.ok() && both.ok());
    EXPECT_EQ(ptx->ptx, both->ptx) << id;
  }
}

TEST_F(Compile, ParametersAndDefinesReachTheCode) {
  CompileRequest request;
  request.instance.file_name = "defines.cu";
  request.instance.source = "__global__ void k(int* p) { *p = WIDTH * 1000 + HEIGHT; }";
  request.instance.problem = Problem();
  request.instance.parameters = {{"WIDTH", 12}};
  request.instance.defines = {"HEIGHT=34"};
  const Result<CompiledKernel> compiled = compile(request, {});
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_NE(compiled->ptx.find("12034"), std::string::npos);
}

// What NVRTC leaves out of a plain program is there for one that asks for it.
TEST_F(Compile, TexturesCompileWithAndWithoutTheirType) {
  for (const char* type : {"cudaTextureObject_t", "unsigned long long"}) {
    const Result<CompiledKernel> compiled =
        compile_text("__global__ void k(" + std::string(type) +
                     " image, float* p) { *p = tex2D<float>(image, 1.0f, 2.0f); }");
    ASSERT_TRUE(compiled.ok()) << type << ": " << to_string(compiled.error());
    EXPECT_NE(compiled->ptx.find("tex.2d"), std::string::npos) << type;
  }
}

TEST_F(Compile, AnErrorKeepsItsFileLineAndColumn) {
  const Result<CompiledKernel> compiled = compile_text(
      "__device__ int twice(int x) { return 2 * x; }\n"
      "\n"
      "__global__ void k(int* p) {\n"
      "  p[0] = twice(1);\n"
      "  p[1] = trice(2);\n"
      "}\n");
  expect_error(compiled, 5, "identifier \"trice\" is undefined");
  EXPECT_EQ(compiled.error().place.file, "test.cu");
  EXPECT_EQ(compiled.error().place.column, 10);
}

TEST_F(Compile, EveryErrorIsKnownWithItsPlace) {
  CompileRequest request = catalogue_request(entry("gemm/naive"), {});
  request.instance.source =
      "__global__ void gemm_naive(float* out) {\n"
      "  out[0] = nonesuch1;\n"
      "  int i = 0;\n"
      "  out[i] = nonesuch2 + nonesuch3;\n"
      "}\n";
  const auto first = compile(request, {});
  ASSERT_FALSE(first.ok());
  const std::vector<Error> errors = compile_errors(request, {});
  ASSERT_GE(errors.size(), 2U);
  EXPECT_EQ(to_string(errors.front()), to_string(first.error()));
  EXPECT_EQ(errors[0].place.line, 2);
  EXPECT_EQ(errors[1].place.line, 4);
  EXPECT_NE(errors[1].message.find("nonesuch2"), std::string::npos);
  EXPECT_TRUE(compile_errors(catalogue_request(entry("gemm/naive"), {}), {}).empty());
}

TEST_F(Compile, AStaticAssertionSpeaksForItself) {
  CompileRequest request = catalogue_request(entry("transpose/tiled"), {});
  request.instance.parameters["BLOCK_ROWS"] = 5;
  const Result<CompiledKernel> compiled = compile(request, {});
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, ErrorCode::kCompile);
  EXPECT_EQ(compiled.error().place.file, "transpose/04_tiled.cu");
  EXPECT_GT(compiled.error().place.line, 10);
  EXPECT_NE(compiled.error().message.find("in steps of BLOCK_ROWS"), std::string::npos)
      << compiled.error().message;
}

TEST_F(Compile, WarningsComeWithTheKernel) {
  const Result<CompiledKernel> compiled =
      compile_text("__global__ void k(int* p) {\n  unsigned u = 1;\n  if (u < 0) p[0] = 1;\n}\n");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_NE(compiled->log.find("test.cu(3): warning"), std::string::npos) << compiled->log;
}

TEST_F(Compile, AStopRequestIsHonoured) {
  std::stop_source stop;
  stop.request_stop();
  const Result<CompiledKernel> compiled =
      compile(catalogue_request(entry("gemm/naive"), {}), stop.get_token());
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, ErrorCode::kCancelled);
}

TEST_F(Compile, ThreadsMayCompileAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::string> ptx(8);
  for (std::size_t i = 0; i < ptx.size(); ++i) {
    threads.emplace_back([&, i] {
      const ParameterSet changes = {{"BLOCK_X", std::int64_t{1} << (i % 4)}};
      const Result<CompiledKernel> compiled =
          compile(catalogue_request(entry("gemm/naive"), changes), {});
      if (compiled.ok()) ptx[i] = compiled->ptx;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_FALSE(ptx[i].empty());
    EXPECT_EQ(ptx[i], ptx[i + 4]);
    EXPECT_NE(ptx[i], ptx[(i + 1) % 4]);
  }
}

TEST_F(Compile, CompilerInfoNamesLibraryAndArchitectures) {
  const Result<CompilerInfo> info = compiler_info();
  ASSERT_TRUE(info.ok()) << to_string(info.error());
  EXPECT_TRUE(info->version.starts_with("NVRTC 1")) << info->version;
  EXPECT_TRUE(std::filesystem::exists(info->library)) << info->library;
  EXPECT_NE(std::ranges::find(info->architectures, 90), info->architectures.end());
  EXPECT_TRUE(std::filesystem::exists(info->cuda_include_directory + "/cuda_fp16.h"));
}

}  // namespace
}  // namespace tilescope
