#include "scene/pages/counters_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/quantity.h"

// What each line's accesses cost, and the launch's totals as Nsight Compute names them, beside the
// hardware's where these were read.

namespace tilescope {
namespace {

constexpr float kSection = 54;  // px between the two tables, with the second one's heads
constexpr std::size_t kFigures = 8;
constexpr std::array<std::string_view, kFigures> kHeads = {
    "executed", "requests", "sectors", "ideal", "×", "wavefronts", "ideal", "×"};

std::vector<LineCounters> rows_of(const PageCounts& counts) {
  return accessing_lines(*counts.program, *counts.counters);
}

struct Total {
  std::string name;
  std::uint64_t emulated = 0;
  const CheckedCounter* read = nullptr;  // nullptr: not on the hardware
};

// Those of which there are any, on one side or the other.
std::vector<Total> totals_of(const PageRequest& request) {
  const PageCounts counts = counts_of(request);
  const HardwareCounters* hardware = request.context.hardware.get();
  std::vector<Total> totals;
  for (const auto& [name, value] : metrics_of(*counts.program, *counts.counters)) {
    Total total{name, value, nullptr};
    if (hardware != nullptr && counts.issued) {
      const auto read = std::ranges::find(hardware->counters, name, &CheckedCounter::name);
      if (read != hardware->counters.end()) total.read = &*read;
    }
    if (value > 0 || (total.read != nullptr && total.read->most > 0)) totals.push_back(total);
  }
  return totals;
}

std::array<std::string, kFigures> figures_of(const LineCounters& line) {
  const AccessCounters& memory = line.memory;
  std::array<std::string, kFigures> figures{short_count(line.executed),
                                            short_count(memory.requests)};
  if (memory.sectors > 0) {
    figures[2] = short_count(memory.sectors);
    figures[3] = short_count(memory.sectors_ideal);
    figures[4] = ratio_words(memory.sectors, memory.sectors_ideal);
  }
  if (memory.wavefronts > 0) {
    figures[5] = short_count(memory.wavefronts);
    figures[6] = short_count(memory.wavefronts_ideal);
    figures[7] = ratio_words(memory.wavefronts, memory.wavefronts_ideal);
  }
  return figures;
}

// Where each figure ends: an equal share of what is right of the access; 0: no row has one.
std::array<float, kFigures> column_rights(const Rect& area, float first,
                                          const std::vector<LineCounters>& rows) {
  std::array<bool, kFigures> any{};
  for (const LineCounters& row : rows) {
    const auto figures = figures_of(row);
    for (std::size_t i = 0; i < kFigures; ++i) any[i] = any[i] || !figures[i].empty();
  }
  const auto columns = static_cast<float>(std::ranges::count(any, true));
  std::array<float, kFigures> rights{};
  float drawn = 0;
  for (std::size_t i = 0; i < kFigures; ++i) {
    if (any[i]) rights[i] = first + (area.right() - first) * ++drawn / columns;
  }
  return rights;
}

float draw_lines(Pen& pen, const Rect& area, float y, const std::vector<LineCounters>& rows,
                 std::uint32_t marked) {
  const TextStyle head = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float number = area.x + pen.px(30);
  const float first = number + pen.px(120);
  const float pitch = pen.px(kCounterRow);
  pen.text(number, y, "line", head);
  const auto rights = column_rights(area, first, rows);
  for (std::size_t i = 0; i < kFigures; ++i) {
    if (rights[i] > 0) pen.text(rights[i], y, kHeads[i], head);
  }
  pen.rule(area.x, area.right(), y + pen.px(9));
  y += pen.px(22);
  std::size_t drawn = 0;
  for (const LineCounters& line : rows) {
    const bool last = y + pitch > area.bottom() && drawn + 1 < rows.size();
    if (last) break;
    if (line.line.line == marked && marked != 0) {
      pen.canvas.fill_rect({area.x, y - pitch / 2, area.w, pitch}, ColourRole::kRaised, 3);
    }
    pen.text(number, y, std::to_string(line.line.line),
             pen.style(12, ColourRole::kDim, Weight::kRegular, Align::kRight));
    pen.text(number + pen.px(12), y, access_words(line), pen.style(12));
    const auto figures = figures_of(line);
    const bool sectors = line.memory.sectors > line.memory.sectors_ideal;
    const bool wavefronts = line.memory.wavefronts > line.memory.wavefronts_ideal;
    for (std::size_t i = 0; i < kFigures; ++i) {
      const bool excess = (sectors && (i == 2 || i == 4)) || (wavefronts && (i == 5 || i == 7));
      if (figures[i].empty()) continue;
      pen.text(rights[i], y, figures[i],
               pen.style(12, excess ? ColourRole::kExcess : ColourRole::kText, Weight::kMedium,
                         Align::kRight));
    }
    y += pitch;
    ++drawn;
  }
  if (drawn < rows.size()) {
    pen.text(number + pen.px(12), y, "and " + counted(rows.size() - drawn, "more line"),
             pen.style(11, ColourRole::kDim));
    y += pitch;
  }
  return y;
}

void draw_heads(Pen& pen, float y, float emulated, float read, const HardwareCounters* hardware) {
  const TextStyle head = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  pen.text(emulated, y, "emulated", head);
  pen.source_mark({emulated - pen.width("emulated", head) - pen.px(8), y}, Source::kEmulated,
                  ColourRole::kDim);
  if (hardware == nullptr) return;
  const std::string words =
      fmt::format("{} on the {}", name_of(hardware->source), hardware->device);
  pen.text(read, y, words, head);
  pen.source_mark({read - pen.width(words, head) - pen.px(8), y}, hardware->source,
                  ColourRole::kDim);
}

void draw_totals(Pen& pen, const Rect& area, float y, const PageRequest& request) {
  const std::vector<Total> totals = totals_of(request);
  const HardwareCounters* hardware = request.context.hardware.get();
  const float pitch = pen.px(kCounterRow);
  if (totals.empty() || y + pen.px(kSection) + pitch > area.bottom()) return;
  y += pen.px(18);
  pen.heading(area.x, y, "THE WHOLE LAUNCH", "names of Nsight Compute", area.right());
  const float sign = area.right();
  const float read = sign - pen.px(24);
  const float emulated = hardware != nullptr ? area.x + area.w * 0.68f : area.right();
  draw_heads(pen, y, emulated, read, hardware);
  pen.rule(area.x, area.right(), y + pen.px(11));
  y += pen.px(26);
  const TextStyle figure = pen.style(12, ColourRole::kText, Weight::kMedium, Align::kRight);
  for (const Total& total : totals) {
    if (y + pitch / 2 > area.bottom()) return;
    pen.text(area.x + pen.px(8), y, total.name,
             pen.style(11.5f, ColourRole::kText, Weight::kRegular, Align::kLeft, Font::kMono));
    pen.text(emulated, y, format_count(total.emulated), figure);
    if (total.read != nullptr) {
      pen.text(read, y, read_words(*total.read), figure);
      const auto verdict = total.read->verdict();
      if (hardware->whole_grid) {
        pen.text(sign, y, sign_of(verdict),
                 pen.style(12, tone_of(verdict), Weight::kSemibold, Align::kRight));
      }
    }
    y += pitch;
  }
}

}  // namespace

float height_of_counters(const PageRequest& request) {
  const auto rows = static_cast<float>(rows_of(counts_of(request)).size());
  const auto totals = static_cast<float>(totals_of(request).size());
  return kPageHead + kCounterRow * (rows + totals + 1) + kSection;
}

void draw_counters_page(Pen& pen, const Rect& area, const PageRequest& request) {
  const PageCounts counts = counts_of(request);
  draw_extent(pen, area, counts);
  const float y = draw_lines(pen, area, area.y + pen.px(kPageHead - 16), rows_of(counts),
                             request.context.selection.line);
  draw_totals(pen, area, y, request);
}

void add_counter_numbers(NumberList& list, const PageRequest& request) {
  const PageCounts counts = counts_of(request);
  const Source source = counts.counters->whole_grid ? Source::kEmulated : Source::kModelled;
  list.part("lines", source);
  for (const LineCounters& line : rows_of(counts)) {
    list.item(fmt::format("line {} {}", line.line.line, access_words(line)), line.line.line);
    list.add("executed", line.executed);
    list.add("requests", line.memory.requests);
    if (line.memory.sectors > 0) {
      list.add("sectors", line.memory.sectors);
      list.add("ideal sectors", line.memory.sectors_ideal);
    }
    if (line.memory.wavefronts > 0) {
      list.add("wavefronts", line.memory.wavefronts);
      list.add("ideal wavefronts", line.memory.wavefronts_ideal);
    }
  }
  list.part("launch", source);
  list.add("blocks counted", counts.counters->blocks_counted);
  list.add("blocks stood for", counts.counters->blocks_represented);
  for (const Total& total : totals_of(request)) {
    list.item(total.name);
    list.source(source);
    list.add("emulated", total.emulated);
    if (total.read == nullptr) continue;
    list.source(request.context.hardware->source);
    list.add("least read", total.read->least);
    list.add("most read", total.read->most);
  }
}

PageCounts counts_of(const PageRequest& request) {
  const KernelStudy& study = *request.context.study;
  const bool issued = request.as_issued && study.issued && study.issued_counters;
  return {issued ? study.issued.get() : study.program.get(),
          issued ? study.issued_counters.get() : study.counters.get(), issued};
}

std::vector<CountedLine> counted_lines(const PageRequest& request, std::size_t lines) {
  const PageCounts counts = counts_of(request);
  std::vector<CountedLine> all(lines);
  const auto& instructions = counts.program->instructions();
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const std::uint32_t line = instructions[i].outermost.line;
    if (line == 0 || line > lines) continue;
    all[line - 1].add(*counts.counters, i);
  }
  return all;
}

