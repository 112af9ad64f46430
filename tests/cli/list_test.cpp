#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "program.h"
#include "scene/views.h"

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

TEST(List, ShowsTheSeedsOfEveryKernel) {
  const ProgramRun run = run_tilescope("list");
  ASSERT_EQ(run.status, 0) << run.errors;
  const ProgramRun encoded = run_tilescope("list --json");
  const auto document = nlohmann::json::parse(encoded.output);
  for (const auto& kernel : document["kernels"]) {
    for (const std::string seed : kernel["seeds"]) {
      const std::string section = seed.substr(seed.find(": ") + 2);
      EXPECT_NE(run.output.find(section), std::string::npos) << kernel["id"] << " " << seed;
    }
  }
  EXPECT_NE(
      run.output.find("\n    course texts 000: Implementing General Matrix Multiplication; 002: "),
      std::string::npos);
  EXPECT_NE(run.output.find("\n    beyond the seeds: warp tiling\n"), std::string::npos);
}

TEST(List, SaysWhatToWatchInViewsThatThereAre) {
  const ProgramRun encoded = run_tilescope("list --json");
  const ProgramRun run = run_tilescope("list");
  std::set<std::string> views;
  const auto document = nlohmann::json::parse(encoded.output);
  for (const auto& kernel : document["kernels"]) {
    for (const auto& watch : kernel["watch"]) {
      views.insert(watch["view"]);
      EXPECT_NE(run.output.find(watch["words"].get<std::string>()), std::string::npos)
          << kernel["id"];
      EXPECT_TRUE(parse_view(watch["view"].get<std::string>()).has_value()) << kernel["id"];
    }
  }
  EXPECT_GE(views.size(), 6U);
  EXPECT_NE(run.output.find("\n    try it: banks with PAD = 0: "), std::string::npos);
}

TEST(List, NamesTheReferenceOfEveryGemm) {
  const ProgramRun run = run_tilescope("list --json");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto document = nlohmann::json::parse(run.output);
  std::string of_bf16;
  for (const auto& reference : document["references"]) {
    if (reference["name"] == "cuBLAS GemmEx, bf16 to FP32") of_bf16 = reference["of"];
  }
  EXPECT_EQ(of_bf16,
            "gemm/tensor_core, gemm/warpgroup, gemm/tensor_copy, gemm/persistent, gemm/multicast, "
            "gemm/tensor_store, gemm/staggered");
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
