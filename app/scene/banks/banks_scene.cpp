#include "scene/banks/banks_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/memory/bank_conflicts.h"
#include "core/quantity.h"
#include "core/text.h"
#include "scene/banks/banks_words.h"
#include "scene/model/prepared.h"
#include "scene/view/default_selection.h"
#include "scene/view/empty_view.h"
#include "scene/view/hardware_note.h"
#include "scene/view/hovered_line.h"
#include "scene/view/view.h"

namespace tilescope {
namespace {

// Cells of the grid: a column per bank, a row per wavefront.
struct BankGrid {
  Rect box;
  int rows = 8;
  float gap = 2;

  [[nodiscard]] Rect cell(int row, int bank, int banks = 1) const {
    const float w = (box.w + gap) / kBankCount;
    const float h = (box.h + gap) / static_cast<float>(rows);
    return {box.x + w * static_cast<float>(bank), box.y + h * static_cast<float>(row),
            w * static_cast<float>(banks) - gap, h - gap};
  }
};

std::string lanes_in_words(std::uint32_t lanes) {
  const int count = std::popcount(lanes);
  const int first = std::countr_zero(lanes);
  if (count == 1) return fmt::format("lane {}", first);
  const int last = 31 - std::countl_zero(lanes);
  if (last - first + 1 == count) return fmt::format("lanes {} to {}", first, last);
  return fmt::format("{} lanes from {} to {}", count, first, last);
}

// One or more neighbouring banks that serve the same lanes.
void draw_delivery(Pen& pen, const Rect& box, std::uint32_t lanes, int selected_lane) {
  const int count = std::popcount(lanes);
  if (count == 1) {
    pen.canvas.fill_rect(box, Paint::lane(std::countr_zero(lanes)), 2);
  } else {  // a broadcast: stripes of its lanes' colours
    const int stripes = std::min(count, 4);
    std::array<int, kWarpSize> order{};
    int n = 0;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((lanes >> lane & 1U) != 0) order[static_cast<std::size_t>(n++)] = lane;
    }
    const float w = box.w / static_cast<float>(stripes);
    for (int i = 0; i < stripes; ++i) {
      const int lane = order[static_cast<std::size_t>(i * (count - 1) / std::max(stripes - 1, 1))];
      pen.canvas.fill_rect({box.x + w * static_cast<float>(i), box.y, w, box.h}, Paint::lane(lane));
    }
  }
  if (selected_lane >= 0 && (lanes >> selected_lane & 1U) != 0) {
    pen.outline(box, ColourRole::kSelection, 2, 2);
  }
  const int middle = count == 1 ? std::countr_zero(lanes) : 16;
  const std::string words =
      count == 1 ? std::to_string(std::countr_zero(lanes)) : fmt::format("×{}", count);
  const TextStyle style =
      pen.style(11, text_on(Paint::lane(middle), pen.theme), Weight::kSemibold, Align::kCenter);
  // All lanes are numbered, or every fourth.
  const bool every_fourth = count == 1 && middle % 4 == 0 && pen.width(words, style) <= box.w + 2;
  const bool fits = pen.width(count == 1 ? "00" : words, style) <= box.w - 1 || every_fourth;
  if (box.h >= pen.px(14) && fits) {
    pen.text(box.center().x, box.center().y, words, style);
  }
}

// What each bank delivers in a wavefront, to which lanes; `selected_lane` -1: none.
void draw_wavefront(Pen& pen, const BankGrid& grid, int row, const Wavefront& wavefront,
                    const SharedRequest& request, int selected_lane) {
  for (int bank = 0; bank < kBankCount;) {
    const auto b = static_cast<std::size_t>(bank);
    const std::uint32_t lanes = wavefront.lanes[b];
    int end = bank + 1;
    const bool wide = request.access.bytes_per_lane > 4 && lanes != 0;
    while (wide && end < kBankCount && wavefront.lanes[static_cast<std::size_t>(end)] == lanes &&
           wavefront.word[static_cast<std::size_t>(end)] ==
               wavefront.word[b] + static_cast<unsigned>(end - bank)) {
      ++end;
    }
    if (lanes != 0) {
      const Rect box = grid.cell(row, bank, end - bank);
      draw_delivery(pen, box, lanes, selected_lane);
      pen.hit(box, HitKind::kLane, std::countr_zero(lanes),
              fmt::format("Wavefront {}: bank {} delivers word {} to {}.", row + 1, bank,
                          wavefront.word[b], lanes_in_words(lanes)));
    }
    bank = end;
  }
}

// Nothing delivered yet.
void draw_idle_banks(Pen& pen, const BankGrid& grid) {
  for (int row = 0; row < grid.rows; ++row) {
    for (int bank = 0; bank < kBankCount; ++bank) {
      pen.canvas.fill_rect(grid.cell(row, bank), Paint(ColourRole::kRaised, 0.75f), 1);
    }
  }
}

// As few wavefronts as the width allows: each pass's distinct words side by side.
void draw_ideal_banks(Pen& pen, const BankGrid& grid, float y, float row_height,
                      const SharedRequest& request) {
  const int rows = std::max(request.cost.ideal_wavefronts, 1);
  const int words = std::max<int>(request.access.bytes_per_lane / 4, 1);
  BankGrid ideal = grid;
  ideal.rows = rows;
  ideal.box = {grid.box.x, y, grid.box.w, row_height * static_cast<float>(rows)};
  for (int row = 0; row < rows; ++row) {
    for (int bank = 0; bank < kBankCount; ++bank) {
      pen.canvas.fill_rect(ideal.cell(row, bank), Paint(ColourRole::kRaised, 0.75f), 1);
    }
  }
  // A wide access that is already as cheap as that: its own passes are the ideal.
  if (rows > 1 && request.cost.wavefronts == rows &&
      request.wavefronts.size() == static_cast<std::size_t>(rows)) {
    for (int row = 0; row < rows; ++row) {
      const Wavefront& wavefront = request.wavefronts[static_cast<std::size_t>(row)];
      for (int bank = 0; bank < kBankCount; ++bank) {
        const std::uint32_t lanes = wavefront.lanes[static_cast<std::size_t>(bank)];
        if (lanes == 0) continue;
        pen.canvas.fill_rect(ideal.cell(row, bank), Paint::lane(std::countr_zero(lanes)), 1);
      }
    }
    return;
  }
  std::vector<std::uint64_t> seen;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    const std::uint64_t address = request.access.address[static_cast<std::size_t>(lane)];
    if (std::find(seen.begin(), seen.end(), address) != seen.end()) continue;
    const int slot = static_cast<int>(seen.size()) * words;
    seen.push_back(address);
    if (slot / kBankCount >= rows) break;
    pen.canvas.fill_rect(ideal.cell(slot / kBankCount, slot % kBankCount, words), Paint::lane(lane),
                         2);
  }
}

