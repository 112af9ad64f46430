#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "core/paths.h"
#include "emulator/finding_place.h"
#include "exec/host_program.h"
#include "exec/program_build.h"
#include "exec/program_run.h"
#include "kernel/compile/nvcc.h"
#include "kernel/source/build_defines.h"

// Each programs/*.cu is compiled and run whole. Its first lines say what is expected:
//   // output: TEXT          a line that it prints (in this order, and no others)
//   // finding: KIND LINE    what is found in its kernels
//   // finding text: TEXT    part of one of their messages
//   // found in: N            the launch in which they are found, all of them
//   // host: KIND            what is found in its host code, leaks aside
//   // host text: TEXT       the whole message of one of these
//   // launches: N           // repeated: N          // status: N of the program
//   // limit: SECONDS of one kernel      // cut short: N launches     // seconds: of all, at most
//   // nvcc: OPTIONS
namespace tilescope {
namespace {

namespace fs = std::filesystem;

struct Expected {
  std::vector<std::string> output;
  std::vector<std::string> findings;  // "out_of_bounds 8"
  std::vector<std::string> texts;
  std::vector<std::string> host;
  std::vector<std::string> host_texts;
  int status = 0;
  int found_in = -1;
  int launches = -1;
  int repeated = -1;
  int cut_short = 0;
  double limit = 30;
  double seconds = 0;  // 0: as many as it takes
  std::vector<std::string> nvcc;
};

Expected read_expected(const fs::path& file) {
  Expected expected;
  std::ifstream text(file);
  for (std::string line; std::getline(text, line) && line.starts_with("// ");) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(3, colon - 3);
    const std::string value = line.substr(colon + 2);
    if (key == "output") expected.output.push_back(value);
    if (key == "finding") expected.findings.push_back(value);
    if (key == "finding text") expected.texts.push_back(value);
    if (key == "host") expected.host.push_back(value);
    if (key == "host text") expected.host_texts.push_back(value);
    if (key == "status") expected.status = std::stoi(value);
    if (key == "found in") expected.found_in = std::stoi(value);
    if (key == "launches") expected.launches = std::stoi(value);
    if (key == "repeated") expected.repeated = std::stoi(value);
    if (key == "cut short") expected.cut_short = std::stoi(value);
    if (key == "limit") expected.limit = std::stod(value);
    if (key == "seconds") expected.seconds = std::stod(value);
    if (key == "nvcc") {
      std::istringstream words(value);
      for (std::string word; words >> word;) expected.nvcc.push_back(word);
    }
  }
  std::ranges::sort(expected.findings);
  std::ranges::sort(expected.host);
  return expected;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream text(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> findings_of(const ProgramResult& run) {
  std::vector<std::string> found;
  for (const auto& group : run.groups) {
    const FindingPlaces places(*group->kernel->program);
    for (const Finding& finding : group->findings) {
      found.push_back(std::string(name_of(finding.kind)) + " " +
                      std::to_string(places.of(finding.instruction).line.line));
    }
  }
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> host_problems_of(const ProgramResult& run) {
  std::vector<std::string> found;
  for (const HostProblem& problem : run.problems) {
    const bool follows = problem.kind == HostProblem::Kind::kFailedLaunch && !problem.is_mistake;
    if (problem.kind != HostProblem::Kind::kLeak && !follows)
      found.emplace_back(name_of(problem.kind));
  }
  std::ranges::sort(found);
  return found;
}

bool any_message_has(const ProgramResult& run, const std::string& text) {
  return std::ranges::any_of(run.groups, [&](const auto& group) {
    return std::ranges::any_of(group->findings, [&](const Finding& finding) {
      return finding.message.find(text) != std::string::npos;
    });
  });
}

class WholeProgram : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    // Beside tilescope, a folder above the tests.
    ::setenv("TILESCOPE_RUNTIME_DIRECTORY",
             (program_file().parent_path().parent_path() / "runtime").c_str(), 1);
    folder_ = fs::temp_directory_path() / ("tilescope-exec-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  // What the program does, and the lines that it prints.
  Result<ProgramResult> run(const fs::path& program, std::vector<std::string>* output,
                            double limit = 30) {
    const auto devices = load_device_table(resource_directory() / "assets" / "devices.json");
    if (!devices) return devices.error();
    const fs::path printed = folder_ / "output";
    ProgramOptions options;
    options.program = program;
    options.device = *std::ranges::find(*devices, "NVIDIA H100 SXM5", &DeviceModel::name);
    options.launcher.workers = 2;
    options.launcher.limit_seconds = limit;
    options.output = ::open(printed.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    auto result = run_program(options);
    ::close(options.output);
    *output = lines_of(printed);
    return result;
  }

  fs::path folder_;
};

class Programs : public WholeProgram {
 protected:
  void SetUp() override {
    if (!nvcc()) GTEST_SKIP() << "there is no nvcc, which compiles the programs";
    WholeProgram::SetUp();
  }
};

// CUDA's own library would be called, and find no device.
TEST_F(WholeProgram, DoesNotRunWithoutWhatStandsForCudasLibrary) {
  ::setenv("TILESCOPE_RUNTIME_DIRECTORY", folder_.c_str(), 1);
  std::vector<std::string> output;
  const auto run = this->run("/bin/true", &output);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kMachine);
  EXPECT_NE(run.error().message.find((folder_ / "libcudart.so.13").string()), std::string::npos);
}

TEST_P(Programs, EndsAsOnAGpuAndSaysWhatIsWrong) {
  const fs::path source = fs::path("tests/exec/programs") / (GetParam() + ".cu");
  const Expected expected = read_expected(source);
  const auto program = build_program({source, expected.nvcc, 90}, {});
  ASSERT_TRUE(program) << to_string(program.error());
  const Status right = check_program(*program);
  ASSERT_TRUE(right) << to_string(right.error());
  std::vector<std::string> output;
  const auto run = this->run(*program, &output, expected.limit);
  ASSERT_TRUE(run) << to_string(run.error());
  if (expected.seconds > 0) {
    EXPECT_LT(run->seconds, expected.seconds);
  }
  EXPECT_EQ(run->exit_status, expected.status) << run->how;
  // Threads print in any order where there are several: of these the first and the last are said.
  if (GetParam() == "printf_from_threads" && output.size() == 5)
    output = {output[0], output[3], output[4]};
  EXPECT_EQ(output, expected.output);
  EXPECT_EQ(findings_of(*run), expected.findings);
  for (const auto& group : run->groups) {
    if (expected.found_in < 0) break;
    for (const std::uint64_t launch : group->found_in)
      EXPECT_EQ(launch, static_cast<std::uint64_t>(expected.found_in));
  }
  EXPECT_EQ(host_problems_of(*run), expected.host);
  for (const std::string& text : expected.texts) EXPECT_TRUE(any_message_has(*run, text)) << text;
  for (const std::string& text : expected.host_texts) {
    const bool is_said = std::ranges::any_of(
        run->problems, [&](const HostProblem& problem) { return problem.message == text; });
    EXPECT_TRUE(is_said) << text;
  }
  std::uint64_t repeated = 0;
  std::uint64_t cut_short = 0;
  for (const auto& group : run->groups) {
    repeated += group->repeated;
    cut_short += group->cut_short;
  }
  EXPECT_EQ(cut_short, static_cast<std::uint64_t>(expected.cut_short));
  if (expected.launches >= 0) {
    EXPECT_EQ(run->launches, static_cast<std::uint64_t>(expected.launches));
  }
  if (expected.repeated >= 0) {
    EXPECT_EQ(repeated, static_cast<std::uint64_t>(expected.repeated));
  }
}

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator("tests/exec/programs"))
    names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Programs, ::testing::ValuesIn(program_names()),
                         [](const auto& name) { return name.param; });

using HostCalls = WholeProgram;

// Of CUDA 12 and 13, by a program that no compiler for device code has made.
TEST_P(HostCalls, AreAnsweredWithoutCuda) {
  std::vector<std::string> output;
  const fs::path program = program_file().parent_path() / ("host_calls_" + GetParam());
  const auto run = this->run(program, &output);
  ASSERT_TRUE(run) << to_string(run.error());
  EXPECT_EQ(output, (std::vector<std::string>{
                        GetParam() + "000 NVIDIA H100 SXM5 9.0", "7", "cudaErrorInvalidValue",
                        "cudaErrorInvalidValue cudaSuccess", "cudaErrorInvalidValue"}));
  EXPECT_EQ(host_problems_of(*run), (std::vector<std::string>{"failed_call", "failed_call",
                                                              "out_of_bounds", "use_after_free"}));
}
INSTANTIATE_TEST_SUITE_P(Cuda, HostCalls, ::testing::Values("12", "13"));

TEST(BuildProgram, SaysWhatNvccSays) {
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const fs::path folder =
      fs::temp_directory_path() / ("tilescope-build-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const fs::path source = folder / "wrong.cu";
  std::ofstream(source) << "int main() { return missing; }\n";
  const auto program = build_program({source, {}, 90}, {});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, ErrorCode::kCompile);
  EXPECT_NE(program.error().message.find("missing"), std::string::npos);
  std::ofstream(source) << "// A library.\n#include <boxes/box.h>\nint main() { return 0; }\n";
  const auto lacking = build_program({source, {}, 90}, {});
  ASSERT_FALSE(lacking);
  EXPECT_EQ(lacking.error().message,
            "the header boxes/box.h was found neither in the project nor in the system");
  EXPECT_EQ(lacking.error().place.line, 2);
  EXPECT_EQ(lacking.error().place.file, source.string());
  fs::remove_all(folder);
}

// A function and a header that stand elsewhere in the repository, and no other program's main().
TEST(BuildProgram, TakesWhatItsProjectDefines) {
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const fs::path folder =
      fs::temp_directory_path() / ("tilescope-project-" + std::to_string(::getpid()));
  const auto write = [&](const std::string& name, const std::string& text) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  };
  fs::create_directories(folder / ".git");
  write("engine/parts/edge.h", "#define EDGE 4\n");
  write("utils/fill.cpp", "namespace fill { int all(int* x) { return *x = 1; } }\n");
  write("app/another.cpp", "namespace fill { int all(int*) { return 0; } }\nint main() {}\n");
  write("app/main.cu",
        "#include \"parts/edge.h\"\nnamespace fill { int all(int* x); }\n"
        "int main() { int x[EDGE]; return fill::all(x); }\n");
  const auto program = build_program({folder / "app/main.cu", {}, 90}, {});
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  write("rows/rows.h", "int rows();\n");
  write("rows/rows.cu", "int rows() { return 0; }\n");
  write("app/beside.cu", "#include \"../rows/rows.h\"\nint main() { return rows(); }\n");
  const auto beside = build_program({folder / "app/beside.cu", {}, 90}, {});
  EXPECT_TRUE(beside.ok()) << to_string(beside.error());
  // What a source found so needs is found too: beside a header that it includes.
  write("parts/sort.h", "int sorted();\n");
  write("parts/sort.cu", "#include \"../more/scan.h\"\nint sorted() { return scan<int>(0); }\n");
  write("more/scan.h", "template <class T> T scan(T from);\n");
  write("more/scan.cu",
        "#include \"scan.h\"\ntemplate <class T> T scan(T from) { return from; }\n"
        "template int scan<int>(int from);\n");
  write("app/sorts.cu", "#include \"../parts/sort.h\"\nint main() { return sorted(); }\n");
  const auto sorts = build_program({folder / "app/sorts.cu", {}, 90}, {});
  EXPECT_TRUE(sorts.ok()) << to_string(sorts.error());
  fs::remove_all(folder);
}

// A person gives the file with the kernels, and its main() is elsewhere.
TEST(BuildProgram, TakesTheMainThatCallsTheFile) {
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const fs::path folder =
      fs::temp_directory_path() / ("tilescope-mainless-" + std::to_string(::getpid()));
  const auto write = [&](const std::string& name, const std::string& text) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  };
  fs::create_directories(folder / ".git");
  write("src/halve.cu",
        "__global__ void k(int* x) { *x /= 2; }\nvoid halve(int* x) { k<<<1, 1>>>(x); }\n");
  write("src/a_test.cpp", "int main() { return 1; }\n");
  write("src/b_part.cu", "#include \"halve.cu\"\nint main() { halve(nullptr); }\n");
  const auto alone = build_program({folder / "src/halve.cu", {}, 90}, {});
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().code, ErrorCode::kCompile);
  EXPECT_NE(alone.error().message.find("has no main()"), std::string::npos);
  write("main.cpp",
        "#include \"more.h\"\nvoid halve(int* x);\n"
        "int main() { halve(nullptr); return more(); }\n");
  write("more.h", "int more();\n");
  write("more.cpp", "int more() { return 0; }\n");
  const auto whole = build_program({folder / "src/halve.cu", {}, 90}, {});
  EXPECT_TRUE(whole.ok()) << to_string(whole.error());
  fs::remove_all(folder);
}