void CountedLine::add(const LaunchCounters& counters, std::size_t instruction) {
  if (instruction >= std::min(counters.by_instruction.size(), counters.executed.warps.size())) {
    return;
  }
  const AccessCounters& memory = counters.by_instruction[instruction];
  executed += counters.executed.warps[instruction];
  sectors += memory.sectors;
  sectors_ideal += memory.sectors_ideal;
  wavefronts += memory.wavefronts;
  wavefronts_ideal += memory.wavefronts_ideal;
}

std::vector<std::string> source_lines(const KernelStudy& study) {
  return lines_of_text(study.instance.source, 8);
}

std::vector<std::string> lines_of_text(std::string_view text, std::size_t tab) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (c == '\t') {
      lines.back().append(tab - lines.back().size() % tab, ' ');
    } else if (c != '\r') {
      lines.back() += c;
    }
  }
  while (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<LineCounters> accessing_lines(const Program& program, const LaunchCounters& counters) {
  std::vector<LineCounters> lines = counters_by_line(program, counters);
  std::erase_if(lines, [](const LineCounters& line) { return line.memory.requests == 0; });
  return lines;
}

std::string_view sign_of(CheckedCounter::Verdict verdict) {
  switch (verdict) {
    case CheckedCounter::Verdict::kEqual:
      return "=";
    case CheckedCounter::Verdict::kByTurns:
      return "≈";
    case CheckedCounter::Verdict::kContended:
      return "≥";
    case CheckedCounter::Verdict::kDifferent:
      return "≠";
  }
  return "";
}

ColourRole tone_of(CheckedCounter::Verdict verdict) {
  return verdict == CheckedCounter::Verdict::kEqual       ? ColourRole::kIdeal
         : verdict == CheckedCounter::Verdict::kDifferent ? ColourRole::kExcess
                                                          : ColourRole::kSecond;
}

std::string read_words(const CheckedCounter& counter) {
  return (counter.least == counter.most ? "" : "≥ ") + format_count(counter.least);
}

std::string ratio_words(std::uint64_t cost, std::uint64_t ideal) {
  return ideal == 0 ? std::string()
                    : format(static_cast<double>(cost) / static_cast<double>(ideal), Unit::kNone);
}

std::string access_words(const LineCounters& line) {
  const char* place = line.space == MemorySpace::kShared  ? " shared"
                      : line.space == MemorySpace::kLocal ? " local"
                                                          : " global";
  switch (line.access) {
    case AccessKind::kLoad:
      return std::string("load") + place;
    case AccessKind::kStore:
      return std::string("store") + place;
    case AccessKind::kAtomic:
      return std::string("atomic") + place;
    case AccessKind::kAsyncCopy:
      return std::string("cp.async") + place;
    case AccessKind::kLdmatrix:
      return "ldmatrix shared";
    case AccessKind::kStmatrix:
      return "stmatrix shared";
    case AccessKind::kNone:
      break;
  }
  return place + 1;
}

std::string short_count(std::uint64_t count) {
  if (count < 100'000'000) return format_count(count);
  const auto value = static_cast<double>(count);
  const auto [scaled, suffix] = value < 1e9    ? std::pair(value / 1e6, " M")
                                : value < 1e12 ? std::pair(value / 1e9, " G")
                                               : std::pair(value / 1e12, " T");
  return format(scaled, Unit::kNone) + suffix;
}

std::string extent_words(const PageCounts& counts) {
  const std::string all = format_count(counts.counters->blocks_represented);
  const std::string how = counts.issued ? "machine code, " : "PTX, ";
  if (counts.counters->blocks_represented == 1) return how + "one block (all)";
  if (counts.counters->whole_grid) return how + "all " + all + " blocks";
  return fmt::format("{}{} of {} blocks, scaled", how,
                     format_count(counts.counters->blocks_counted), all);
}

void draw_extent(Pen& pen, const Rect& area, const PageCounts& counts) {
  const std::string words = extent_words(counts);
  const TextStyle style = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float y = area.y + pen.px(10);
  pen.text(area.right(), y, words, style);
  pen.source_mark({area.right() - pen.width(words, style) - pen.px(10), y},
                  counts.counters->whole_grid ? Source::kEmulated : Source::kModelled,
                  ColourRole::kDim);
}

}  // namespace tilescope