void find_busiest_bank(const std::vector<Wavefront>& wavefronts, SharedRequest& request) {
  std::array<int, kBankCount> words{};
  std::array<std::uint32_t, kBankCount> lanes{};
  for (const Wavefront& wavefront : wavefronts) {
    for (std::size_t bank = 0; bank < kBankCount; ++bank) {
      if (wavefront.lanes[bank] == 0) continue;
      ++words[bank];
      lanes[bank] |= wavefront.lanes[bank];
    }
  }
  for (std::size_t bank = 0; bank < kBankCount; ++bank) {
    if (words[bank] > 0) ++request.banks_used;
    if (words[bank] <= request.busiest_words) continue;
    request.busiest_bank = static_cast<int>(bank);
    request.busiest_words = words[bank];
    request.busiest_lanes = std::popcount(lanes[bank]);
  }
}

bool lanes_walk_a_column(const SharedRequest& request) {
  if (request.region == nullptr || !request.region->pitch_known || request.shape.distinct < 2) {
    return false;
  }
  const std::uint64_t pitch = request.region->pitch_words;
  std::optional<std::uint64_t> column;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    const std::uint64_t word = request.access.address[lane] / 4;
    if (!request.region->contains(word)) return false;
    const std::uint64_t col = (word - request.region->first_word) % pitch;
    if (column && *column != col) return false;
    column = col;
  }
  return true;
}

void note_operands(const KernelStudy& study, const SharedLayout& layout, BankFacts& facts) {
  std::vector<std::string> names;
  for (const OperandRead& read : study.trace->operand_reads) {
    const SharedRegion* region = layout.region_at(read.offset);
    if (region == nullptr || std::ranges::find(names, region->name) != names.end()) continue;
    names.push_back(region->name);
    facts.operand_swizzle = std::max(facts.operand_swizzle, region->swizzle_bytes);
  }
  if (!names.empty()) facts.operands = joined(names);
}

