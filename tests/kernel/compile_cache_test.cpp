#include "kernel/compile/compile_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "compile_fixture.h"
#include "kernel/source/kernel_name.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::catalogue_request;
using testing::TemporaryFolder;

CompiledModule sample() {
  CompiledModule module;
  module.ptx = std::string(1000, 'p');
  module.cubin = {std::byte{0}, std::byte{255}, std::byte{7}};
  module.instance = "_Z1kILi4EEvv";
  module.resources["k"] = {.registers = 40,
                           .static_shared_bytes = 1,
                           .spill_store_bytes = 2,
                           .spill_load_bytes = 3,
                           .stack_bytes = 4};
  module.log = "a warning\n";
  module.listing = ".text.k:";
  return module;
}

std::string digest_of(int i) {
  CacheKey key;
  key.add(std::to_string(i));
  return key.digest();
}

TEST(CompileCache, GivesBackWhatWasStored) {
  const TemporaryFolder folder;
  const CompileCache cache(folder.path() / "compiled");
  EXPECT_FALSE(cache.find(digest_of(1)));
  cache.store(digest_of(1), sample());
  auto found = cache.find(digest_of(1));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ptx, sample().ptx);
  EXPECT_EQ(found->cubin, sample().cubin);
  EXPECT_EQ(found->instance, sample().instance);
  ASSERT_TRUE(found->resources.contains("k"));
  EXPECT_EQ(found->resources["k"].registers, 40);
  EXPECT_EQ(found->resources["k"].static_shared_bytes, 1);
  EXPECT_EQ(found->resources["k"].spill_store_bytes, 2);
  EXPECT_EQ(found->resources["k"].spill_load_bytes, 3);
  EXPECT_EQ(found->resources["k"].stack_bytes, 4);
  EXPECT_EQ(found->log, "a warning\n");
  EXPECT_EQ(found->listing, sample().listing);
  EXPECT_FALSE(cache.find(digest_of(2)));
}

TEST(CompileCache, DamagedFilesCountAsAbsent) {
  const TemporaryFolder folder;
  const CompileCache cache(folder.path());
  cache.store(digest_of(1), sample());
  const fs::path file = folder.path() / (digest_of(1) + ".bin");
  const std::string whole = testing::read_file(file);
  for (std::size_t at = 0; at < whole.size(); at += 37) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    std::ofstream(file, std::ios::binary) << damaged;
    EXPECT_FALSE(cache.find(digest_of(1))) << at;
    std::ofstream(file, std::ios::binary) << whole.substr(0, at);
    EXPECT_FALSE(cache.find(digest_of(1))) << at;
  }
  cache.store(digest_of(1), sample());
  EXPECT_TRUE(cache.find(digest_of(1)));
}

TEST(CompileCache, RemovesTheOldestAndStaysBounded) {
  const TemporaryFolder folder;
  constexpr std::uint64_t kMost = 50'000;
  const CompileCache cache(folder.path(), kMost);
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 400; ++i) {
    cache.store(digest_of(i), sample());
    std::error_code removed;
    fs::last_write_time(folder.path() / (digest_of(i) + ".bin"), now + std::chrono::seconds(i),
                        removed);
  }
  std::uintmax_t total = 0;
  for (const auto& file : fs::directory_iterator(folder.path())) total += file.file_size();
  EXPECT_LE(total, 4 * kMost);  // looked at one time in 16
  EXPECT_FALSE(cache.find(digest_of(0)));
  EXPECT_TRUE(cache.find(digest_of(399)));
}

TEST(CompileCache, AFolderThatCannotBeWrittenIsNoError) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("file", "not a folder");
  const CompileCache cache(file / "compiled");
  cache.store(digest_of(1), sample());
  EXPECT_FALSE(cache.find(digest_of(1)));
}

TEST(CacheKey, TellsPartsApart) {
  CacheKey a;
  a.add("ab");
  a.add("c");
  CacheKey b;
  b.add("a");
  b.add("bc");
  EXPECT_NE(a.digest(), b.digest());
  EXPECT_EQ(a.digest().size(), 32U);
}

using CompileTwice = testing::CompileTest;

TEST_F(CompileTwice, TheSecondComesFromTheCache) {
  const CompileRequest request = catalogue_request(testing::entry("gemm/shared_tile"), {});
  const Result<CompiledKernel> first = compile(request, {});
  const Result<CompiledKernel> second = compile(request, {});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_FALSE(first->from_cache);
  EXPECT_GT(first->seconds, 0);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(second->seconds, 0);
  EXPECT_EQ(first->ptx, second->ptx);
}

