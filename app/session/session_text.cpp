#include <nlohmann/json.hpp>

#include "session/measurements_text.h"
#include "session/session_file.h"

namespace tilescope {
namespace {

using Json = nlohmann::ordered_json;

// Adds what `extra` holds and `known` has no value for. A name that another version knows comes
// back where nobody has put another one than the `usual` in its place; nullptr: there is no usual.
void add_unknown(Json& known, const nlohmann::json& extra, const Json* usual = nullptr) {
  if (known.is_object() && extra.is_object()) {
    for (const auto& [key, value] : extra.items()) {
      const auto place = known.find(key);
      const Json* there =
          usual != nullptr && usual->is_object() && usual->contains(key) ? &(*usual)[key] : nullptr;
      if (place == known.end()) {
        known[key] = Json(value);
      } else if (!value.is_structured() && there != nullptr && *place == *there) {
        *place = Json(value);
      } else {
        add_unknown(*place, value, there);
      }
    }
  } else if (known.is_array() && extra.is_array() && known.size() == extra.size()) {
    for (std::size_t i = 0; i < extra.size(); ++i) add_unknown(known[i], extra[i]);
  }
}

Json json_of(const LaunchForm& launch) {
  Json json{{"kernel", launch.kernel},
            {"grid", launch.grid},
            {"block", launch.block},
            {"shared", launch.dynamic_shared}};
  if (!launch.parameters.empty()) json["parameters"] = launch.parameters;
  Json& arguments = json["arguments"] = Json::array();
  for (const ArgumentForm& argument : launch.arguments) {
    Json item{{"name", argument.name},
              {"declared", argument.declared},
              {"buffer", argument.is_buffer},
              {"type", argument.type}};
    if (argument.is_buffer) {
      item["count"] = argument.count;
      item["fill"] = argument.fill;
    } else {
      item["value"] = argument.value;
    }
    if (argument.member) {
      item["member"] = {{"parameter", argument.member->parameter},
                        {"offset", argument.member->offset},
                        {"structure_bytes", argument.member->structure_bytes}};
    }
    arguments.push_back(std::move(item));
  }
  return json;
}

Json json_of(const TimeMarks& marks) {
  Json json = Json::object();
  if (marks.loop_in) json["loop_in"] = *marks.loop_in;
  if (marks.loop_out) json["loop_out"] = *marks.loop_out;
  Json& bookmarks = json["bookmarks"] = Json::object();
  for (std::size_t i = 0; i < marks.bookmarks.size(); ++i) {
    if (marks.bookmarks[i]) bookmarks[std::to_string(i)] = *marks.bookmarks[i];
  }
  return json;
}

Json json_of(const VariantDocument& variant, bool recovery) {
  Json json = Json::object();
  if (!variant.kernel.empty()) json["kernel"] = variant.kernel;
  if (variant.is_own()) json["file"] = variant.file;
  if (!variant.kernel.empty()) {
    json["parameters"] = variant.parameters;
    json["size"] = variant.extents;
    if (!variant.factors.empty()) json["factors"] = variant.factors;
  }
  if (variant.is_own()) json["launch"] = json_of(variant.launch);
  const Selection& selection = variant.selection;
  json["selection"] = {{"block", selection.block},
                       {"warp", selection.warp},
                       {"lane", selection.lane},
                       {"time", selection.event},
                       {"line", selection.line}};
  json["marks"] = json_of(variant.marks);
  json["camera"] = {{"zoom", variant.camera.zoom},
                    {"x", variant.camera.center_x},
                    {"y", variant.camera.center_y}};
  json["time_zoom"] = variant.time_zoom;
  if (recovery) json["allowed"] = variant.allowed;
  if (variant.original != nullptr) json["source"] = *variant.original;
  if (variant.edited != nullptr) json["edited"] = *variant.edited;
  if (variant.unknown != nullptr) add_unknown(json, *variant.unknown);
  return json;
}

Json json_of(const OwnKernelDocument& own, bool recovery) {
  Json json{{"file", own.file}, {"name", own.name}, {"launch", json_of(own.launch)}};
  if (recovery) json["allowed"] = own.allowed;
  if (own.original != nullptr) json["source"] = *own.original;
  if (own.edited != nullptr) json["edited"] = *own.edited;
  if (own.unknown != nullptr) add_unknown(json, *own.unknown);
  return json;
}

Json json_of(const ViewSettings& settings, const std::vector<DeviceModel>& devices) {
  // A setting that is forgotten here does not compile.
  const auto& [heat, device, latency_cycles, lane_window, base, mode, pane, view, part, ladder,
               steps_off] = settings;
  Json json{{"heat", heat}, {"latency_cycles", latency_cycles}, {"lane_window", lane_window}};
  Json compare{{"base", base},     {"mode", static_cast<int>(mode)}, {"pane", pane}, {"part", part},
               {"ladder", ladder}, {"steps_off", steps_off}};
  if (view >= 0) compare["view"] = name_of(static_cast<View>(view));
  json["compare"] = std::move(compare);
  if (device >= 0 && static_cast<std::size_t>(device) < devices.size()) {
    json["device"] = devices[static_cast<std::size_t>(device)].name;
  }
  return json;
}

Json json_of(const LatencyModel& latencies) {
  Json json = Json::object();
  for (const LatencyDescription& constant : latency_descriptions()) {
    json[std::string(constant.name)] = latencies[constant.latency];
  }
  return json;
}

Json json_of(const Arrangement& arrangement) {
  Json json{{"focused_parameter", arrangement.focused_parameter},
            {"family", arrangement.family},
            {"source",
             {{"text", arrangement.source},
              {"first_line", arrangement.source_line},
              {"editing", arrangement.editing},
              {"side_by_side", arrangement.side_by_side}}},
            {"width", arrangement.width},
            {"height", arrangement.height},
            {"layout", arrangement.layout}};
  if (arrangement.layout_text != nullptr) json["layout_ini"] = *arrangement.layout_text;
  return json;
}

// All that is the whole window's.
void add_shared_fields(const Document& document, const SessionNames& names, Json* json) {
  (*json)["view"] = name_of(document.view);
  (*json)["view_settings"] = json_of(document.settings, names.devices);
  if (document.latencies) (*json)["latencies"] = json_of(*document.latencies);
  (*json)["l2"] = document.cold_l2 ? "cold" : "warm";
  (*json)["interface"] = {{"theme", name_of(document.theme)},
                          {"text_scale", document.text_scale},
                          {"reduce_motion", document.reduce_motion},
                          {"lecture", document.lecture},
                          {"as_issued", document.as_issued},
                          {"panels", document.panels},
                          {"heat_column", name_of(document.heat_column)}};
  (*json)["window"] = json_of(document.arrangement);
  (*json)["notes"] = document.notes != nullptr ? *document.notes : std::string();
}

}  // namespace

std::string session_text(const Document& document, const SessionNames& names,
                         const std::optional<Recovery>& recovery) {
  Json json{{"format", "tilescope session"}, {"version", kSessionVersion}};
  if (recovery) {
    json["recovery"] = {
        {"path", recovery->path}, {"saved", recovery->saved}, {"ended", recovery->ended}};
  }
  json["active"] = document.active;
  Json& variants = json["variants"] = Json::array();
  for (const VariantDocument& variant : document.variants) {
    variants.push_back(json_of(variant, recovery.has_value()));
  }
  if (document.own_kernels != nullptr && !document.own_kernels->empty()) {
    Json& own_kernels = json["own_kernels"] = Json::array();
    for (const OwnKernelDocument& own : *document.own_kernels) {
      own_kernels.push_back(json_of(own, recovery.has_value()));
    }
  }
  add_shared_fields(document, names, &json);
  if (document.measured != nullptr && !document.measured->empty()) {
    json["measured"] = json_of(*document.measured);
  }
  if (document.unknown != nullptr) {
    Json usual;
    add_shared_fields(Document{}, names, &usual);
    add_unknown(json, *document.unknown, &usual);
  }
  // Typed text may hold anything; what is no UTF-8 is replaced.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilescope
