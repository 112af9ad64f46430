#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "analysis/study/study_counts.h"
#include "build_config.h"
#include "cli/kernel_arguments.h"
#include "cli/trace_report.h"
#include "program.h"

// tests/mutations/*.cu: each file is a sound kernel that `-D MUTANT=n` breaks in one way. Its
// comments say
//   // trace: OPTIONS                                  of `tilescope trace`
//   // mutant N: KIND[,KIND] [...] at TAG[,TAG] (why)   what must be found, and nothing else; after
//                                                      "..." other kinds may follow from it
//   // says N: WORDS                                  that one of its findings must hold
// and //@TAG marks the lines. A finding is in place when its line or that of the other access is.
// They are traced in this process: what is found in a kernel is found in its PTX, so that the
// machine code, of which the disassembler alone takes 0.3 s, is left out. Some go through the
// program.
namespace tilescope {
namespace {

using nlohmann::json;

struct Mutant {
  std::string file;
  std::string options;
  int number = 0;  // 0: the sound one
  std::set<std::string> kinds;
  bool others_follow = false;
  std::set<int> lines;
  std::string words;  // of a finding's message; empty: any
};

void PrintTo(const Mutant& mutant, std::ostream* stream) {
  *stream << mutant.file << " " << mutant.number;
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::stringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

std::vector<Mutant> load_file(const std::filesystem::path& path) {
  static const std::regex kTrace("^// trace: (.*)$");
  static const std::regex kMutant("^// mutant (\\d+): (\\S+)( \\.\\.\\.)? at (\\S+) .*$");
  static const std::regex kSays("^// says (\\d+): (.*)$");
  static const std::regex kTag("//@(\\w+)");
  Mutant sound;
  sound.file = path.stem().string();
  std::multimap<std::string, int> tags;
  std::map<int, std::string> words;
  std::vector<std::pair<Mutant, std::vector<std::string>>> mutants;
  std::ifstream file(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::smatch match;
    if (std::regex_match(line, match, kTrace)) sound.options = match[1];
    for (auto at = std::sregex_iterator(line.begin(), line.end(), kTag);
         at != std::sregex_iterator(); ++at) {
      tags.emplace((*at)[1], number);
    }
    if (std::regex_match(line, match, kSays)) words[std::stoi(match[1])] = match[2];
    if (!std::regex_match(line, match, kMutant)) continue;
    Mutant mutant = sound;
    mutant.number = std::stoi(match[1]);
    for (const std::string& kind : words_of(match[2])) mutant.kinds.insert(kind);
    mutant.others_follow = match[3].matched;
    mutants.emplace_back(mutant, words_of(match[4]));
  }
  std::vector<Mutant> all{sound};
  for (auto& [mutant, places] : mutants) {
    mutant.options = sound.options;
    mutant.words = words[mutant.number];
    for (const std::string& tag : places) {
      for (auto [at, end] = tags.equal_range(tag); at != end; ++at) mutant.lines.insert(at->second);
    }
    all.push_back(mutant);
  }
  return all;
}

std::vector<Mutant> load_all() {
  std::vector<Mutant> all;
  const auto folder = std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests" / "mutations";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cu") continue;
    for (Mutant& mutant : load_file(entry.path())) all.push_back(std::move(mutant));
  }
  std::sort(all.begin(), all.end(), [](const Mutant& a, const Mutant& b) {
    return std::tie(a.file, a.number) < std::tie(b.file, b.number);
  });
  return all;
}

std::vector<std::string> shell_words(const Mutant& mutant) {
  std::vector<std::string> words = {"tests/mutations/" + mutant.file + ".cu"};
  std::stringstream stream(mutant.options);
  for (std::string word; stream >> word;) words.push_back(word);
  words.insert(words.end(), {"-D", "MUTANT=" + std::to_string(mutant.number)});
  return words;
}

// What `tilescope trace WORDS --json` prints, of the kernel as written.
Result<json> traced(std::vector<std::string> words) {
  KernelArguments arguments;
  CLI::App app;
  add_kernel_options(app, arguments);
  std::ranges::reverse(words);  // as CLI11 takes them
  app.parse(words);
  StudyRequest request;
  auto instance = resolve_instance(arguments, &request.compute_capability);
  if (!instance) return std::move(instance).error();
  request.instance = *std::move(instance);
  const auto study = prepare_study(request, {});
  if (!study) return study.error();
  const auto run = run_grid(**study, 1, {}, Checks::kOn);
  if (!run) return run.error();
  TraceReport report;
  report.study = study->get();
  report.written = &run->counters;
  report.emulation = &run->emulation;
  return json::parse(trace_json(report));
}

void expect_found(const Mutant& mutant, const json& findings) {
  std::set<std::string> in_place;
  bool said = mutant.words.empty();
  for (const json& finding : findings) {
    const std::string kind = finding["kind"];
    const bool expected = mutant.kinds.contains(kind);
    EXPECT_TRUE(expected || mutant.others_follow) << finding.dump();
    const bool here = mutant.lines.contains(finding.value("line", 0)) ||
                      mutant.lines.contains(finding.value("other_line", 0));
    if (expected && here) in_place.insert(kind);
    said |= finding["message"].get<std::string>().find(mutant.words) != std::string::npos;
  }
  EXPECT_EQ(in_place, mutant.kinds) << findings.dump(1);
  EXPECT_TRUE(said) << findings.dump(1);
}

class Mutations : public testing::TestWithParam<Mutant> {};

TEST_P(Mutations, AreFoundWhereTheyAre) {
  const auto document = traced(shell_words(GetParam()));
  ASSERT_TRUE(document) << to_string(document.error());
  EXPECT_TRUE((*document)["complete"] || !GetParam().kinds.empty());
  expect_found(GetParam(), (*document)["findings"]);
}

// The sound kernel and the mutants of one file.
TEST(MutationsOfTheProgram, AreFoundAndDecideItsStatus) {
  for (const Mutant& mutant :
       load_file(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests/mutations/reduction.cu")) {
    std::string arguments = "trace --json";
    for (const std::string& word : shell_words(mutant)) arguments += " '" + word + "'";
    const ProgramRun run = run_tilescope(arguments);
    const json document = json::parse(run.output, nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << run.errors;
    EXPECT_EQ(run.status, mutant.kinds.empty() ? 0 : 2) << run.errors;
    expect_found(mutant, document["findings"]);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Mutations, testing::ValuesIn(load_all()), [](const auto& param) {
  return param.param.file + "_" + std::to_string(param.param.number);
});

TEST(MutationSet, IsAsLargeAsItIsSaidToBe) {
  const std::vector<Mutant> all = load_all();
  const auto sound = std::count_if(all.begin(), all.end(),
                                   [](const Mutant& mutant) { return mutant.number == 0; });
  EXPECT_GE(sound, 12);
  EXPECT_GE(static_cast<std::ptrdiff_t>(all.size()) - sound, 60);
  for (const Mutant& mutant : all) {
    EXPECT_EQ(mutant.lines.empty(), mutant.number == 0) << mutant.file << mutant.number;
  }
}

}  // namespace
}  // namespace tilescope
