#include "scene/tiling/tiling_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "core/quantity.h"
#include "scene/model/copy_flow.h"
#include "scene/model/prepared.h"
#include "scene/model/shared_layout.h"
#include "scene/model/tiling_model.h"
#include "scene/tiling/thread_lists.h"
#include "scene/tiling/tiling_scene.h"
#include "scene/tiling/tiling_thread.h"
#include "scene/view/drawn_numbers.h"
#include "scene/view/view.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {
namespace {

std::string extent(std::uint64_t rows, std::uint64_t cols) {
  return fmt::format("{} × {}", format_count(rows), format_count(cols));
}

std::string block_name(const TilingFacts& facts) {
  if (facts.grid.z > 1)
    return fmt::format("Block ({}, {}, {})", facts.block.x, facts.block.y, facts.block.z);
  if (facts.grid.y == 1) return fmt::format("Block {}", facts.block.x);
  return fmt::format("Block ({}, {})", facts.block.x, facts.block.y);
}

std::string grid_words(const TilingFacts& facts) {
  if (facts.grid.z > 1) {
    return fmt::format(" of {} × {} × {} blocks", format_count(facts.grid.x),
                       format_count(facts.grid.y), format_count(facts.grid.z));
  }
  if (facts.grid.y == 1) return fmt::format(" of {}", format_count(facts.grid.x));
  return fmt::format(" of {} × {} blocks", format_count(facts.grid.x), format_count(facts.grid.y));
}

bool cut_by_edge(const TilingFacts& facts) {
  return (facts.full_tile_rows > facts.tile_rows && facts.tile_rows > 0) ||
         (facts.full_tile_cols > facts.tile_cols && facts.tile_cols > 0);
}

std::string edge_words(const TilingFacts& facts) {
  if (!cut_by_edge(facts)) return {};
  return fmt::format(" The edge of {} cuts its {} tile.", facts.output,
                     extent(facts.full_tile_rows, facts.full_tile_cols));
}

// "128 × 16 of A and 16 × 128 of B"; those alone that do, or do not, go past shared memory.
std::string inputs_in_words(const TilingFacts& facts, std::optional<bool> bypasses = {},
                            std::string_view separator = " and ") {
  std::string words;
  for (const TilingFacts::Input& input : facts.inputs) {
    if (input.rows == 0 || input.cols == 0) continue;
    if (bypasses && input.bypasses_shared != *bypasses) continue;
    if (!words.empty()) words += separator;
    words += fmt::format("{} of {}", input.folded ? "a part" : extent(input.rows, input.cols),
                         input.name);
  }
  return words;
}

std::string step_words(const TilingFacts& facts) {
  if (facts.steps <= 1) return "It";
  return fmt::format("Step {} of {}", format_count(facts.step + 1), format_count(facts.steps));
}

std::string shared_words(const TilingFacts& facts) {
  const std::string shared = inputs_in_words(facts, false);
  const std::string direct = inputs_in_words(facts, true);
  std::string words;
  if (!shared.empty()) words += fmt::format(" loads {} into shared memory", shared);
  if (!shared.empty() && !direct.empty()) words += " and";
  if (!direct.empty()) words += fmt::format(" loads {} directly into registers", direct);
  return words + ".";
}

// "tile 33", "tiles 0 and 1", "tiles 0 to 2".
std::string tiles_in_words(std::uint32_t first, std::uint32_t last) {
  if (first == last) return fmt::format("tile {}", first);
  return fmt::format("tiles {} {} {}", first, last == first + 1 ? "and" : "to", format_count(last));
}

std::string loaded_tiles(const TilingFacts& facts) {
  return tiles_in_words(facts.brings->first, facts.brings->second);
}

// Describes a step by its tiles: which is multiplied, and which are loaded meanwhile.
void add_tiles(const TilingFacts& facts, Sentence& sentence) {
  const std::string shared = inputs_in_words(facts, false, ", ");
  const std::string direct = inputs_in_words(facts, true);
  const std::string end =
      direct.empty() ? "." : fmt::format("; {} is loaded directly into registers.", direct);
  const bool brings = facts.brings && !shared.empty();
  const bool several = brings && facts.brings->first != facts.brings->second;
  const auto add = [&](const std::string& words, bool strong) {
    sentence.push_back({words, strong});
  };
  const std::string coming = brings ? fmt::format("{} ({}) {} being loaded", loaded_tiles(facts),
                                                  shared, several ? "are" : "is")
                                    : "";
  if (!facts.multiplies) {
    add("No tile is multiplied yet", true);
    add((brings ? ": " + coming : "") + end, false);
    return;
  }
  const std::uint32_t tile = *facts.multiplies;
  if (brings && facts.brings->first <= tile && tile <= facts.brings->second) {
    std::string name = loaded_tiles(facts);
    name.front() = 'T';
    add(name, true);
    add(several ? fmt::format(" ({}) are loaded into shared memory; tile {} is multiplied", shared,
                              tile)
                : fmt::format(" ({}) is loaded into shared memory and multiplied", shared),
        false);
    add(end, false);
    return;
  }
  if (brings) {
    add(fmt::format("While tile {} is multiplied", tile), true);
    add(", " + coming + end, false);
  } else {
    add(fmt::format("Tile {} is multiplied", tile), true);
    add(direct.empty() ? "; no new data is read." : end, false);
  }
}

Sentence gemm(const TilingFacts& facts) {
  Sentence sentence;
  sentence.push_back({block_name(facts), true});
  const std::string size = extent(facts.tile_rows, facts.tile_cols);
  const bool shares = facts.summed_rows > 0;
  std::string tile = shares
                         ? fmt::format("partial sums of a {} tile of {}",
                                       extent(facts.summed_rows, facts.summed_cols), facts.output)
                     : facts.elements_per_thread <= 1
                         ? fmt::format("{} elements of {}, one per thread", size, facts.output)
                         : fmt::format("a {} tile of {}", size, facts.output);
  if (facts.through_shared && facts.k_tiles > 1) {
    const std::string inputs =
        facts.by_tile ? "input " + tiles_in_words(0, facts.k_tiles - 1)
                      : fmt::format("{} tiles of the inputs", format_count(facts.k_tiles));
    tile += (facts.elements_per_thread <= 1 ? ", from " : " from ") + inputs;
  }
  if (shares) tile += fmt::format(" and stores {} of it", size);
  sentence.push_back(
      {fmt::format("{} computes {}.{} ", grid_words(facts), tile, edge_words(facts)), false});
  if (facts.by_tile) {
    add_tiles(facts, sentence);
    return sentence;
  }
  const std::string inputs = inputs_in_words(facts);
  sentence.push_back({step_words(facts), true});
  if (inputs.empty()) {
    sentence.push_back({facts.boxes && facts.steps > 1
                            ? " uses tiles that another warp loads."
                            : " reads no new data: it uses what is already loaded.",
                        false});
  } else if (facts.through_shared) {
    sentence.push_back({shared_words(facts), false});
  } else {
    double most = 0;
    std::string name;
    for (const TilingFacts::Input& input : facts.inputs) {
      if (input.reads_per_element > most) {
        most = input.reads_per_element;
        name = input.name;
      }
    }
    sentence.push_back({fmt::format(" reads {} from global memory without sharing{} ", inputs,
                                    most > 0 ? ":" : "."),
                        false});
    if (most > 0) {
      sentence.push_back(
          {fmt::format("every element of {} is read {} times.", name, ratio_words(most)), true});
    }
  }
  return sentence;
}

std::string_view side_words(LaneWalk walk) {
  switch (walk) {
    case LaneWalk::kRow:
      return "along a row (coalesced)";
    case LaneWalk::kStrided:
      return "along a row with gaps between lanes (not coalesced)";
    case LaneWalk::kColumn:
      return "down a column (not coalesced)";
    case LaneWalk::kNone:
      break;
  }
  return "";
}

// Which way a transpose goes through its two matrices; "" where its lanes say nothing clear.
std::string walk_words(const TilingFacts& facts) {
  const LaneWalk reads = facts.reads_along;
  const LaneWalk writes = facts.writes_along;
  if (reads == LaneWalk::kNone || writes == LaneWalk::kNone) {
    return facts.threads == 1 ? "Its one thread copies one element after another." : "";
  }
  if (reads == LaneWalk::kRow && writes == LaneWalk::kRow) {
    return facts.through_shared ? "Shared memory transposes it: global reads and writes both run "
                                  "along rows (coalesced)."
                                : "Reads and writes both run along rows (coalesced).";
  }
  if (reads == LaneWalk::kColumn && writes == LaneWalk::kColumn) {
    return "Reads and writes both run down columns (not coalesced).";
  }
  const bool alike = reads != LaneWalk::kRow && writes != LaneWalk::kRow;
  return fmt::format("Each warp reads {} {} writes {}.", side_words(reads), alike ? "and" : "but",
                     side_words(writes));
}

// "Boxes of B go to both blocks of the cluster (multicast)."; "" where each block loads its own.
std::string cluster_words(const TilingFacts::Boxes& boxes) {
  if (boxes.from_cluster.empty()) return "";
  const std::string names = fmt::format("{}", fmt::join(boxes.from_cluster, " and "));
  if (!boxes.multicast)
    return fmt::format("Another block of the cluster loads some boxes of {}.", names);
  return fmt::format("Boxes of {} go to {} of the cluster (multicast).", names,
                     boxes.cluster_size == 2 ? "both blocks" : "several blocks");
}

// "Tensor copies (TMA) load boxes of 32 × 32 into shared memory and store boxes of 32 × 32 from
// it."
std::string box_words(const TilingFacts::Boxes& boxes) {
  const auto size = [](const ElementBox& box) { return extent(box.rows, box.cols); };
  std::string words = boxes.name;
  if (!boxes.loaded.empty())
    words += fmt::format(" load boxes of {} into shared memory", size(boxes.loaded));
  if (!boxes.loaded.empty() && !boxes.stored.empty()) words += " and";
  if (!boxes.stored.empty()) {
    words += fmt::format(" {} boxes of {} from {}", boxes.reduces ? "add" : "store",
                         size(boxes.stored), boxes.loaded.empty() ? "shared memory" : "it");
  }
  words += ".";
  if (const std::string cluster = cluster_words(boxes); !cluster.empty()) words += " " + cluster;
  return words;
}

Sentence transpose(const TilingFacts& facts) {
  const std::string input = facts.inputs.empty() ? std::string("in") : facts.inputs.front().name;
  const std::string walk = facts.boxes ? box_words(*facts.boxes) : walk_words(facts);
  Sentence sentence;
  sentence.push_back({block_name(facts), true});
  sentence.push_back({fmt::format("{} copies a {} tile of {} to its transposed place in {}.{}{}",
                                  grid_words(facts), extent(facts.tile_cols, facts.tile_rows),
                                  input, facts.output, edge_words(facts), walk.empty() ? "" : " "),
                      false});
  if (!walk.empty()) sentence.push_back({walk, true});
  return sentence;
}

// "256 elements of x and 16 of w"; "4,352 elements" where they are of many buffers.
std::string counted_reads(const TilingFacts& facts) {
  constexpr std::size_t kNamedBuffers = 3;
  if (facts.reads.empty() || facts.reads.size() > kNamedBuffers)
    return counted(facts.elements_read, "element");
  std::string words;
  for (const auto& [name, count] : facts.reads) {
    const bool last = &name == &facts.reads.back().first;
    words += words.empty()
                 ? fmt::format("{} of {}", counted(count, "element"), name)
                 : fmt::format("{}{} of {}", last ? " and " : ", ", format_count(count), name);
  }
  return words;
}

Sentence unknown(const TilingFacts& facts) {
  Sentence sentence;
  sentence.push_back({block_name(facts), true});
  std::string words = grid_words(facts);
  if (facts.elements_read > 0) {
    words += " reads " + counted_reads(facts);
  }
  if (facts.elements_written > 0) {
    words += fmt::format("{} {} {} of {}",
                         facts.elements_read == 0 ? ""
                         : facts.reads.size() > 1 ? ", and"
                                                  : " and",
                         facts.updates ? "updates" : "stores",
                         facts.elements_read > 0 ? format_count(facts.elements_written)
                                                 : counted(facts.elements_written, "element"),
                         facts.output);
  }
  if (facts.elements_read == 0 && facts.elements_written == 0) words += " accesses no buffer";
  words += ".";
  sentence.push_back({words, false});
  if (facts.steps > 1) {
    const std::string inputs = inputs_in_words(facts);
    // Where another warp copies for this one, its steps say nothing of what is read.
    if (inputs.empty() && facts.boxes) {
      sentence.push_back({" " + box_words(*facts.boxes), true});
      return sentence;
    }
    sentence.push_back({fmt::format(" {}", step_words(facts)), true});
    sentence.push_back({inputs.empty() ? std::string(" reads nothing from global memory.")
                                       : fmt::format(" reads {}.", inputs),
                        false});
  }
  if (facts.boxes) sentence.push_back({" " + box_words(*facts.boxes), true});
  return sentence;
}

// How many tiles of the size that most steps read make up all that the block reads: a pipeline
// reads several of them before its first step.
std::uint32_t tiles_of(const TiledMatrix& matrix) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> steps_of_size;
  for (const ElementBox& step : matrix.read_in_step) {
    if (!step.empty()) ++steps_of_size[{step.rows, step.cols}];
  }
  if (steps_of_size.empty()) return 0;
  const auto [rows, cols] = std::ranges::max_element(steps_of_size, {}, [](const auto& size) {
                              return size.second;
                            })->first;
  return static_cast<std::uint32_t>((matrix.read.rows + rows - 1) / rows *
                                    ((matrix.read.cols + cols - 1) / cols));
}

}  // namespace

