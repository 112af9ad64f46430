#include "session/readings_text.h"

#include <algorithm>
#include <array>
#include <limits>

#include "session/point_key_text.h"
#include "session/read_values.h"

namespace tilescope {
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
  if (!row.driver.empty()) json["driver"] = row.driver;
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
  row.driver = read_word(node.find("driver"));
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

}  // namespace tilescope