// The chunk of its row that every lane accesses, as it was before the swizzle; nullopt: they access
// several, or none of swizzled rows.
std::optional<std::uint64_t> chunk_of_each_row(const SharedRequest& request) {
  constexpr std::uint64_t kChunk = 16;
  const SharedRegion& region = *request.region;
  std::optional<std::uint64_t> chunk;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    const std::uint64_t byte = swizzled_byte(request.access.address[lane], region.swizzle_bytes);
    const std::uint64_t own = byte % (region.pitch_words * 4) / kChunk;
    if (chunk && *chunk != own) return std::nullopt;
    chunk = own;
  }
  return chunk;
}

}  // namespace

void draw_bank_cells(Pen& pen, const Rect& box, int rows, const SharedRequest& request,
                     int selected_lane) {
  const BankGrid grid{box, rows, 1};
  draw_idle_banks(pen, grid);
  const int used = std::min(rows, static_cast<int>(request.wavefronts.size()));
  for (int row = 0; row < used; ++row) {
    draw_wavefront(pen, grid, row, request.wavefronts[static_cast<std::size_t>(row)], request,
                   selected_lane);
  }
}

std::optional<SharedRequest> shared_request(const ViewContext& context) {
  const auto event = access_event(context, MemorySpace::kShared);
  if (!event) return std::nullopt;
  const KernelStudy& study = *context.study;
  const TraceEvent& traced = study.trace->events[*event];
  SharedRequest request;
  request.event = *event;
  request.warp = traced.warp;
  request.instruction = &study.program->instructions()[traced.instruction];
  const SharedCost shared = shared_cost(study, *event);
  request.access = shared.access;
  request.cost = shared.cost;
  request.copy = shared.copy;
  request.lanes_meet = shared.lanes_meet;
  request.shape = shape_of(request.access);
  const std::vector<Wavefront> by_layout = wavefronts_of(request.access);
  request.wavefronts =
      shared.copy ? async_copy_wavefronts(shared.copy->source, shared.access, shared.copy->variant)
                  : by_layout;
  request.region = context.prepared->shared->region_at(request.shape.first);
  request.walks_column = lanes_walk_a_column(request);
  find_busiest_bank(by_layout, request);
  return request;
}

void look_at_worst_shared(const KernelStudy& study, const PreparedStudy& prepared,
                          Selection& selection) {
  if (prepared.warps.empty()) return;
  std::optional<std::uint32_t> worst;
  std::tuple<int, int, bool> most{-1, -1, false};
  std::size_t looked = 0;
  for (const std::uint32_t event : prepared.warps[0].shared) {
    if (++looked > kMostLookedAt) break;
    const SharedCost shared = shared_cost(study, event);
    const std::tuple here{shared.cost.conflicts(), shared.cost.wavefronts,
                          shared.access.kind == AccessKind::kLoad};
    if (here <= most) continue;
    most = here;
    worst = event;
  }
  if (worst) look_at(study, *worst, selection);
}

Sentence banks_sentence(const ViewContext& context) {
  ViewContext prepared = context;
  prepared.prepared = prepared_of(context);
  const auto request = shared_request(prepared);
  if (!request) {
    return {{"This kernel uses no shared memory, so it has no bank conflicts.", false}};
  }
  BankFacts facts;
  facts.line = request->instruction->outermost.line;
  facts.kind = request->instruction->access;
  facts.bytes_per_lane = request->access.bytes_per_lane;
  facts.shape = request->shape;
  facts.cost = request->cost;
  facts.lanes_meet = request->lanes_meet;
  if (request->copy) {
    facts.copy = BankFacts::Copy{
        request->copy->variant == AccessVariant::kBypass, request->copy->source_lines,
        request->shape.lanes - std::popcount(request->copy->source.active)};
  }
  if (request->region != nullptr) {
    const SharedRegion& region = *request->region;
    facts.array = region.declaration.empty() ? region.name + "'s tile" : region.name;
    if (request->region->pitch_known) {
      facts.pitch_words = static_cast<int>(request->region->pitch_words);
    }
  }
  facts.walks_column = request->walks_column;
  if (request->region != nullptr && request->region->swizzle_bytes != 0) {
    facts.swizzle_bytes = request->region->swizzle_bytes;
    facts.reads_one_chunk = chunk_of_each_row(*request);
  }
  note_operands(*context.study, *prepared.prepared->shared, facts);
  facts.busiest_bank = request->busiest_bank;
  facts.busiest_lanes = request->busiest_lanes;
  facts.banks_used = request->banks_used;
  return banks_sentence(facts);
}