Sentence tiling_sentence(const TilingFacts& facts) {
  const bool stores = facts.tile_rows > 0 && facts.tile_cols > 0;
  Sentence sentence = facts.movement == Movement::kProduct && stores     ? gemm(facts)
                      : facts.movement == Movement::kTranspose && stores ? transpose(facts)
                                                                         : unknown(facts);
  if (facts.movement == Movement::kProduct && stores && facts.boxes) {
    if (const std::string cluster = cluster_words(*facts.boxes); !cluster.empty())
      sentence.push_back({" " + cluster, true});
  }
  if (facts.stopped_after > 0) {
    sentence.push_back({fmt::format(" It does not finish: it stops after {}.",
                                    counted(facts.stopped_after, "instruction")),
                        true});
  }
  if (facts.traced_instructions > 0) {
    sentence.push_back(
        {fmt::format(" This describes its first {} instructions; the trace ends there.",
                     format_count(facts.traced_instructions)),
         false});
  }
  return sentence;
}

Sentence tiling_sentence(const ViewContext& context) {
  const KernelStudy& study = *context.study;
  const auto prepared = prepared_of(context);
  const TilingModel& model = *prepared->tiling;
  TilingFacts facts;
  facts.movement = model.movement;
  facts.block = study.trace->block;
  facts.grid = study.launch.grid;
  facts.threads = study.launch.block.count();
  facts.steps = model.steps;
  if (study.trace->truncated) {
    facts.traced_instructions = study.trace->events.size();
  } else if (!study.trace->complete) {
    facts.stopped_after = study.trace->events.size();
  }
  facts.through_shared = model.uses_shared;
  facts.elements_per_thread = model.elements_per_thread;
  if (!study.trace->events.empty()) {
    const auto event =
        std::min<std::size_t>(context.selection.event, study.trace->events.size() - 1);
    facts.step = study.timeline->step_of(context.selection.warp, static_cast<std::uint32_t>(event));
  }
  const std::vector<CopyFlow::Route>& routes = prepared->flow->routes;
  for (std::size_t i = 0; i < model.matrices.size(); ++i) {
    const TiledMatrix& matrix = model.matrices[i];
    facts.elements_written += matrix.written.count();
    // What is read where it is stored, by an atomic for example, is updated.
    if (model.output == i && matrix.read == matrix.written) {
      facts.updates = true;
    } else {
      facts.elements_read += matrix.elements_read;
      if (!matrix.read.empty()) facts.reads.emplace_back(matrix.view.name, matrix.elements_read);
    }
    if (matrix.read.empty()) continue;
    facts.k_tiles = std::max(facts.k_tiles, tiles_of(matrix));
    const ElementBox& box = matrix.read_in_step[std::min<std::size_t>(facts.step, model.steps - 1)];
    if (facts.inputs.empty()) facts.reads_along = matrix.read_pairs.walk();
    facts.inputs.push_back({matrix.view.name, box.rows, box.cols, matrix.grid_reads_per_element,
                            i < routes.size() && routes[i].bypasses_shared(), matrix.view.folded});
  }
  if (model.output) {
    const TiledMatrix& output = model.matrices[*model.output];
    facts.output = output.view.name;
    facts.elements_written = output.written.count();
    facts.tile_rows = output.written.rows;
    facts.tile_cols = output.written.cols;
    facts.full_tile_rows = model.full_tile.rows;
    facts.full_tile_cols = model.full_tile.cols;
    facts.writes_along = output.write_pairs.walk();
  }
  if (!model.boxes.empty()) {
    TilingFacts::Boxes boxes;
    boxes.name = bulk_name(*study.program);
    for (const BulkBox& box : model.boxes) {
      ElementBox& most = box.loads() ? boxes.loaded : boxes.stored;
      if (box.box.count() > most.count()) most = box.box;
      boxes.reduces |= box.kind == BulkCopy::Kind::kReduction;
      if (!box.from_elsewhere()) continue;
      const std::string& name = model.matrices[box.matrix].view.name;
      if (std::ranges::find(boxes.from_cluster, name) == boxes.from_cluster.end())
        boxes.from_cluster.push_back(name);
    }
    boxes.cluster_size = static_cast<std::uint32_t>(study.program->cluster().count());
    boxes.multicast = std::ranges::any_of(
        study.program->instructions(),
        [](const StaticInstruction& each) { return each.has(Modifier::kMulticastCluster); });
    facts.boxes = boxes;
  }
  if (const StepTiles& tiles = model.by_tile; tiles.count > 0 && facts.through_shared) {
    facts.by_tile = true;
    facts.k_tiles = tiles.count;
    facts.multiplies = tiles.multiplied_in(facts.step);
    if (const auto brought = tiles.brought_in(facts.step)) {
      facts.brings = {brought->first, brought->last};
    }
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    for (const auto& [matrix, box] : model.ring.fills.front().parts) {
      const Role role = model.matrices[matrix].view.role;
      if (role == Role::kA) rows = box.rows;
      if (role == Role::kB) cols = box.cols;
    }
    // Blocks of a cluster may add up one another's sums. An input's tile that is only a little
    // larger, as where words of two halves are loaded, says nothing of the kind.
    const auto is_multiple = [](std::uint64_t all, std::uint64_t part) {
      return part > 0 && all >= part && all % part == 0;
    };
    const bool is_more = rows * cols > facts.tile_rows * facts.tile_cols;
    if (study.program->cluster().count() > 1 && is_more && is_multiple(rows, facts.tile_rows) &&
        is_multiple(cols, facts.tile_cols)) {
      facts.summed_rows = rows;
      facts.summed_cols = cols;
    }
  }
  return tiling_sentence(facts);
}

