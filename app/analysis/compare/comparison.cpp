#include "analysis/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "analysis/memory/coalescing.h"
#include "analysis/study/line_costs.h"
#include "analysis/time/time_model.h"
#include "kernel/launch/gemm_factors.h"

namespace tilescope {

// The rows of a comparison's table: rate and time, how much each does where that differs, the
// parameters that differ, what warps ask of memory, what they wait for, what a block costs, and the
// parameters that one kernel alone has. Rows of which no kernel has a value are left out. `works`:
// by kernel.
[[nodiscard]] std::vector<MetricRow> comparison_rows(std::span<const ComparedKernel> kernels,
                                                     std::span<const ComparedWork> works);

namespace {

using Value = std::optional<Quantity>;

Value rate_of(const ComparedKernel& kernel, const ComparedWork& work, bool knows) {
  if (work.unit == Unit::kNone) return std::nullopt;
  if (knows && kernel.known) {
    return Quantity{work.amount / kernel.known->value, work.unit, kernel.known->source};
  }
  if (kernel.diagnosis == nullptr) return std::nullopt;
  return Quantity{work.amount / kernel.diagnosis->bounds.total(), work.unit, Source::kModelled};
}

// A number of the diagnosis.
std::function<Value(const ComparedKernel&)> modelled(double (*value)(const Diagnosis&), Unit unit,
                                                     Source source) {
  return [value, unit, source](const ComparedKernel& kernel) -> Value {
    if (kernel.diagnosis == nullptr) return std::nullopt;
    return Quantity{value(*kernel.diagnosis), unit, source};
  };
}

double clocks_of(const std::map<std::uint32_t, double>& waits) {
  double sum = 0;
  for (const auto& [line, clocks] : waits) sum += clocks;
  return sum;
}

double share_of_path(const Diagnosis& diagnosis, double clocks) {
  const double whole = diagnosis.work.path.clocks;
  return whole > 0 ? 100 * clocks / whole : 0;
}

// Of those that have one; a value that one kernel alone has counts.
bool several_values(const MetricRow& row) {
  std::set<double> values;
  std::size_t present = 0;
  for (const Value& value : row.values) {
    if (!value) continue;
    ++present;
    values.insert(value->value);
  }
  return values.size() > 1 || present == 1;
}

// Whether a larger cost a request comes of more above the ideal: a wide access costs more than a
// narrow one and wastes nothing.
bool is_more_waste(const std::vector<AccessCosts>& all, AccessCost AccessCosts::*kind) {
  constexpr double kSame = 0.005;
  for (const AccessCosts& first : all) {
    for (const AccessCosts& second : all) {
      const AccessCost& a = first.*kind;
      const AccessCost& b = second.*kind;
      if (a.requests <= 0 || b.requests <= 0 || a.ideal <= 0 || b.ideal <= 0) continue;
      const bool costs_more = a.amount / a.requests > (1 + kSame) * b.amount / b.requests;
      if (costs_more && a.amount / a.ideal <= (1 + kSame) * b.amount / b.ideal) return false;
    }
  }
  return true;
}

class Rows {
 public:
  Rows(std::span<const ComparedKernel> kernels, std::span<const ComparedWork> works)
      : kernels_(kernels), works_(works) {
    const Conditions* first = nullptr;
    for (const ComparedKernel& kernel : kernels) {
      if (!kernel.known) continue;
      alike_ = alike_ && (first == nullptr || kernel.under == *first);
      first = &kernel.under;
    }
  }

  template <typename ValueOf>
  void add(std::string name, std::string meaning, Better better, const ValueOf& value_of) {
    MetricRow row{std::move(name), std::move(meaning), better, {}, false, {}};
    for (const ComparedKernel& kernel : kernels_) {
      row.values.push_back(kernel.study != nullptr ? value_of(kernel) : std::nullopt);
    }
    const auto known = [](const Value& value) { return value.has_value(); };
    if (std::ranges::any_of(row.values, known)) rows_.push_back(std::move(row));
  }

