#include "analysis/time/outstanding_loads.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilescope {
namespace {

constexpr int kLoopPasses = 4;  // what is brought in for later passes has come together by then
constexpr int kDeepestRepeated = 2;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Reads the names of registers off an instruction's text: %f12 of PTX, R12 of machine code.
class RegisterReader {
 public:
  explicit RegisterReader(bool machine) : machine_(machine) {}

  // Of the text in front of the first bracket, or of all of it. Machine code names the first
  // register of several: outside brackets each name stands for `width` of them.
  void append(std::string_view text, int width, std::vector<std::uint32_t>& out) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '[') ++depth;
      if (text[i] == ']') --depth;
      if (text[i] != (machine_ ? 'R' : '%') || (i > 0 && is_word(text[i - 1]))) continue;
      std::size_t end = i + 1;
      while (end < text.size() && is_word(text[end])) ++end;
      append_name(text.substr(i + 1, end - i - 1), depth == 0 ? width : 1, out);
      i = end - 1;
    }
  }

 private:
  void append_name(std::string_view name, int width, std::vector<std::uint32_t>& out) {
    if (!machine_) {
      const auto next = static_cast<std::uint32_t>(numbers_.size());
      out.push_back(numbers_.try_emplace(name, next).first->second);
      return;
    }
    std::uint32_t number = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) return;  // RZ
    for (int i = 0; i < width; ++i) out.push_back(number + static_cast<std::uint32_t>(i));
  }

  bool machine_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

// What an instruction means to the loads that are under way.
struct Step {
  enum class Kind { kOther, kLoad, kAsyncCopy, kCommit, kWaitGroups, kWaitAll };
  Kind kind = Kind::kOther;
  int groups = 0;                      // kWaitGroups: that may stay under way
  double bytes = 0;                    // loads
  std::vector<std::uint32_t> results;  // kLoad
  std::vector<std::uint32_t> names;    // every register of it
};

int number_at_end(std::string_view text) {
  while (!text.empty() && !is_word(text.back())) text.remove_suffix(1);
  std::size_t start = text.size();
  while (start > 0 && is_word(text[start - 1])) --start;
  std::string_view number = text.substr(start);
  const bool hexadecimal = number.starts_with("0x");
  if (hexadecimal) number.remove_prefix(2);
  int value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value, hexadecimal ? 16 : 10);
  return value;
}

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

Step::Kind synchronisation_of(std::string_view text) {
  if (has(text, "cp.async.commit_group") || has(text, "LDGDEPBAR")) return Step::Kind::kCommit;
  if (has(text, "cp.async.wait_group") || has(text, "DEPBAR.LE")) return Step::Kind::kWaitGroups;
  if (has(text, "cp.async.wait_all") || has(text, "mbarrier.try_wait") ||
      has(text, "mbarrier.test_wait") || has(text, "SYNCS.PHASECHK")) {
    return Step::Kind::kWaitAll;
  }
  return Step::Kind::kOther;
}

class Walk {
 public:
  Walk(const Program& program, const LaunchCounters& counters)
      : program_(program), counters_(counters) {
    RegisterReader registers(program.is_machine_code());
    for (std::uint32_t i = 0; i < program.instructions().size(); ++i) {
      steps_.push_back(step_of(i, registers));
    }
    find_loops();
  }

  OutstandingLoads run() {
    pass(0, static_cast<std::uint32_t>(steps_.size()), 0, 1);
    most_.as_issued = program_.is_machine_code();
    return most_;
  }

 private:
  struct Range {
    std::uint32_t first = 0xffffffff;
    std::uint32_t end = 0;
  };
  struct Pending {
    double bytes = 0;
    bool asynchronous = false;
    int group = 0;                                        // of an asynchronous one
    const std::vector<std::uint32_t>* results = nullptr;  // of another
  };

  Step step_of(std::uint32_t index, RegisterReader& registers) const {
    const StaticInstruction& instruction = program_.instructions()[index];
    Step step;
    const bool store = instruction.access == AccessKind::kStore;
    const int width = std::max(instruction.bytes_per_lane / 4, 1);
    registers.append(instruction.text, store ? width : 1, step.names);
    const AccessCounters& cost = counters_.by_instruction[index];
    if (instruction.access == AccessKind::kLoad && cost.global_requests > 0) {
      step.kind = Step::Kind::kLoad;
      registers.append(instruction.text.substr(0, instruction.text.find('[')), width, step.results);
    } else if (instruction.access == AccessKind::kAsyncCopy) {
      step.kind = Step::Kind::kAsyncCopy;
    } else {
      step.kind = synchronisation_of(instruction.text);
      if (step.kind == Step::Kind::kWaitGroups) step.groups = number_at_end(instruction.text);
    }
    if (cost.requests > 0) {
      step.bytes = static_cast<double>(cost.distinct_bytes) / static_cast<double>(cost.requests);
    }
    return step;
  }