// Headers that came with others of an older standard library.
TEST(BuildProgram, TakesTheHeaderThatTheCompilerAsksFor) {
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const fs::path source =
      fs::temp_directory_path() / ("tilescope-forgotten-" + std::to_string(::getpid()) + ".cpp");
  std::ofstream(source) << "#include <vector>\n"
                           "int main() { auto now = std::chrono::steady_clock::now();\n"
                           "  std::function<int()> none = [&] { return 0 * (now == now); };\n"
                           "  return none(); }\n";
  const auto program = build_program({source, {}, 90}, {});
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  // An older g++ had the functions of <cmath> without it.
  std::ofstream(source) << "int main() { return fmax(-1.0, 0.0) > 0; }\n";
  const auto maximum = build_program({source, {}, 90}, {});
  EXPECT_TRUE(maximum.ok()) << to_string(maximum.error());
  // A console that only Windows has.
  std::ofstream(source) << "#include <conio.h>\nint main() { return _kbhit(); }\n";
  const auto console = build_program({source, {}, 90}, {});
  EXPECT_TRUE(console.ok()) << to_string(console.error());
  // A clock of its own, under a name that only Windows finds.
  std::ofstream(source)
      << "#include <Windows.h>\n"
         "int main() { LARGE_INTEGER from, to, second; DWORD began = GetTickCount();\n"
         "  QueryPerformanceFrequency(&second); QueryPerformanceCounter(&from);\n"
         "  Sleep(2); QueryPerformanceCounter(&to);\n"
         "  return to.QuadPart - from.QuadPart < second.QuadPart / 1000 ||\n"
         "         GetTickCount() - began < 1; }\n";
  const auto clock = build_program({source, {}, 90}, {});
  ASSERT_TRUE(clock.ok()) << to_string(clock.error());
  EXPECT_EQ(std::system(clock->c_str()), 0);
  fs::remove(source);
}

