#include "session/measurements_text.h"

#include <algorithm>

#include "session/point_key_text.h"
#include "session/read_values.h"
#include "session/readings_text.h"

namespace tilescope {
namespace {

using Json = nlohmann::ordered_json;
using Node = JsonDocument::Node;

constexpr double kMostSeconds = 1e9;
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
  if (!point.driver.empty()) json["driver"] = point.driver;
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
  point.driver = read_word(node.find("driver"));
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
