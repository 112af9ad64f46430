// Sectors that bulk and tensor copies move, against those that an H100 counted.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/memory/bulk_sectors.h"
#include "analysis/study/kernel_study.h"
#include "build_config.h"
#include "corpus.h"

namespace tilescope {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests/corpus";

// Loads, stores, reductions.
using Sectors = std::array<std::uint64_t, 3>;

Sectors emulated(const KernelInstance& instance) {
  Sectors sectors{};
  for (std::uint64_t block = 0; block < instance.grid.count(); ++block) {
    StudyRequest request;
    request.instance = instance;
    request.block = block;
    const auto study = study_block(request, {});
    EXPECT_TRUE(study.ok()) << instance.id << ": " << to_string(study.error());
    if (!study.ok()) return sectors;
    std::array<std::vector<BulkCopy>, 3> copies;
    for (const BulkCopy& copy : (*study)->trace->bulk_copies)
      copies[static_cast<std::size_t>(copy.kind)].push_back(copy);
    for (std::size_t i = 0; i < copies.size(); ++i) sectors[i] += bulk_sectors(copies[i]);
  }
  return sectors;
}

// A load counts what of its box lies outside the tensor too, of which the trace has nothing.
bool loads_outside(const std::string& name) {
  return name.starts_with("t_load_edge") || name == "t_load_outside";
}

TEST(TensorCopies, MoveTheSectorsThatAnH100Counts) {
  const auto launches = read_corpus(kFolder / "tensor_copies.json");
  ASSERT_TRUE(launches.ok()) << to_string(launches.error());
  std::ifstream file(kFolder / "h100_tensor_copies.json");
  const auto recorded = nlohmann::json::parse(file).at("launches");
  std::size_t compared = 0;
  for (const CorpusLaunch& launch : *launches) {
    if (loads_outside(launch.name)) continue;
    const auto counted = recorded.at(launch.name).get<Sectors>();
    EXPECT_EQ(emulated(launch.instance), counted) << launch.name;
    ++compared;
  }
  EXPECT_EQ(compared, 102u);
}

}  // namespace
}  // namespace tilescope
