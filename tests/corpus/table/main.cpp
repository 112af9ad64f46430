// corpus_table COUNTERS.json LAUNCHES.json... [--only NAME]...: emulates the launches and prints
// each counter that differs from the recorded one, a line each. Exit status 1: there are some.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "counter_comparison.h"
#include "kernel/compile/nvrtc_process.h"

namespace tilescope {
namespace {

struct Totals {
  std::size_t launches = 0;
  std::size_t compared = 0;
  std::size_t differences = 0;
  std::size_t other_code = 0;
  std::size_t failed = 0;
};

void print_launch(const CorpusLaunch& launch, const RecordedLaunch& recorded, Totals* totals) {
  const auto found = compare_counters(launch, recorded);
  ++totals->launches;
  if (!found) {
    ++totals->failed;
    fmt::print("{:44} {}\n", launch.name, to_string(found.error()));
    return;
  }
  if (!found->same_code) {
    ++totals->other_code;
    fmt::print("{:44} the compiler made other code\n", launch.name);
    return;
  }
  if (!found->finding.empty()) fmt::print("{:44} finding: {}\n", launch.name, found->finding);
  totals->compared += found->compared;
  totals->differences += found->differences.size();
  for (const CounterDifference& difference : found->differences) {
    fmt::print("{:44} {:68} measured {:>9} emulated {:>9}\n", launch.name, difference.metric,
               difference.measured, difference.emulated);
  }
  std::fflush(stdout);
}

int run(const std::vector<std::string>& files, const std::vector<std::string>& only) {
  const auto counters = read_recorded_counters(files.front());
  if (!counters) {
    fmt::print(stderr, "corpus_table: {}\n", to_string(counters.error()));
    return 2;
  }
  Totals totals;
  for (auto file = files.begin() + 1; file != files.end(); ++file) {
    const auto launches = read_corpus(*file);
    if (!launches) {
      fmt::print(stderr, "corpus_table: {}\n", to_string(launches.error()));
      return 2;
    }
    for (const CorpusLaunch& launch : *launches) {
      const auto recorded = counters->launches.find(launch.name);
      const bool wanted = only.empty() || std::ranges::find(only, launch.name) != only.end();
      if (wanted && recorded != counters->launches.end()) {
        print_launch(launch, recorded->second, &totals);
      }
    }
  }
  fmt::print("{} launches, {} with other code, {} failed: {} of {} counters differ\n",
             totals.launches, totals.other_code, totals.failed, totals.differences,
             totals.compared);
  return totals.differences == 0 && totals.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tilescope

int main(int count, char** words) {
  if (const auto status = tilescope::serve_as_compile_worker(count, words)) return *status;
  std::vector<std::string> files;
  std::vector<std::string> only;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--only" && i + 1 < count) {
      only.emplace_back(words[++i]);
    } else {
      files.push_back(word);
    }
  }
  if (files.size() < 2) {
    std::fputs("corpus_table COUNTERS.json LAUNCHES.json... [--only NAME]...\n", stderr);
    return 2;
  }
  return tilescope::run(files, only);
}
