#include "ui/desk/time_control.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "core/quantity.h"
#include "ui/desk/desk.h"

namespace tilescope {
namespace {

// Seconds that a k-step takes at speed 1: long enough to be followed, however many events it has.
constexpr double kEventsPerSecond = 60;
constexpr double kShortestStepSeconds = 2;
constexpr double kLongestStepSeconds = 12;

const KernelStudy* traced_study(const Desk& desk) {
  const KernelStudy* study = desk.bench.active().study.get();
  return study != nullptr && study->traced() && !study->trace->events.empty() ? study : nullptr;
}

void move_to(Desk& desk, const KernelStudy& study, std::int64_t event) {
  const auto last = static_cast<std::int64_t>(study.trace->events.size()) - 1;
  desk.bench.active().selection.event =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(event, 0, last));
}

TimeMarks* marks_of(Desk& desk) {
  return traced_study(desk) != nullptr ? &desk.bench.active().marks : nullptr;
}

bool is_bookmark(int number) { return number >= 0 && number < 10; }

}  // namespace

void toggle_playback(Desk& desk) {
  const KernelStudy* study = traced_study(desk);
  if (study == nullptr) return;
  desk.playback.playing = !desk.playback.playing;
  desk.playback.events_due = 0;
  const bool at_end = desk.bench.active().selection.event + 1 >= study->trace->events.size();
  if (!desk.playback.playing) return;
  const TimeMarks& marks = desk.bench.active().marks;
  const std::uint32_t event = desk.bench.active().selection.event;
  if (marks.loops() && (event < *marks.loop_in || event >= *marks.loop_out)) {
    move_to(desk, *study, *marks.loop_in);
  } else if (at_end) {
    move_to(desk, *study, 0);
  }
}

void step_events(Desk& desk, int events) {
  desk.playback.playing = false;
  if (const KernelStudy* study = traced_study(desk)) {
    move_to(desk, *study, std::int64_t{desk.bench.active().selection.event} + events);
  }
}

void step_tiles(Desk& desk, int steps) {
  desk.playback.playing = false;
  const KernelStudy* study = traced_study(desk);
  if (study == nullptr || !study->timeline || study->timeline->step_begin.empty()) return;
  const auto& begins = study->timeline->step_begin;
  const auto now =
      static_cast<std::int64_t>(study->timeline->step_at(desk.bench.active().selection.event));
  const auto wanted =
      std::clamp<std::int64_t>(now + steps, 0, static_cast<std::int64_t>(begins.size()) - 1);
  move_to(desk, *study, begins[static_cast<std::size_t>(wanted)]);
}

void step_phases(Desk& desk, int phases) {
  desk.playback.playing = false;
  const KernelStudy* study = traced_study(desk);
  if (study == nullptr || !study->timeline || study->timeline->phases.empty()) return;
  const std::vector<Timeline::Span>& spans = study->timeline->phases;
  const std::uint32_t event = desk.bench.active().selection.event;
  const auto after = std::ranges::upper_bound(spans, event, {}, &Timeline::Span::begin);
  const auto wanted = std::clamp<std::int64_t>(after - spans.begin() - 1 + phases, 0,
                                               static_cast<std::int64_t>(spans.size()) - 1);
  move_to(desk, *study, spans[static_cast<std::size_t>(wanted)].begin);
}

void go_to_event(Desk& desk, std::uint32_t event) {
  desk.playback.playing = false;
  if (const KernelStudy* study = traced_study(desk)) move_to(desk, *study, event);
}

void advance_playback(Desk& desk) {
  Playback& playback = desk.playback;
  if (!playback.playing) return;
  const KernelStudy* study = traced_study(desk);
  if (study == nullptr) {
    playback.playing = false;
    return;
  }
  const std::size_t steps =
      study->timeline ? std::max<std::size_t>(1, study->timeline->step_begin.size()) : 1;
  const auto events = static_cast<double>(study->trace->events.size());
  const double per_step = events / static_cast<double>(steps);
  const double seconds =
      std::clamp(per_step / kEventsPerSecond, kShortestStepSeconds, kLongestStepSeconds);
  playback.events_due += per_step / seconds * static_cast<double>(playback.speed) *
                         static_cast<double>(std::min(ImGui::GetIO().DeltaTime, 0.1F));
  const double whole = std::floor(playback.events_due);
  playback.events_due -= whole;
  const std::uint32_t event = desk.bench.active().selection.event;
  const std::int64_t next = std::int64_t{event} + static_cast<std::int64_t>(whole);
  const TimeMarks& marks = desk.bench.active().marks;
  if (marks.loops() && event <= *marks.loop_out && next > *marks.loop_out) {
    move_to(desk, *study, *marks.loop_in);
    desk.frame_wanted = true;
    return;
  }
  move_to(desk, *study, next);
  if (desk.bench.active().selection.event + 1 >= study->trace->events.size())
    playback.playing = false;
  desk.frame_wanted = true;
}

void set_loop_in(Desk& desk, std::uint32_t event) {
  TimeMarks* marks = marks_of(desk);
  if (marks == nullptr) return;
  marks->loop_in = event;
  if (marks->loop_out && *marks->loop_out < event) marks->loop_out = event;
}

void set_loop_out(Desk& desk, std::uint32_t event) {
  TimeMarks* marks = marks_of(desk);
  if (marks == nullptr) return;
  marks->loop_out = event;
  if (!marks->loop_in) marks->loop_in = 0;
  if (*marks->loop_in > event) marks->loop_in = event;
}

void clear_loop(Desk& desk) {
  if (TimeMarks* marks = marks_of(desk)) {
    marks->loop_in.reset();
    marks->loop_out.reset();
  }
}

void set_bookmark(Desk& desk, int number) {
  TimeMarks* marks = marks_of(desk);
  if (marks == nullptr || !is_bookmark(number)) return;
  marks->bookmarks[static_cast<std::size_t>(number)] = desk.bench.active().selection.event;
}

void go_to_bookmark(Desk& desk, int number) {
  const TimeMarks* marks = marks_of(desk);
  if (marks == nullptr || !is_bookmark(number)) return;
  const auto& bookmark = marks->bookmarks[static_cast<std::size_t>(number)];
  if (bookmark && *bookmark < traced_study(desk)->trace->events.size()) {
    go_to_event(desk, *bookmark);
  }
}

void remove_bookmark(Desk& desk, int number) {
  TimeMarks* marks = marks_of(desk);
  if (marks != nullptr && is_bookmark(number)) {
    marks->bookmarks[static_cast<std::size_t>(number)].reset();
  }
}

MomentWords describe_moment(const Variant& variant, std::uint32_t event) {
  const KernelStudy& study = *variant.study;
  const auto& events = study.trace->events;
  event = std::min<std::uint32_t>(event, static_cast<std::uint32_t>(events.size()) - 1);
  MomentWords moment;
  const bool steps = study.timeline && study.timeline->step_begin.size() > 1;
  const std::string place = format_count(std::uint64_t{event} + 1);
  if (steps) {
    const std::uint32_t step = study.timeline->step_of(events[event].warp, event);
    moment.where = "step " + format_count(std::uint64_t{step} + 1) + " of " +
                   format_count(study.timeline->step_begin.size());
  } else {
    moment.where = "instruction " + place + " of " + format_count(events.size());
  }
  const StaticInstruction& instruction = study.program->instructions()[events[event].instruction];
  // A kernel without marks has no phases; of others, what stands outside all of them.
  std::string phase = study.program->phases().empty() ? "" : "no phase";
  if (instruction.phase >= 0) {
    phase = study.program->phases()[static_cast<std::size_t>(instruction.phase)];
    if (variant.entry != nullptr) {  // by the name as it stands in the source
      const auto meaning = variant.entry->phases.find(phase);
      if (meaning != variant.entry->phases.end()) moment.meaning = meaning->second;
    }
  }
  std::ranges::replace(phase, '_', ' ');
  moment.what = phase + (phase.empty() ? "" : " · ");
  if (steps) {
    const std::string of_all = place + " of " + format_count(events.size());
    moment.what += (phase.empty() ? "instruction " : "") + of_all;
    if (!moment.meaning.empty()) moment.meaning += ". ";
    moment.meaning += "Instruction " + of_all + " of the block.";
  } else {
    moment.what += "warp " + std::to_string(events[event].warp);
  }
  return moment;
}

}  // namespace tilescope
