#include "ui/panels/tuner_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

std::string ready_words(const Tuner& tuner, const std::string& device) {
  if (!tuner.count()) return "Counting the legal combinations from here …";
  const Tuner::Count& count = *tuner.count();
  if (count.legal == 0) {
    return "No combination is legal from here: let more parameters be explored.";
  }
  const bool all = count.complete && count.legal == count.offered && count.legal > 1;
  std::string words =
      all ? fmt::format("All {} combinations are legal from here.", format_count(count.legal))
          : fmt::format("{}{} of {} combinations {} legal from here.",
                        count.complete ? "" : "More than ", format_count(count.legal),
                        format_count(count.offered), count.legal == 1 ? "is" : "are");
  words += device.empty()
               ? " No GPU measures them: the time model (◇) ranks them, recorded times beside it."
               : fmt::format(
                     " Each is compiled, checked and measured on {}; the best {} again, "
                     "for longer.",
                     device, Tuner::kRefined);
  return words;
}

// " The fastest takes 0.918 ms, the start 0.990 ms."
std::string best_words(const Tuner& tuner) {
  const TunedVariant* best = tuner.best();
  const auto start =
      std::ranges::find(tuner.ranked(), tuner.start_parameters(), &TunedVariant::parameters);
  if (best == nullptr || start == tuner.ranked().end() || start->seconds <= 0) return {};
  const auto times = format_times(std::array{best->seconds, start->seconds});
  if (best == &*start) return fmt::format(" None is faster than the start: {}.", times[1]);
  return fmt::format(" The fastest takes {}, the start {}.", times[0], times[1]);
}

}  // namespace

std::string duration_words(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string how_it_goes(bool measures) {
  std::string words =
      "The parameters as they stand come first, then always the combination that is nearest to the "
      "fastest so far, in steps of the sliders, until none is left. It can be paused and stopped; "
      "what was found stays. ";
  words += measures
               ? "Every measured point goes to the history and into the charts. "
               : "Modelled times stay in the tuner's table: history and charts hold measured ones "
                 "only. ";
  return words + "At the end the counters of start and winner say why it wins.";
}

std::string why_not_tuned(const Variant& active) {
  if (active.own) {
    const std::string sliders =
        active.own->parameters.empty() ? "" : " Its sliders can be moved one by one.";
    return "The tuner tries kernels of the ladder, which say what values are legal together; a "
           "kernel of your own does not." +
           sliders;
  }
  if (active.entry == nullptr) return "Choose a kernel: the tuner tries its parameters.";
  if (active.is_edited()) {
    return "The text is edited: the tuner tries the kernel as it ships. Revert it first.";
  }
  if (active.entry->parameters.empty()) {
    return active.entry->title + " has no parameters: there is nothing to try.";
  }
  return {};
}

std::string tuner_words(const Tuner& tuner, const Variant& active, const std::string& device) {
  if (tuner.stage() == Tuner::Stage::kReady) {
    const std::string why = why_not_tuned(active);
    return why.empty() ? ready_words(tuner, device) : why;
  }
  const std::string of =
      fmt::format("{} of {}", format_count(tuner.done()), format_count(tuner.size()));
  const std::string how = tuner.measures() ? "measured" : "modelled";
  switch (tuner.stage()) {
    case Tuner::Stage::kReady:
      break;
    case Tuner::Stage::kExploring: {
      if (tuner.paused()) return fmt::format("Paused with {} {}.", of, how);
      const auto left = tuner.seconds_left();
      return fmt::format("{} {}{}.", of, how,
                         left ? ", about " + duration_words(*left) + " left" : std::string());
    }
    case Tuner::Stage::kRefining:
      return fmt::format("All {} {}; the best {} are measured again, for longer{}.",
                         format_count(tuner.size()), how, Tuner::kRefined,
                         tuner.paused() ? " (paused)" : "");
    case Tuner::Stage::kDone:
      return (tuner.stopped() ? fmt::format("Stopped with {} {}.", of, how)
                              : fmt::format("All {} {}.", format_count(tuner.size()), how)) +
             best_words(tuner);
  }
  return "";
}

}  // namespace tilescope