  // Of what grows with the size.
  template <typename ValueOf>
  void add_whole(std::string name, std::string meaning, Better better, const ValueOf& value_of) {
    const std::size_t before = rows_.size();
    add(std::move(name), std::move(meaning), better, value_of);
    if (rows_.size() > before) rows_.back().whole_launch = true;
  }

  // Where it is not the same for all: the flop of a launch, or the bytes that it must move.
  void add_work() {
    for (const Unit unit : {Unit::kFlopPerSecond, Unit::kBytesPerSecond}) {
      const bool flop = unit == Unit::kFlopPerSecond;
      const std::size_t before = rows_.size();
      add_whole(
          flop ? "flop of the launch" : "bytes of the launch",
          flop ? "Floating-point operations of the problem, or those that a file's kernel executes."
               : "The minimum that it must move: each byte that it accesses, once.",
          Better::kNeither, [&](const ComparedKernel& kernel) -> Value {
            const ComparedWork& work = work_of(kernel);
            if (work.unit != unit) return std::nullopt;
            return Quantity{work.amount, flop ? Unit::kNone : Unit::kBytes, Source::kEmulated};
          });
      if (rows_.size() > before && !rows_.back().differs()) rows_.pop_back();
    }
  }

  void add_times() {
    add("throughput", "Its flop, or the bytes that it must move, divided by its time.",
        Better::kMore,
        [&](const ComparedKernel& kernel) { return rate_of(kernel, work_of(kernel), alike_); });
    const std::size_t before = rows_.size();
    add_whole("time", "The time of one launch, with a cold L2.", Better::kLess,
              [](const ComparedKernel& kernel) { return kernel.known; });
    if (rows_.size() > before) {
      for (const ComparedKernel& kernel : kernels_) rows_.back().under.push_back(kernel.under);
    }
    add_times_elsewhere();
    add_whole("modelled time", "The time of one launch by the time model.", Better::kLess,
              modelled([](const Diagnosis& d) { return d.bounds.total(); }, Unit::kSeconds,
                       Source::kModelled));
  }

  // A row for the times of each other GPU or driver: within it they compare, with nothing else.
  void add_times_elsewhere() {
    const auto own = std::ranges::find_if(
        kernels_, [](const ComparedKernel& kernel) { return kernel.known.has_value(); });
    const Conditions beside = own == kernels_.end() ? Conditions{} : own->under;
    std::vector<Conditions> others;
    for (const ComparedKernel& kernel : kernels_) {
      for (const auto& [under, time] : kernel.elsewhere) {
        if (std::ranges::find(others, under) == others.end()) others.push_back(under);
      }
    }
    for (const Conditions& other : others) {
      const std::string apart = apart_words(other, beside);
      add_whole("time, " + apart,
                "Of one launch, with a cold L2. Another machine's: nothing here is held against "
                "it.",
                Better::kLess, [&](const ComparedKernel& kernel) -> Value {
                  for (const auto& [under, time] : kernel.elsewhere) {
                    if (under == other) return time;
                  }
                  return std::nullopt;
                });
    }
  }

  // Those that several kernels have, with other values; or those that one alone has.
  void add_parameters(bool shared) {
    std::map<std::string, std::size_t> owners;
    for (const ComparedKernel& kernel : kernels_) {
      if (kernel.study == nullptr) continue;
      for (const auto& [name, value] : kernel.study->instance.parameters) ++owners[name];
    }
    for (const auto& [name, count] : owners) {
      if ((count > 1) != shared) continue;
      const std::string& wanted = name;
      add(name, "", Better::kNeither, [&wanted](const ComparedKernel& kernel) -> Value {
        const ParameterSet& parameters = kernel.study->instance.parameters;
        const auto found = parameters.find(wanted);
        if (found == parameters.end()) return std::nullopt;
        return Quantity{static_cast<double>(found->second), Unit::kNone, Source::kEmulated};
      });
      if (!several_values(rows_.back())) rows_.pop_back();
    }
  }

