#include "session/measurements_text.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "kernel/catalogue/json_document.h"
#include "session/measurements.h"
#include "session/session_file.h"

namespace tilescope {

// The fields of an object that say what was measured, and back: kernel, text, parameters, size,
// factors, l2.
[[nodiscard]] nlohmann::ordered_json json_of(const PointKey& key);
[[nodiscard]] PointKey read_key(const JsonDocument::Node& node);

// "STAGES": 3, ...
[[nodiscard]] ParameterSet read_numbers(const JsonDocument::Node& node);
// Where they do not exist, all are 1 and 0.
[[nodiscard]] GemmFactors read_factors(const JsonDocument::Node& node);

using Json = nlohmann::ordered_json;
using Node = JsonDocument::Node;

Json json_of(const PointKey& key) {
  const auto& [kernel, text, parameters, extents, factors, cold, launch] = key;
  Json json{{"kernel", kernel}, {"text", text}, {"parameters", parameters}, {"size", extents}};
  if (!factors.empty()) json["factors"] = factors;
  if (!launch.empty()) json["launch"] = launch;
  json["l2"] = cold ? "cold" : "warm";
  return json;
}

ParameterSet read_numbers(const Node& node) {
  ParameterSet numbers;
  for (const auto& [name, value] : node.members()) numbers[name] = value.integer();
  return numbers;
}

GemmFactors read_factors(const Node& node) {
  constexpr double kMost = std::numeric_limits<float>::max();
  GemmFactors factors;
  if (!node.exists()) return factors;
  for (const auto& [name, value] : node.members()) {
    read_real(value, factors[name], -kMost, kMost);
  }
  return factors;
}

PointKey read_key(const Node& node) {
  const Node launch = node.find("launch");
  return {read_word(node["kernel"]),
          read_word(node["text"]),
          read_numbers(node["parameters"]),
          read_numbers(node["size"]),
          read_factors(node.find("factors")),
          read_word(node["l2"]) != "warm",
          launch.exists() ? read_word(launch) : std::string()};
}

// Of the field `measured` of a session file what was read beside times: `counters`, `phases` and
// `tuned`, each only where there is any. Mistakes are kept in the JSON document.
void add_readings(const Measurements& measured, nlohmann::ordered_json* json);
void read_readings(const JsonDocument::Node& node, Measurements* measured);

namespace {

using Json = nlohmann::ordered_json;
using Node = JsonDocument::Node;

constexpr double kMostSeconds = 1e9;
constexpr std::size_t kMostReadings = 10'000;
constexpr std::size_t kMostRows = 200'000;

Json json_of(const ReadCounters& read) {
  Json json = tilescope::json_of(read.of);
  json["architecture"] = read.architecture;
  json["toolkit"] = read.toolkit;
  json["gpu"] = read.gpu;
  json["date"] = read.date;
  json["readings"] = read.readings;
  return json;
}

Json json_of(const ReadPhases& read) {
  const MeasuredPhases& phases = read.phases;
  Json json = tilescope::json_of(read.of);
  json["block"] = {read.block.x, read.block.y, read.block.z};
  json["gpu"] = phases.gpu;
  json["date"] = phases.date;
  json["cycles"] = phases.cycles;
  json["stamp_share"] = phases.stamp_share;
  json["slowdown"] = phases.slowdown;
  Json& warps = json["warps"] = Json::array();
  for (const std::vector<MeasuredPhases::Span>& warp : phases.warps) {
    Json& spans = warps.emplace_back(Json::array());
    for (const auto& [begin, end, phase] : warp) spans.push_back({begin, end, phase});
  }
  return json;
}

Json json_of(const TunedRow& row) {
  Json json{{"parameters", row.parameters}, {"seconds", row.seconds}};
  if (row.reference_seconds > 0) json["reference_seconds"] = row.reference_seconds;
  json["source"] = name_of(row.source);
  if (!row.gpu.empty()) json["gpu"] = row.gpu;
  if (!row.toolkit.empty()) json["toolkit"] = row.toolkit;
  if (!row.date.empty()) json["date"] = row.date;
  return json;
}

Json json_of(const TunedRun& run) {
  Json json{
      {"kernel", run.kernel}, {"text", run.text}, {"start", run.start}, {"size", run.extents}};
  if (!run.factors.empty()) json["factors"] = run.factors;
  Json& rows = json["tried"] = Json::array();
  for (const TunedRow& row : run.rows) rows.push_back(json_of(row));
  return json;
}

// The elements of a list that may be missing.
std::vector<Node> elements_of(const Node& node, std::size_t most) {
  if (!node.exists()) return {};
  if (node.size() > most) {
    node.fail(fmt::format("{} of them, at most {} are taken", node.size(), most));
    return {};
  }
  return node.elements();
}

ReadCounters read_counters(const Node& node) {
  ReadCounters read;
  read.of = read_key(node);
  read.architecture = read_word(node["architecture"]);
  read.toolkit = read_word(node.find("toolkit"));
  read.gpu = read_word(node["gpu"]);
  read.date = read_word(node.find("date"));
  constexpr std::size_t kMost = 100;  // readings
  for (const Node& reading : elements_of(node["readings"], kMost)) {
    CounterValues& values = read.readings.emplace_back();
    for (const auto& [name, value] : reading.members()) read_real(value, values[name], 0, 1e30);
  }
  return read;
}

MeasuredPhases::Span read_span(const Node& node) {
  constexpr std::int64_t kMostCycles = std::numeric_limits<std::uint32_t>::max();
  MeasuredPhases::Span span;
  const std::vector<Node> values = node.elements();
  if (values.size() != 3) {
    node.fail("a phase is three numbers: its first cycle, its end, which one");
    return span;
  }
  read_whole(values[0], span.begin, 0, kMostCycles);
  read_whole(values[1], span.end, span.begin, kMostCycles);
  read_whole(values[2], span.phase, -1, std::numeric_limits<std::int16_t>::max());
  return span;
}

Dim3 read_block(const Node& node) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::vector<Node> values = node.elements();
  if (values.size() != 3) {
    node.fail("a block is three numbers: x, y, z");
    return {};
  }
  Dim3 block;
  read_whole(values[0], block.x, 0, kMost);
  read_whole(values[1], block.y, 0, kMost);
  read_whole(values[2], block.z, 0, kMost);
  return block;
}

ReadPhases read_phases(const Node& node) {
  constexpr std::size_t kMostWarps = 64;
  constexpr std::size_t kMostSpans = 1'000'000;
  ReadPhases read;
  read.of = read_key(node);
  read.block = read_block(node["block"]);
  MeasuredPhases& phases = read.phases;
  phases.gpu = read_word(node["gpu"]);
  phases.date = read_word(node.find("date"));
  read_whole(node["cycles"], phases.cycles, 0, std::numeric_limits<std::uint32_t>::max());
  read_real(node.find("stamp_share"), phases.stamp_share, 0, 1);
  read_real(node.find("slowdown"), phases.slowdown, 0, kMostSeconds);
  for (const Node& warp : elements_of(node["warps"], kMostWarps)) {
    std::vector<MeasuredPhases::Span>& spans = phases.warps.emplace_back();
    for (const Node& span : elements_of(warp, kMostSpans)) spans.push_back(read_span(span));
  }
  return read;
}

Source read_source(const Node& node) {
  const std::string name = read_word(node);
  for (const Source source : {Source::kMeasured, Source::kRecorded, Source::kModelled}) {
    if (name == name_of(source)) return source;
  }
  node.fail("'" + name + "' is no source of a time", "It is measured, recorded or modelled");
  return Source::kRecorded;
}

TunedRow read_row(const Node& node) {
  TunedRow row;
  row.parameters = read_numbers(node["parameters"]);
  read_real(node["seconds"], row.seconds, std::numeric_limits<double>::min(), kMostSeconds);
  read_real(node.find("reference_seconds"), row.reference_seconds, 0, kMostSeconds);
  row.source = read_source(node["source"]);
  row.gpu = read_word(node.find("gpu"));
  row.toolkit = read_word(node.find("toolkit"));
  row.date = read_word(node.find("date"));
  return row;
}

TunedRun read_run(const Node& node) {
  TunedRun run;
  run.kernel = read_word(node["kernel"]);
  run.text = read_word(node["text"]);
  run.start = read_numbers(node["start"]);
  run.extents = read_numbers(node["size"]);
  run.factors = read_factors(node.find("factors"));
  for (const Node& row : elements_of(node["tried"], kMostRows)) run.rows.push_back(read_row(row));
  return run;
}

}  // namespace