namespace {

void add_box(NumberList& list, std::string_view what, const ElementBox& box) {
  if (box.empty()) return;
  list.add(fmt::format("first row {}", what), box.row);
  list.add(fmt::format("rows {}", what), box.rows);
  list.add(fmt::format("first column {}", what), box.col);
  list.add(fmt::format("columns {}", what), box.cols);
}

void add_matrices(NumberList& list, const TilingMoment& moment) {
  for (const TiledMatrix& matrix : moment.model->matrices) {
    list.item(matrix.view.name);
    list.add("rows", matrix.view.rows);
    list.add("columns", matrix.view.cols);
    if (matrix.grid_reads_per_element > 0) {
      list.add("reads per element", matrix.grid_reads_per_element);
    }
    add_box(list, "read by the block", matrix.read);
    add_box(list, "written by the block", matrix.written);
    if (moment.step < matrix.read_in_step.size()) {
      add_box(list, "read in this step", matrix.read_in_step[moment.step]);
    }
  }
}

// Of each stage of a ring, which tile it holds and how many of its copies are issued.
void add_ring(NumberList& list, const TilingMoment& moment) {
  const RingModel& ring = moment.model->ring;
  if (!ring.has_way()) return;
  list.part("ring");
  if (ring.prefetches) {
    const auto waiting = ring.in_registers(moment.event);
    list.item("registers");
    list.add("holds a tile", waiting.has_value());
    if (waiting) list.add("tile", waiting->fill);
    if (waiting) list.add("loads issued", 100 * waiting->loaded, "%");
  }
  for (std::uint32_t i = 0; i < ring.stages.size(); ++i) {
    const RingModel::Stage stage = ring.stage_at(i, moment.event);
    list.item(fmt::format("stage {}", i));
    list.add("holds a tile", stage.state != StageState::kEmpty && stage.state != StageState::kFree);
    if (stage.state == StageState::kEmpty) continue;
    list.add("tile", stage.fill);
    list.add("issued", 100 * stage.issued, "%");
    list.add("multiplied now", stage.state == StageState::kUsed);
  }
}

void add_totals(NumberList& list, const KernelStudy& study, const PreparedStudy& prepared,
                const TilingModel& model) {
  const MemoryTotals totals = memory_totals(study);
  const auto per = [&](std::string_view name, std::uint64_t count, std::uint64_t of) {
    if (of > 0) list.add(name, static_cast<double>(count) / static_cast<double>(of));
  };
  list.item("global");
  list.add("requests", totals.requests);
  list.add("sectors", totals.sectors);
  list.add("ideal sectors", totals.sectors_ideal);
  per("sectors per request", totals.sectors, totals.requests);
  per("ideal sectors per request", totals.sectors_ideal, totals.requests);
  list.item("shared");
  list.add("accesses", totals.shared_accesses);
  list.add("wavefronts", totals.wavefronts);
  list.add("ideal wavefronts", totals.wavefronts_ideal);
  per("wavefronts per access", totals.wavefronts, totals.shared_accesses);
  per("ideal wavefronts per access", totals.wavefronts_ideal, totals.shared_accesses);
  list.add("size", study.program->static_shared_bytes() + study.launch.dynamic_shared_bytes, "B");
  list.add("tiles", prepared.shared ? prepared.shared->regions.size() : 0);
  list.item("registers");
  list.add("warp-wide multiply-adds", totals.multiply_adds / 32);
  list.add("multiply-adds per access", totals.per_access(totals.multiply_adds));
  if (totals.matrix_products > 0) {
    list.add("warp-wide matrix products", totals.matrix_products / 32);
    list.add("matrix products per access", totals.per_access(totals.matrix_products));
  }
  list.add("floating-point operations", totals.flop);
  list.add("elements of a thread", model.elements_per_thread);
  if (study.compiled && study.compiled->has_resources) {
    list.add("registers of a thread", study.compiled->resources.registers);
  }
}

}  // namespace

