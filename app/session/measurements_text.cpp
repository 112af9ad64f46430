#include "session/measurements_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "core/dim3.h"
#include "core/fields.h"
#include "session/measurements.h"

namespace tilescope {
namespace {

constexpr FieldLimits kKeyWord{.most_elements = 4096};
constexpr FieldLimits kSeconds{.least = 0, .most = 1e9};
constexpr FieldLimits kWork{.least = 0, .most = 1e30};
constexpr FieldLimits kRegisters{.least = 0, .most = 255};
constexpr FieldLimits kBytes{.least = 0, .most = 1e9};
constexpr FieldLimits kPercent{.least = 0, .most = 100};
constexpr FieldLimits kFactor{.least = -std::numeric_limits<float>::max(),
                              .most = std::numeric_limits<float>::max()};

// What the JSON of these is read with.
struct MeasurementsContext {
  const std::vector<DeviceModel>* devices = nullptr;  // nullptr: it is written
};

std::string_view name_of_l2(bool cold) { return cold ? "cold" : "warm"; }
std::optional<bool> parse_l2(std::string_view name) {
  if (name != "cold" && name != "warm") return std::nullopt;
  return name == "cold";
}
std::optional<Source> parse_source(std::string_view name) {
  for (const Source source : {Source::kMeasured, Source::kRecorded, Source::kModelled}) {
    if (name == name_of(source)) return source;
  }
  return std::nullopt;
}

// The table's row of this very GPU, else of its kind.
DeviceModel row_of(const std::string& name, int capability,
                   const std::vector<DeviceModel>& devices) {
  const auto row = std::ranges::find_if(devices, [&](const DeviceModel& device) {
    return device.name == name && device.compute_capability == capability;
  });
  DeviceModel model = row != devices.end() ? *row : device_model_for(devices, capability);
  model.name = name;
  return model;
}

}  // namespace

template <typename Visitor>
void fields(Visitor& visit, LaunchKey& key) {
  visit("kernel", key.kernel, kKeyWord);
  visit("text", key.source, kKeyWord);
  visit("parameters", key.parameters);
  visit("size", key.extents);
  visit(sparse("factors"), key.factors, kFactor);
  visit(sparse("launch"), key.launch, kKeyWord);
  visit.named("l2", key.cold, EnumeratorNames<bool>{name_of_l2, parse_l2});
}

template <typename Visitor>
void fields(Visitor& visit, ReadCounters& read) {
  fields(visit, read.of);
  visit("architecture", read.architecture, kKeyWord);
  visit(lenient("toolkit"), read.toolkit, kKeyWord);
  visit("gpu", read.gpu, kKeyWord);
  visit(lenient("date"), read.date, kKeyWord);
  visit("readings", read.readings, {.least = 0, .most = 1e30});
  visit.check("readings", read.readings.size() <= 100, "at most 100 readings are taken");
}

template <typename Visitor>
void elements(Visitor& visit, MeasuredPhases::Span& span) {
  visit(span.begin);
  visit(span.end);
  visit(span.phase, {.least = -1});
  visit.check("", span.begin <= span.end, "a phase ends before it begins");
}

template <typename Visitor>
void fields(Visitor& visit, ReadPhases& read) {
  MeasuredPhases& phases = read.phases;
  fields(visit, read.of);
  visit("block", read.block);
  visit("gpu", phases.gpu, kKeyWord);
  visit(lenient("date"), phases.date, kKeyWord);
  visit("cycles", phases.cycles);
  visit(lenient("stamp_share"), phases.stamp_share, {.least = 0, .most = 1});
  visit(lenient("slowdown"), phases.slowdown, kSeconds);
  visit("warps", phases.warps, {.most_elements = 1'000'000});
  visit.check("warps", phases.warps.size() <= 64, "at most 64 warps are taken");
}

template <typename Visitor>
void fields(Visitor& visit, TunedRow& row) {
  visit("parameters", row.parameters);
  visit("seconds", row.seconds, kSeconds);
  visit.check("seconds", row.seconds > 0, "a launch of no time");
  visit(sparse("reference_seconds"), row.reference_seconds, kSeconds);
  visit.named("source", row.source, EnumeratorNames<Source>{name_of, parse_source});
  visit(sparse("gpu"), row.gpu, kKeyWord);
  visit(sparse("toolkit"), row.toolkit, kKeyWord);
  visit(sparse("date"), row.date, kKeyWord);
  visit(sparse("driver"), row.driver, kKeyWord);
  visit(sparse("recorded_seconds"), row.recorded_seconds, kSeconds);
  visit(sparse("recorded_gpu"), row.recorded_gpu, kKeyWord);
  visit(sparse("registers"), row.registers, kRegisters);
  visit(sparse("shared_bytes"), row.shared_bytes, kBytes);
  visit(sparse("occupancy"), row.occupancy, kPercent);
}

template <typename Visitor>
void fields(Visitor& visit, TunedRun& run) {
  visit("kernel", run.kernel, kKeyWord);
  visit("text", run.text, kKeyWord);
  visit("start", run.start);
  visit("size", run.extents);
  visit(sparse("factors"), run.factors, kFactor);
  visit("tried", run.rows, {.most_elements = 200'000, .elements = "combinations"});
}

// The device of the table, with what the GPU itself said.
template <typename Visitor>
void fields(Visitor& visit, DeviceModel& device) {
  constexpr FieldLimits kCount{.least = 0, .most = 1'000'000};
  visit("name", device.name, kKeyWord);
  visit("compute_capability", device.compute_capability, {.least = 10, .most = 10'000});
  if constexpr (Visitor::kReads) {
    device = row_of(device.name, device.compute_capability, *visit.context().devices);
  }
  visit("multiprocessors", device.multiprocessors, kCount);
  visit("clock_hz", device.boost_clock_hz, {.least = 0, .most = 1e12});
  visit("memory_bytes_per_second", device.memory_bytes_per_second, {.least = 0, .most = 1e18});
}

template <typename Visitor>
void elements(Visitor& visit, TimeSummary& times) {
  visit(times.median_seconds, kSeconds);
  visit(times.p5_seconds, kSeconds);
  visit(times.p95_seconds, kSeconds);
}

// What a session keeps of a measurement.
struct SessionPoint : Measurement {};

template <typename Visitor>
void fields(Visitor& visit, SessionPoint& point) {
  RunResult& result = point.result;
  fields(visit, point.of);
  visit("seconds", result.kernel);
  visit(sparse("reference_seconds"), result.reference);
  visit(lenient("reference"), result.reference_name, kKeyWord);
  visit("flop", result.flop, kWork);
  visit("bytes", result.bytes, kWork);
  visit("gpu", point.machine.gpu, kKeyWord);
  visit(lenient("toolkit"), point.machine.compiler, kKeyWord);
  visit(lenient("date"), point.date, kKeyWord);
  visit(sparse("driver"), point.machine.driver, kKeyWord);
  if constexpr (Visitor::kReads) result.cold = point.of.cold;
}

template <typename Visitor>
void elements(Visitor& visit, TimedLaunch& launch) {
  int cold = launch.cold ? 1 : 0;
  visit(launch.at_seconds, kSeconds);
  visit(launch.kernel_seconds, kSeconds);
  visit(launch.variant, {.least = 0, .most = 3});
  visit(cold, {.least = 0, .most = 1});
  visit(launch.flop, kWork);
  visit(launch.bytes, kWork);
  if constexpr (Visitor::kReads) launch.cold = cold == 1;
}

template <typename Visitor>
void fields(Visitor& visit, TimedChange& change) {
  visit("at", change.at_seconds, kSeconds);
  visit("label", change.label, kKeyWord);
}

template <typename Visitor>
void fields(Visitor& visit, Measurements& measured) {
  constexpr std::size_t kMost = 100'000;
  visit("device", measured.device);
  visit(lenient("date"), measured.date, kKeyWord);
  std::vector<SessionPoint> points;
  for (const Measurement& point : measured.points) points.push_back({point});
  visit("points", points, {.most_elements = kMost, .elements = "points"});
  if constexpr (Visitor::kReads) measured.points.assign(points.begin(), points.end());
  visit.group(lenient("live"), [&](auto& live) {
    live(lenient("seconds"), measured.live_seconds, {.least = 1, .most = 1e9});
    live(sparse("end"), measured.live_end, kSeconds);
    live("launches", measured.launches, {.most_elements = kMost, .elements = "launches"});
    live(lenient("changes"), measured.changes, {.most_elements = kMost, .elements = "changes"});
  });
  visit(sparse("counters"), measured.counters, {.most_elements = 10'000, .elements = "readings"});
  visit(sparse("phases"), measured.phases, {.most_elements = 10'000, .elements = "readings"});
  visit(sparse("tuned"), measured.tuned);
}

nlohmann::ordered_json json_of(const Measurements& measured) {
  const MeasurementsContext context;
  return FieldWriter<nlohmann::ordered_json, MeasurementsContext>(context).json_of(measured);
}

Measurements read_measurements(const JsonDocument::Node& node,
                               const std::vector<DeviceModel>& devices) {
  Measurements measured;
  MeasurementsContext context{&devices};
  FieldReader<MeasurementsContext>(node, context).read(node, measured);
  std::ranges::stable_sort(measured.launches, {}, &TimedLaunch::at_seconds);
  return measured;
}

}  // namespace tilescope
