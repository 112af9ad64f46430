#include "session/exercise_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "analysis/study/kernel_study.h"
#include "core/quantity.h"
#include "core/text.h"
#include "emulator/emulate.h"
#include "emulator/finding_place.h"
#include "kernel/compile/compile.h"
#include "session/exercise_reasons.h"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

// Exercises are small; a thousand times what a solution needs.
constexpr RunLimits kCheckLimits{.step_budget = 4'000'000, .seconds = 10};
constexpr double kRoundingUnit = 1.0 / (1 << 24);

FactsDepth depth_of(const Exercise& exercise) {
  FactsDepth depth = FactsDepth::kTraced;
  for (const ExerciseClaim& claim : exercise.claims) {
    depth = std::max(depth, depth_of(claim.holds));
  }
  for (const ExerciseHint& hint : exercise.hints) {
    for (const LessonExpression& value : hint.values) depth = std::max(depth, depth_of(value));
  }
  return depth;
}

Error in_exercise(const Exercise& exercise, std::string_view file, Error error) {
  if (error.place.file.empty()) error.place = {exercise.file(file).string(), 0, 0};
  return error;
}

// What must hold, as it is compared: "≥ 2 ×", "4".
std::string wanted_words(const LessonExpression& claim, const std::string& right) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSigns{
      {{">=", "≥"}, {"<=", "≤"}, {"!=", "≠"}, {">", ">"}, {"<", "<"}}};
  for (const auto& [sign, words] : kSigns) {
    if (claim.text().find(sign) != std::string::npos) return fmt::format("{} {}", words, right);
  }
  return right;
}

}  // namespace

bool ExerciseResult::passes() const {
  return !rows.empty() && std::ranges::all_of(rows, &ExerciseRow::holds);
}

const ExerciseRow* ExerciseResult::first_failure() const {
  const auto found = std::ranges::find(rows, false, &ExerciseRow::holds);
  return found != rows.end() ? &*found : nullptr;
}

// One check of one text.
class ExerciseChecker::Run {
 public:
  Run(ExerciseChecker& checker, const Exercise& exercise, const KernelFile& own,
      const std::stop_token& stop)
      : checker_(checker), exercise_(exercise), own_(own), stop_(stop) {}

  Result<ExerciseResult> run() {
    const auto began = Clock::now();
    if (Status done = run_all(); !done) return std::move(done).error();
    result_.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    return std::move(result_);
  }

 private:
  struct Case {
    std::size_t size = 0;
    int seed = 1;
  };
  // Every seed at the first size, one at the others.
  [[nodiscard]] std::vector<Case> cases() const {
    std::vector<Case> all;
    for (int seed = 1; seed <= exercise_.seeds; ++seed) all.push_back({0, seed});
    for (std::size_t size = 1; size < exercise_.sizes.size(); ++size) all.push_back({size, 1});
    return all;
  }

  Status run_all() {
    sound_.says = "No race, no access out of bounds, every barrier is met";
    right_.says = fmt::format("The result is right: {} and {}, one of them ragged",
                              counted(static_cast<std::size_t>(exercise_.seeds), "random input"),
                              counted(exercise_.sizes.size(), "size"));
    for (const Case& each : cases()) {
      Status done = run_case(each);
      if (!done) return done;
      if (!compiles_) return ok_status();
      if (!complete_) break;
    }
    sound_.holds = sound_.why.empty();
    right_.holds = complete_ && right_.why.empty();
    if (!sound_.holds) sound_.found = counted(problems_, "problem");
    if (!complete_) {
      right_.found = "it did not run to its end";
    } else if (!right_.holds) {
      right_.found = "wrong";
    }
    result_.rows.push_back(std::move(sound_));
    result_.rows.push_back(std::move(right_));
    return check_claims();
  }

  Status run_case(const Case& each) {
    const ParameterSet& size = exercise_.sizes[each.size];
    auto instance = tilescope::instance_of(exercise_, own_, size, each.seed);
    if (!instance) return refuse(instance.error());
    StudyRequest request;
    request.instance = *std::move(instance);
    request.compute_capability = checker_.device_.compute_capability;
    const auto study = prepare_study(request, stop_);
    if (!study) {
      if (study.error().code == ErrorCode::kCancelled) return study.error();
      return refuse(study.error());
    }
    // Warps and blocks take turns in another order each time: what depends on it comes out.
    const SchedulingOrder order =
        each.seed == 2 ? SchedulingOrder::kBackward : SchedulingOrder::kForward;
    const auto ran = run_grid(**study, checker_.workers_, stop_, Checks::kOn, order, kCheckLimits);
    if (!ran) {
      if (ran.error().code == ErrorCode::kCancelled) return ran.error();
      return refuse(ran.error());
    }
    take_findings(**study, ran->emulation, each);
    complete_ = ran->emulation.complete;
    if (ran->emulation.blocks < ran->emulation.of_blocks) {
      complete_ = false;
      if (sound_.why.empty()) {
        sound_.why =
            fmt::format("It was stopped after {} seconds: it does far more than is needed.",
                        kCheckLimits.seconds);
        problems_ = 1;
      }
    }
    if (!complete_ || !right_.why.empty()) return ok_status();
    const auto want = checker_.reference(exercise_, each.size, each.seed, stop_);
    if (!want) return want.error();
    const double relative = exercise_.tolerance * kRoundingUnit;
    if (auto wrong = first_wrong_element(**study, *ran->memory, **want, relative)) {
      right_.why = explain_wrong_element(
          **study, *wrong, fmt::format("{}, input {}", size_words(size), each.seed), stop_);
      right_.line = wrong->line;
    }
    return ok_status();
  }

  // The text cannot be compiled or launched.
  Status refuse(const Error& error) {
    if (error.code == ErrorCode::kMachine) return error;
    compiles_ = false;
    const auto line = static_cast<std::uint32_t>(std::max(error.place.line, 0));
    result_.rows.push_back({.says = "It compiles",
                            .wanted = "",
                            .found = "no",
                            .holds = false,
                            .why = to_string(error),
                            .view = std::nullopt,
                            .line = line});
    return ok_status();
  }

  void take_findings(const KernelStudy& study, const Emulation& emulation, const Case& each) {
    const Finding* wrong = first_mistake(emulation.findings);
    if (wrong == nullptr || !sound_.why.empty()) return;
    problems_ = count_mistakes(emulation.findings);
    const Finding& first = *wrong;
    const FindingPlaces places(*study.program);
    if (first.instruction < study.program->instructions().size()) {
      sound_.line = places.line_of(first.instruction);
    }
    sound_.why = fmt::format("Line {}: {} ({}; block {}, thread {})", sound_.line, first.message,
                             size_words(exercise_.sizes[each.size]), index_words(first.block),
                             index_words(first.thread));
    const bool of_shared = first.kind == FindingKind::kSharedRace;
    sound_.view = of_shared ? View::kBanks : exercise_.view;
  }

  Status check_claims() {
    if (!complete_) {
      for (const ExerciseClaim& claim : exercise_.claims) {
        result_.rows.push_back({.says = claim.says, .found = "not checked: it did not end"});
      }
      return ok_status();
    }
    auto instance = tilescope::instance_of(exercise_, own_, exercise_.sizes.front(), 1);
    if (!instance) return instance.error();
    auto facts = launch_facts(*std::move(instance), checker_.device_, depth_of(exercise_),
                              checker_.workers_, stop_);
    if (!facts) return facts.error();
    result_.facts = std::make_shared<const LaunchFacts>(*std::move(facts));
    const LessonLookup lookup = checker_.lookup(exercise_, *result_.facts, stop_);
    for (const ExerciseClaim& claim : exercise_.claims) {
      ExerciseRow row{.says = claim.says};
      if (const auto compared = claim.holds.compare(lookup)) {
        row.holds = compared->holds;
        row.found = compared->left;
        row.wanted = wanted_words(claim.holds, compared->right);
      } else {
        row.found = "not known";
        row.why = why_not_known(claim.holds, compared.error());
      }
      if (!row.holds && row.why.empty()) {
        explain_claim(claim.holds, exercise_.view, *result_.facts, &row);
      }
      result_.rows.push_back(std::move(row));
    }
    return ok_status();
  }

  // A claim names its line by a text that the person may have taken away.
  [[nodiscard]] std::string why_not_known(const LessonExpression& claim, const Error& error) const {
    for (const LessonQuantity& quantity : claim.quantities()) {
      const std::string& text = quantity.source_line;
      if (text.empty() || own_.source.find(text) != std::string::npos) continue;
      return fmt::format("No line has '{}' any more: put it behind the line that it was in.", text);
    }
    return to_string(error);
  }

