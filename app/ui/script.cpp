#include "ui/script.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>
#include <utility>

#include "ui/desk/desk.h"
#include "ui/script_commands.h"

namespace tilescope {
namespace {

constexpr int kSettleFrames = 12;     // quiet frames that count as idle: fades have ended
constexpr double kMostSeconds = 300;  // for what a command has begun: a file, a count

Error at_line(const std::string& file, int line, std::string message) {
  return {ErrorCode::kUsage, std::move(message), "", {file, line, 0}};
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
    const std::string& name = command.words.front();
    const ScriptRule* rule = find_script_rule(name);
    if (rule == nullptr) return at_line(file, number, "there is no script command " + name);
    if (!fits(*rule, command.words)) {
      return at_line(file, number, name + " is written: " + std::string(rule->usage));
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

Status Script::drag(Desk& desk) {
  ScriptProgress::Drag& drag = progress_.drag;
  const double along = static_cast<double>(drag.done) / std::max(1, drag.frames - 1);
  if (!desk.bench.active().has_kernel()) {
    return script_error(drag.line, "drag", "no kernel is open");
  }
  const std::vector<ParameterSpec>& all = desk.bench.active().offered();
  const auto spec = std::ranges::find(all, drag.name, &ParameterSpec::name);
  if (spec == all.end()) {
    const std::string kernel = desk.bench.active().file_name();
    return script_error(drag.line, "drag", kernel + " has no parameter " + drag.name);
  }
  const auto index_of = [&](std::int64_t value) {
    return static_cast<double>(std::lower_bound(spec->values.begin(), spec->values.end(), value) -
                               spec->values.begin());
  };
  const double index = index_of(drag.from) + (index_of(drag.to) - index_of(drag.from)) * along;
  const auto at = static_cast<std::size_t>(
      std::clamp<long>(std::lround(index), 0, static_cast<long>(spec->values.size()) - 1));
  desk.focused_parameter = drag.name;
  desk.bench.set_parameter(drag.name, spec->values[at]);
  ++drag.done;
  return ok_status();
}

Result<bool> Script::advance(Desk& desk, const ScriptHost& host) {
  while (true) {
    if (progress_.drag.done < progress_.drag.frames) {
      const Status dragged = drag(desk);
      if (!dragged.ok()) return dragged.error();
      return true;
    }
    if (progress_.frames_left > 0) {
      --progress_.frames_left;
      return true;
    }
    if (progress_.waiting) {
      if (desk.bench.now_seconds() > progress_.wait_until) {
        std::cerr << "tilescope: script: still busy; going on\n";
        progress_.waiting = false;
      } else {
        progress_.settle = host.idle() ? progress_.settle + 1 : 0;
        progress_.waiting = progress_.settle < kSettleFrames;
        if (progress_.waiting) return true;
      }
    }
    if (next_ == commands_.size()) return false;
    const ScriptCommand& command = commands_[next_];
    const bool first = !std::exchange(progress_.again, false);
    if (first) {
      progress_.begun = false;
      progress_.again_until = desk.bench.now_seconds() + kMostSeconds;
    }
    const Status done =
        find_script_rule(command.words.front())->act(command, {desk, host, progress_});
    if (!done.ok()) return done.error();
    if (progress_.again) {
      if (desk.bench.now_seconds() <= progress_.again_until) return true;
      return script_error(command.line, command.words.front(), "it takes more than 300 s");
    }
    ++next_;
    // What was asked for is on screen two frames later: the first one may still lay out.
    if (command.words.front() != "screenshot" && command.words.front() != "report-frames" &&
        progress_.frames_left == 0) {
      progress_.frames_left = 2;
    }
  }
}

}  // namespace tilescope
