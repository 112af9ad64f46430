#include "kernel/compile/nvrtc_facts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "compile_fixture.h"
#include "core/paths.h"
#include "kernel/compile/nvrtc_process.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// With a cache of its own, which is empty.
class NvrtcFactsTest : public testing::CompileTest {
 protected:
  [[nodiscard]] static NvrtcFacts facts() { return {12, 8, {75, 90}, "/usr/lib/libnvrtc.so.12"}; }
  [[nodiscard]] fs::path library() const { return folder_.write("libnvrtc.so.12", "one"); }
};

TEST_F(NvrtcFactsTest, AreKeptForTheFileAsItIs) {
  const fs::path file = library();
  EXPECT_FALSE(kept_nvrtc_facts(file));
  keep_nvrtc_facts(file, facts());
  const auto kept = kept_nvrtc_facts(file);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->version(), "12.8");
  EXPECT_EQ(kept->architectures, facts().architectures);
  EXPECT_EQ(kept->file, facts().file);
  EXPECT_FALSE(kept_nvrtc_facts(folder_.write("another.so", "one")));
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(1));
  EXPECT_FALSE(kept_nvrtc_facts(file)) << "it was replaced";
  fs::remove(file);
  EXPECT_FALSE(kept_nvrtc_facts(file));
}

TEST_F(NvrtcFactsTest, ThatAreDamagedAreNotKnown) {
  const fs::path file = library();
  keep_nvrtc_facts(file, facts());
  const fs::path kept = cache_directory() / "nvrtc.json";
  std::string text = testing::read_file(kept);
  for (const std::string& damaged :
       {std::string("{"), std::string("[]"), text.substr(0, text.size() / 2),
        text.replace(text.find("12"), 2, "\"x\"")}) {
    std::ofstream(kept) << damaged;
    EXPECT_FALSE(kept_nvrtc_facts(file)) << damaged;
  }
}

TEST_F(NvrtcFactsTest, SpareALaterProgramTheProcess) {
  NvrtcProcesses first({});
  const auto asked = first.facts({});
  ASSERT_TRUE(asked.ok()) << to_string(asked.error());
  EXPECT_EQ(first.started(), 1U);
  if (!fs::exists(cache_directory() / "nvrtc.json")) GTEST_SKIP() << "NVRTC is the loader's choice";
  NvrtcProcesses second({});
  const auto kept = second.facts({});
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(second.started(), 0U);
  EXPECT_EQ(kept->version(), asked->version());
  EXPECT_EQ(kept->architectures, asked->architectures);
}

}  // namespace
}  // namespace tilescope