// Of a program only what has changed is compiled again, and of one as it was nothing at all.
TEST(BuildProgram, CompilesWhatHasChanged) {
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const fs::path folder =
      fs::temp_directory_path() / ("tilescope-changed-" + std::to_string(::getpid()));
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string cache = before == nullptr ? "" : before;
  ::setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  fs::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  write("main.cu", "int two();\nint three();\nint main() { return two() * three() - 6; }\n");
  write("two.cu", "#include \"two.h\"\nint two() { return TWO; }\n");
  write("two.h", "#define TWO 2\n");
  write("three.cu", "int three() { return 3; }\n");
  const HostSource source{folder / "main.cu", {}, 90};  // nvcc asks for the other two
  const auto objects = [&] {
    std::map<std::string, fs::file_time_type> made;
    for (const auto& entry : fs::directory_iterator(folder / "cache/tilescope/programs/objects")) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".o")) made[name.substr(0, name.find('-'))] = entry.last_write_time();
    }
    return made;
  };
  const auto program = build_program(source, {});
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  EXPECT_EQ(std::system(program->c_str()), 0);
  const auto first = objects();
  ASSERT_EQ(first.size(), 3U);
  const auto when = fs::last_write_time(*program);
  ASSERT_TRUE(build_program(source, {}).ok());
  EXPECT_EQ(fs::last_write_time(*program), when) << "linked again";
  write("two.h", "#define TWO 4\n");
  ASSERT_TRUE(build_program(source, {}).ok());
  EXPECT_NE(std::system(program->c_str()), 0);
  const auto second = objects();
  EXPECT_EQ(second.at("main"), first.at("main"));
  EXPECT_EQ(second.at("three"), first.at("three"));
  EXPECT_NE(second.at("two"), first.at("two"));
  ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  fs::remove_all(folder);
}

