#include "analysis/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analysis/access_costs.h"
#include "analysis/comparison_rows.h"
#include "analysis/line_costs.h"
#include "analysis/time_shares.h"

namespace tilescope {
namespace {

constexpr double kEqual = 0.02;
constexpr double kLeastFold = 1.095;  // below it a ratio is written in per cent

bool equal(double a, double b) { return std::abs(a - b) <= kEqual * std::max(a, b); }

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
    return y.change() > x.change() + kEqual ? y : x;
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
  const Amount warps{"warps an SM", b.bounds.resident_warps, o.bounds.resident_warps};
  return larger({"waiting", waiting(b), waiting(o)}, warps);
}

// The line that stands out in the kernel that has more of it.
void find_line(const Side& cause, Difference* difference) {
  const LineCosts& lines = cause.lines;
  const auto pattern = [&](const LineCost& worst) {
    if (worst.requests <= 0 || worst.sectors <= worst.sectors_ideal) return false;
    difference->line = worst.line;
    difference->detail = fmt::format("{} sectors a request at line {}",
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
                                 ? fmt::format("{} × those due at line {}", times, worst.line)
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
      difference->detail = fmt::format("longest for line {}", longest->first);
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
    if (std::abs(std::log(factors[i])) < kEqual) continue;
    Difference difference;
    difference.part = part;
    difference.fact = amount_words(amount.base, amount.other, amount.noun);
    difference.factor = factors[i];
    // Fewer warps are the fault of the one that has them.
    const bool base_has_more = amount.base > amount.other;
    difference.in_base = amount.noun == "warps an SM" ? !base_has_more : base_has_more;
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

// The modelled ones are all of one GPU, the studies'.
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
  if (fold >= 9.5 || (fold >= 1.5 && std::abs(fold - std::round(fold)) < kEqual * fold)) {
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

}  // namespace tilescope