  // Where a product's are not the same for all.
  void add_factors() {
    for (const char* name : {"alpha", "beta"}) {
      const std::size_t before = rows_.size();
      add(name, "A factor in C = alpha A B + beta C.", Better::kNeither,
          [name](const ComparedKernel& kernel) -> Value {
            const KernelInstance& instance = kernel.study->instance;
            if (!instance.multiplies()) return std::nullopt;
            return Quantity{factor_of(factors_of(instance), name), Unit::kNone, Source::kEmulated};
          });
      if (rows_.size() > before && !rows_.back().differs()) rows_.pop_back();
    }
  }

  void add_memory() {
    std::vector<AccessCosts> costs;
    for (const ComparedKernel& kernel : kernels_) {
      costs.push_back(kernel.study != nullptr ? access_costs(*kernel.study) : AccessCosts{});
    }
    const auto row = [&](const char* name, const char* meaning, AccessCost AccessCosts::*cost) {
      const Better better = is_more_waste(costs, cost) ? Better::kLess : Better::kNeither;
      add(name, meaning, better, [&, cost](const ComparedKernel& kernel) -> Value {
        const AccessCost& sum = costs[static_cast<std::size_t>(&kernel - kernels_.data())].*cost;
        if (sum.requests <= 0) return std::nullopt;
        return Quantity{sum.amount / sum.requests, Unit::kNone, Source::kEmulated};
      });
    };
    row("load sectors per request", "Sectors of 32 B per load of a warp, on average.",
        &AccessCosts::loads);
    row("store sectors per request", "Sectors of 32 B per store of a warp, on average.",
        &AccessCosts::stores);
    row("shared load wavefronts", "Wavefronts per load of a warp from shared memory, on average.",
        &AccessCosts::shared_loads);
    row("shared store wavefronts", "Wavefronts per store of a warp to shared memory, on average.",
        &AccessCosts::shared_stores);
    add_whole("moved by the lanes", "All sectors that requests move, in the whole launch.",
              Better::kLess,
              modelled(
                  [](const Diagnosis& d) {
                    return (d.work.loads.sectors + d.work.stores.sectors) * kSectorBytes;
                  },
                  Unit::kBytes, Source::kEmulated));
    add_whole("global load wavefronts",
              "Wavefronts of loads and copies in L1, in the whole launch.", Better::kLess,
              modelled([](const Diagnosis& d) { return d.work.loads.wavefronts; }, Unit::kNone,
                       Source::kEmulated));
    add_whole("warp instructions", "Instructions issued by warps, in the whole launch.",
              Better::kLess,
              modelled([](const Diagnosis& d) { return d.work.pipes.issued; }, Unit::kNone,
                       Source::kEmulated));
  }

  void add_waits() {
    add("waiting for global memory (one block alone)",
        "Share of its clocks that a block waits for loads when it runs alone on an SM.",
        Better::kLess,
        modelled(
            [](const Diagnosis& d) {
              return share_of_path(d, clocks_of(d.work.path.global_waits));
            },
            Unit::kPercent, Source::kModelled));
    add("waiting at barriers (one block alone)",
        "Share of its clocks that a block's warps wait at barriers when it runs alone on an SM.",
        Better::kLess,
        modelled([](const Diagnosis& d) { return share_of_path(d, d.work.path.barrier_waits); },
                 Unit::kPercent, Source::kModelled));
  }

