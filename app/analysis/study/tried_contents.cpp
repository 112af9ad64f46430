#include "analysis/study/tried_contents.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/study/launch_corrections.h"
#include "kernel/launch/launch_form.h"
#include "kernel/source/type_names.h"

namespace tilescope {
namespace {

bool is_whole(const ArgumentForm& argument) {
  const auto type = parse_element_type(argument.type);
  return type && is_whole_number(*type);
}

bool runs_clean(const TrialRun& run) { return run.any_access && run.faults() == 0; }

bool runs_without_race(const TrialRun& run) {
  return runs_clean(run) && !run.has(FindingKind::kGlobalRace);
}

bool fill(TriedLaunch& tried, const TrialRun& observed, bool whole_numbers) {
  bool changed = false;
  const std::vector<ArgumentForm*> all = tried.buffers();
  for (std::size_t i = 0; i < all.size() && i < observed.touched.size(); ++i) {
    if (all[i]->fill != "zero" || !parse_element_type(all[i]->type)) continue;
    if (!observed.touched[i].loaded) continue;
    if (is_whole(*all[i]) && (!whole_numbers || observed.touched[i].stored)) continue;
    all[i]->fill = usual_contents(*all[i], i + 1);
    changed = true;
  }
  return changed;
}

// Zeros instead of what the host writes.
void forget_written_contents(TriedLaunch& tried, TrialRun* observed) {
  const LaunchForm before = tried.form;
  for (ArgumentForm* buffer : tried.buffers()) {
    if (parse_element_type(buffer->type) && !is_usual(buffer->fill)) buffer->fill = "zero";
  }
  if (tried.form == before) return;
  const std::size_t faults = observed->faults();
  tried.keeps(
      before, [&](const TrialRun& run) { return run.any_access && run.faults() < faults; },
      observed);
}

// Letters in what may be text, with which nothing is exceeded.
bool write_text(TriedLaunch& tried, TrialRun* observed) {
  const LaunchForm before = tried.form;
  for (ArgumentForm* buffer : tried.buffers()) {
    if (may_be_text(*buffer) && buffer->fill == "zero") buffer->fill = kLetters;
  }
  return tried.form != before && tried.keeps(before, runs_clean, observed);
}

}  // namespace

void fill_what_is_read(TriedLaunch& tried, TrialRun* observed) {
  const std::size_t faults = observed->faults();
  for (const bool whole_numbers : {true, false}) {  // these may be indices
    const LaunchForm before = tried.form;
    if (!fill(tried, *observed, whole_numbers)) return;
    const auto is_better = [&](const TrialRun& run) { return run.faults() <= faults; };
    if (tried.keeps(before, is_better, observed)) return;
  }
}

void clear_what_exceeds(TriedLaunch& tried, TrialRun* observed) {
  forget_written_contents(tried, observed);
  if (write_text(tried, observed)) return;
  for (std::size_t i = 0; i < tried.form.arguments.size(); ++i) {
    const ArgumentForm argument = tried.form.arguments[i];
    const std::string& text = argument.is_buffer ? argument.fill : argument.value;
    if (!is_whole(argument) || (text != "1" && text != "ramp")) continue;
    // Places that are counted from one are all the first.
    const std::vector<std::string> clear =
        argument.is_buffer ? std::vector<std::string>{"zero", "1"} : std::vector<std::string>{"0"};
    for (const std::string& contents : clear) {
      const LaunchForm before = tried.form;
      ArgumentForm& changed = tried.form.arguments[i];
      (changed.is_buffer ? changed.fill : changed.value) = contents;
      if (tried.keeps(before, runs_clean, observed)) return;
    }
  }
}

void spread_places(TriedLaunch& tried, TrialRun* observed) {
  const bool changes = std::ranges::any_of(
      observed->touched, [](const TouchedBuffer& one) { return one.loaded && one.stored; });
  if (changes) return;
  const std::vector<TouchedBuffer> touched = observed->touched;
  const LaunchForm before = tried.form;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < touched.size() && i < tried.buffers().size(); ++i) {
    const ArgumentForm& buffer = *tried.buffers()[i];
    if (touched[i].loaded && is_whole(buffer) && is_usual(buffer.fill)) places.push_back(i);
  }
  for (const std::size_t i : places) {
    tried.buffers()[i]->fill = "iota";
    if (tried.keeps(before, runs_without_race, observed)) return;
  }
  if (places.size() < 2) return;
  for (const std::size_t i : places) tried.buffers()[i]->fill = "iota";
  tried.keeps(before, runs_without_race, observed);
}

void lower_limits(TriedLaunch& tried, TrialRun* observed) {
  for (std::size_t i = 0; i < tried.form.arguments.size(); ++i) {
    const ArgumentForm& argument = tried.form.arguments[i];
    const auto type = parse_element_type(argument.type);
    if (argument.is_buffer || !type || is_whole_number(*type) || argument.value != "1") continue;
    for (const char* lower : {"0.01", "0.0001"}) {
      const LaunchForm before = tried.form;
      tried.form.arguments[i].value = lower;
      if (tried.keeps(before, runs_without_race, observed)) return;
    }
  }
}

}  // namespace tilescope
