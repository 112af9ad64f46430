#include "scene/coalescing/bulk_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "analysis/memory/bulk_sectors.h"
#include "analysis/memory/coalescing.h"
#include "core/quantity.h"
#include "scene/model/prepared.h"
#include "scene/model/tiling_model.h"
#include "scene/view/view.h"

namespace tilescope {
namespace {

// Pieces that a swizzle parts in shared memory lie side by side in global memory.
std::vector<BulkRow> rows_of(const BlockTrace& trace, const BulkBox& box) {
  std::vector<BulkRow> rows;
  for (std::size_t i = box.first; i < box.first + box.count; ++i) {
    const BulkCopy& piece = trace.bulk_copies[i];
    if (!rows.empty() && rows.back().address + rows.back().bytes == piece.global) {
      rows.back().bytes += piece.bytes;
    } else {
      rows.push_back({piece.global, piece.bytes});
    }
  }
  return rows;
}

std::uint64_t sectors_of(const BlockTrace& trace, const BulkBox& box) {
  return bulk_sectors(std::span(trace.bulk_copies).subspan(box.first, box.count));
}

std::uint64_t ideal_of(const BulkBox& box) { return (box.bytes + kSectorBytes - 1) / kSectorBytes; }

std::uint32_t line_of(const KernelStudy& study, const BulkBox& box) {
  if (box.from_elsewhere() || box.event >= study.trace->events.size()) return 0;
  const TraceEvent& event = study.trace->events[box.event];
  return study.program->instructions()[event.instruction].outermost.line;
}

const char* verb_of(BulkCopy::Kind kind) {
  switch (kind) {
    case BulkCopy::Kind::kLoad:
      return "loads";
    case BulkCopy::Kind::kStore:
      return "stores";
    case BulkCopy::Kind::kReduction:
      return "adds";
  }
  return "";
}

const char* way_of(BulkCopy::Kind kind) {
  return kind == BulkCopy::Kind::kLoad ? "to shared memory" : "from shared memory";
}

}  // namespace

std::uint64_t BulkRow::first_sector() const { return address / kSectorBytes; }

std::uint64_t BulkRow::sectors() const {
  return (address + bytes + kSectorBytes - 1) / kSectorBytes - first_sector();
}

std::optional<BulkRequest> bulk_request(const ViewContext& context) {
  const auto prepared = prepared_of(context);
  const std::vector<BulkBox>& boxes = prepared->tiling->boxes;
  if (boxes.empty()) return std::nullopt;
  const auto after = std::ranges::upper_bound(boxes, context.selection.event, {}, &BulkBox::event);
  BulkRequest request;
  request.box = after == boxes.begin() ? boxes.front() : *std::prev(after);
  request.line = line_of(*context.study, request.box);
  request.matrix = prepared->tiling->matrices[request.box.matrix].view.name;
  request.rows = rows_of(*context.study->trace, request.box);
  request.sectors = sectors_of(*context.study->trace, request.box);
  request.sectors_ideal = ideal_of(request.box);
  return request;
}

Sentence bulk_sentence(const BulkRequest& request) {
  const std::string who =
      request.line == 0 ? "Another block of the cluster" : fmt::format("Line {}", request.line);
  const bool alike = std::ranges::all_of(
      request.rows, [&](const BulkRow& row) { return row.bytes == request.rows.front().bytes; });
  const std::string rows =
      request.rows.size() == 1
          ? format(static_cast<double>(request.rows.front().bytes), Unit::kBytes)
      : alike ? fmt::format("{} rows of {} B", request.rows.size(), request.rows.front().bytes)
              : fmt::format("{} rows", request.rows.size());
  const std::string start =
      fmt::format("{} {} {} of {} {} by one bulk copy. ", who, verb_of(request.box.kind), rows,
                  request.matrix, way_of(request.box.kind));
  if (request.sectors <= request.sectors_ideal) {
    return {
        {start, false},
        {fmt::format("They lie in {} sectors of 32 B, the minimum.", format_count(request.sectors)),
         true}};
  }
  return {{start, false},
          {fmt::format("They lie in {} sectors of 32 B; {} would be enough if rows began and ended "
                       "at multiples of 32 B.",
                       format_count(request.sectors), format_count(request.sectors_ideal)),
           true}};
}

namespace {

constexpr std::size_t kMostRows = 32;
constexpr std::uint64_t kMostSectors = 64;  // side by side

// A row of the box below the next: its sectors, and of them the bytes that are moved.
void draw_rows(Pen& pen, const Rect& area, const BulkRequest& request, ColourRole colour) {
  const std::size_t rows = std::min(request.rows.size(), kMostRows);
  std::uint64_t most = 1;
  for (std::size_t i = 0; i < rows; ++i) most = std::max(most, request.rows[i].sectors());
  most = std::min(most, kMostSectors);
  const float label = pen.px(92);
  const float pitch = std::min((area.h - pen.px(16)) / static_cast<float>(rows), pen.px(22));
  const float cell = std::min((area.w - label) / static_cast<float>(most), pen.px(220));
  const float gap = pitch >= pen.px(8) && cell >= pen.px(6) ? 2.0f : 1.0f;
  const auto every =
      static_cast<std::size_t>(std::max(1.0f, std::ceil(pen.px(14) / std::max(pitch, 1.0f))));
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  for (std::size_t i = 0; i < rows; ++i) {
    const BulkRow& row = request.rows[i];
    const float y = area.y + pitch * static_cast<float>(i);
    if (i % every == 0) {
      pen.text_if_fits(area.x, y + pitch / 2, fmt::format("row {}", request.box.box.row + i), dim,
                       label - pen.px(6));
    }
    const std::uint64_t sectors = std::min(row.sectors(), most);
    const std::uint64_t begin = row.first_sector() * kSectorBytes;
    for (std::uint64_t s = 0; s < sectors; ++s) {
      const Rect box{area.x + label + cell * static_cast<float>(s), y, cell - gap, pitch - gap};
      pen.canvas.fill_rect(box, Paint(ColourRole::kExcess, 0.12f), 1);
      pen.canvas.hatch_rect(box, ColourRole::kExcess, pen.px(4));
      const std::uint64_t from = std::max(row.address, begin + s * kSectorBytes);
      const std::uint64_t to =
          std::min(row.address + row.bytes, begin + (s + 1) * std::uint64_t{kSectorBytes});
      if (to <= from) continue;
      const float byte = box.w / static_cast<float>(kSectorBytes);
      const auto offset = static_cast<float>(from - begin - s * kSectorBytes);
      pen.canvas.fill_rect(
          {box.x + byte * offset, box.y, byte * static_cast<float>(to - from), box.h}, colour, 1);
    }
    pen.hit({area.x, y, area.w, pitch}, HitKind::kNone, 0,
            fmt::format("Row {} of the box: {} B from byte {} of a sector on, in {} sectors.", i,
                        row.bytes, row.address % kSectorBytes, row.sectors()));
  }
  std::vector<std::string> words = {
      "each cell: a sector of 32 B; hatched: bytes that are not copied",
      "each cell: a sector of 32 B"};
  if (rows < request.rows.size()) {
    words.insert(words.begin(),
                 fmt::format("the first {} of {} rows; {}", rows, request.rows.size(), words[0]));
  }
  pen.first_that_fits(area.x + label, area.y + pitch * static_cast<float>(rows) + pen.px(9), words,
                      dim, area.w - label);
}

// Copies of one line in the traced block.
struct LineCopies {
  BulkCopy::Kind kind = BulkCopy::Kind::kLoad;
  std::string matrix;
  std::uint64_t copies = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sectors = 0;
  std::uint64_t ideal = 0;
};

std::map<std::pair<std::uint32_t, std::size_t>, LineCopies> copies_by_line(
    const KernelStudy& study, const TilingModel& model) {
  std::map<std::pair<std::uint32_t, std::size_t>, LineCopies> lines;
  for (const BulkBox& box : model.boxes) {
    LineCopies& line = lines[{line_of(study, box), box.matrix}];
    line.kind = box.kind;
    line.matrix = model.matrices[box.matrix].view.name;
    ++line.copies;
    line.bytes += box.bytes;
    line.sectors += sectors_of(*study.trace, box);
    line.ideal += ideal_of(box);
  }
  return lines;
}

void draw_lines(Pen& pen, const Rect& area, const ViewContext& context) {
  constexpr std::array<std::string_view, 5> kHeads = {"copies", "bytes", "sectors", "ideal",
                                                      "efficiency"};
  const auto prepared = prepared_of(context);
  pen.heading(area.x, area.y + pen.px(4), "BULK COPIES OF THIS BLOCK",
              "sectors of 32 B, as an H100 counts them", area.right());
  const TextStyle head = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float column = std::min(pen.px(92), area.w / 8);
  const auto right_of = [&](std::size_t i) {
    return area.right() - pen.px(8) - column * static_cast<float>(kHeads.size() - 1 - i);
  };
  float y = area.y + pen.px(26);
  for (std::size_t i = 0; i < kHeads.size(); ++i) pen.text(right_of(i), y, kHeads[i], head);
  y += pen.px(20);
  for (const auto& [at, line] : copies_by_line(*context.study, *prepared->tiling)) {
    if (y + pen.px(10) > area.bottom()) break;
    const TextStyle plain = pen.style(12, ColourRole::kText);
    const std::string name =
        at.first == 0 ? std::string("another block") : fmt::format("line {}", at.first);
    const std::string what = fmt::format("{}  {} {}", name, verb_of(line.kind), line.matrix);
    pen.text_if_fits(area.x + pen.px(8), y, what, plain, right_of(0) - area.x - pen.px(70));
    const double efficiency = static_cast<double>(line.ideal) /
                              static_cast<double>(std::max<std::uint64_t>(line.sectors, 1));
    const std::array<std::string, 5> figures = {
        format_count(line.copies), format(static_cast<double>(line.bytes), Unit::kBytes),
        format_count(line.sectors), format_count(line.ideal), percent_words(efficiency)};
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const bool waste = line.sectors > line.ideal && i >= 2;
      pen.text(right_of(i), y, figures[i],
               pen.style(12, waste ? ColourRole::kExcess : ColourRole::kText, Weight::kMedium,
                         Align::kRight));
    }
    pen.hit(
        {area.x, y - pen.px(10), area.w, pen.px(20)}, HitKind::kLine, at.first,
        fmt::format("{}: {} bulk copies of this block move {}.", name, format_count(line.copies),
                    format(static_cast<double>(line.bytes), Unit::kBytes)));
    y += pen.px(22);
  }
  pen.first_that_fits(area.x + pen.px(8), y,
                      {"They bypass the L1: the LSU's counters do not include them; "
                       "..._xbar2l1tex_read_sectors_mem_global_op_tma_ld and "
                       "..._l1tex2xbar_write_sectors_mem_global_op_tma_st do.",
                       "The LSU's counters do not include them; those of op_tma do.",
                       "No counter of the LSU includes bulk copies."},
                      pen.style(11, ColourRole::kDim), area.w - pen.px(16));
}

}  // namespace

