#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "scene/banks/shared_layout.h"
#include "scene/prepared.h"
#include "scene/tiling/tiling_scene.h"

namespace tilescope {
namespace {

// One of the three: where data lies, what moving it costs, what it would cost at best.
struct Item {
  std::string title;
  std::vector<std::string> detail;  // longest first
  std::string figure;
  std::vector<std::string> ideal;
  ColourRole tone = ColourRole::kStrong;  // of the figure
  ColourRole colour = ColourRole::kFirst;
  std::string tooltip;
};

std::string per(std::uint64_t count, std::uint64_t of) {
  if (of == 0) return "–";
  return fmt::format("{:.1f}", static_cast<double>(count) / static_cast<double>(of));
}

// Much more than the ideal, a little more, or the same as far as the figures show.
ColourRole tone_of(std::uint64_t count, std::uint64_t ideal, std::uint64_t of) {
  if (per(count, of) == per(ideal, of)) return ColourRole::kStrong;
  return 2 * count >= 3 * ideal ? ColourRole::kExcess : ColourRole::kSecond;
}

Item global_item(const TilingModel& model, const MemoryTotals& totals) {
  Item item;
  item.title = "Global";
  item.figure = per(totals.sectors, totals.requests) + " sectors";
  item.tone = tone_of(totals.sectors, totals.sectors_ideal, totals.requests);
  const std::string ideal = per(totals.sectors_ideal, totals.requests);
  item.ideal = {fmt::format("per request, ideal {}", ideal), fmt::format("ideal {}", ideal)};
  std::string reads;
  for (const TiledMatrix& matrix : model.matrices) {
    if (matrix.grid_reads_per_element < 0.995) continue;
    if (!reads.empty()) reads += ", ";
    reads += matrix.view.name + " " + times_words(matrix.grid_reads_per_element);
  }
  if (!reads.empty()) item.detail = {"each element read: " + reads, reads};
  item.tooltip = fmt::format("{} global requests move {} sectors of 32 B; {} would do.",
                             format_count(totals.requests), format_count(totals.sectors),
                             format_count(totals.sectors_ideal));
  return item;
}

Item shared_item(const KernelStudy& study, const PreparedStudy& prepared,
                 const MemoryTotals& totals) {
  Item item;
  item.title = "Shared";
  item.colour = ColourRole::kSecond;
  const std::uint64_t bytes =
      study.program->static_shared_bytes() + study.launch.dynamic_shared_bytes;
  const std::string size = format(static_cast<double>(bytes), Unit::kBytes);
  if (totals.wavefronts == 0 && !study.trace->operand_reads.empty()) {
    item.figure = "no wavefronts";
    item.detail = {size + ", read by the tensor cores", size};
    item.tooltip =
        "Products of warp groups read their operands from shared memory themselves; no counter of "
        "shared-memory wavefronts sees that.";
    return item;
  }
  if (totals.wavefronts == 0) {
    item.figure = "not used";
    item.detail = {"nothing is kept for the other threads"};
    item.tooltip = "The kernel makes no shared-memory access.";
    return item;
  }
  item.figure = per(totals.wavefronts, totals.shared_accesses) + " wavefronts";
  item.tone = tone_of(totals.wavefronts, totals.wavefronts_ideal, totals.shared_accesses);
  const std::string ideal = per(totals.wavefronts_ideal, totals.shared_accesses);
  item.ideal = {fmt::format("per access, ideal {}", ideal), fmt::format("ideal {}", ideal)};
  const std::size_t arrays = prepared.shared ? prepared.shared->regions.size() : 0;
  item.detail = {fmt::format("{} in {}", size, counted(arrays, "tile")), size};
  item.tooltip =
      fmt::format("{} shared accesses take {} wavefronts; without conflicts {} would do.",
                  format_count(totals.shared_accesses), format_count(totals.wavefronts),
                  format_count(totals.wavefronts_ideal));
  return item;
}

// What the kernel computes for each access: on tensor cores, else multiply-adds, else any floats.
void add_arithmetic(Item& item, const MemoryTotals& totals) {
  const bool shared = totals.shared_accesses != 0;
  const std::string accesses =
      fmt::format("{} {} accesses", format_count(shared ? totals.shared_accesses : totals.requests),
                  shared ? "shared" : "global");
  const auto computes = [&](double figure, std::string_view unit, std::uint64_t count,
                            std::string_view what) {
    item.figure = figure < 0.05 ? fmt::format("{:.1g} {}", figure, unit)
                                : fmt::format("{:.1f} {}", figure, unit);
    item.ideal = {shared ? "per shared access" : "per global access"};
    item.tooltip = fmt::format("{} warp-wide {} for {}: the more, the less memory matters.",
                               format_count(count), what, accesses);
  };
  if (totals.matrix_products > 0) {
    computes(totals.per_access(totals.matrix_products), "MMA", totals.matrix_products / 32,
             "matrix products on tensor cores");
  } else if (totals.multiply_adds > 0) {
    computes(totals.per_access(totals.multiply_adds), "FMA", totals.multiply_adds / 32,
             "multiply-adds");
  } else if (totals.flop > 0) {
    computes(totals.per_access(totals.flop), "flop", totals.flop / 32,
             "floating-point operations, none of them a multiply-add,");
  } else {
    item.figure = "no floating point";
    item.tooltip = fmt::format(
        "{} warp-wide integer instructions, those of the addresses among "
        "them; none computes in floating point.",
        format_count(totals.integer_warps));
  }
}

Item register_item(const KernelStudy& study, const TilingModel& model, const MemoryTotals& totals) {
  Item item;
  item.title = "Registers";
  item.colour = ColourRole::kThird;
  if (study.compiled && study.compiled->has_resources) {
    item.detail = {fmt::format("{} a thread", study.compiled->resources.registers)};
  }
  if (model.elements_per_thread > 0) {
    const std::string words = fmt::format(
        "{}{} of {} a thread", study.trace->truncated ? "at least " : "",
        format_count(model.elements_per_thread), model.matrices[*model.output].view.name);
    item.detail.insert(item.detail.begin(), words);
  }
  add_arithmetic(item, totals);
  return item;
}

void draw_item(Pen& pen, const Rect& box, const Item& item) {
  pen.canvas.fill_rect({box.x, box.y, pen.px(3), box.h}, item.colour, 1.5f);
  const float x = box.x + pen.px(13);
  const float right = box.right();
  const float y = box.y + pen.px(9);
  const TextStyle title = pen.style(13, ColourRole::kStrong, Weight::kSemibold);
  const TextStyle figure = pen.style(13, item.tone, Weight::kSemibold, Align::kRight);
  const TextStyle dim = pen.style(12, ColourRole::kDim);
  const TextStyle dim_right = pen.style(12, ColourRole::kDim, Weight::kRegular, Align::kRight);
  pen.text(x, y, pen.fitted(item.title, title, right - x), title);
  const float title_end = x + pen.width(item.title, title) + pen.px(10);
  const bool figure_fits = pen.width(item.figure, figure) <= right - title_end;
  if (figure_fits) pen.text(right, y, item.figure, figure);
  float used = 0;
  for (const std::string& words : item.ideal) {
    const float w = pen.width(words, dim_right);
    if (!figure_fits || w > (right - x) * 0.6f) continue;
    pen.text(right, y + pen.px(19), words, dim_right);
    used = w + pen.px(12);
    break;
  }
  pen.first_that_fits(x, y + pen.px(19), item.detail, dim, right - x - used);
  pen.hit(box, HitKind::kNone, 0, item.tooltip);
}

void draw_arrow(Pen& pen, Point from, float length) {
  const float head = pen.px(4);
  const Point tip{from.x + length, from.y};
  pen.canvas.line(from, tip, ColourRole::kDim, 1.5f);
  const std::array<Point, 3> arrow = {Point{tip.x - head, tip.y - head}, tip,
                                      Point{tip.x - head, tip.y + head}};
  pen.canvas.polyline(arrow, ColourRole::kDim, 1.5f);
}

}  // namespace

double MemoryTotals::per_access(std::uint64_t lanes) const {
  const std::uint64_t accesses = shared_accesses == 0 ? requests : shared_accesses;
  return static_cast<double>(lanes) / 32.0 / std::max(static_cast<double>(accesses), 1.0);
}

MemoryTotals memory_totals(const KernelStudy& study) {
  MemoryTotals totals;
  if (!study.counters) return totals;
  const std::vector<StaticInstruction>& instructions = study.program->instructions();
  const LaunchCounters& counters = *study.counters;
  for (std::size_t i = 0; i < instructions.size() && i < counters.by_instruction.size(); ++i) {
    const AccessCounters& c = counters.by_instruction[i];
    if (c.sectors > 0) {
      totals.requests += c.requests;
      totals.sectors += c.sectors;
      totals.sectors_ideal += c.sectors_ideal;
    }
    if (c.wavefronts > 0) {
      totals.shared_accesses += c.requests;
      totals.wavefronts += c.wavefronts;
      totals.wavefronts_ideal += c.wavefronts_ideal;
    }
    if (i >= counters.executed.lanes.size()) continue;
    const std::uint64_t lanes = counters.executed.lanes[i];
    const InstructionClass what = instructions[i].instruction_class;
    totals.flop += lanes * instructions[i].flop_per_lane;
    if (instructions[i].flop_per_lane == 2) totals.multiply_adds += lanes;
    if (what == InstructionClass::kTensor) totals.matrix_products += lanes;
    if (what == InstructionClass::kInteger) totals.integer_warps += counters.executed.warps[i];
  }
  return totals;
}

void draw_memory_summary(Pen& pen, const Rect& area, const ViewContext& context,
                         const TilingMoment& moment) {
  const MemoryTotals totals = memory_totals(*context.study);
  const std::array<Item, 3> items = {global_item(*moment.model, totals),
                                     shared_item(*context.study, *context.prepared, totals),
                                     register_item(*context.study, *moment.model, totals)};
  const float arrow = pen.px(16);
  const float gap = pen.px(12);
  const float width = (area.w - 2 * (arrow + 2 * gap)) / 3;
  const float height = std::min(area.h, pen.px(38));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const float x = area.x + (width + arrow + 2 * gap) * static_cast<float>(i);
    draw_item(pen, {x, area.y, width, height}, items[i]);
    if (i + 1 < items.size()) draw_arrow(pen, {x + width + gap, area.y + height / 2}, arrow);
  }
}

}  // namespace tilescope
