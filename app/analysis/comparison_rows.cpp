#include "analysis/comparison_rows.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "analysis/access_costs.h"
#include "analysis/coalescing.h"
#include "kernel/gemm_factors.h"

namespace tilescope {
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
          flop ? "What its problem takes, or what a file's kernel executes."
               : "That it must move at the least: each byte that it reaches, once.",
          Better::kNeither, [&](const ComparedKernel& kernel) -> Value {
            const ComparedWork& work = work_of(kernel);
            if (work.unit != unit) return std::nullopt;
            return Quantity{work.amount, flop ? Unit::kNone : Unit::kBytes, Source::kEmulated};
          });
      if (rows_.size() > before && !rows_.back().differs()) rows_.pop_back();
    }
  }

  void add_times() {
    add("throughput", "Its flop, or the bytes that it must move, by the time it takes.",
        Better::kMore,
        [&](const ComparedKernel& kernel) { return rate_of(kernel, work_of(kernel), alike_); });
    const std::size_t before = rows_.size();
    add_whole("time", "Of one launch, with a cold L2.", Better::kLess,
              [](const ComparedKernel& kernel) { return kernel.known; });
    if (rows_.size() > before) {
      for (const ComparedKernel& kernel : kernels_) rows_.back().under.push_back(kernel.under);
    }
    add_whole("modelled time",
              "By the time model, from what the launch asks of each part of the GPU.",
              Better::kLess,
              modelled([](const Diagnosis& d) { return d.bounds.total(); }, Unit::kSeconds,
                       Source::kModelled));
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
      add(name, "Of C = alpha A B + beta C.", Better::kNeither,
          [name](const ComparedKernel& kernel) -> Value {
            const KernelInstance& instance = kernel.study->instance;
            if (instance.problem != Problem::kGemm) return std::nullopt;
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
    row("load sectors a request", "Sectors of 32 B that a warp's load moves, in the mean.",
        &AccessCosts::loads);
    row("store sectors a request", "Sectors of 32 B that a warp's store moves, in the mean.",
        &AccessCosts::stores);
    row("shared load wavefronts", "That a warp's load from shared memory takes, in the mean.",
        &AccessCosts::shared_loads);
    row("shared store wavefronts", "That a warp's store to shared memory takes, in the mean.",
        &AccessCosts::shared_stores);
    add_whole("moved by the lanes", "Every sector that a request moves, over the whole launch.",
              Better::kLess,
              modelled(
                  [](const Diagnosis& d) {
                    return (d.work.loads.sectors + d.work.stores.sectors) * kSectorBytes;
                  },
                  Unit::kBytes, Source::kEmulated));
    add_whole("global load wavefronts",
              "Passes through the L1 that loads and copies take, over the whole launch.",
              Better::kLess,
              modelled([](const Diagnosis& d) { return d.work.loads.wavefronts; }, Unit::kNone,
                       Source::kEmulated));
    add_whole("warp instructions", "Issued, over the whole launch.", Better::kLess,
              modelled([](const Diagnosis& d) { return d.work.pipes.issued; }, Unit::kNone,
                       Source::kEmulated));
  }

  void add_waits() {
    add("global waits, block alone",
        "Share of its clocks that a block waits for loads, if it has the SM alone.", Better::kLess,
        modelled(
            [](const Diagnosis& d) {
              return share_of_path(d, clocks_of(d.work.path.global_waits));
            },
            Unit::kPercent, Source::kModelled));
    add("barrier waits, block alone",
        "Share of its clocks that a block's warps wait for one another, if it has the SM alone.",
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
    add("registers a thread", "That the compiler gave it.", Better::kNeither,
        resource([](const KernelStudy& s) { return s.compiled->resources.registers; },
                 Unit::kNone));
    add("shared memory a block", "Static and dynamic.", Better::kNeither,
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
    add("blocks an SM", "That fit on a multiprocessor at once.", Better::kNeither,
        fit([](const Occupancy& o) { return o.blocks_per_multiprocessor; }, Unit::kNone));
    add("occupancy", "Resident warps of those that a multiprocessor can hold.", Better::kMore,
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

}  // namespace tilescope
