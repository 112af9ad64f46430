#include "session/model_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "store/source_digest.h"

namespace tilescope {
namespace {

// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv. Its low bits are mixed by a last step of
// splitmix64, so that a remainder of it is as good as any.
std::uint64_t digest_of(std::string_view text) {
  std::uint64_t digest = 14695981039346656037U;
  for (const char c : text) {
    digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  digest = (digest ^ (digest >> 30U)) * 0xbf58476d1ce4e5b9U;
  digest = (digest ^ (digest >> 27U)) * 0x94d049bb133111ebU;
  return digest ^ (digest >> 31U);
}

std::uint64_t digest_of(const LaunchKey& point) {
  std::string text = point.kernel;
  for (const ParameterSet* set : {&point.parameters, &point.extents}) {
    for (const auto& [name, value] : *set) text += fmt::format(" {}={}", name, value);
  }
  return digest_of(text);
}

constexpr std::uint64_t kOneKernelIn = 10;
constexpr std::uint64_t kOnePointIn = 5;

bool is_asked_for(const CatalogueEntry& entry, const std::vector<std::string>& kernels) {
  return kernels.empty() || std::ranges::any_of(kernels, [&](const std::string& name) {
           return name == entry.id || name == entry.family;
         });
}

bool is_used(const LaunchKey& point, PointsUsed used) {
  return used == PointsUsed::kAll || is_held_out(point) == (used == PointsUsed::kHeldOut);
}

// The GPU's own row; a name with more words ("NVIDIA H100 80GB HBM3") is that of the row whose
// model it has.
Result<DeviceModel> device_of(const Machine& machine, const std::vector<DeviceModel>& devices) {
  const DeviceModel* found = nullptr;
  for (const DeviceModel& device : devices) {
    if (device.name == machine.gpu) return device;
    const std::string model = device.name.substr(0, device.name.rfind(' '));
    if (machine.gpu.starts_with(model + ' ') &&
        device.compute_capability == machine.compute_capability) {
      found = &device;
    }
  }
  if (found != nullptr) return *found;
  return Error{ErrorCode::kUsage,
               fmt::format("nothing is known about the rates of a '{}'", machine.gpu),
               "Add a row for it to assets/devices.json",
               {}};
}

Status check_names(const std::vector<std::string>& kernels, const Catalogue& catalogue) {
  for (const std::string& name : kernels) {
    if (std::ranges::none_of(catalogue.entries, [&](const CatalogueEntry& entry) {
          return name == entry.id || name == entry.family;
        })) {
      return Error{ErrorCode::kUsage,
                   fmt::format("there is no kernel or family '{}'", name),
                   "tilescope list prints them",
                   {}};
    }
  }
  return ok_status();
}

double error_of(const CheckedPoint& point) { return std::abs(point.modelled / point.measured - 1); }

using Points = std::vector<const CheckedPoint*>;

// Of one kernel at one size.
double best_found(Points points) {
  const auto measured = [](const CheckedPoint* point) { return point->measured; };
  const auto modelled = [](const CheckedPoint* point) { return point->modelled; };
  const double best = (*std::ranges::min_element(points, {}, measured))->measured;
  std::ranges::stable_sort(points, {}, modelled);
  points.resize((points.size() + 19) / 20);
  return best / (*std::ranges::min_element(points, {}, measured))->measured;
}

std::optional<double> least_found(const Points& points) {
  std::map<std::string, Points> by_size;
  for (const CheckedPoint* point : points) {
    by_size[point->instance.id + ' ' + size_of(point->instance)].push_back(point);
  }
  std::optional<double> least;
  for (const auto& [size, same] : by_size) {
    if (same.size() < kRankedPoints) continue;
    least = std::min(least.value_or(1), best_found(same));
  }
  return least;
}

ModelErrors errors_of(std::string name, const Points& points) {
  ModelErrors errors;
  errors.name = std::move(name);
  errors.points = points.size();
  if (points.empty()) return errors;
  std::vector<double> off;
  for (const CheckedPoint* point : points) {
    off.push_back(error_of(*point));
    const double ratio = point->modelled / point->measured;
    errors.least = off.size() == 1 ? ratio : std::min(errors.least, ratio);
    errors.most = std::max(errors.most, ratio);
    errors.mean += off.back();
  }
  const auto count = static_cast<double>(off.size());
  const auto share = [&](double limit) {
    return static_cast<double>(
               std::ranges::count_if(off, [&](double each) { return each <= limit; })) /
           count;
  };
  errors.mean /= count;
  errors.within_fifth = share(0.2);
  errors.within_two_fifths = share(0.4);
  std::ranges::nth_element(off, off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2));
  errors.median = off[off.size() / 2];
  errors.best_found = least_found(points);
  return errors;
}

}  // namespace

bool is_held_out(const LaunchKey& point) {
  return digest_of(point.kernel) % kOneKernelIn == 0 || digest_of(point) % kOnePointIn == 0;
}

Result<std::vector<CheckedPoint>> choose_points(const RecordedRuns& recorded,
                                                const Catalogue& catalogue,
                                                const std::vector<DeviceModel>& devices,
                                                const PointChoice& choice) {
  if (Status known = check_names(choice.kernels, catalogue); !known) return known.error();
  const auto device = device_of(recorded.machine, devices);
  if (!device) return device.error();
  std::vector<CheckedPoint> points;
  for (const CatalogueEntry& entry : catalogue.entries) {
    if (!is_asked_for(entry, choice.kernels)) continue;
    const std::string source = kernel_source_hash(entry.source);
    std::vector<std::pair<std::uint64_t, const Measurement*>> runs;
    for (const Measurement& run : recorded.runs) {
      const LaunchKey& of = run.of;
      if (of.kernel != entry.id || of.source != source || !of.cold || !of.factors.empty() ||
          is_doubtful(run.result.conditions) || !is_used(of, choice.used)) {
        continue;
      }
      runs.emplace_back(digest_of(of), &run);
    }
    std::ranges::sort(runs, {}, [](const auto& run) { return run.first; });
    if (choice.each > 0 && runs.size() > choice.each) runs.resize(choice.each);
    for (const auto& [digest, run] : runs) {
      auto instance = instantiate(entry, run->of.parameters, run->of.extents, *device);
      if (!instance) continue;  // a rule that came later
      points.push_back({.instance = *std::move(instance),
                        .device = *device,
                        .measured = run->result.kernel.median_seconds});
    }
  }
  return points;
}

std::vector<ModelErrors> model_errors(const std::vector<CheckedPoint>& points) {
  using Group = std::pair<std::string, Points>;
  std::vector<Group> kernels;
  std::vector<Group> families;
  Points all;
  const auto add = [](std::vector<Group>* groups, std::string name, const CheckedPoint& point) {
    if (groups->empty() || groups->back().first != name) groups->push_back({std::move(name), {}});
    groups->back().second.push_back(&point);
  };
  for (const CheckedPoint& point : points) {
    if (point.modelled <= 0) continue;
    const std::string& id = point.instance.id;
    add(&kernels, id, point);
    add(&families, id.substr(0, id.find('/')), point);
    all.push_back(&point);
  }
  std::vector<ModelErrors> rows;
  for (const std::vector<Group>* groups : {&kernels, &families}) {
    for (const auto& [name, of_it] : *groups) rows.push_back(errors_of(name, of_it));
  }
  rows.push_back(errors_of("all", all));
  return rows;
}

}  // namespace tilescope
