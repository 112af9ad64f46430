#include "ui/script_doing.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/warp_time.h"
#include "scene/setting_check.h"
#include "ui/desk/desk.h"
#include "ui/desk/time_control.h"
#include "ui/panels/tuner_words.h"
#include "ui/script_words.h"
#include "ui/source/source_editor.h"

namespace tilescope {

Status choose_kernel(const ScriptCommand& command, const ScriptTarget& target) {
  Desk& desk = target.desk;
  const CatalogueEntry* entry = desk.bench.catalogue().find(command.words[1]);
  if (entry == nullptr) {
    std::vector<std::string> ids;
    ids.reserve(desk.bench.catalogue().entries.size());
    for (const CatalogueEntry& known : desk.bench.catalogue().entries) ids.push_back(known.id);
    return unknown(command, "kernel", command.words[1], ids);
  }
  desk.bench.choose_kernel(*entry);
  desk.focused_parameter.clear();
  return ok_status();
}

Status set_setting(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<std::int64_t> value = whole(command, 2);
  if (!value.ok()) return value.error();
  if (Status known = check_setting(command.words[1], *value); !known) {
    return wrong(command, to_string(known.error()));
  }
  change_setting(target.desk.view_settings,
                 {.kind = HitKind::kSetting, .value = *value, .name = command.words[1]});
  return ok_status();
}

Status start_drag(const ScriptCommand& command, const ScriptTarget& target) {
  ScriptProgress::Drag drag{.line = command.line, .name = command.words[1]};
  if (Status from = with_whole(command, 2, [&](std::int64_t value) { drag.from = value; }); !from)
    return from;
  if (Status to = with_whole(command, 3, [&](std::int64_t value) { drag.to = value; }); !to)
    return to;
  return with_whole(command, 4, [&](std::int64_t frames) {
    drag.frames = static_cast<int>(frames);
    target.progress.drag = std::move(drag);
  });
}

// At an event, or at the beginning of a k-step.
Status stand_at(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<std::int64_t> number = whole(command, 1);
  if (!number.ok()) return number.error();
  Variant& variant = target.desk.bench.active();
  if (variant.study == nullptr || !variant.study->traced() ||
      variant.study->trace->events.empty()) {
    return wrong(command, "no block is traced yet; wait-idle first");
  }
  std::int64_t event = *number;
  const bool is_step = command.words.front() == "step";
  if (is_step && variant.study->timeline && !variant.study->timeline->step_begin.empty()) {
    const auto& begins = WarpTime{*variant.study, variant.selection.warp, {}}.steps();
    const auto last = static_cast<std::int64_t>(begins.size()) - 1;
    event = begins[static_cast<std::size_t>(std::clamp<std::int64_t>(*number, 0, last))];
  }
  const auto last = static_cast<std::int64_t>(variant.study->trace->events.size()) - 1;
  variant.selection.event = static_cast<std::uint32_t>(std::clamp<std::int64_t>(event, 0, last));
  return ok_status();
}

Status play(const ScriptCommand& command, const ScriptTarget& target) {
  const bool wanted = command.words.front() == "play";
  if (target.desk.playback.playing != wanted) toggle_playback(target.desk);
  return ok_status();
}

Status go_phases(const ScriptCommand& command, const ScriptTarget& target) {
  return with_whole(
      command, 1, [&](std::int64_t phases) { step_phases(target.desk, static_cast<int>(phases)); });
}

Status set_loop(const ScriptCommand& command, const ScriptTarget& target) {
  if (command.words.size() == 2) {
    if (command.words[1] != "off") return wrong(command, "takes two events, or off");
    clear_loop(target.desk);
    return ok_status();
  }
  const Result<std::int64_t> in = whole(command, 1);
  if (!in.ok()) return in.error();
  const Result<std::int64_t> out = whole(command, 2);
  if (!out.ok()) return out.error();
  if (*in < 0 || *out < *in) {
    return wrong(command, "the second event must not lie before the first");
  }
  clear_loop(target.desk);
  set_loop_in(target.desk, static_cast<std::uint32_t>(*in));
  set_loop_out(target.desk, static_cast<std::uint32_t>(*out));
  return ok_status();
}

Status use_bookmark(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<std::int64_t> number = whole(command, 2);
  if (!number.ok()) return number.error();
  if (*number < 0 || *number > 9) return wrong(command, "bookmarks are 0 to 9");
  const std::string& what = command.words[1];
  const auto act = what == "set" ? set_bookmark : what == "go" ? go_to_bookmark : remove_bookmark;
  act(target.desk, static_cast<int>(*number));
  return ok_status();
}

Status choose_unit(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& word = command.words[1];
  const bool share = word == "peak" || word == "reference";
  target.desk.preferences.rate_unit = parse_rate_unit(share ? "% of " + word : word);
  if (!target.desk.preferences.rate_unit) {
    return unknown(command, "unit", word, {"flop/s", "bytes/s", "time", "peak", "reference"});
  }
  return ok_status();
}

Status tune(const ScriptCommand& command, const ScriptTarget& target) {
  Tuner& tuner = target.desk.tuner;
  const std::string& what = command.words[1];
  const bool of_parameter = what == "with" || what == "without";
  if (of_parameter != (command.words.size() == 3)) {
    return wrong(command, "with and without take a parameter, the others nothing");
  }
  if (of_parameter) {
    tuner.explore(command.words[2], what == "with");
    tuner.look();
  } else if (what == "start") {
    tuner.look();
    const std::string why = why_not_tuned(target.desk.bench.active());
    if (!why.empty()) return wrong(command, why);
    target.progress.again = !tuner.count();
    if (tuner.count()) tuner.start();
  } else if (what == "pause" || what == "go-on") {
    tuner.pause(what == "pause");
  } else if (what == "stop") {
    tuner.stop();
  } else {
    tuner.reset();
  }
  return ok_status();
}

// Writes over a line of the source, keeping its indentation.
Status type_line(const ScriptCommand& command, const ScriptTarget& target) {
  Desk& desk = target.desk;
  const Result<std::int64_t> number = whole(command, 1);
  if (!number.ok()) return number.error();
  const std::int64_t line = *number;
  if (!desk.bench.active().has_kernel()) return wrong(command, "no kernel is open");
  std::string text = desk.bench.active().shown_source();
  std::size_t at = 0;
  for (std::int64_t i = 1; i < line && at != std::string::npos; ++i) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (line < 1 || at == std::string::npos) return wrong(command, "there is no such line");
  const std::size_t first = std::min(text.find_first_not_of(" \t", at), text.size());
  const std::string words = words_from(command, 2);
  const std::size_t end = std::min(text.find('\n', at), text.size());
  text.replace(std::min(first, end), end - std::min(first, end), words);
  desk.bench.edit_source(std::move(text));
  return ok_status();
}

}  // namespace tilescope