namespace {

int rows_shown(std::size_t wavefronts) {
  for (const int rows : {8, 16, 32}) {
    if (wavefronts <= static_cast<std::size_t>(rows)) return rows;
  }
  return static_cast<int>(wavefronts);
}

std::uint32_t lanes_of(const Wavefront& wavefront) {
  std::uint32_t lanes = 0;
  for (const std::uint32_t bank : wavefront.lanes) lanes |= bank;
  return lanes;
}

// Left of the grid: which wavefront a row is, or which lanes pass where a warp goes in parts.
void draw_row_labels(Pen& pen, const BankGrid& grid, const SharedRequest& request, bool passes) {
  const TextStyle style = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float x = grid.box.x - pen.px(7);
  const float row_height = grid.cell(0, 0).h + grid.gap;
  if (!passes) {
    const int every = row_height >= pen.px(15) ? 1 : 4;
    for (int row = 0; row < grid.rows; row += every) {
      pen.text(x, grid.cell(row, 0).center().y, std::to_string(row + 1), style);
    }
    return;
  }
  const int pass_lanes = 128 / request.access.bytes_per_lane;
  float free_from = grid.box.y - pen.px(8);
  int group = -1;
  for (int row = 0; row < static_cast<int>(request.wavefronts.size()); ++row) {
    const std::uint32_t lanes = lanes_of(request.wavefronts[static_cast<std::size_t>(row)]);
    const int first = std::countr_zero(lanes) / pass_lanes;
    const int last = (31 - std::countl_zero(lanes)) / pass_lanes;
    if (first == group) continue;
    group = first;
    const float y = grid.cell(row, 0).center().y;
    if (row > 0) {
      const float line_y = grid.cell(row, 0).y - grid.gap / 2;
      pen.canvas.line({grid.box.x - pen.px(60), line_y}, {grid.box.right(), line_y},
                      ColourRole::kFaint, 1);
    }
    if (y - pen.px(7) < free_from) continue;
    pen.text(x, y, fmt::format("lanes {}–{}", first * pass_lanes, (last + 1) * pass_lanes - 1),
             style);
    free_from = y + pen.px(7);
  }
}

void draw_bank_numbers(Pen& pen, const BankGrid& grid, float y, const SharedRequest& request) {
  const TextStyle dim = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  const bool all = pen.width("00", dim) + pen.px(2) <= grid.cell(0, 0).w;
  for (int bank = 0; bank < kBankCount; ++bank) {
    const bool hot = request.lanes_meet && bank == request.busiest_bank;
    if (!all && bank % 4 != 0) continue;
    TextStyle style = dim;
    if (hot) style.paint = ColourRole::kExcess;
    if (hot) style.weight = Weight::kSemibold;
    pen.text(grid.cell(0, bank).center().x, y, std::to_string(bank), style);
  }
}

// The largest free place for the remark: cells that no wavefront uses, nearest to the busy bank.
std::optional<Point> free_place(const BankGrid& grid, const SharedRequest& request, float w,
                                float h) {
  const Rect cell = grid.cell(0, 0);
  const int cols = static_cast<int>(w / (cell.w + grid.gap)) + 2;
  const int rows = static_cast<int>(h / (cell.h + grid.gap)) + 2;
  const auto used = [&](int row, int bank) {
    return row < static_cast<int>(request.wavefronts.size()) &&
           request.wavefronts[static_cast<std::size_t>(row)]
                   .lanes[static_cast<std::size_t>(bank)] != 0;
  };
  for (int row = 1; row + rows <= grid.rows; ++row) {
    for (int bank = 1; bank + cols <= kBankCount; ++bank) {
      bool empty = true;
      for (int r = row - 1; r < row + rows && empty; ++r) {
        for (int b = bank; b < bank + cols && empty; ++b) empty = !used(r, b);
      }
      if (empty) return Point{grid.cell(row, bank).x, grid.cell(row, bank).y};
    }
  }
  return std::nullopt;
}

void draw_remark(Pen& pen, const BankGrid& grid, const SharedRequest& request) {
  std::string first;
  std::string second;
  Paint tone = ColourRole::kIdeal;
  const int idle = kBankCount - request.banks_used;
  if (request.wavefronts.empty()) {
    first = "no wavefront";
    second = "copies that bypass L1 have no bank conflicts";
  } else if (request.cost.conflicts() > 0 && !request.lanes_meet) {
    tone = ColourRole::kExcess;
    first = fmt::format("from {} of 128 B, each written separately",
                        counted(request.copy->source_lines, "line"));
    second = "no bank conflict";
  } else if (request.lanes_meet) {
    tone = ColourRole::kExcess;
    first = fmt::format("{} lanes use bank {}", request.busiest_lanes, request.busiest_bank);
    second = idle == 0 ? fmt::format("each bank must deliver up to {} words", request.busiest_words)
                       : fmt::format("{} bank{} idle for {} wavefronts", idle,
                                     idle == 1 ? " is" : "s are", request.cost.wavefronts);
  } else if (request.shape.distinct == 1 && request.shape.lanes > 1) {
    first = fmt::format("one word for {} lanes", request.shape.lanes);
    second = "a broadcast costs as much as a single lane";
  } else {
    first = request.shape.distinct < request.shape.lanes ? "lanes that use the same word share it"
                                                         : "no bank conflict";
    second = request.cost.wavefronts == 1
                 ? "1 wavefront for the whole warp"
                 : fmt::format("{} wavefronts, the minimum for its width", request.cost.wavefronts);
  }
  const TextStyle strong = pen.style(13, tone, Weight::kSemibold);
  const TextStyle dim = pen.style(12, ColourRole::kText);
  const float w = std::max(pen.width(first, strong), pen.width(second, dim));
  const auto at = free_place(grid, request, w + pen.px(16), pen.px(40));
  if (!at) return;
  const float x = at->x + pen.px(8);
  pen.canvas.fill_rect({x - pen.px(4), at->y, w + pen.px(12), pen.px(40)},
                       Paint(ColourRole::kBackground, 0.8f), 3);
  pen.text(x + pen.px(2), at->y + pen.px(11), first, strong);
  pen.text(x + pen.px(2), at->y + pen.px(29), second, dim);
}

void draw_bank_grid(Pen& pen, const Rect& area, const ViewContext& context,
                    const SharedRequest& request) {
  const bool passes = request.access.bytes_per_lane > 4;
  const float gutter = passes ? pen.px(78) : pen.px(26);
  const bool conflict = request.cost.conflicts() > 0;
  const int ideal_rows = std::max(request.cost.ideal_wavefronts, 1);
  const float ideal_row = ideal_rows > 1 ? pen.px(9) : pen.px(14);
  const float ideal_height = ideal_row * static_cast<float>(ideal_rows);
  BankGrid grid;
  grid.rows = rows_shown(request.wavefronts.size());
  const float top = area.y + pen.px(40);
  const float available = area.bottom() - top - pen.px(38) - ideal_height;
  grid.gap = available / static_cast<float>(grid.rows) < 6 ? 1.0f : 2.0f;
  grid.box = {area.x + gutter, top, area.w - gutter,
              std::min(available, pen.px(46) * static_cast<float>(grid.rows))};

  const std::string figure =
      conflict
          ? fmt::format("{}, {} would be enough", counted(request.cost.wavefronts, "wavefront"),
                        request.cost.ideal_wavefronts)
      : request.cost.wavefronts == 0 ? std::string("no wavefront")
                                     : counted(request.cost.wavefronts, "wavefront");
  const TextStyle strong = pen.style(13, conflict ? ColourRole::kExcess : ColourRole::kIdeal,
                                     Weight::kSemibold, Align::kRight);
  pen.text(area.right(), area.y + pen.px(8), figure, strong);
  pen.heading(area.x, area.y + pen.px(8), "BANKS",
              passes ? "32 banks of 4 B as columns; rows: wavefronts, by pass"
                     : "32 banks of 4 B as columns; rows: the wavefronts of this access, in order",
              area.right() - pen.width(figure, strong) - pen.px(16));
  draw_bank_numbers(pen, grid, area.y + pen.px(29), request);
  draw_idle_banks(pen, grid);
  for (int row = 0; row < static_cast<int>(request.wavefronts.size()); ++row) {
    draw_wavefront(pen, grid, row, request.wavefronts[static_cast<std::size_t>(row)], request,
                   context.selection.lane);
  }
  draw_row_labels(pen, grid, request, passes);
  if (request.lanes_meet) {
    const Rect first = grid.cell(0, request.busiest_bank);
    pen.outline(
        {first.x - 2, grid.box.y - 2, first.w + 4,
         grid.cell(static_cast<int>(request.wavefronts.size()) - 1, 0).bottom() - grid.box.y + 4},
        ColourRole::kExcess, 1.5f, 3);
  }
  draw_remark(pen, grid, request);

  const float ideal_y = grid.box.bottom() + pen.px(30);
  const float words_end =
      pen.heading(grid.box.x, grid.box.bottom() + pen.px(18), "IDEAL",
                  request.cost.ideal_wavefronts == 0 ? "no wavefront, as above"
                  : ideal_rows == 1                  ? "1 wavefront: every word in a different bank"
                                    : fmt::format("{} wavefronts: the minimum for {} B per lane",
                                                  ideal_rows, request.access.bytes_per_lane),
                  area.right());
  static constexpr std::array<std::string_view, 2> kSharedCounters{"wavefronts_mem_shared_op_",
                                                                   "bank_conflicts"};
  draw_hardware_note(pen, words_end + pen.px(16), grid.box.right(), grid.box.bottom() + pen.px(18),
                     context, kSharedCounters);
  if (request.cost.ideal_wavefronts > 0) draw_ideal_banks(pen, grid, ideal_y, ideal_row, request);
}

constexpr std::uint64_t kMostRows = 64;  // drawn at once; a taller array shows the rows in use
constexpr std::uint64_t kMostCols = 160;

// The rows and columns of the region that are drawn.
struct Part {
  std::uint64_t row = 0;
  std::uint64_t rows = 0;
  std::uint64_t col = 0;
  std::uint64_t cols = 0;
};

Part part_around(const SharedRegion& region, const SharedRequest& request) {
  const std::uint64_t first = request.shape.first / 4 - region.first_word;
  const std::uint64_t last = std::min(request.shape.last / 4 - region.first_word, region.words - 1);
  const auto window = [](std::uint64_t from, std::uint64_t to, std::uint64_t all,
                         std::uint64_t most) {
    if (all <= most) return std::pair{std::uint64_t{0}, all};
    const std::uint64_t middle = (from + to) / 2;
    const std::uint64_t start = std::min(middle - std::min(middle, most / 2), all - most);
    return std::pair{start, most};
  };
  Part part;
  std::tie(part.row, part.rows) =
      window(first / region.pitch_words, last / region.pitch_words, region.rows(), kMostRows);
  std::tie(part.col, part.cols) =
      window(first % region.pitch_words, last % region.pitch_words, region.pitch_words, kMostCols);
  return part;
}

struct MapGrid {
  Rect box;
  Part part;
  [[nodiscard]] Rect cell(std::uint64_t row, std::uint64_t col, std::uint64_t cols = 1) const {
    const float w = box.w / static_cast<float>(part.cols);
    const float h = box.h / static_cast<float>(part.rows);
    const float gap_x = w >= 4 ? 1.0f : 0.0f;
    const float gap_y = h >= 4 ? 1.0f : 0.0f;
    return {box.x + w * static_cast<float>(col - part.col),
            box.y + h * static_cast<float>(row - part.row),
            std::max(w * static_cast<float>(cols) - gap_x, 1.0f), std::max(h - gap_y, 1.0f)};
  }
  [[nodiscard]] bool shows(std::uint64_t row, std::uint64_t col) const {
    return row >= part.row && row < part.row + part.rows && col >= part.col &&
           col < part.col + part.cols;
  }
};

Paint bank_paint(std::uint64_t bank) {
  return {ColourRole::kFaint, 0.22f + 0.60f * static_cast<float>(bank) / 31.0f};
}

void draw_cells(Pen& pen, const MapGrid& grid, const SharedRegion& region) {
  const Part& part = grid.part;
  for (std::uint64_t row = part.row; row < part.row + part.rows; ++row) {
    for (std::uint64_t col = part.col; col < part.col + part.cols; ++col) {
      if (row * region.pitch_words + col >= region.words) return;
      const std::uint64_t bank = (region.first_word + row * region.pitch_words + col) % kBankCount;
      pen.canvas.fill_rect(grid.cell(row, col), bank_paint(bank));
    }
  }
}

// Words behind each row that hold nothing.
void draw_padding(Pen& pen, const MapGrid& grid, const SharedRegion& region) {
  const Part& part = grid.part;
  if (region.used_words >= region.pitch_words || region.used_words >= part.col + part.cols) return;
  const Rect first = grid.cell(part.row, std::max(region.used_words, part.col));
  const Rect pad{first.x, grid.box.y, grid.box.right() - first.x, grid.box.h};
  pen.canvas.fill_rect(pad, Paint(ColourRole::kBackground, 0.75f));
  pen.canvas.hatch_rect(pad, ColourRole::kDim, 4);
  pen.hit(
      pad, HitKind::kNone, 0,
      fmt::format("Each row ends with {} of padding, which shifts the next row by as many banks.",
                  counted(region.pitch_words - region.used_words, "word")));
}

void draw_lanes(Pen& pen, const MapGrid& grid, const SharedRegion& region,
                const SharedRequest& request, int selected_lane) {
  const std::uint64_t words = std::max<std::uint64_t>(request.access.bytes_per_lane / 4u, 1);
  for (int lane = kWarpSize - 1; lane >= 0; --lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    const std::uint64_t word = request.access.address[static_cast<std::size_t>(lane)] / 4;
    if (!region.contains(word)) continue;
    const std::uint64_t row = (word - region.first_word) / region.pitch_words;
    const std::uint64_t col = (word - region.first_word) % region.pitch_words;
    if (!grid.shows(row, col)) continue;
    const Rect box = grid.cell(row, col, std::min(words, grid.part.col + grid.part.cols - col));
    pen.canvas.fill_rect(box, Paint::lane(lane));
    if (lane == selected_lane) pen.outline(box, ColourRole::kSelection, 1.5f);
    pen.hit(box, HitKind::kLane, lane,
            fmt::format("Lane {}: row {}, word {} of {}, in bank {}.", lane, row, col, region.name,
                        word % kBankCount));
  }
}

// Frames the words that the line under the pointer reads or writes.
void draw_lit(Pen& pen, const MapGrid& grid, const SharedRegion& region,
              const ViewContext& context) {
  const BlockTrace& trace = *context.study->trace;
  std::set<std::pair<std::uint64_t, std::uint64_t>> framed;  // word and how many
  for (const std::uint32_t event : lit_accesses(context)) {
    WarpAccess access = trace.access(trace.events[event].access);
    if (access.kind == AccessKind::kAsyncCopy)
      access = trace.access(trace.events[event].access + 1);
    if (access.space != MemorySpace::kShared) continue;
    const std::uint64_t words = std::max<std::uint64_t>(access.bytes_per_lane / 4u, 1);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t word = access.address[lane] / 4;
      const bool active = (access.active >> lane & 1U) != 0;
      if (active && region.contains(word)) framed.emplace(word, words);
    }
  }
  for (const auto& [word, words] : framed) {
    const std::uint64_t row = (word - region.first_word) / region.pitch_words;
    const std::uint64_t col = (word - region.first_word) % region.pitch_words;
    if (!grid.shows(row, col)) continue;
    pen.outline(grid.cell(row, col, std::min(words, grid.part.col + grid.part.cols - col)),
                Paint(ColourRole::kSelection, 0.8f));
  }
}