  void add_resources() {
    const auto resource = [](auto value, Unit unit) {
      return [value, unit](const ComparedKernel& kernel) -> Value {
        if (!kernel.study->compiled || !kernel.study->compiled->has_resources) return std::nullopt;
        return Quantity{static_cast<double>(value(*kernel.study)), unit, Source::kEmulated};
      };
    };
    add("registers per thread", "Chosen by the compiler.", Better::kNeither,
        resource([](const KernelStudy& s) { return s.compiled->resources.registers; },
                 Unit::kNone));
    add("shared memory per block", "Static and dynamic shared memory.", Better::kNeither,
        resource(
            [](const KernelStudy& s) {
              return s.compiled->resources.static_shared_bytes +
                     static_cast<int>(s.instance.dynamic_shared_bytes);
            },
            Unit::kBytes));
    const auto fit = [](auto value, Unit unit) {
      return [value, unit](const ComparedKernel& kernel) -> Value {
        if (!kernel.study->occupancy) return std::nullopt;
        return Quantity{static_cast<double>(value(*kernel.study->occupancy)), unit,
                        Source::kEmulated};
      };
    };
    add("blocks per SM", "Blocks that fit on one SM at the same time.", Better::kNeither,
        fit([](const Occupancy& o) { return o.blocks_per_multiprocessor; }, Unit::kNone));
    add("occupancy", "Resident warps as a share of the maximum of an SM.", Better::kMore,
        fit([](const Occupancy& o) { return o.percent(); }, Unit::kPercent));
  }

  [[nodiscard]] std::vector<MetricRow> result() && { return std::move(rows_); }

 private:
  [[nodiscard]] const ComparedWork& work_of(const ComparedKernel& kernel) const {
    return works_[static_cast<std::size_t>(&kernel - kernels_.data())];
  }

