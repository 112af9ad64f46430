#include "ui/script.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

#include "ui/desk/desk.h"
#include "ui/desk/time_control.h"
#include "ui/source/source_editor.h"

namespace tilescope {
namespace {

constexpr int kSettleFrames = 12;  // quiet frames that count as idle: fades have ended
constexpr double kMostWaitSeconds = 300;

// How many words each command takes after its name: least and most.
const std::map<std::string, std::pair<std::size_t, std::size_t>>& grammar() {
  static const std::map<std::string, std::pair<std::size_t, std::size_t>> words{
      {"kernel", {1, 1}}, {"set", {2, 2}},        {"drag", {4, 4}},       {"size", {2, 2}},
      {"view", {1, 1}},   {"theme", {1, 1}},      {"step", {1, 1}},       {"event", {1, 1}},
      {"line", {1, 1}},   {"lane", {1, 1}},       {"warp", {1, 1}},       {"zoom", {1, 1}},
      {"play", {0, 0}},   {"pause", {0, 0}},      {"lecture", {1, 1}},    {"panel", {2, 2}},
      {"pixels", {2, 2}}, {"text-scale", {1, 1}}, {"variant", {1, 1}},    {"source", {1, 1}},
      {"frames", {1, 1}}, {"wait-idle", {0, 1}},  {"screenshot", {1, 1}}, {"report-frames", {0, 0}},
      {"phase", {1, 1}},  {"loop", {1, 2}},       {"bookmark", {2, 2}},   {"open", {1, 1}},
      {"edit", {1, 1}},   {"type-line", {1, 64}}, {"export", {1, 1}},     {"setting", {2, 2}},
      {"unit", {1, 1}},   {"tune", {1, 2}},       {"save", {1, 1}},       {"do", {1, 64}},
      {"note", {1, 64}},
  };
  return words;
}

Error at_line(const std::string& file, int line, std::string message) {
  return {ErrorCode::kUsage, std::move(message), "", {file, line, 0}};
}

Error wrong(const ScriptCommand& command, const std::string& why) {
  return at_line("", command.line, "script, " + command.words.front() + ": " + why);
}

Result<std::int64_t> whole(const ScriptCommand& command, std::size_t word) {
  const std::string& text = command.words[word];
  std::int64_t value = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    return wrong(command, text + " is not a whole number");
  return value;
}

Status set_selection(const ScriptCommand& command, Desk& desk, std::int64_t value) {
  Variant& variant = desk.bench.active();
  const std::string& what = command.words.front();
  if (what == "line") {
    variant.selection.line = static_cast<std::uint32_t>(value);
  } else if (what == "lane") {
    variant.selection.lane = static_cast<int>(std::clamp<std::int64_t>(value, 0, 31));
  } else if (what == "warp") {
    variant.selection.warp = static_cast<std::uint32_t>(value);
  } else if (variant.study == nullptr || !variant.study->traced() ||
             variant.study->trace->events.empty()) {
    return wrong(command, "no block is traced yet; wait-idle first");
  } else {
    const auto last = static_cast<std::int64_t>(variant.study->trace->events.size()) - 1;
    std::int64_t event = value;
    if (what == "step" && variant.study->timeline && !variant.study->timeline->step_begin.empty()) {
      const auto& begins = variant.study->timeline->step_begin;
      const auto step =
          std::clamp<std::int64_t>(value, 0, static_cast<std::int64_t>(begins.size()) - 1);
      event = begins[static_cast<std::size_t>(step)];
    }
    variant.selection.event = static_cast<std::uint32_t>(std::clamp<std::int64_t>(event, 0, last));
  }
  return ok_status();
}

Status choose_kernel(const ScriptCommand& command, Desk& desk) {
  const CatalogueEntry* entry = desk.bench.catalogue().find(command.words[1]);
  if (entry == nullptr) return wrong(command, "there is no kernel " + command.words[1]);
  desk.bench.choose_kernel(*entry);
  desk.focused_parameter.clear();
  return ok_status();
}

std::string words_from(const ScriptCommand& command, std::size_t first) {
  std::string words;
  for (std::size_t i = first; i < command.words.size(); ++i) {
    words += (words.empty() ? "" : " ") + command.words[i];
  }
  return words;
}

// Writes over a line of the source, keeping its indentation.
Status type_line(const ScriptCommand& command, Desk& desk, std::int64_t line) {
  if (!desk.bench.active().has_kernel()) return wrong(command, "no kernel is open");
  std::string text = desk.bench.active().source();
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

Status choose_unit(const ScriptCommand& command, Desk& desk) {
  const std::string& word = command.words[1];
  const bool share = word == "peak" || word == "reference";
  desk.preferences.rate_unit = parse_rate_unit(share ? "% of " + word : word);
  if (!desk.preferences.rate_unit) return wrong(command, "there is no unit " + word);
  return ok_status();
}

Status tune(const ScriptCommand& command, Tuner& tuner) {
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
    if (!tuner.count()) return wrong(command, "the combinations are still being counted");
    tuner.start();
  } else if (what == "pause" || what == "go-on") {
    tuner.pause(what == "pause");
  } else if (what == "stop") {
    tuner.stop();
  } else if (what == "reset") {
    tuner.reset();
  } else {
    return wrong(command, "takes start, pause, go-on, stop, reset, with or without");
  }
  return ok_status();
}

Status change_interface(const ScriptCommand& command, Desk& desk) {
  const std::string& what = command.words.front();
  const std::string& value = command.words[1];
  if (what == "view") {
    const auto view = parse_view(value);
    if (!view) return wrong(command, "there is no view " + value);
    desk.raise = view;
  } else if (what == "theme") {
    const auto theme = parse_theme(value);
    if (!theme) return wrong(command, "there is no theme " + value);
    desk.preferences.theme = *theme;
  } else if (what == "lecture") {
    desk.lecture = value == "on";
  } else if (what == "panel") {
    desk.panel_open[value] = command.words[2] != "off";
    if (command.words[2] == "front") desk.focus_panel = value;
  } else if (what == "unit") {
    return choose_unit(command, desk);
  } else if (what == "tune") {
    return tune(command, desk.tuner);
  } else if (what == "open") {
    return is_session_file(value) ? desk.session.open(desk, value) : desk.bench.open_file(value);
  } else if (what == "save") {
    desk.session.save(desk, value);
  } else if (what == "note") {
    desk.notes = words_from(command, 1);
  } else if (what == "do") {
    const std::string name = words_from(command, 1);
    if (!run_command(desk, name)) return wrong(command, "there is no command " + name);
  } else if (what == "export") {
    desk.picture_export.file = command.words[1];
    export_picture(desk);
  } else if (what == "edit") {
    desk.editing = value == "on";
  } else if (what == "source") {
    desk.source_tab = value == "ptx"    ? SourceLanguage::kPtx
                      : value == "sass" ? SourceLanguage::kMachine
                                        : SourceLanguage::kCuda;
  } else if (what == "text-scale") {
    desk.preferences.text_scale =
        std::clamp(std::strtof(value.c_str(), nullptr), kLeastTextScale, kMostTextScale);
  } else if (what == "zoom") {
    desk.bench.active().camera.zoom = std::max(1.0F, std::strtof(value.c_str(), nullptr));
  } else if (what == "variant") {
    if (value == "add") {
      desk.bench.add_variant();
    } else {
      const Result<std::int64_t> index = whole(command, 1);
      if (!index.ok()) return index.error();
      desk.bench.activate(static_cast<int>(index.value()));
    }
  }
  return ok_status();
}

Status mark_time(const ScriptCommand& command, Desk& desk) {
  const std::vector<std::string>& words = command.words;
  if (words[0] == "loop" && words.size() == 2) {
    if (words[1] != "off") return wrong(command, "takes two events, or off");
    clear_loop(desk);
    return ok_status();
  }
  const Result<std::int64_t> number = whole(command, words[0] == "bookmark" ? 2 : 1);
  if (!number.ok()) return number.error();
  if (words[0] == "phase") {
    step_phases(desk, static_cast<int>(number.value()));
  } else if (words[0] == "loop") {
    const Result<std::int64_t> end = whole(command, 2);
    if (!end.ok()) return end.error();
    if (number.value() < 0 || end.value() < number.value()) {
      return wrong(command, "the second event must not lie before the first");
    }
    clear_loop(desk);
    set_loop_in(desk, static_cast<std::uint32_t>(number.value()));
    set_loop_out(desk, static_cast<std::uint32_t>(end.value()));
  } else if (number.value() < 0 || number.value() > 9) {
    return wrong(command, "bookmarks are 0 to 9");
  } else if (words[1] == "set") {
    set_bookmark(desk, static_cast<int>(number.value()));
  } else if (words[1] == "go") {
    go_to_bookmark(desk, static_cast<int>(number.value()));
  } else if (words[1] == "remove") {
    remove_bookmark(desk, static_cast<int>(number.value()));
  } else {
    return wrong(command, words[1] + " is none of set, go and remove");
  }
  return ok_status();
}

}  // namespace

Result<std::vector<ScriptCommand>> parse_script(const std::string& text, const std::string& file) {
  std::vector<ScriptCommand> commands;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    ScriptCommand command{number, {}};
    for (std::string word; words >> word;) command.words.push_back(word);
    if (command.words.empty()) continue;
    const auto rule = grammar().find(command.words.front());
    if (rule == grammar().end()) {
      return at_line(file, number, "there is no script command " + command.words.front());
    }
    const std::size_t given = command.words.size() - 1;
    if (given < rule->second.first || given > rule->second.second) {
      return at_line(file, number,
                     command.words.front() + " takes " + std::to_string(rule->second.first) +
                         " words, not " + std::to_string(given));
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

Status Script::drag(Desk& desk) {
  const double along = static_cast<double>(drag_.done) / std::max(1, drag_.frames - 1);
  const auto& entry = desk.bench.active().entry;
  if (entry == nullptr) return at_line("", 0, "script, drag: no kernel of the catalogue is open");
  const auto spec = std::find_if(entry->parameters.begin(), entry->parameters.end(),
                                 [&](const ParameterSpec& s) { return s.name == drag_.name; });
  if (spec == entry->parameters.end()) {
    return at_line("", 0, "script, drag: " + entry->id + " has no parameter " + drag_.name);
  }
  const auto index_of = [&](std::int64_t value) {
    return static_cast<double>(std::lower_bound(spec->values.begin(), spec->values.end(), value) -
                               spec->values.begin());
  };
  const double index = index_of(drag_.from) + (index_of(drag_.to) - index_of(drag_.from)) * along;
  const auto at = static_cast<std::size_t>(
      std::clamp<long>(std::lround(index), 0, static_cast<long>(spec->values.size()) - 1));
  desk.focused_parameter = drag_.name;
  desk.bench.set_parameter(drag_.name, spec->values[at]);
  ++drag_.done;
  return ok_status();
}

Status Script::act(const ScriptCommand& command, Desk& desk, const ScriptHost& host) {
  const std::string& what = command.words.front();
  if (what == "kernel") return choose_kernel(command, desk);
  if (what == "play" || what == "pause") {
    if (desk.playback.playing != (what == "play")) toggle_playback(desk);
    return ok_status();
  }
  if (what == "phase" || what == "loop" || what == "bookmark") return mark_time(command, desk);
  if (what == "screenshot") return host.screenshot(command.words[1]);
  if (what == "report-frames") {
    host.report_frames();
    return ok_status();
  }
  if (what == "wait-idle") {
    waiting_ = true;
    settle_ = 0;
    const double seconds = command.words.size() > 1 ? std::strtod(command.words[1].c_str(), nullptr)
                                                    : kMostWaitSeconds;
    wait_until_ = desk.bench.now_seconds() + seconds;
    return ok_status();
  }
  static constexpr std::array kWords{"view", "theme", "lecture", "panel", "source", "text-scale",
                                     "zoom", "unit",  "variant", "open",  "edit",   "export",
                                     "tune", "save",  "do",      "note"};
  if (std::find(kWords.begin(), kWords.end(), what) != kWords.end())
    return change_interface(command, desk);

  const bool named = what == "set" || what == "size" || what == "drag" || what == "setting";
  const Result<std::int64_t> number = whole(command, named ? 2 : 1);
  if (!number.ok()) return number.error();
  if (what == "type-line") return type_line(command, desk, number.value());
  if (what == "set") {
    desk.focused_parameter = command.words[1];
    desk.bench.set_parameter(command.words[1], number.value());
  } else if (what == "setting") {
    change_setting(
        desk.view_settings,
        Hit{.kind = HitKind::kSetting, .value = number.value(), .name = command.words[1]});
  } else if (what == "size") {
    desk.bench.set_extent(command.words[1], number.value());
  } else if (what == "frames") {
    frames_left_ = static_cast<int>(number.value());
  } else if (what == "pixels" || what == "drag") {
    const Result<std::int64_t> second = whole(command, what == "drag" ? 3 : 2);
    if (!second.ok()) return second.error();
    if (what == "pixels") {
      host.resize(static_cast<int>(number.value()), static_cast<int>(second.value()));
      frames_left_ = 3;
    } else {
      const Result<std::int64_t> frames = whole(command, 4);
      if (!frames.ok()) return frames.error();
      drag_ = {command.words[1], number.value(), second.value(), static_cast<int>(frames.value()),
               0};
    }
  } else {
    return set_selection(command, desk, number.value());
  }
  return ok_status();
}

Result<bool> Script::advance(Desk& desk, const ScriptHost& host) {
  while (true) {
    if (drag_.done < drag_.frames) {
      const Status dragged = drag(desk);
      if (!dragged.ok()) return dragged.error();
      return true;
    }
    if (frames_left_ > 0) {
      --frames_left_;
      return true;
    }
    if (waiting_) {
      if (desk.bench.now_seconds() > wait_until_) {
        std::cerr << "tilescope: script: still busy; going on\n";
        waiting_ = false;
      } else {
        settle_ = host.idle() ? settle_ + 1 : 0;
        waiting_ = settle_ < kSettleFrames;
        if (waiting_) return true;
      }
    }
    if (next_ == commands_.size()) return false;
    const ScriptCommand& command = commands_[next_++];
    const Status done = act(command, desk, host);
    if (!done.ok()) return done.error();
    // What was asked for is on screen two frames later: the first one may still lay out.
    if (command.words.front() != "screenshot" && command.words.front() != "report-frames" &&
        frames_left_ == 0) {
      frames_left_ = 2;
    }
  }
}

}  // namespace tilescope
