#include "kernel/compile/cuda_tool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "temporary_folder.h"

namespace tilescope {
namespace {

Result<ToolRun> run_shell(const std::string& words) {
  return run_tool("/bin/sh", {"-c", words}, std::stop_token());
}

TEST(CudaTool, SaysWhatItWroteAndHowItEnded) {
  const auto good = run_shell("echo one; echo two >&2");
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(good->succeeded);
  EXPECT_EQ(good->output, "one\ntwo\n");
  const auto bad = run_shell("echo three; exit 3");
  ASSERT_TRUE(bad.ok());
  EXPECT_FALSE(bad->succeeded);
  EXPECT_EQ(bad->output, "three\n");
  const auto killed = run_shell("kill -SEGV $$");
  ASSERT_TRUE(killed.ok());
  EXPECT_FALSE(killed->succeeded);
}

TEST(CudaTool, ThatIsNotThereIsAnError) {
  const auto run = run_tool("/nowhere/ptxas", {}, std::stop_token());
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::kMachine);
  const auto found = find_tool({"no-such-tool", "TILESCOPE_NO_SUCH_TOOL", ""});
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().remedy.find("TILESCOPE_NO_SUCH_TOOL"), std::string::npos);
}

// Triton's wheel has two: one for the GPUs that were there first, and a newer one.
TEST(CudaTool, OfTritonIsTakenLast) {
  const testing::TemporaryFolder folder;
  const std::string bin = "lib/python3.11/site-packages/triton/backends/nvidia/bin/";
  for (const std::string name : {"no-such-tool", "no-such-tool-blackwell"}) {
    std::filesystem::permissions(folder.write(bin + name, "#!/bin/sh\n"),
                                 std::filesystem::perms::owner_all);
  }
  const char* const before = std::getenv("VIRTUAL_ENV");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("VIRTUAL_ENV", folder.path().c_str(), 1);
  const auto found = find_tools({"no-such-tool", "TILESCOPE_NO_SUCH_TOOL", ""});
  before == nullptr ? ::unsetenv("VIRTUAL_ENV") : ::setenv("VIRTUAL_ENV", kept.c_str(), 1);
  EXPECT_EQ(found, (std::vector<std::filesystem::path>{folder / bin / "no-such-tool",
                                                       folder / bin / "no-such-tool-blackwell"}));
}

TEST(CudaTool, IsEndedWhenItIsCancelled) {
  std::stop_source source;
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    source.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  const auto run = run_tool("/bin/sleep", {"50"}, source.get_token());
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::kCancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(CudaTool, HasSoMuchMemory) {
  const auto run = run_shell("sleep 0.3; ulimit -v");
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->output, "8388608\n");  // KiB
}

TEST(TemporaryFile, IsGoneAfterwards) {
  std::string path;
  {
    const std::string text = "abc";
    const TemporaryFile file(std::as_bytes(std::span(text)));
    ASSERT_TRUE(file.written().ok());
    path = file.path();
    EXPECT_EQ(file.contents().size(), 3U);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace tilescope
