#include "session/exercise_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "analysis/memory/launch_memory.h"
#include "core/quantity.h"
#include "emulator/emulate.h"
#include "kernel/launch/kernel_reference.h"
#include "scene/model/prepared.h"
#include "scene/views.h"
#include "session/lesson_launch.h"

namespace tilescope {
namespace {

// Remembers who wrote a range of global memory last.
class LastWriter : public TraceSink {
 public:
  LastWriter(std::uint64_t address, std::uint64_t bytes) : address_(address), bytes_(bytes) {}

  void on_access(const WarpPoint& where, const WarpAccess& access) override {
    const bool writes = access.kind == AccessKind::kStore || access.kind == AccessKind::kAtomic;
    if (!writes || access.space != MemorySpace::kGlobal) return;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1U) == 0) continue;
      const std::uint64_t at = access.address[lane];
      if (at < address_ + bytes_ && address_ < at + access.bytes_per_lane) {
        found = {where, static_cast<std::uint32_t>(lane)};
        ++writes_seen;
      }
    }
  }

  std::optional<std::pair<WarpPoint, std::uint32_t>> found;
  std::uint64_t writes_seen = 0;

 private:
  std::uint64_t address_;
  std::uint64_t bytes_;
};

std::string element_words(const Argument& argument, std::uint64_t element) {
  if (argument.rows > 1 && argument.leading > 0) {
    return fmt::format("{}[{}][{}]", argument.name, element / argument.leading,
                       element % argument.leading);
  }
  return fmt::format("{}[{}]", argument.name, element);
}

// The view that shows what a figure counts.
std::optional<View> view_of(std::string_view figure) {
  const auto has = [&](std::string_view part) { return figure.find(part) != std::string::npos; };
  if (has("shared_bytes") || has("registers") || has("occupancy") || has("per_sm")) {
    return View::kOccupancy;
  }
  if (has("wavefront") || has("shared_")) return View::kBanks;
  if (has("divergent") || has("lanes_working")) return View::kDivergence;
  if (has("sector") || has("load") || has("store") || has("moved_bytes")) return View::kCoalescing;
  return std::nullopt;
}

// The access that a figure of loads or stores is about: on its line, else the most wasteful one.
const LineAccess* access_of(const LessonQuantity& quantity, std::uint32_t line, View view,
                            const LaunchFacts& facts) {
  const bool stores = quantity.name.find("store") != std::string::npos;
  const bool loads = quantity.name.find("load") != std::string::npos;
  const LineAccess* worst = nullptr;
  for (const LineAccess& access : facts.accesses) {
    if (line != 0 && access.line != line) continue;
    if (access.is_shared != (view == View::kBanks)) continue;
    if ((stores || loads) && access.is_load != loads) continue;
    if (worst == nullptr || access.excess > worst->excess) worst = &access;
  }
  return worst;
}

}  // namespace

std::string index_words(const Dim3& index) {
  if (index.z != 0) return fmt::format("({}, {}, {})", index.x, index.y, index.z);
  return index.y != 0 ? fmt::format("({}, {})", index.x, index.y) : std::to_string(index.x);
}

std::optional<WrongElement> first_wrong_element(const KernelStudy& study, const DeviceMemory& got,
                                                const DeviceMemory& want, double relative) {
  std::optional<WrongElement> first;
  std::uint64_t wrong = 0;
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < study.instance.arguments.size(); ++i) {
    const Argument& argument = study.instance.arguments[i];
    if (!argument.is_pointer) continue;
    const ElementType type = argument.type;
    const std::byte* own = got.buffers()[buffer].contents->data();
    const std::byte* right = want.buffers()[buffer].contents->data();
    double largest = 0;
    for (std::uint64_t e = 0; relative > 0 && e < argument.buffer.count; ++e) {
      largest = std::max(largest, std::abs(element_number(type, right + e * size_of(type))));
    }
    for (std::uint64_t e = 0; e < argument.buffer.count; ++e) {
      const double a = element_number(type, own + e * size_of(type));
      const double b = element_number(type, right + e * size_of(type));
      if (a == b || std::abs(a - b) <= relative * largest) continue;
      if (std::isnan(a) && std::isnan(b)) continue;
      ++wrong;
      if (!first)
        first = WrongElement{.argument = i, .buffer = buffer, .element = e, .got = a, .want = b};
    }
    ++buffer;
  }
  if (first) first->wrong = wrong;
  return first;
}