  bool alike_ = true;  // the times that are known, in their conditions: else no rate is of them
  std::span<const ComparedKernel> kernels_;
  std::span<const ComparedWork> works_;
  std::vector<MetricRow> rows_;
};

}  // namespace

bool MetricRow::differs() const {
  const Value& first = values.front();
  return std::ranges::any_of(values, [&first](const Value& value) {
    if (value.has_value() != first.has_value()) return true;
    return value && std::abs(value->value - first->value) >
                        0.005 * std::max(std::abs(value->value), std::abs(first->value));
  });
}

std::vector<MetricRow> comparison_rows(std::span<const ComparedKernel> kernels,
                                       std::span<const ComparedWork> works) {
  Rows rows(kernels, works);
  rows.add_times();
  rows.add_work();
  rows.add_parameters(true);
  rows.add_memory();
  rows.add_waits();
  rows.add_resources();
  rows.add_parameters(false);
  rows.add_factors();
  return std::move(rows).result();
}

namespace {

constexpr double kLeastFold = 1.095;  // below it a ratio is written in per cent

bool equal(double a, double b) { return std::abs(a - b) <= kEqualShare * std::max(a, b); }

// What a part has how much of; of several the one that differs most.
struct Amount {
  std::string_view noun;
  double base = 0;
  double other = 0;
  [[nodiscard]] double change() const {
    if (base <= 0 || other <= 0) return base == other ? 0 : 1e9;
    return std::abs(std::log(other / base));
  }
};

double waiting(const Diagnosis& diagnosis) { return diagnosis.bounds[Limit::kWaiting]; }

// A kernel, how much it does, which of its lines stand out, and what its accesses cost.
struct Side {
  const ComparedKernel& kernel;
  ComparedWork work;
  LineCosts lines;
  AccessCosts costs;
};

// Of loads or stores alone where the others are equal, as the table counts them.
Amount shared_amount(const Side& base, const Side& other) {
  const AccessCosts& b = base.costs;
  const AccessCosts& o = other.costs;
  const bool same_loads = equal(b.shared_loads.amount, o.shared_loads.amount);
  const bool same_stores = equal(b.shared_stores.amount, o.shared_stores.amount);
  if (same_stores && !same_loads) {
    return {"shared load wavefronts", b.shared_loads.amount, o.shared_loads.amount};
  }
  if (same_loads && !same_stores) {
    return {"shared store wavefronts", b.shared_stores.amount, o.shared_stores.amount};
  }
  return {"shared wavefronts", base.kernel.diagnosis->work.shared_wavefronts,
          other.kernel.diagnosis->work.shared_wavefronts};
}

Amount amount_of(Part part, const Side& base, const Side& other) {
  const Diagnosis& b = *base.kernel.diagnosis;
  const Diagnosis& o = *other.kernel.diagnosis;
  const auto larger = [](const Amount& x, const Amount& y) {
    return y.change() > x.change() + kEqualShare ? y : x;
  };
  switch (part) {
    case Part::kStores:
      if (!equal(b.work.stores.sectors, o.work.stores.sectors)) {
        return {"store sectors", b.work.stores.sectors, o.work.stores.sectors};
      }
      return {"store wavefronts", b.work.stores.wavefronts, o.work.stores.wavefronts};
    case Part::kLoads:
      return larger({"global load wavefronts", b.work.loads.wavefronts, o.work.loads.wavefronts},
                    {"sectors from the L2", b.work.block_sectors, o.work.block_sectors});
    case Part::kShared:
      return shared_amount(base, other);
    case Part::kDram:
      return {"DRAM bytes", b.work.dram_read_bytes + b.work.dram_write_bytes,
              o.work.dram_read_bytes + o.work.dram_write_bytes};
    case Part::kInstructions:
      return {"instructions", b.work.pipes.issued, o.work.pipes.issued};
    case Part::kWaits:
      break;
  }
  const Amount warps{"warps per SM", b.bounds.resident_warps, o.bounds.resident_warps};
  return larger({"waiting", waiting(b), waiting(o)}, warps);
}

// The line that stands out in the kernel that has more of it.
void find_line(const Side& cause, Difference* difference) {
  const LineCosts& lines = cause.lines;
  const auto pattern = [&](const LineCost& worst) {
    if (worst.requests <= 0 || worst.sectors <= worst.sectors_ideal) return false;
    difference->line = worst.line;
    difference->detail = fmt::format("{} sectors per request at line {}",
                                     ratio_words(worst.sectors / worst.requests), worst.line);
    return true;
  };
  const auto most = [&](const LineCost& line) {
    if (line.line == 0) return;
    difference->line = line.line;
    difference->detail = fmt::format("most of them at line {}", line.line);
  };
  switch (difference->part) {
    case Part::kStores:
      pattern(lines.worst_store);
      break;
    case Part::kLoads:
      if (!pattern(lines.worst_load)) most(lines.most_loads);
      break;
    case Part::kShared:
      if (lines.worst_shared.wavefronts > lines.worst_shared.wavefronts_ideal) {
        const LineCost& worst = lines.worst_shared;
        difference->line = worst.line;
        const std::string times = ratio_words(worst.wavefronts / worst.wavefronts_ideal);
        difference->detail = worst.copies
                                 ? fmt::format("{} × the minimum at line {}", times, worst.line)
                                 : fmt::format("a {}-way conflict at line {}", times, worst.line);
      } else {
        most(lines.most_shared);
      }
      break;
    case Part::kInstructions:
      most(lines.most_others);
      break;
    case Part::kWaits: {
      const auto& waits = cause.kernel.diagnosis->work.path.global_waits;
      const auto longest = std::ranges::max_element(
          waits, {}, [](const auto& line_and_clocks) { return line_and_clocks.second; });
      if (longest == waits.end() || longest->first == 0) break;
      difference->line = longest->first;
      difference->detail = fmt::format("mostly for line {}", longest->first);
      break;
    }
    case Part::kDram:
      break;
  }
  if (difference->line == 0) difference->detail.clear();
}

void explain(const Side& base, const Side& other, PairComparison* pair) {
  const Diagnosis& b = *base.kernel.diagnosis;
  const Diagnosis& o = *other.kernel.diagnosis;
  const std::array<double, kParts> factors = time_shares(b.work, o.work, b.rates);
  for (std::size_t i = 0; i < kParts; ++i) {
    const Part part = static_cast<Part>(i);
    const Amount amount = amount_of(part, base, other);
    if (amount.base > 0 && equal(amount.base, amount.other)) {
      pair->equal.push_back(part);
    }
    if (std::abs(std::log(factors[i])) < kEqualShare) continue;
    Difference difference;
    difference.part = part;
    difference.fact = amount_words(amount.base, amount.other, amount.noun);
    difference.factor = factors[i];
    // Fewer warps count against the kernel that has fewer.
    const bool base_has_more = amount.base > amount.other;
    difference.in_base = amount.noun == "warps per SM" ? !base_has_more : base_has_more;
    find_line(difference.in_base ? base : other, &difference);
    pair->differences.push_back(std::move(difference));
  }
  std::ranges::stable_sort(pair->differences, std::ranges::greater{},
                           [](const Difference& d) { return std::abs(std::log(d.factor)); });
}

Comparable comparable(const Side& base, const Side& other) {
  if (base.kernel.study == nullptr || other.kernel.study == nullptr) return Comparable::kUnknown;
  const KernelInstance& b = base.kernel.study->instance;
  const KernelInstance& o = other.kernel.study->instance;
  if (base.work.unit == Unit::kNone || other.work.unit == Unit::kNone) {
    // Two files of which nothing is counted: who puts them side by side knows.
    return b.problem || o.problem ? Comparable::kUnknown : Comparable::kYes;
  }
  if (base.work.unit != other.work.unit) return Comparable::kOtherProblem;
  const bool same =
      b.problem && o.problem ? b.extents == o.extents : same_amount(base.work, other.work);
  return same ? Comparable::kYes : Comparable::kOtherSize;
}

// The modelled ones are of the studies' GPUs.
std::optional<Conditioned> seconds_of(const ComparedKernel& kernel, bool modelled) {
  if (!modelled) return Conditioned{kernel.known->value, kernel.under};
  if (kernel.diagnosis == nullptr) return std::nullopt;
  return Conditioned{kernel.diagnosis->bounds.total(), {}};
}

Source weaker(const ComparedKernel& a, const ComparedKernel& b, bool modelled) {
  if (modelled) return Source::kModelled;
  return a.known->source == Source::kMeasured ? b.known->source : a.known->source;
}

PairComparison compare_pair(const Side& base_side, const Side& other_side, bool modelled) {
  const ComparedKernel& base = base_side.kernel;
  const ComparedKernel& other = other_side.kernel;
  PairComparison pair;
  pair.comparable = comparable(base_side, other_side);
  if (pair.comparable == Comparable::kUnknown) return pair;
  const bool diagnosed = base.diagnosis != nullptr && other.diagnosis != nullptr;
  if (pair.comparable != Comparable::kOtherProblem) {
    const auto b = seconds_of(base, modelled);
    const auto o = seconds_of(other, modelled);
    const auto speedup = b && o ? ratio(*b, *o) : std::nullopt;
    if (!speedup) {
      pair.comparable = Comparable::kUnknown;
      return pair;
    }
    const double work = pair.comparable == Comparable::kOtherSize
                            ? other_side.work.amount / base_side.work.amount
                            : 1;
    pair.speedup = work * *speedup;
    pair.source = weaker(base, other, modelled);
  }
  if (pair.comparable == Comparable::kYes && diagnosed) {
    pair.modelled_speedup = base.diagnosis->bounds.total() / other.diagnosis->bounds.total();
    explain(base_side, other_side, &pair);
  }
  return pair;
}

}  // namespace

std::string_view name_of(Part part) {
  switch (part) {
    case Part::kStores:
      return "store sectors";
    case Part::kLoads:
      return "global load wavefronts";
    case Part::kShared:
      return "shared wavefronts";
    case Part::kDram:
      return "DRAM bytes";
    case Part::kInstructions:
      return "instructions";
    case Part::kWaits:
      return "waiting";
  }
  return "";
}

std::string lead_words(double ratio) {
  return ratio < kLeastFold ? about_percent_words(ratio - 1) : times_words(ratio);
}

std::string amount_words(double base, double other, std::string_view noun) {
  if (base <= 0 && other <= 0) return fmt::format("no {}", noun);
  if (other <= 0) return fmt::format("none of the {}", noun);
  if (base <= 0) return fmt::format("{} {}", format(std::round(other), Unit::kNone), noun);
  if (equal(base, other)) return fmt::format("the same {}", noun);
  if (other > base) {
    return other < 1.15 * base
               ? fmt::format("{} more {}", about_percent_words(other / base - 1), noun)
               : fmt::format("{} the {}", times_words(other / base), noun);
  }
  const double fold = base / other;
  if (fold >= 1000) return fmt::format("almost none of the {}", noun);
  if (fold >= 9.5 || (fold >= 1.5 && std::abs(fold - std::round(fold)) < kEqualShare * fold)) {
    return fmt::format("1/{:.0f} of the {}", fold, noun);
  }
  return fmt::format("{} of the {}", about_percent_words(1 / fold), noun);
}

bool are_known_alike(std::span<const ComparedKernel> kernels) {
  const Conditions* first = nullptr;
  for (const ComparedKernel& kernel : kernels) {
    if (kernel.study == nullptr) continue;
    if (!kernel.known || (first != nullptr && !(kernel.under == *first))) return false;
    first = &kernel.under;
  }
  return true;
}

Comparison compare(std::span<const ComparedKernel> kernels) {
  Comparison comparison;
  comparison.works = compared_work(kernels);
  comparison.rows = comparison_rows(kernels, comparison.works);
  comparison.modelled = !are_known_alike(kernels);
  std::vector<Side> sides;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const ComparedKernel& kernel = kernels[i];
    const ComparedWork& work = comparison.works[i];
    if (kernel.diagnosis == nullptr) {
      sides.push_back({kernel, work, {}, {}});
    } else {
      sides.push_back({kernel, work, line_costs(*kernel.study), access_costs(*kernel.study)});
    }
  }
  for (std::size_t base = 0; base < kernels.size(); ++base) {
    std::vector<PairComparison>& row = comparison.pairs.emplace_back(kernels.size());
    for (std::size_t other = 0; other < kernels.size(); ++other) {
      if (other == base) continue;
      row[other] = compare_pair(sides[base], sides[other], comparison.modelled);
    }
  }
  return comparison;
}

