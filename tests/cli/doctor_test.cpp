#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "build_config.h"
#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

using nlohmann::json;
using testing::TemporaryFolder;

// The check of that name, of a doctor in this environment; no GPU is asked.
json check(const std::string& environment, const std::string& name) {
  const ProgramRun run =
      run_tilescope("doctor --json", "export TILESCOPE_WORKER=false " + environment + "; ");
  const json report = json::parse(run.output, nullptr, false);
  EXPECT_TRUE(report.is_object()) << run.output << run.errors;
  if (!report.is_object()) return {};
  for (const json& each : report["checks"]) {
    if (each["name"] == name) return each;
  }
  ADD_FAILURE() << "no check " << name;
  return {};
}

TEST(Doctor, NamesADisplayWhereNothingAnswers) {
  const json found = check("DISPLAY=:9477 WAYLAND_DISPLAY=", "display");
  if (found["detail"] == "libX11.so.6 is not installed") GTEST_SKIP() << found["detail"];
  EXPECT_EQ(found["ok"], false);
  EXPECT_NE(found["detail"].get<std::string>().find(":9477"), std::string::npos);
  EXPECT_NE(found["remedy"].get<std::string>().find("--headless"), std::string::npos);
}

TEST(Doctor, SaysWhatWaylandAloneLacks) {
  const json found = check("DISPLAY= WAYLAND_DISPLAY=wayland-9", "display");
  if (found["ok"] == true) {
    EXPECT_EQ(found["detail"], "wayland-9");  // its libraries are there
  } else {
    EXPECT_NE(found["remedy"].get<std::string>().find("libxkbcommon"), std::string::npos) << found;
  }
}

TEST(Doctor, SaysWhereNvccLacksItsHostCompiler) {
  const TemporaryFolder folder;
  const std::filesystem::path nvcc = folder.write("nvcc", "#!/bin/sh\n");
  std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
  const json found =
      check("TILESCOPE_NVCC='" + nvcc.string() + "' PATH='" + folder.path().string() + "'", "nvcc");
  EXPECT_EQ(found["ok"], false);
  EXPECT_NE(found["detail"].get<std::string>().find("no g++"), std::string::npos);
}

TEST(Doctor, AMissingCompilerIsFetched) {
  const ProgramRun run = run_tilescope(
      "doctor", "export TILESCOPE_WORKER=false TILESCOPE_NVRTC=/nowhere/libnvrtc.so; ");
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.output.find("tilescope fetch"), std::string::npos) << run.output;
}

}  // namespace
}  // namespace tilescope