void add_tiling_numbers(NumberList& list, const ViewContext& context) {
  const TilingMoment moment = tiling_moment(context);
  const KernelStudy& study = *context.study;
  if (moment.model->matrices.empty()) return;
  list.part("launch");
  list.add("blocks", study.launch.grid.count());
  list.add("threads of a block", study.launch.block.count());
  list.add("block x", study.trace->block.x);
  list.add("block y", study.trace->block.y);
  list.add("block z", study.trace->block.z);
  list.add("steps", moment.model->steps);
  list.add("step", moment.step + 1);
  list.add("warp", moment.warp);
  list.add("lane", moment.lane);
  list.add("moment", moment.event);
  list.part("matrices");
  add_matrices(list, moment);
  list.part("memory");
  add_totals(list, study, *context.prepared, *moment.model);
  add_ring(list, moment);
  list.part("thread");
  add_thread_numbers(list, context, moment);
}

namespace {

void add_tile_numbers(NumberList& list, const ViewContext& context, const TilingMoment& moment,
                      const ThreadTile& tile) {
  list.add("multiply-adds of a k", tile.rows.size() * tile.cols.size());
  if (!tile.stored.empty()) {
    list.add("elements stored", tile.stored.size());
    return;
  }
  if (!tile.k) return;
  const std::uint64_t k = *tile.k;
  list.add("k", k);
  if (tile.loading) {
    list.add("values in registers at this k", tile.loaded());
  } else {
    list.add("multiply-adds done at this k", tile.done.size());
  }
  const MatrixView& a = moment.model->find(Role::kA)->view;
  const MatrixView& b = moment.model->find(Role::kB)->view;
  for (const std::uint64_t row : tile.rows) {
    if (!tile.has_a(row)) continue;
    list.item(fmt::format("{}[{}][{}]", a.name, row, k));
    if (const auto value = value_at(*context.study, a, row, k)) list.add("value", *value);
  }
  for (const std::uint64_t col : tile.cols) {
    if (!tile.has_b(col)) continue;
    list.item(fmt::format("{}[{}][{}]", b.name, k, col));
    if (const auto value = value_at(*context.study, b, k, col)) list.add("value", *value);
  }
  for (const std::uint64_t row : tile.rows) {
    for (const std::uint64_t col : tile.cols) {
      if (tile.loading) continue;
      const auto left = value_at(*context.study, a, row, k);
      const auto right = value_at(*context.study, b, k, col);
      if (!left || !right) continue;
      list.item(fmt::format("{}[{}][{}]", moment.model->find(Role::kC)->view.name, row, col));
      list.add("product", *left * *right);
    }
  }
}

}  // namespace

void add_thread_numbers(NumberList& list, const ViewContext& context, const TilingMoment& moment) {
  if (const auto product = warp_product(context, moment)) {
    add_warp_product_numbers(list, moment, *product);
    return;
  }
  if (!multiplies_elements(moment)) {
    add_move_numbers(list, context, moment);
    return;
  }
  const ThreadTile tile = thread_tile(context, moment);
  if (tile.rows.size() * tile.cols.size() <= 1) {
    add_dot_product_numbers(list, context, moment);
    return;
  }
  add_tile_numbers(list, context, moment, tile);
}

namespace {

constexpr std::array kTilingSettings{view_setting<&ViewSettings::heat>("heat", 0, 1, "--heat")};

}  // namespace

ViewDescriptor tiling_view() {
  return {
      .title = "Tiling",
      .purpose = "Which part of the matrices each block and thread uses, and when",
      .least = {240, 210},
      .needs = {.registers = true},
      .zoom = ViewZoom::kMatrices,
      .in_panes = true,
      .settings = kTilingSettings,
      .sentence = tiling_sentence,
      .draw = draw_tiling,
      .add_numbers = add_tiling_numbers,
      .parts = tiling_parts(),
  };
}

}  // namespace tilescope