namespace {

// Whole numbers with all their digits.
std::string number_words(double value) {
  constexpr double kMostExact = 9007199254740992;  // 2^53
  return value == std::trunc(value) && std::abs(value) < kMostExact ? fmt::format("{:.0f}", value)
                                                                    : fmt::format("{:g}", value);
}

}  // namespace

std::string explain_wrong_element(const KernelStudy& study, WrongElement& wrong,
                                  const std::string& launch, const std::stop_token& stop) {
  const Argument& argument = study.instance.arguments[wrong.argument];
  std::string words =
      fmt::format("{} is {} and must be {} ({}).", element_words(argument, wrong.element),
                  number_words(wrong.got), number_words(wrong.want), launch);
  const std::uint64_t bytes = size_of(argument.type);
  const std::uint64_t address =
      study.memory->buffers()[wrong.buffer].address + wrong.element * bytes;
  DeviceMemory memory = writable_copy(study.instance, *study.memory);
  EmulationOptions options;
  std::optional<std::pair<WarpPoint, std::uint32_t>> writer;
  std::uint64_t writes = 0;
  const auto run = emulate(
      *study.program, study.launch, memory, options,
      [&] { return std::make_unique<LastWriter>(address, bytes); },
      [&](TraceSink& sink) {
        writer = static_cast<LastWriter&>(sink).found;
        writes = static_cast<LastWriter&>(sink).writes_seen;
      },
      stop);
  if (run && !writer) {
    words += " No thread writes it.";
  } else if (run) {
    const StaticInstruction& instruction = study.program->instructions()[writer->first.instruction];
    wrong.line = instruction.outermost.line;
    const Dim3 block = unflatten(writer->first.block, study.launch.grid);
    const Dim3 thread = unflatten(
        std::min<std::uint64_t>(writer->first.warp * std::uint64_t{kWarpSize} + writer->second,
                                study.launch.block.count() - 1),
        study.launch.block);
    words +=
        fmt::format(" Line {} writes it{}: block {}, thread {} (warp {}, lane {}).", wrong.line,
                    writes > 1 ? fmt::format(" last of {} times", format_count(writes)) : "",
                    index_words(block), index_words(thread), writer->first.warp, writer->second);
  }
  if (wrong.wrong > 1) {
    words += fmt::format(" {} elements are wrong.", format_count(wrong.wrong));
  }
  return words;
}

void explain_claim(const LessonExpression& claim, View usual, const LaunchFacts& facts,
                   ExerciseRow* row) {
  const LessonQuantity* quantity = nullptr;
  for (const LessonQuantity& each : claim.quantities()) {
    if (each.launch.empty()) {
      quantity = &each;
      break;
    }
  }
  if (quantity == nullptr) return;
  const std::optional<View> shows = view_of(quantity->name);
  row->view = shows.value_or(usual);
  ViewContext context;
  context.study = facts.study.get();
  context.prepared = prepare(*facts.study);
  if (facts.study->trace->events.empty()) return;
  context.selection = default_selection(*row->view, *facts.study, *context.prepared);
  if (!quantity->source_line.empty()) {
    if (const auto line = find_source_line(facts.study->instance.source, quantity->source_line)) {
      row->line = *line;
    }
  }
  const LineAccess* access = nullptr;
  if (row->view == View::kBanks || row->view == View::kCoalescing) {
    access = access_of(*quantity, row->line, *row->view, facts);
    if (access == nullptr) return;
    context.selection.line = row->line = access->line;
    context.selection.warp = access->warp;
    context.selection.event = access->event;
    row->event = access->event;
  }
  std::string words;
  if (shows) {
    words = plain(sentence_of(*row->view, context));
  } else if (quantity->name == "modelled_time" && context.prepared->diagnosis != nullptr) {
    words = context.prepared->diagnosis->limited_by + ".";
    for (const Verdict& verdict : context.prepared->diagnosis->verdicts) {
      if (verdict.line == 0) continue;
      words += fmt::format(" {}; {}.", verdict.fact, verdict.detail);
      row->line = verdict.line;
      break;
    }
  }
  if (access != nullptr) words += fmt::format(" In warp {}, {}.", access->warp, access->lanes);
  if (!words.empty()) row->why = row->why.empty() ? words : row->why + " " + words;
}

}  // namespace tilescope