std::string title_of(const SharedRegion& region) {
  std::string title = region.declaration;
  if (title.empty()) title = fmt::format("tile of {}", region.name);
  if (region.stages > 1) title += fmt::format(", {} of {}", region.stage + 1, region.stages);
  return title;
}

// The array as it lies in memory, coloured by bank.
void draw_shared_map(Pen& pen, const Rect& area, const ViewContext& context,
                     const SharedRequest& request) {
  const SharedRegion& region = *request.region;
  const TextStyle mono =
      pen.style(12, ColourRole::kStrong, Weight::kMedium, Align::kLeft, Font::kMono);
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  pen.text(area.x, area.y + pen.px(8), pen.fitted(title_of(region), mono, area.w), mono);

  MapGrid grid;
  grid.part = part_around(region, request);
  const bool cut = grid.part.rows < region.rows() || grid.part.cols < region.pitch_words;
  pen.first_that_fits(
      area.x, area.y + pen.px(25),
      {cut ? fmt::format("rows {}–{} of {}, words {}–{} of {}, by bank", grid.part.row,
                         grid.part.row + grid.part.rows - 1, region.rows(), grid.part.col,
                         grid.part.col + grid.part.cols - 1, region.pitch_words)
           : "as stored in memory, shaded by bank",
       "shaded by bank"},
      dim, area.w);
  const float top = area.y + pen.px(40);
  const float most_height = area.bottom() - top - pen.px(48);
  const float cell = std::min(area.w / static_cast<float>(grid.part.cols), pen.px(14));
  const float height = std::min(most_height, pen.px(12) * static_cast<float>(grid.part.rows));
  grid.box = {area.x, top, cell * static_cast<float>(grid.part.cols),
              std::max(height, std::min(most_height, pen.px(16)))};

  draw_cells(pen, grid, region);
  draw_padding(pen, grid, region);
  draw_lanes(pen, grid, region, request, context.selection.lane);
  draw_lit(pen, grid, region, context);
  const bool conflict = request.lanes_meet;
  const Paint tone = conflict ? ColourRole::kExcess : ColourRole::kIdeal;
  const TextStyle caption = pen.style(12, tone, Weight::kSemibold);
  std::vector<std::string> words;
  if (conflict) {
    words = {
        fmt::format("{} of the words are in bank {}", request.busiest_words, request.busiest_bank),
        fmt::format("bank {}: {} words", request.busiest_bank, request.busiest_words)};
  } else {
    words = {"its words are in " + counted(request.banks_used, "bank")};
  }
  float y = grid.box.bottom() + pen.px(14);
  pen.first_that_fits(area.x, y, words, caption, area.w);
  y += pen.px(17);
  if (region.swizzle_bytes != 0) {
    pen.first_that_fits(
        area.x, y,
        {fmt::format("{}-byte swizzle; pitch {} words", region.swizzle_bytes, region.pitch_words),
         fmt::format("{}-byte swizzle", region.swizzle_bytes)},
        dim, area.w);
  } else if (region.pitch_known && region.rows() > 1) {
    const std::uint64_t pad = region.pitch_words - std::min(region.used_words, region.pitch_words);
    pen.first_that_fits(area.x, y,
                        {pad == 0 ? fmt::format("pitch {} words", region.pitch_words)
                                  : fmt::format("row pitch {} words ({} + {} padding)",
                                                region.pitch_words, region.used_words, pad),
                         fmt::format("pitch {} words", region.pitch_words)},
                        dim, area.w);
  }
}

}  // namespace

