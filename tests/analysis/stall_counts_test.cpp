#include "analysis/time/stall_counts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/studied.h"
#include "emulator/machine/listing.h"

namespace tilescope {
namespace {

TEST(StallCounts, AreThereForEachInstruction) {
  const auto study =
      with_machine_code(testing::studied("copy/plain", {}, {{"ROWS", 64}, {"COLS", 64}}), {});
  ASSERT_TRUE(study.ok()) << to_string(study.error());
  const CompiledKernel& compiled = *(*study)->compiled;
  const auto counts = stall_counts(compiled.cubin, compiled.kernel);
  ASSERT_FALSE(counts.empty());
  EXPECT_TRUE(std::ranges::all_of(counts, [](std::uint8_t n) { return n >= 1 && n <= 15; }));
  std::size_t last = 0;
  for (const StaticInstruction& each : (*study)->issued->instructions()) {
    if (each.issued != nullptr) last = std::max<std::size_t>(last, each.issued->address / 16);
  }
  EXPECT_GT(last, 10U);
  EXPECT_LT(last, counts.size());
  // Most instructions of a chain of index arithmetic wait for the one before.
  EXPECT_GT(std::ranges::count_if(counts, [](std::uint8_t n) { return n > 1; }), 5);
  EXPECT_TRUE(stall_counts(compiled.cubin, "another").empty());
}

TEST(StallCounts, OfAFileThatIsNoCubinAreNone) {
  EXPECT_TRUE(stall_counts({}, "k").empty());
  const std::vector<std::byte> nothing(4096, std::byte{0x7f});
  EXPECT_TRUE(stall_counts(nothing, "k").empty());
  // An ELF file that is cut behind its header.
  std::vector<std::byte> cut(64);
  const char* magic = "\177ELF\2";
  for (std::size_t i = 0; i < 5; ++i) cut[i] = static_cast<std::byte>(magic[i]);
  cut[40] = std::byte{0xff};  // its table of sections is beyond the end
  EXPECT_TRUE(stall_counts(cut, "k").empty());
}

}  // namespace
}  // namespace tilescope