TEST_F(CompileTwice, PtxComesWithTheMachineCode) {
  CompileRequest request = catalogue_request(testing::entry("gemm/naive"), {});
  const Result<CompiledKernel> alone = compile(request, {});
  request.instance.defines.emplace_back("ANOTHER=1");  // which nothing uses
  request.want_cubin = true;
  const Result<CompiledKernel> both = compile(request, {});
  request.want_cubin = false;
  const Result<CompiledKernel> then = compile(request, {});
  ASSERT_TRUE(alone.ok() && both.ok() && then.ok());
  EXPECT_FALSE(both->from_cache);
  EXPECT_TRUE(then->from_cache);
  EXPECT_TRUE(then->cubin.empty());
  EXPECT_FALSE(then->has_resources);
  EXPECT_EQ(then->ptx, alone->ptx);
}

TEST_F(CompileTwice, WhateverDecidesTheResultDecidesTheKey) {
  CompileRequest request = catalogue_request(testing::entry("gemm/shared_tile"), {});
  ASSERT_TRUE(compile(request, {}).ok());
  const auto expect_new = [](const CompileRequest& changed, const char* what) {
    const Result<CompiledKernel> compiled = compile(changed, {});
    ASSERT_TRUE(compiled.ok()) << what << ": " << to_string(compiled.error());
    EXPECT_FALSE(compiled->from_cache) << what;
  };
  expect_new(catalogue_request(testing::entry("gemm/shared_tile"), {{"TILE", 16}}), "parameter");
  CompileRequest changed = request;
  changed.instance.defines.emplace_back("X=1");
  expect_new(changed, "define");
  changed = request;
  changed.instance.source += "\n";
  expect_new(changed, "source");
  changed = request;
  changed.compute_capability = 80;
  expect_new(changed, "architecture");
  changed = request;
  changed.want_cubin = true;
  expect_new(changed, "cubin");
  changed = request;
  changed.instance.file_name = "other.cu";
  expect_new(changed, "name in the line information");
}

TEST_F(CompileTwice, ALocalHeaderCounts) {
  const auto main =
      folder_.write("main.cu", "#include \"value.h\"\n__global__ void k(int* p) { *p = VALUE; }\n");
  folder_.write("value.h", "#define VALUE 1111\n");
  ASSERT_TRUE(compile_file(main.string()).ok());
  EXPECT_TRUE(compile_file(main.string())->from_cache);
  folder_.write("value.h", "#define VALUE 2222\n");
  const Result<CompiledKernel> compiled = compile_file(main.string());
  ASSERT_TRUE(compiled.ok());
  EXPECT_FALSE(compiled->from_cache);
  EXPECT_NE(compiled->ptx.find("2222"), std::string::npos);
}

// What the compiler gives for a file is the same whichever of its kernels is asked for.
TEST_F(CompileTwice, AllKernelsOfAFileAreCompiledAtOnce) {
  const auto file = folder_
                        .write("several.cu",
                               "__device__ __noinline__ float twice(float x) { return 2 * x; }\n"
                               "extern \"C\" __global__ void plain(float* p) { *p = twice(*p); }\n"
                               "namespace ns {\n"
                               "__global__ void inner(float* p) { *p = twice(*p) + 1; }\n"
                               "static __global__ void still(float* p) { *p = 3; }\n"
                               "}\n"
                               "namespace {\n"
                               "__global__ void hidden(float* p) { *p = 4; }\n"
                               "}\n"
                               "template <int N> __global__ void made(float* p) { *p = N; }\n")
                        .string();
  const auto compiled = [&](const std::string& kernel) {
    Result<CompiledKernel> result = compile_file(file, kernel);
    EXPECT_TRUE(result.ok()) << kernel << ": " << to_string(result.error());
    return result.ok() ? *std::move(result) : CompiledKernel{};
  };
  EXPECT_FALSE(compiled("plain").from_cache);
  EXPECT_TRUE(compiled("ns::inner").from_cache);
  EXPECT_TRUE(compiled("still").from_cache);
  EXPECT_EQ(demangle(compiled("plain").kernel), "plain");
  EXPECT_EQ(demangle(compiled("ns::inner").kernel), "ns::inner(float*)");
  EXPECT_EQ(demangle(compiled("still").kernel), "ns::still(float*)");
  EXPECT_EQ(demangle("_Z1kB2v1B2xyi"), "k(int)") << "tags, as Numba writes them";
  for (const char* by_itself : {"hidden", "made<4>", "made<5>"}) {
    const CompiledKernel first = compiled(by_itself);
    const CompiledKernel second = compiled(by_itself);
    EXPECT_FALSE(first.kernel.empty()) << by_itself;
    EXPECT_EQ(first.kernel, second.kernel);
    EXPECT_EQ(first.ptx, second.ptx);
  }
  EXPECT_NE(compiled("made<4>").kernel, compiled("made<5>").kernel);
}

}  // namespace
}  // namespace tilescope