void draw_banks(Canvas& canvas, const Rect& area, const ViewContext& context) {
  Pen pen(canvas, context);
  const auto request = shared_request(context);
  if (!request) {
    constexpr std::string_view kWhat = "This kernel uses no shared memory";
    if (pen.on_paper) {
      draw_empty(pen, area, kWhat,
                 "This view needs a kernel that keeps a tile in __shared__ memory: transpose/tiled "
                 "or gemm/shared_tile.");
      return;
    }
    draw_empty(pen, {area.x, area.y, area.w, area.h - pen.px(72)}, kWhat,
               "This view needs a kernel that keeps a tile in __shared__ memory.");
    std::vector<Offer> offers;
    for (const std::string kernel : {"transpose/tiled", "gemm/shared_tile"}) {
      offers.push_back(
          {"open " + kernel,
           {.kind = HitKind::kKernel, .name = kernel, .tooltip = "Replaces the current kernel."}});
    }
    draw_offers(pen, area, offers);
    return;
  }
  const bool roomy = area.h >= pen.px(300);
  const float strip = roomy ? pen.px(84) : 0;
  const Rect upper{area.x, area.y, area.w, area.h - strip};
  const bool with_map = area.w >= pen.px(640) && request->region != nullptr;
  const float map_width = with_map ? std::clamp(area.w * 0.26f, pen.px(150), pen.px(300)) : 0;
  const float gap = with_map ? pen.px(28) : 0;
  draw_bank_grid(pen, {upper.x, upper.y, upper.w - map_width - gap, upper.h}, context, *request);
  if (with_map) {
    draw_shared_map(pen, {upper.right() - map_width, upper.y, map_width, upper.h}, context,
                    *request);
  }
  if (!roomy) return;
  const float top = upper.bottom() + pen.px(10);
  pen.rule(area.x, area.right(), top);
  draw_what_if(pen, {area.x, top + pen.px(12), area.w, area.bottom() - top - pen.px(12)}, context,
               *request);
}