// As Windows and macOS find them: other letters in the path, and a \ in it.
TEST(BuildProgram, TakesHeadersWhateverTheCaseOfTheirNames) {
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const fs::path folder =
      fs::temp_directory_path() / ("tilescope-letters-" + std::to_string(::getpid()));
  fs::create_directories(folder / "Common");
  fs::create_directories(folder / "app");
  std::ofstream(folder / "Common/Two.h") << "inline int two() { return 2; }\n";
  std::ofstream(folder / "app/Answer.h") << "#include \"..\\common\\two.h\"\nint answer();\n";
  std::ofstream(folder / "app/answer.cu") << "#include \"answer.h\"\n"
                                             "int answer() { return 40 + two(); }\n";
  std::ofstream(folder / "app/main.cu") << "#include \"ANSWER.H\"\n"
                                           "int main() { return answer() != 42; }\n";
  const auto program = build_program({folder / "app/main.cu", {}, 90}, {});
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  EXPECT_EQ(std::system(program->c_str()), 0);
  fs::remove_all(folder);
}

// Macros that the build sets, and a newer C++ than nvcc's usual one.
TEST(BuildProgram, TakesTheMacrosOfTheBuildAndTheStandardThatIsNeeded) {
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const fs::path folder =
      fs::temp_directory_path() / ("tilescope-macros-" + std::to_string(::getpid()));
  fs::create_directories(folder / ".git");
  fs::create_directories(folder / "src");
  std::ofstream(folder / "Makefile")
      << "COUNT := 4\n"
         "NVFLAGS = -O3 -DWIDE -DROWS=$(COUNT) -DNAME=$(shell date)\n"
         "all:\n\tnvcc $(NVFLAGS) -lineinfo main.cu -L../lib -lm -lcrypto -o main-latest\n";
  const fs::path source = folder / "src/main.cu";
  std::ofstream(source) << "#include <span>\n#ifdef WIDE\nusing real = double;\n#endif\n"
                           "int main() { real x[ROWS]; return static_cast<int>("
                           "std::span<real>(x, ROWS).size()) - ROWS; }\n";
  EXPECT_EQ(build_defines(folder / "src"), (std::vector<std::string>{"WIDE", "ROWS=4"}));
  EXPECT_EQ(build_libraries(folder / "src"), (std::vector<std::string>{"m", "crypto"}));
  const auto program = build_program({source, {}, 90}, {});
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  fs::remove_all(folder);
}

TEST(BuildProgram, SaysThatNvccNeedsAHostCompiler) {
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const auto program = build_program({"tests/exec/programs/vector_add.cu", {}, 90}, {});
  ::setenv("PATH", before.c_str(), 1);
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().message, "nvcc needs g++, which is not installed");
  EXPECT_NE(program.error().remedy.find("sudo apt install g++"), std::string::npos);
}

TEST(CheckProgram, RefusesWhatIsNoProgram) {
  EXPECT_FALSE(check_program("tests/exec/programs/vector_add.cu"));
  EXPECT_FALSE(check_program("/nowhere/at/all"));
}

}  // namespace
}  // namespace tilescope
