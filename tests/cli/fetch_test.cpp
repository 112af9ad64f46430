#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/sha256.h"
#include "program.h"
#include "temporary_folder.h"
#include "zip_of.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::read_file;
using testing::TemporaryFolder;
using testing::zip_of;

// Two packages of a few bytes take the place of NVIDIA's. A python3 in the place of pip writes what
// it is asked into a file, and downloads both.
class Fetch : public ::testing::Test {
 protected:
  Fetch() {
    const std::string compiler = zip_of({{"nvidia/cu13/lib/libnvrtc.so.13", "the compiler"},
                                         {"nvidia/cu13/bin/ptxas", "#!/bin/sh\n", true, 0755},
                                         {"nvidia_one-1.2.dist-info/RECORD", ""}});
    const std::string headers = zip_of({{"nvidia/cu13/include/cuda.h", "a header"}});
    write("stick/nvidia_one-1.2-py3-none-manylinux1_x86_64.whl", compiler);
    write("stick/nvidia_nvvm-3-py3-none-any.whl", headers);
    write("resources/assets/cuda_packages.txt",
          "nvidia-one==1.2 --hash=sha256:" + sha256(compiler) + "  # 90 MB: compiles kernels\n" +
              "nvidia-nvvm==3 --hash=sha256:" + sha256(headers) + "  # 62 MB: headers\n");
    pip("cp '" + (folder_ / "stick").string() +
        "'/* \"$(echo \"$@\" | sed 's/.*--dest \\([^ ]*\\).*/\\1/')\"");
  }

  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }

  // What pip does, in words of a shell.
  void pip(const std::string& does) const {
    const auto file = folder_.write("bin/python3",
                                    "#!/bin/sh\necho \"$@\" >>'" + (folder_ / "asked").string() +
                                        "'\ncase $* in *--version*) exit 0;; esac\n" + does + "\n");
    fs::permissions(file, fs::perms::owner_all);
  }

  ProgramRun fetch(const std::string& arguments) const {
    return run_tilescope("fetch " + arguments,
                         "export PATH='" + (folder_ / "bin").string() + "':/usr/bin:/bin " +
                             "XDG_CACHE_HOME='" + (folder_ / "cache").string() +
                             "' TILESCOPE_RESOURCES='" + (folder_ / "resources").string() + "'; ");
  }

  std::string stick() const { return "'" + (folder_ / "stick").string() + "'"; }
  bool pip_was_asked() const { return fs::exists(folder_ / "asked"); }
  std::string asked() const { return read_file(folder_ / "asked"); }
  fs::path fetched() const { return folder_ / "cache/tilescope/nvidia-packages"; }

  void expect_nothing_is_left() const {
    for (const char* const ending : {"", ".part", ".wheels"}) {
      EXPECT_FALSE(fs::exists(fetched().string() + ending)) << ending;
    }
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(Fetch, SaysSizesBeforeAndHasPipCheckTheHashes) {
  const ProgramRun run = fetch("");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.errors.find(" 90 MB  nvidia-one"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("90 MB of NVIDIA's packages"), std::string::npos) << run.errors;
  EXPECT_NE(asked().find("--require-hashes"), std::string::npos) << asked();
  EXPECT_EQ(read_file(fetched() / "nvidia/cu13/lib/libnvrtc.so.13"), "the compiler");
  EXPECT_FALSE(fs::exists(fetched() / "nvidia/cu13/include"));  // only by --nvcc
  EXPECT_FALSE(fs::exists(fetched().string() + ".wheels"));
}

TEST_F(Fetch, TakesAStickWithoutNetworkAndWithoutPip) {
  const ProgramRun run = fetch("--nvcc --from " + stick());
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_FALSE(pip_was_asked());
  EXPECT_EQ(read_file(fetched() / "nvidia/cu13/include/cuda.h"), "a header");
  const auto permissions = fs::status(fetched() / "nvidia/cu13/bin/ptxas").permissions();
  EXPECT_EQ(permissions & fs::perms::owner_exec, fs::perms::owner_exec);
}

TEST_F(Fetch, FillsAStick) {
  const ProgramRun run = fetch("--into '" + (fetched() / "on a stick").string() + "'");
  EXPECT_NE(run.errors.find("tilescope fetch --from"), std::string::npos) << run.errors;
  EXPECT_FALSE(fs::exists(fetched() / "nvidia"));
}

TEST_F(Fetch, RefusesAnotherFileThanWasPublished) {
  write("stick/nvidia_one-1.2-py3-none-manylinux1_x86_64.whl",
        zip_of({{"nvidia/cu13/lib/libnvrtc.so.13", "another compiler"}}));
  const ProgramRun run = fetch("--from " + stick());
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.errors.find("SHA-256"), std::string::npos) << run.errors;
  expect_nothing_is_left();
}

TEST_F(Fetch, SaysWhatTheStickLacks) {
  const ProgramRun run = fetch("--from /nowhere");
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.errors.find("/nowhere has no wheel of nvidia-one 1.2"), std::string::npos)
      << run.errors;
  expect_nothing_is_left();
}

TEST_F(Fetch, LeavesNothingWherePipFails) {
  pip("exit 1");
  const ProgramRun run = fetch("");
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.errors.find("tilescope fetch --into FOLDER"), std::string::npos) << run.errors;
  expect_nothing_is_left();
}

}  // namespace
}  // namespace tilescope