void add_readings(const Measurements& measured, Json* json) {
  const auto add = [json](const char* name, const auto& list) {
    if (list.empty()) return;
    Json& written = (*json)[name] = Json::array();
    for (const auto& each : list) written.push_back(json_of(each));
  };
  add("counters", measured.counters);
  add("phases", measured.phases);
  if (measured.tuned) (*json)["tuned"] = json_of(*measured.tuned);
}

void read_readings(const Node& node, Measurements* measured) {
  for (const Node& read : elements_of(node.find("counters"), kMostReadings)) {
    measured->counters.push_back(read_counters(read));
  }
  for (const Node& read : elements_of(node.find("phases"), kMostReadings)) {
    measured->phases.push_back(read_phases(read));
  }
  if (const Node run = node.find("tuned"); run.exists()) measured->tuned = read_run(run);
}

namespace {

using Json = nlohmann::ordered_json;
using Node = JsonDocument::Node;

constexpr double kMostWork = 1e30;
constexpr std::size_t kMostPoints = 100'000;
constexpr std::size_t kMostLaunches = 100'000;

Json json_of(const DeviceModel& device) {
  return {{"name", device.name},
          {"compute_capability", device.compute_capability},
          {"multiprocessors", device.multiprocessors},
          {"clock_hz", device.boost_clock_hz},
          {"memory_bytes_per_second", device.memory_bytes_per_second}};
}

Json json_of(const RecordedTimes& times) {
  return {times.median_seconds, times.p5_seconds, times.p95_seconds};
}

Json json_of(const MeasuredPoint& point) {
  Json json = tilescope::json_of(point.of);
  json["seconds"] = json_of(point.times);
  if (point.reference) json["reference_seconds"] = json_of(*point.reference);
  json["reference"] = point.reference_name;
  json["flop"] = point.flop;
  json["bytes"] = point.bytes;
  json["gpu"] = point.gpu;
  json["toolkit"] = point.toolkit;
  json["date"] = point.date;
  return json;
}

Json json_of(const TimedLaunch& launch) {
  return {launch.at_seconds,   launch.kernel_seconds, launch.variant,
          launch.cold ? 1 : 0, launch.flop,           launch.bytes};
}

// The table's row of this very GPU, else of its kind, with what the device itself said.
DeviceModel read_device(const Node& node, const std::vector<DeviceModel>& devices) {
  constexpr std::int64_t kMost = 1'000'000;
  const std::string name = read_word(node["name"]);
  int capability = 0;
  read_whole(node["compute_capability"], capability, 10, 10'000);
  const auto row = std::ranges::find_if(devices, [&](const DeviceModel& device) {
    return device.name == name && device.compute_capability == capability;
  });
  DeviceModel model = row != devices.end() ? *row : device_model_for(devices, capability);
  model.name = name;
  read_whole(node["multiprocessors"], model.multiprocessors, 0, kMost);
  read_real(node["clock_hz"], model.boost_clock_hz, 0, 1e12);
  read_real(node["memory_bytes_per_second"], model.memory_bytes_per_second, 0, 1e18);
  return model;
}

RecordedTimes read_times(const Node& node) {
  RecordedTimes times;
  const std::vector<Node> values = node.elements();
  if (values.size() != 3) {
    node.fail("median, 5th and 95th percentile are three numbers");
    return times;
  }
  read_real(values[0], times.median_seconds, 0, kMostSeconds);
  read_real(values[1], times.p5_seconds, 0, kMostSeconds);
  read_real(values[2], times.p95_seconds, 0, kMostSeconds);
  return times;
}

MeasuredPoint read_point(const Node& node) {
  MeasuredPoint point;
  point.of = read_key(node);
  point.times = read_times(node["seconds"]);
  const Node reference = node.find("reference_seconds");
  if (reference.exists()) point.reference = read_times(reference);
  point.reference_name = read_word(node.find("reference"));
  read_real(node["flop"], point.flop, 0, kMostWork);
  read_real(node["bytes"], point.bytes, 0, kMostWork);
  point.gpu = read_word(node["gpu"]);
  point.toolkit = read_word(node.find("toolkit"));
  point.date = read_word(node.find("date"));
  return point;
}

TimedLaunch read_launch(const Node& node) {
  TimedLaunch launch;
  const std::vector<Node> values = node.elements();
  if (values.size() != 6) {
    node.fail("a launch is six numbers: when, seconds, variant, cold, flop, bytes");
    return launch;
  }
  int cold = 1;
  read_real(values[0], launch.at_seconds, 0, kMostSeconds);
  read_real(values[1], launch.kernel_seconds, 0, kMostSeconds);
  read_whole(values[2], launch.variant, 0, 3);
  read_whole(values[3], cold, 0, 1);
  launch.cold = cold == 1;
  read_real(values[4], launch.flop, 0, kMostWork);
  read_real(values[5], launch.bytes, 0, kMostWork);
  return launch;
}

void read_live(const Node& node, Measurements* measured) {
  read_real(node.find("seconds"), measured->live_seconds, 1, kMostSeconds);
  if (const Node end = node.find("end"); end.exists()) {
    read_real(end, measured->live_end.emplace(0), 0, kMostSeconds);
  }
  const Node launches = node["launches"];
  if (launches.size() > kMostLaunches) {
    launches.fail(fmt::format("{} launches, at most {} are taken", launches.size(), kMostLaunches));
    return;
  }
  for (const Node& launch : launches.elements()) measured->launches.push_back(read_launch(launch));
  std::ranges::stable_sort(measured->launches, {}, &TimedLaunch::at_seconds);
  const Node changes = node.find("changes");
  if (!changes.exists()) return;
  for (const Node& change : changes.elements()) {
    TimedChange read{0, read_word(change["label"])};
    read_real(change["at"], read.at_seconds, 0, kMostSeconds);
    measured->changes.push_back(std::move(read));
  }
}

}  // namespace

nlohmann::ordered_json json_of(const Measurements& measured) {
  Json json{{"device", json_of(measured.device)}, {"date", measured.date}};
  Json& points = json["points"] = Json::array();
  for (const MeasuredPoint& point : measured.points) points.push_back(json_of(point));
  Json& live = json["live"] = {{"seconds", measured.live_seconds}};
  if (measured.live_end) live["end"] = *measured.live_end;
  Json& launches = live["launches"] = Json::array();
  for (const TimedLaunch& launch : measured.launches) launches.push_back(json_of(launch));
  Json& changes = live["changes"] = Json::array();
  for (const TimedChange& change : measured.changes) {
    changes.push_back({{"at", change.at_seconds}, {"label", change.label}});
  }
  add_readings(measured, &json);
  return json;
}

Measurements read_measurements(const Node& node, const std::vector<DeviceModel>& devices) {
  Measurements measured;
  measured.device = read_device(node["device"], devices);
  measured.date = read_word(node.find("date"));
  const Node points = node["points"];
  if (points.size() > kMostPoints) {
    points.fail(fmt::format("{} points, at most {} are taken", points.size(), kMostPoints));
    return measured;
  }
  for (const Node& point : points.elements()) measured.points.push_back(read_point(point));
  if (const Node live = node.find("live"); live.exists()) read_live(live, &measured);
  read_readings(node, &measured);
  return measured;
}

}  // namespace tilescope
