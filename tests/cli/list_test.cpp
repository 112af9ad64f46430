#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "program.h"

namespace tilescope {
namespace {

TEST(List, NamesEveryKernelWithItsParametersAndRules) {
  const ProgramRun run = run_tilescope("list --json");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto document = nlohmann::json::parse(run.output);
  std::set<std::string> ids;
  for (const auto& kernel : document["kernels"]) {
    ids.insert(kernel["id"]);
    EXPECT_FALSE(kernel["seeds"].empty()) << kernel["id"];
    for (const auto& parameter : kernel["parameters"]) {
      const auto& values = parameter["values"];
      EXPECT_NE(std::find(values.begin(), values.end(), parameter["default"]), values.end())
          << kernel["id"] << " " << parameter["name"];
      EXPECT_FALSE(parameter["meaning"].get<std::string>().empty());
    }
    for (const auto& rule : kernel["rules"])
      EXPECT_FALSE(rule["message"].get<std::string>().empty());
  }
  for (const char* id : {"gemm/naive", "gemm/shared_tile", "gemm/register_tile", "transpose/naive",
                         "transpose/tiled"}) {
    EXPECT_TRUE(ids.contains(id)) << id;
  }
}

TEST(Doctor, SaysWhatIsThereAndWhatIsMissing) {
  const ProgramRun run = run_tilescope("doctor --json");
  ASSERT_EQ(run.status, 0) << run.output << run.errors;
  const auto document = nlohmann::json::parse(run.output);
  EXPECT_TRUE(document["usable"].get<bool>());
  for (const auto& check : document["checks"])
    EXPECT_FALSE(check["detail"].get<std::string>().empty());
}

TEST(Version, IsPrinted) {
  EXPECT_EQ(run_tilescope("--version").output.rfind("tilescope ", 0), 0u);
}

}  // namespace
}  // namespace tilescope