  ExerciseChecker& checker_;
  const Exercise& exercise_;
  const KernelFile& own_;
  const std::stop_token& stop_;
  ExerciseResult result_;
  ExerciseRow sound_;
  ExerciseRow right_;
  std::size_t problems_ = 0;
  bool compiles_ = true;
  bool complete_ = true;
};

Result<ExerciseResult> ExerciseChecker::check(const Exercise& exercise, const KernelFile& own,
                                              const std::stop_token& stop) {
  return Run(*this, exercise, own, stop).run();
}

Result<ExerciseChecker::Memory> ExerciseChecker::reference(const Exercise& exercise,
                                                           std::size_t size, int seed,
                                                           const std::stop_token& stop) {
  Memory& kept = references_[{exercise.folder.string(), size, seed}];
  if (kept != nullptr) return kept;
  const auto fail = [&](const Error& error) {
    return in_exercise(exercise, "reference.cu", error);
  };
  StudyRequest request;
  auto instance = reference_of(exercise, exercise.sizes[size], seed);
  if (!instance) return fail(instance.error());
  request.instance = *std::move(instance);
  request.compute_capability = device_.compute_capability;
  const auto study = prepare_study(request, stop);
  if (!study) return fail(study.error());
  const auto run = run_grid(**study, 1, stop, Checks::kOn);
  if (!run) return fail(run.error());
  if (const Finding* wrong = first_mistake(run->emulation.findings); wrong != nullptr) {
    return fail(
        {ErrorCode::kUsage, wrong->message, "The reference must be right for every size", {}});
  }
  kept = run->memory;
  return kept;
}

Result<ExerciseChecker::Facts> ExerciseChecker::shipped(const Exercise& exercise,
                                                        const std::string& which,
                                                        const std::stop_token& stop) {
  Facts& kept = shipped_[{exercise.folder.string(), which}];
  if (kept != nullptr) return kept;
  const std::string name = which + ".cu";
  const auto file = read_kernel_file(exercise.file(name).string());
  if (!file) return file.error();
  auto instance = tilescope::instance_of(exercise, *file, exercise.sizes.front(), 1);
  if (!instance) return in_exercise(exercise, name, instance.error());
  auto facts = launch_facts(*std::move(instance), device_, depth_of(exercise), workers_, stop);
  if (!facts) return in_exercise(exercise, name, facts.error());
  kept = std::make_shared<const LaunchFacts>(*std::move(facts));
  return kept;
}

LessonLookup ExerciseChecker::lookup(const Exercise& exercise, const LaunchFacts& own,
                                     const std::stop_token& stop) {
  return [this, &exercise, &own, &stop](const LessonQuantity& quantity) -> Result<LessonValue> {
    const KnownMeasurements known{recorded_};
    if (quantity.launch.empty()) return figure_value(quantity, own, known);
    if (quantity.launch != "start" && quantity.launch != "solution") {
      return Error{ErrorCode::kUsage,
                   fmt::format("there is no launch '{}'", quantity.launch),
                   "Leave it out for the person's kernel, or write start or solution",
                   {}};
    }
    const auto facts = shipped(exercise, quantity.launch, stop);
    if (!facts) return facts.error();
    return figure_value(quantity, **facts, known);
  };
}

std::string ExerciseChecker::hint_text(const Exercise& exercise, std::size_t hint,
                                       const ExerciseResult* result, const std::stop_token& stop) {
  Facts facts = result != nullptr ? result->facts : nullptr;
  for (const char* which : {"start", "solution"}) {
    if (facts != nullptr) break;
    if (auto known = shipped(exercise, which, stop)) facts = *known;
  }
  const ExerciseHint& parts = exercise.hints[hint];
  std::string text = parts.words.front();
  for (std::size_t i = 0; i < parts.values.size(); ++i) {
    std::string value = "–";
    if (facts != nullptr) {
      const auto found = parts.values[i].evaluate(lookup(exercise, *facts, stop));
      if (found) value = parts.values[i].written(*found);
    }
    text += value + parts.words[i + 1];
  }
  return text;
}

}  // namespace tilescope
