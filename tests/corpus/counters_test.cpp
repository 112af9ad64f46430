#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "build_config.h"
#include "counter_comparison.h"
#include "counter_exceptions.h"
#include "kernel/compile/assemble.h"
#include "kernel/lacks_toolkit.h"
#include "probe_modules.h"

// Every launch of the corpus, emulated as the machine executes it, against what an H200 counted
// (h200_counters.json, by read_counters.py). `corpus_table` prints all differences at once.
namespace tilescope {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests/corpus";
constexpr const char* kFinding = "finding";  // in exceptions.json beside the names of counters
constexpr std::size_t kMostExceptionsPercent = 3;

template <typename T>
T read_or_die(Result<T> read) {
  if (read) return *std::move(read);
  ADD_FAILURE() << to_string(read.error());
  return {};
}

struct Corpus {
  std::vector<CorpusLaunch> launches;
  RecordedCounters counters;
  CounterExceptions exceptions;
};

const Corpus& corpus() {
  static const Corpus read = [] {
    Corpus all;
    for (const char* list :
         {"launches.json", "probes.json", "applications.json", "meeting.json", "numerics.json",
          "integers.json", "memory.json", "turns.json", "courses.json", "programs.json",
          "calls.json", "copies.json", "rare.json", "clusters.json"}) {
      for (CorpusLaunch& launch : read_or_die(read_corpus(kFolder / list))) {
        all.launches.push_back(std::move(launch));
      }
    }
    all.counters = read_or_die(read_recorded_counters(kFolder / "h200_counters.json"));
    all.exceptions = read_or_die(read_exceptions(kFolder / "exceptions.json"));
    return all;
  }();
  return read;
}

// The kernels of a file are one test, so that many can run beside each other.
std::string group_of(const CorpusLaunch& launch) {
  std::string group = launch.instance.file_name + "_" + launch.instance.kernel;
  if (!launch.name.starts_with("probe_")) group = launch.instance.file_name;
  std::erase_if(group,
                [](char c) { return c != '_' && !std::isalnum(static_cast<unsigned char>(c)); });
  return group;
}

std::set<std::string> groups() {
  std::set<std::string> names;
  for (const CorpusLaunch& launch : corpus().launches) names.insert(group_of(launch));
  return names;
}

void expect_measured_counters(const CorpusLaunch& launch, const RecordedLaunch& recorded,
                              std::size_t* compared) {
  static ProbeModules probes(corpus().launches);
  auto compiled = ProbeModules::holds(launch)
                      ? probes.compile(launch, kRecordedCapability)
                      : compile({launch.instance, kRecordedCapability, true}, {});
  if (!compiled && lacks_toolkit(to_string(compiled.error()))) {
    GTEST_SKIP() << "there is no CUDA toolkit, which has what this needs";
  }
  ASSERT_TRUE(compiled) << launch.name << ": " << to_string(compiled.error());
  const auto found = compare_counters(launch, *std::move(compiled), recorded);
  ASSERT_TRUE(found) << launch.name << ": " << to_string(found.error());
  if (!found->same_code) return;
  *compared += found->compared;
  std::set<std::string> differing;
  if (!found->finding.empty()) {
    differing.insert(kFinding);
    EXPECT_TRUE(corpus().exceptions.contains({launch.name, kFinding}))
        << launch.name << ": " << found->finding;
  }
  for (const CounterDifference& difference : found->differences) {
    differing.insert(difference.metric);
    if (corpus().exceptions.contains({launch.name, difference.metric})) continue;
    ADD_FAILURE() << fmt::format("{}: {}: measured {}, emulated {}", launch.name, difference.metric,
                                 difference.measured, difference.emulated);
  }
  for (const auto& [name, metric] : corpus().exceptions) {
    if (name != launch.name || differing.contains(metric)) continue;
    ADD_FAILURE() << fmt::format("{}: {} is as measured now: take it out of exceptions.json", name,
                                 metric);
  }
}

class MeasuredCounters : public testing::TestWithParam<std::string> {};

TEST_P(MeasuredCounters, AreWhatTheEmulatorCounts) {
  if (const auto tool = disassembler(); !tool) GTEST_SKIP() << to_string(tool.error());
  std::size_t compared = 0;
  for (const CorpusLaunch& launch : corpus().launches) {
    if (group_of(launch) != GetParam()) continue;
    const auto recorded = corpus().counters.launches.find(launch.name);
    if (recorded == corpus().counters.launches.end()) continue;  // not measured yet
    expect_measured_counters(launch, recorded->second, &compared);
  }
  if (compared == 0 && !IsSkipped()) GTEST_SKIP() << "not measured yet, or only of other code";
}

INSTANTIATE_TEST_SUITE_P(Corpus, MeasuredCounters, testing::ValuesIn(groups()),
                         [](const auto& test) { return test.param; });

TEST(CounterExceptions, AreFewAndOfCountersThatAreCompared) {
  std::size_t counted = 0;  // counters that are not 0
  for (const auto& [name, recorded] : corpus().counters.launches) {
    for (const std::string& metric : compared_metrics()) counted += recorded.metrics.count(metric);
  }
  EXPECT_LT(corpus().exceptions.size() * 100, counted * kMostExceptionsPercent);
  for (const auto& [launch, metric] : corpus().exceptions) {
    EXPECT_TRUE(corpus().counters.launches.contains(launch)) << launch;
    const bool is_known = metric == kFinding || std::ranges::count(compared_metrics(), metric) == 1;
    EXPECT_TRUE(is_known) << metric;
  }
}

TEST(RecordedCounters, AreOfLaunchesOfTheCorpus) {
  std::set<std::string> names;
  for (const CorpusLaunch& launch : corpus().launches) names.insert(launch.name);
  // Those that corpus_table alone emulates, to spare time.
  for (const char* list :
       {"more.json", "everyday.json", "irregular.json", "tuners.json", "samples.json",
        "holdout.json", "libraries.json", "unseen.json", "fresh.json", "pairs.json"}) {
    for (const CorpusLaunch& launch : read_or_die(read_corpus(kFolder / list))) {
      names.insert(launch.name);
    }
  }
  EXPECT_FALSE(corpus().counters.launches.empty());
  for (const auto& [name, recorded] : corpus().counters.launches) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

}  // namespace
}  // namespace tilescope
