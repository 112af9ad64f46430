// What stands where the program looks for its files: each gives one line with place and remedy, or
// is passed over; nothing ends the program.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "program.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class HostileFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tilescope_hostile_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  // One line on stderr that holds both.
  static void expect_line(const ProgramRun& run, int status, const std::string& place,
                          const std::string& remedy) {
    EXPECT_EQ(run.status, status) << run.errors;
    EXPECT_EQ(run.errors.find('\n'), run.errors.size() - 1) << run.errors;
    EXPECT_NE(run.errors.find(place), std::string::npos) << run.errors;
    EXPECT_NE(run.errors.find(remedy), std::string::npos) << run.errors;
    EXPECT_EQ(run.errors.find("json.exception"), std::string::npos) << run.errors;
  }
  std::string with_text(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

TEST_F(HostileFiles, AScriptThatIsAFolder) {
  expect_line(run_tilescope("--headless --script " + folder_.string() + " transpose/naive"), 1,
              folder_.string() + ": the script cannot be read", "Give a file of commands");
}

TEST_F(HostileFiles, RunsToImportThatAreNone) {
  const char* remedy = "history --export";
  for (const char* text : {"", "[]", "{\"format\":1}", "{\"format\":\"x\"}", "[[[[", "\xff\xfe"}) {
    expect_line(run_tilescope("history --import " + with_text("runs.json", text)), 1,
                "not a file of recorded runs", remedy);
  }
  expect_line(run_tilescope("history --import " + folder_.string()), 1, "cannot be read", remedy);
}

TEST_F(HostileFiles, AKernelInAnOlderEncoding) {
  const std::string file =
      with_text("latin1.cu",
                "// Gr\xf6\xdf"
                "e\n__global__ void f(float* x) { x[threadIdx.x + 9] = 1; }  // \xe9\xff");
  const ProgramRun run =
      run_tilescope("trace " + file + " --grid 1 --block 32 --arg 'f32[32]=zero' --json");
  EXPECT_EQ(run.status, 2) << run.errors;
  EXPECT_NE(run.output.find("\"line\": 2"), std::string::npos) << run.output;
}

TEST_F(HostileFiles, AKernelWithAByteOrderMark) {
  const std::string file =
      with_text("bom.cu", "\xef\xbb\xbf__global__ void f(float* x) { x[threadIdx.x] = 1; }\r\n");
  const ProgramRun run =
      run_tilescope("trace " + file + " --grid 1 --block 32 --arg 'f32[32]=zero'");
  EXPECT_EQ(run.status, 0) << run.errors;
}

// NVRTC does not survive a template's parameter of a type that is not known.
TEST_F(HostileFiles, AKernelThatCrashesTheCompiler) {
  const std::string text =
      "#include \"not_here.h\"\ntemplate <int N>\n__global__ void scale(Scalar* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] = x[i] + x[i];\n}\n";
  const std::string mistake = with_text("mistake.cu", text);
  const std::string crash = with_text("crash.cu", text + "#pragma nv_mangled_name scale<2>\n");
  const std::string launch =
      " --kernel 'scale<2>' --grid 4 --block 256 --arg 'f16[1024]' --arg i32:1024";
  const std::string picture = " --view banks -o " + (folder_ / "x.svg").string();
  for (const std::string& command : {"trace " + mistake, "export " + mistake + picture}) {
    expect_line(run_tilescope(command + launch), 4,
                "mistake.cu:1: the header \"not_here.h\" was not found",
                "identifier \"Scalar\" is undefined");
  }
  for (const std::string& command : {"trace " + crash, "export " + crash + picture}) {
    expect_line(run_tilescope(command + launch, "TILESCOPE_NVCC=/bin/false "), 4,
                "crash.cu:7: NVRTC, the CUDA compiler, crashed", "signal 11");
  }
}

TEST_F(HostileFiles, AKernelThatCannotBeRead) {
  expect_line(run_tilescope("trace " + (folder_ / "none.cu").string() + " --grid 1 --block 1"), 1,
              "none.cu: cannot read it: No such file", "Check its name");
}

TEST_F(HostileFiles, FoldersWhereThePersonsFilesBelong) {
  const fs::path data = folder_ / "data" / "tilescope";
  for (const char* name : {"interface.json", "recent.json", "layout-wide.ini", "layout-compact.ini",
                           "trusted", "history.sqlite", "autosave/a.tilescope"}) {
    fs::create_directories(data / name);
  }
  const char* before = std::getenv("XDG_DATA_HOME");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("XDG_DATA_HOME", (folder_ / "data").c_str(), 1);
  const ProgramRun run =
      run_tilescope("--headless --keep --script " + with_text("nothing", "") + " transpose/naive");
  if (before != nullptr) {
    ::setenv("XDG_DATA_HOME", kept.c_str(), 1);
  } else {
    ::unsetenv("XDG_DATA_HOME");
  }
  EXPECT_EQ(run.status, 0) << run.errors;
}

}  // namespace
}  // namespace tilescope
