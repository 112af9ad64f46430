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
  const json found = check("DISPLAY=:77 WAYLAND_DISPLAY=", "display");
  if (found["detail"] == "libX11.so.6 is not installed") GTEST_SKIP() << found["detail"];
  EXPECT_EQ(found["ok"], false);
  EXPECT_NE(found["detail"].get<std::string>().find(":77"), std::string::npos);
  EXPECT_NE(found["remedy"].get<std::string>().find("--headless"), std::string::npos);
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

// A python3 that writes what it is asked into a file and ends with a status.
class PretendedPip {
 public:
  explicit PretendedPip(int status) {
    const auto file =
        folder_.write("bin/python3", "#!/bin/sh\necho \"$@\" >>'" + words_.string() +
                                         "'\ncase $* in *--version*) exit 0;; esac\nexit " +
                                         std::to_string(status) + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  ProgramRun fetch(const std::string& arguments) const {
    return run_tilescope("fetch " + arguments, "export PATH='" + (folder_ / "bin").string() +
                                                   "':/usr/bin:/bin " + "XDG_CACHE_HOME='" +
                                                   (folder_ / "cache").string() + "'; ");
  }
  std::string asked() const { return testing::read_file(words_); }
  std::filesystem::path fetched() const { return folder_ / "cache/tilescope/nvidia-packages"; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path words_ = folder_ / "words";
};

TEST(Fetch, SaysSizesBeforeAndHasPipCheckTheHashes) {
  const PretendedPip pip(0);
  const ProgramRun run = pip.fetch("");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.errors.find(" 90 MB  nvidia-cuda-nvrtc"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("137 MB of NVIDIA's packages"), std::string::npos) << run.errors;
  EXPECT_NE(pip.asked().find("--require-hashes"), std::string::npos) << pip.asked();
  EXPECT_TRUE(std::filesystem::is_directory(pip.fetched()));
}

TEST(Fetch, TakesAStickWithoutNetwork) {
  const PretendedPip pip(0);
  EXPECT_EQ(pip.fetch("--nvcc --from /media/stick").status, 0);
  EXPECT_NE(pip.asked().find("--no-index --find-links /media/stick"), std::string::npos)
      << pip.asked();
}

TEST(Fetch, LeavesNothingWherePipFails) {
  const PretendedPip pip(1);
  const ProgramRun run = pip.fetch("");
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.errors.find("tilescope fetch --into FOLDER"), std::string::npos) << run.errors;
  EXPECT_FALSE(std::filesystem::exists(pip.fetched()));
  EXPECT_FALSE(std::filesystem::exists(pip.fetched().string() + ".part"));
}

}  // namespace
}  // namespace tilescope