namespace {

constexpr double kSameBytes = 1.1;
// Two ways to the same result may differ in their arithmetic, not by half of it.
constexpr double kSameFlop = 1.5;

bool rated_in_flop(const ComparedKernel& kernel) { return kernel.study->instance.rated_in_flop(); }
bool states_problem(const ComparedKernel& kernel) {
  return kernel.study != nullptr && kernel.study->instance.problem.has_value();
}

double counted_bytes(const LaunchWork& work) {
  return work.dram_read_bytes + work.dram_write_bytes;
}

bool is_arithmetic(const ComparedKernel& kernel) {
  const LaunchWork& work = kernel.diagnosis->work;
  return work.flop >= kLeastFlopPerByte * counted_bytes(work) && work.flop > 0;
}

bool is_counted(const ComparedKernel& kernel) {
  return kernel.study != nullptr && kernel.diagnosis != nullptr && !states_problem(kernel);
}

// Whether each kernel of a file is rated in flop, as far as its company says so.
enum class Company { kComputing, kMoving, kBoth, kArithmeticFiles, kFiles };

Company company_of(std::span<const ComparedKernel> kernels) {
  bool computing = false;
  bool moving = false;
  bool arithmetic = true;
  for (const ComparedKernel& kernel : kernels) {
    if (states_problem(kernel)) (rated_in_flop(kernel) ? computing : moving) = true;
    if (is_counted(kernel)) arithmetic = arithmetic && is_arithmetic(kernel);
  }
  if (computing && moving) return Company::kBoth;
  if (computing) return Company::kComputing;
  if (moving) return Company::kMoving;
  return arithmetic ? Company::kArithmeticFiles : Company::kFiles;
}

ComparedWork stated(const ComparedKernel& kernel) {
  const ProblemCost cost = problem_cost(kernel.study->instance);
  if (rated_in_flop(kernel)) return {Unit::kFlopPerSecond, cost.flop, cost.bytes};
  return {Unit::kBytesPerSecond, cost.bytes, cost.bytes};
}

ComparedWork counted(const ComparedKernel& kernel, Company company) {
  const LaunchWork& work = kernel.diagnosis->work;
  const double bytes = counted_bytes(work);
  const bool in_flop =
      company != Company::kMoving && company != Company::kFiles && is_arithmetic(kernel);
  if (in_flop) return {Unit::kFlopPerSecond, work.flop, bytes};
  if (bytes <= 0) return {};
  return {Unit::kBytesPerSecond, bytes, bytes};
}

bool within(double a, double b, double fold) { return a <= fold * b && b <= fold * a; }

}  // namespace