namespace {

using DrawBanks = void (*)(Pen& pen, const Rect& area, const ViewContext& context,
                           const SharedRequest& request);
template <DrawBanks kDraw>
void draw_bank_part(Canvas& canvas, const Rect& area, const ViewContext& context) {
  const auto request = shared_request(context);
  if (!request) {
    draw_banks(canvas, area, context);  // says so
    return;
  }
  Pen pen(canvas, context);
  kDraw(pen, area, context, *request);
}

void draw_array(Pen& pen, const Rect& area, const ViewContext& context,
                const SharedRequest& request) {
  if (request.region != nullptr) {
    draw_shared_map(pen, area, context, request);
  } else {
    draw_empty(pen, area, "This access is outside of the kernel's arrays", "Choose another line.");
  }
}

}  // namespace

std::span<const ViewPart> banks_parts() {
  static constexpr std::array kParts{ViewPart{"grid",
                                              "what each bank delivers in each wavefront",
                                              {220, 150},
                                              draw_bank_part<draw_bank_grid>},
                                     ViewPart{"array",
                                              "the array in shared memory, shaded by bank",
                                              {120, 130},
                                              draw_bank_part<draw_array>},
                                     ViewPart{"layouts",
                                              "the same access with other paddings",
                                              {240, 70},
                                              draw_bank_part<draw_what_if>}};
  return kParts;
}

}  // namespace tilescope
