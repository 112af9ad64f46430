// Text from outside, damaged at random places: whatever comes out, nothing crashes or hangs. The
// seeds are fixed, so a failure comes again; a text that once crashed goes to the tests beside.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/expression.h"
#include "core/json_document.h"
#include "kernel/compile/compile_log.h"
#include "kernel/source/device_source.h"
#include "kernel/source/kernel_name.h"
#include "test_catalogue.h"

namespace tilescope {
namespace {

std::string damage(std::string text, std::mt19937& random) {
  constexpr std::string_view kPieces = "{}()[]<>\"'#\\/*;:,=\n?%R0\x80";
  const auto below = [&](std::size_t n) { return random() % n; };
  const std::size_t changes = 1 + below(6);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text.erase(at, 1 + below(40));
        break;
      case 1:
        text.insert(at, 1, kPieces[below(kPieces.size())]);
        break;
      case 2:
        text[at] = kPieces[below(kPieces.size())];
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(60)));
        break;
    }
  }
  return text;
}

TEST(HostileInput, DamagedCataloguesAreReadOrRefused) {
  std::mt19937 random(1);
  const testing::TemporaryFolder folder;
  const CatalogueEntry& entry = testing::entry("gemm/register_tile");
  std::filesystem::path file = entry.source_file;
  const std::string json = testing::read_file(file.replace_extension(".json"));
  folder.write("gemm/12_register_tile.cu", entry.source);
  folder.write("gemm/gemm.problem.json", testing::read_file(entry.problem->file));
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    folder.write("gemm/12_register_tile.json", damage(json, random));
    const Result<Catalogue> loaded = load_catalogue({folder.path()});
    if (!loaded) {
      ++refused;
      EXPECT_FALSE(loaded.error().message.empty());
      EXPECT_GE(loaded.error().place.line, 0);
      continue;
    }
    const CatalogueEntry& read = loaded->entries.front();
    const Result<ParameterSet> defaults = complete_parameters(read, {});
    ASSERT_TRUE(defaults.ok());
    // Whether it is legal or not: an answer.
    const auto instance = instantiate(read, *defaults, read.default_extents, testing::device(90));
    EXPECT_TRUE(instance.ok() || !instance.error().message.empty());
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 500);
}

TEST(HostileInput, DamagedProblemsAreReadOrRefused) {
  std::mt19937 random(4);
  const testing::TemporaryFolder folder;
  const CatalogueEntry& entry = testing::entry("reduction/divergent");
  std::filesystem::path file = entry.source_file;
  folder.write("reduction/02_divergent.cu", entry.source);
  folder.write("reduction/02_divergent.json", testing::read_file(file.replace_extension(".json")));
  const std::string json = testing::read_file(entry.problem->file);
  for (int i = 0; i < 300; ++i) {
    folder.write("reduction/reduction.problem.json", damage(json, random));
    const Result<Catalogue> loaded = load_catalogue({folder.path()});
    if (!loaded) {
      EXPECT_FALSE(loaded.error().message.empty());
      continue;
    }
    const CatalogueEntry& read = loaded->entries.front();
    const auto instance = instantiate(read, {}, read.default_extents, testing::device(90));
    EXPECT_TRUE(instance.ok() || !instance.error().message.empty());
  }
}

TEST(HostileInput, DamagedSourcesKeepTheirShape) {
  std::mt19937 random(2);
  for (const auto& file :
       std::filesystem::directory_iterator(resource_directory() / "tests/kernels/hosted")) {
    if (!file.is_regular_file()) continue;
    const std::string whole = testing::read_file(file.path());
    for (int i = 0; i < 200; ++i) {
      const std::string text = damage(whole, random);
      DeviceSource source("t.cu", text);
      const std::string left = source.text();
      ASSERT_EQ(left.size(), text.size());
      for (std::size_t at = 0; at < text.size(); ++at) {
        ASSERT_TRUE(left[at] == text[at] || (left[at] == ' ' && text[at] != '\n')) << at;
      }
      for (int line = 0; line < 80; line += 7) source.set_aside_at(line, line % 5, "because");
      EXPECT_EQ(source.text().size(), text.size());
      std::vector<DeviceSource> files;
      files.push_back(std::move(source));
      const auto choice = choose_kernel(files, i % 2 == 0 ? "" : "identity");
      EXPECT_TRUE(choice.ok() || !choice.error().message.empty());
    }
  }
}

TEST(HostileInput, DamagedExpressionsGiveAValueOrAnError) {
  std::mt19937 random(3);
  const std::string whole =
      "A % 4 == 0 || (B / (A - 3) > min(7, ceil_div(B, A)) ? !A : -B * +2) && A <= 9";
  for (int i = 0; i < 5000; ++i) {
    const Result<std::int64_t> value =
        evaluate_expression(damage(whole, random), {{"A", 3}, {"B", -7}});
    EXPECT_TRUE(value.ok() || !value.error().message.empty());
  }
}

TEST(HostileInput, LinesOfDamagedJsonStayInside) {
  std::mt19937 random(4);
  const std::string whole =
      "{\"a\": [1, {\"b\": \"c\\\"d\"}, true],\n \"e\": {\"f\": null, \"g\": -1.5e3}}";
  for (int i = 0; i < 5000; ++i) {
    const std::string text = damage(whole, random);
    const int line = line_in_json(text, {"a", "1", "b"});
    EXPECT_GE(line, 1);
    EXPECT_LE(line, 1 + std::count(text.begin(), text.end(), '\n'));
  }
}

}  // namespace
}  // namespace tilescope