  void find_loops() {
    const std::vector<Loop>& loops = program_.loops();
    ranges_.resize(loops.size());
    for (std::uint32_t i = 0; i < program_.instructions().size(); ++i) {
      for (std::uint16_t loop = program_.instructions()[i].loop; loop != 0;
           loop = loops[loop - 1u].parent) {
        Range& range = ranges_[loop - 1u];
        range.first = std::min(range.first, i);
        range.end = i + 1;
      }
    }
  }

  // The loop directly inside `outer` (0: none) that holds instruction `index`; 0: none does.
  [[nodiscard]] std::uint16_t loop_inside(std::uint16_t outer, std::uint32_t index) const {
    std::uint16_t loop = program_.instructions()[index].loop;
    while (loop != 0 && program_.loops()[loop - 1u].parent != outer) {
      loop = program_.loops()[loop - 1u].parent;
    }
    return loop;
  }

  void pass(std::uint32_t first, std::uint32_t end, std::uint16_t outer, int depth) {
    for (std::uint32_t i = first; i < end;) {
      const std::uint16_t loop = loop_inside(outer, i);
      if (loop == 0 || loop == outer || ranges_[loop - 1u].first != i) {
        execute(i++);
        continue;
      }
      const Range range = ranges_[loop - 1u];
      const int passes = depth <= kDeepestRepeated ? kLoopPasses : 1;
      for (int n = 0; n < passes; ++n) pass(range.first, range.end, loop, depth + 1);
      i = range.end;
    }
  }

  void execute(std::uint32_t index) {
    if (counters_.executed.warps[index] == 0) return;
    const Step& step = steps_[index];
    wait_for(step.names);
    switch (step.kind) {
      case Step::Kind::kOther:
        break;
      case Step::Kind::kLoad:
        pending_.push_back({step.bytes, false, 0, &step.results});
        note(index);
        break;
      case Step::Kind::kAsyncCopy:
        pending_.push_back({step.bytes, true, group_, nullptr});
        note(index);
        break;
      case Step::Kind::kCommit:
        ++group_;
        break;
      case Step::Kind::kWaitGroups:
        drop_groups(group_ - step.groups);
        break;
      case Step::Kind::kWaitAll:
        drop_groups(group_ + 1);
        break;
    }
  }

  // A register is read: the load that brings it has arrived, and so have those before it.
  void wait_for(const std::vector<std::uint32_t>& names) {
    const auto brings_one = [&names](const Pending& load) {
      return load.results != nullptr && std::ranges::any_of(names, [&load](std::uint32_t name) {
               return std::ranges::find(*load.results, name) != load.results->end();
             });
    };
    const auto last = std::find_if(pending_.rbegin(), pending_.rend(), brings_one).base();
    pending_.erase(std::remove_if(pending_.begin(), last,
                                  [](const Pending& load) { return !load.asynchronous; }),
                   last);
  }

  void drop_groups(int before) {
    std::erase_if(pending_, [before](const Pending& load) {
      return load.asynchronous && load.group < before;
    });
  }

  void note(std::uint32_t index) {
    double bytes = 0;
    bool asynchronous = false;
    for (const Pending& load : pending_) {
      bytes += load.bytes;
      asynchronous = asynchronous || load.asynchronous;
    }
    if (bytes <= most_.bytes) return;
    most_.bytes = bytes;
    most_.loads = static_cast<int>(pending_.size());
    most_.line = program_.instructions()[index].outermost.line;
    most_.asynchronous = asynchronous;
  }

  const Program& program_;
  const LaunchCounters& counters_;
  std::vector<Step> steps_;
  std::vector<Range> ranges_;  // of the loops
  std::deque<Pending> pending_;
  int group_ = 0;
  OutstandingLoads most_;
};

}  // namespace

OutstandingLoads outstanding_loads(const Program& program, const LaunchCounters& counters) {
  return Walk(program, counters).run();
}

}  // namespace tilescope