void draw_bulk_copy(Pen& pen, const Rect& area, const ViewContext& context,
                    const BulkRequest& request) {
  const auto prepared = prepared_of(context);
  const MatrixView& view = prepared->tiling->matrices[request.box.matrix].view;
  const std::string figure =
      request.sectors > request.sectors_ideal
          ? fmt::format("{} sectors, {} would be enough", format_count(request.sectors),
                        format_count(request.sectors_ideal))
          : fmt::format("{} sectors", format_count(request.sectors));
  const TextStyle strong = pen.style(
      13, request.sectors > request.sectors_ideal ? ColourRole::kExcess : ColourRole::kIdeal,
      Weight::kSemibold, Align::kRight);
  pen.text(area.right(), area.y + pen.px(8), figure, strong);
  const ElementBox& box = request.box.box;
  pen.heading(area.x, area.y + pen.px(8), "BOX",
              fmt::format("rows {} to {}, columns {} to {} of {}", box.row, box.row + box.rows - 1,
                          box.col, box.col + box.cols - 1, view.name),
              area.right() - pen.width(figure, strong) - pen.px(16));
  const float table = std::min(pen.px(132), area.h * 0.4f);
  const float top = area.y + pen.px(28);
  draw_rows(pen, {area.x, top, area.w, area.bottom() - table - pen.px(12) - top}, request,
            view.colour);
  const float below = area.bottom() - table;
  pen.rule(area.x, area.right(), below - pen.px(6));
  draw_lines(pen, {area.x, below + pen.px(4), area.w, table - pen.px(4)}, context);
}

}  // namespace tilescope