std::vector<ComparedWork> compared_work(std::span<const ComparedKernel> kernels) {
  const Company company = company_of(kernels);
  std::vector<ComparedWork> works;
  for (const ComparedKernel& kernel : kernels) {
    if (states_problem(kernel)) {
      works.push_back(stated(kernel));
    } else if (is_counted(kernel)) {
      works.push_back(counted(kernel, company));
    } else {
      works.emplace_back();
    }
  }
  return works;
}

bool same_amount(const ComparedWork& a, const ComparedWork& b) {
  if (!within(a.bytes, b.bytes, kSameBytes)) return false;
  return a.unit != Unit::kFlopPerSecond || within(a.amount, b.amount, kSameFlop);
}

namespace {

void take(Part part, const LaunchWork& from, LaunchWork* work) {
  switch (part) {
    case Part::kStores:
      work->stores = from.stores;
      work->atomics = from.atomics;
      break;
    case Part::kLoads:
      work->loads = from.loads;
      work->block_sectors = from.block_sectors;
      break;
    case Part::kShared:
      work->shared_wavefronts = from.shared_wavefronts;
      work->shared_wavefronts_ideal = from.shared_wavefronts_ideal;
      break;
    case Part::kDram:
      work->dram_read_bytes = from.dram_read_bytes;
      work->dram_write_bytes = from.dram_write_bytes;
      work->dram_other_bytes = from.dram_other_bytes;
      break;
    case Part::kInstructions:
      work->pipes = from.pipes;
      break;
    case Part::kWaits:  // a longer way of fewer blocks is one thing
      work->path = from.path;
      work->blocks = from.blocks;
      work->warps_per_block = from.warps_per_block;
      work->resident_blocks = from.resident_blocks;
      work->most_resident_warps = from.most_resident_warps;
      work->even = from.even;
      break;
  }
}

}  // namespace

std::array<double, kParts> time_shares(const LaunchWork& base, const LaunchWork& other,
                                       const MachineRates& rates) {
  constexpr std::size_t kSubsets = std::size_t{1} << kParts;
  std::array<double, kSubsets> logarithm{};  // of the time with these parts of the other
  for (std::size_t subset = 0; subset < kSubsets; ++subset) {
    LaunchWork mixed = base;
    for (std::size_t part = 0; part < kParts; ++part) {
      if ((subset >> part & 1U) != 0) take(static_cast<Part>(part), other, &mixed);
    }
    logarithm[subset] = std::log(bounds_of(mixed, rates).total());
  }
  std::array<double, kParts> weight{};  // of a subset by its size: |S|! (n - |S| - 1)! / n!
  weight[0] = 1.0 / kParts;
  for (std::size_t size = 1; size < kParts; ++size) {
    weight[size] =
        weight[size - 1] * static_cast<double>(size) / static_cast<double>(kParts - size);
  }
  std::array<double, kParts> factors{};
  for (std::size_t part = 0; part < kParts; ++part) {
    double gain = 0;
    for (std::size_t subset = 0; subset < kSubsets; ++subset) {
      if ((subset >> part & 1U) != 0) continue;
      gain += weight[static_cast<std::size_t>(std::popcount(subset))] *
              (logarithm[subset] - logarithm[subset | std::size_t{1} << part]);
    }
    factors[part] = std::exp(gain);
  }
  return factors;
}

}  // namespace tilescope
