#include "session/session_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/text.h"
#include "kernel/catalogue/json_document.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/file_launch.h"
#include "session/measurements_text.h"

namespace tilescope {
namespace {

struct VariantWanted {
  const SessionNames& names;
  bool own_recovery = false;  // whether a text may run on the GPU is read
};
// A variant of a session file. Mistakes are kept in the JSON document; `remarks` gets a sentence on
// what is not as it was when it was saved.
[[nodiscard]] VariantDocument read_variant(const JsonDocument::Node& node,
                                           const VariantWanted& wanted,
                                           std::vector<std::string>* remarks);

// A kernel of the user's own; its name is a usable one.
[[nodiscard]] OwnKernelDocument read_own_kernel(const JsonDocument::Node& node,
                                                const VariantWanted& wanted);

// As much of a name out of a file as a sentence takes, in one line.
[[nodiscard]] std::string shortened_name(const std::string& name);

using Node = JsonDocument::Node;

constexpr std::size_t kMostArguments = 256;
constexpr std::int64_t kMostExtent = INT32_MAX;
constexpr std::int64_t kMostBlock = std::int64_t{1} << 62;

SharedText read_source(const Node& node) {
  if (!node.exists()) return nullptr;
  return share_text(read_text(node, kMostSourceBytes));
}

std::optional<std::uint32_t> read_event(const Node& node) {
  if (!node.exists()) return std::nullopt;
  std::uint32_t event = 0;
  read_whole(node, event, 0, UINT32_MAX);
  return event;
}

class VariantReader {
 public:
  VariantReader(const VariantWanted& wanted, std::vector<std::string>* remarks)
      : wanted_(wanted), remarks_(remarks) {}

  VariantDocument read(const Node& node) {
    VariantDocument variant;
    variant.kernel = read_word(node.find("kernel"));
    if (variant.kernel.empty()) variant.file = read_word(node.find("file"));
    if (!variant.kernel.empty()) {
      read_catalogue_kernel(node, &variant);
    } else if (!variant.file.empty()) {
      variant.original = read_source(node["source"]);
      variant.edited = read_source(node.find("edited"));
      variant.launch = read_launch(node["launch"]);
    }
    if (const Node selection = node.find("selection"); selection.exists()) {
      read_whole(selection.find("block"), variant.selection.block, 0, kMostBlock);
      read_whole(selection.find("warp"), variant.selection.warp, 0, 31);
      read_whole(selection.find("lane"), variant.selection.lane, 0, 31);
      read_whole(selection.find("time"), variant.selection.event, 0, UINT32_MAX);
      read_whole(selection.find("line"), variant.selection.line, 0, UINT32_MAX);
    }
    if (const Node marks = node.find("marks"); marks.exists()) variant.marks = read_marks(marks);
    if (const Node camera = node.find("camera"); camera.exists()) {
      read_real(camera.find("zoom"), variant.camera.zoom, 1, 4096);
      read_real(camera.find("x"), variant.camera.center_x, 0, 1);
      read_real(camera.find("y"), variant.camera.center_y, 0, 1);
    }
    read_real(node.find("time_zoom"), variant.time_zoom, 1.0 / 64, 256);
    // Another file has no say in this.
    if (const Node allowed = node.find("allowed"); wanted_.own_recovery) {
      tilescope::read(allowed, variant.allowed);
    }
    variant.unknown = rest_of(node);
    return variant;
  }

  OwnKernelDocument read_own(const Node& node) {
    OwnKernelDocument own;
    own.file = read_word(node["file"]);
    own.name = usable_name(read_word(node.find("name")));
    if (own.name.empty()) own.name = usable_name(own.file.substr(own.file.find_last_of('/') + 1));
    if (own.name.empty()) own.name = "kernel";
    own.original = read_source(node["source"]);
    own.edited = read_source(node.find("edited"));
    own.launch = read_launch(node["launch"]);
    if (const Node allowed = node.find("allowed"); wanted_.own_recovery) {
      tilescope::read(allowed, own.allowed);
    }
    own.unknown = rest_of(node);
    return own;
  }

 private:
  static UnknownFields rest_of(const Node& node) {
    nlohmann::json rest = node.unread();
    if (rest.is_null()) return nullptr;
    return std::make_shared<const nlohmann::json>(std::move(rest));
  }

  // The text of the session wins over the catalogue's of today.
  void read_catalogue_kernel(const Node& node, VariantDocument* variant) {
    const CatalogueEntry* entry = wanted_.names.catalogue.find(variant->kernel);
    if (entry == nullptr) {
      std::vector<std::string> ids;
      for (const CatalogueEntry& known : wanted_.names.catalogue.entries) ids.push_back(known.id);
      std::string remedy = did_you_mean(variant->kernel, ids);
      if (remedy.empty()) remedy = "tilescope list shows what there is";
      node.find("kernel").fail(
          fmt::format("there is no kernel {}", shortened_name(variant->kernel)), remedy);
      return;
    }
    const SharedText saved = read_source(node.find("source"));
    variant->original = share_text(entry->source);
    variant->edited = read_source(node.find("edited"));
    if (saved != nullptr && *saved != entry->source && variant->edited == nullptr) {
      variant->edited = saved;
      remarks_->push_back(fmt::format(
          "The text of {} has changed since; the session's is shown, as edited.", variant->kernel));
    }
    if (variant->edited != nullptr && *variant->edited == entry->source) variant->edited = nullptr;
    read_parameters(node.find("parameters"), *entry, variant);
    read_extents(node.find("size"), *entry, variant);
    if (const Node factors = node.find("factors"); factors.exists()) {
      read_factors(factors, *entry, variant);
    }
  }

  static void read_parameters(const Node& node, const CatalogueEntry& entry,
                              VariantDocument* variant) {
    variant->parameters = default_parameters(entry);
    if (!node.exists()) return;
    for (const auto& [name, value] : node.members()) {
      const ParameterSet wanted{{name, value.integer()}};
      const Result<ParameterSet> complete = complete_parameters(entry, wanted);
      if (!complete) {
        value.fail(complete.error().message, complete.error().remedy);
        return;
      }
      variant->parameters[name] = wanted.begin()->second;
    }
  }

  static void read_extents(const Node& node, const CatalogueEntry& entry,
                           VariantDocument* variant) {
    variant->extents = entry.default_extents;
    if (!node.exists()) return;
    for (const auto& [name, value] : node.members()) {
      if (!variant->extents.contains(name)) {
        value.fail(fmt::format("{} has no such extent", entry.id));
        return;
      }
      read_whole(value, variant->extents[name], 1, kMostExtent);
    }
  }

  static void read_factors(const Node& node, const CatalogueEntry& entry,
                           VariantDocument* variant) {
    constexpr double kMost = std::numeric_limits<float>::max();
    const std::vector<std::string> known = factor_names(entry);
    for (const auto& [name, value] : node.members()) {
      if (std::ranges::find(known, name) == known.end()) {
        value.fail(fmt::format("{} has no such factor", entry.id));
        return;
      }
      double factor = usual_factor(name);
      read_real(value, factor, -kMost, kMost);
      variant->factors = with_factor(std::move(variant->factors), name, factor);
    }
  }

  static LaunchForm read_launch(const Node& node) {
    LaunchForm launch{read_word(node["kernel"]),
                      read_word(node["grid"]),
                      read_word(node["block"]),
                      read_word(node.find("shared")),
                      {}};
    if (const Node parameters = node.find("parameters"); parameters.exists()) {
      for (const auto& [name, value] : parameters.members()) {
        launch.parameters[name] = value.integer();
      }
    }
    const Node arguments = node["arguments"];
    if (arguments.size() > kMostArguments) {
      arguments.fail(
          fmt::format("{} arguments, at most {} are taken", arguments.size(), kMostArguments));
      return launch;
    }
    for (const Node& item : arguments.elements()) {
      ArgumentForm argument;
      argument.name = read_word(item["name"]);
      argument.declared = read_word(item.find("declared"));
      tilescope::read(item["buffer"], argument.is_buffer);
      argument.type = read_word(item["type"]);
      argument.count = read_word(item.find("count"));
      argument.fill = read_word(item.find("fill"));
      argument.value = read_word(item.find("value"));
      if (const Node member = item.find("member"); member.exists()) {
        StructureMember place;
        read_whole(member["parameter"], place.parameter, 0, kMostArguments);
        read_whole(member["offset"], place.offset, 0, kMostParameterBytes);
        read_whole(member["structure_bytes"], place.structure_bytes, 0, kMostParameterBytes);
        argument.member = place;
      }
      launch.arguments.push_back(std::move(argument));
    }
    return launch;
  }

  static TimeMarks read_marks(const Node& node) {
    TimeMarks marks;
    marks.loop_in = read_event(node.find("loop_in"));
    marks.loop_out = read_event(node.find("loop_out"));
    if (marks.loops() && *marks.loop_out < *marks.loop_in) {
      node.find("loop_out").fail("it lies before loop_in");
    }
    const Node bookmarks = node.find("bookmarks");
    if (!bookmarks.exists()) return marks;
    for (const auto& [name, value] : bookmarks.members()) {
      const bool digit = name.size() == 1 && name[0] >= '0' && name[0] <= '9';
      if (!digit) {
        value.fail("bookmarks are called 0 to 9");
        return marks;
      }
      marks.bookmarks[static_cast<std::size_t>(name[0] - '0')] = read_event(value);
    }
    return marks;
  }

  const VariantWanted& wanted_;
  std::vector<std::string>* remarks_;
};

std::string shortened_name(const std::string& name) {
  std::size_t shown = std::min<std::size_t>(name.size(), 40);
  const auto continues = [&] { return (static_cast<unsigned char>(name[shown]) & 0xc0U) == 0x80U; };
  while (shown > 0 && shown < name.size() && continues()) --shown;
  std::string words = shown == name.size() ? name : name.substr(0, shown) + "…";
  std::ranges::replace_if(
      words, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return words;
}

VariantDocument read_variant(const Node& node, const VariantWanted& wanted,
                             std::vector<std::string>* remarks) {
  return VariantReader(wanted, remarks).read(node);
}

OwnKernelDocument read_own_kernel(const Node& node, const VariantWanted& wanted) {
  return VariantReader(wanted, nullptr).read_own(node);
}

// The texts of the variants and of the list, and what JSON makes of their lines.
constexpr std::uintmax_t kMostFileBytes = std::uintmax_t{96} << 20;

}  // namespace

bool is_session_file(std::string_view path) { return path.ends_with(kSessionEnding); }

Result<LoadedSession> read_session(const std::filesystem::path& file, const SessionNames& names,
                                   bool own_recovery) {
  const auto refuse = [&](std::string message, std::string remedy) {
    return Error{ErrorCode::kUsage, std::move(message), std::move(remedy), {file.string(), 0, 0}};
  };
  std::error_code failure;
  if (std::filesystem::is_directory(file, failure)) {
    return refuse("this is a folder", "Give a file in it");
  }
  const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
  if (!failure && !std::filesystem::is_regular_file(file, failure)) {
    return refuse("this is no file to be read", "Give the name of a session");
  }
  if (failure) return refuse("cannot be read: " + failure.message(), "Check its name");
  if (bytes > kMostFileBytes) {
    return refuse(
        fmt::format("{} MiB are more than a session's {}", bytes >> 20, kMostFileBytes >> 20),
        "Open another file; what is open stays as it is");
  }
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream || text.size() != bytes) return refuse("cannot be read", "Check who may read it");
  return parse_session(std::move(text), file, names, own_recovery);
}

namespace {

using Node = JsonDocument::Node;

constexpr std::size_t kMostNoteBytes = std::size_t{1} << 20;
constexpr std::size_t kMostLayoutBytes = std::size_t{256} << 10;
constexpr std::size_t kMostPanels = 256;

// Reads one document. Mistakes are kept in the JSON document, the first one counts.
class SessionReader {
 public:
  SessionReader(const SessionNames& names, bool own_recovery, LoadedSession* loaded)
      : names_(names), own_recovery_(own_recovery), loaded_(loaded) {}

  void read_all(const Node& root) {
    if (read_word(root["format"]) != "tilescope session") {
      root["format"].fail("this is no session of Tilescope", "Its format is tilescope session");
      return;
    }
    std::int64_t version = 0;
    read_whole(root["version"], version, 1, INT32_MAX);
    if (version > kSessionVersion) {
      remark("It was written by a newer version; what this one does not know is kept.");
    }
    Document& document = loaded_->document;
    read_variants(root["variants"]);
    read_whole(root.find("active"), document.active, 0,
               std::max<std::int64_t>(0, std::ssize(document.variants) - 1));
    if (const Node own = root.find("own_kernels"); own.exists()) read_own_kernels(own);
    complete_own_kernels(&document);
    if (const Node view = root.find("view"); view.exists()) read_view(view);
    if (const Node settings = root.find("view_settings"); settings.exists()) {
      read_settings(settings);
    }
    if (const Node latencies = root.find("latencies"); latencies.exists()) {
      read_latencies(latencies);
    }
    if (const Node l2 = root.find("l2"); l2.exists()) read_l2(l2);
    if (const Node interface = root.find("interface"); interface.exists()) {
      read_interface(interface);
    }
    if (const Node window = root.find("window"); window.exists()) read_window(window);
    if (const Node measured = root.find("measured"); measured.exists()) {
      document.measured =
          std::make_shared<const Measurements>(read_measurements(measured, names_.devices));
    }
    const std::string notes = read_text(root.find("notes"), kMostNoteBytes);
    if (!notes.empty()) document.notes = share_text(notes);
    const Node recovery = root.find("recovery");
    if (recovery.exists() && own_recovery_) {
      Recovery kept{read_word(recovery.find("path"))};
      read(recovery.find("saved"), kept.saved);
      read(recovery.find("ended"), kept.ended);
      loaded_->recovery = kept;
    }
    nlohmann::json rest = root.unread();
    if (rest.is_object()) {
      rest.erase("variants");  // each of them keeps its own
      rest.erase("own_kernels");
      rest.erase("recovery");
    }
    if (!rest.is_null() && !rest.empty()) {
      document.unknown = std::make_shared<const nlohmann::json>(std::move(rest));
    }
  }

 private:
  void remark(std::string sentence) { loaded_->remarks.push_back(std::move(sentence)); }

  void read_variants(const Node& node) {
    if (node.size() > kMostDocumentVariants) {
      node.fail(
          fmt::format("{} variants, at most {} are taken", node.size(), kMostDocumentVariants));
      return;
    }
    for (const Node& element : node.elements()) {
      loaded_->document.variants.push_back(
          read_variant(element, {names_, own_recovery_}, &loaded_->remarks));
    }
    if (loaded_->document.variants.empty()) node.fail("there is no variant");
  }

  void read_own_kernels(const Node& node) {
    if (node.size() > kMostOwnKernels) {
      node.fail(fmt::format("{} kernels, at most {} are taken", node.size(), kMostOwnKernels));
      return;
    }
    OwnKernels all;
    for (const Node& element : node.elements()) {
      OwnKernelDocument own = read_own_kernel(element, {names_, own_recovery_});
      if (own.file.empty() || own.original == nullptr) {
        element["file"].fail("a name is missing");  // a text that is missing was said
        return;
      }
      if (find_own_kernel(all, own.file) != all.end()) {
        element["file"].fail(fmt::format("{} is there twice", shortened_name(own.file)));
        return;
      }
      own.name = free_name(all, own.name, own.file);
      all.push_back(std::move(own));
    }
    if (!all.empty()) {
      loaded_->document.own_kernels = std::make_shared<const OwnKernels>(std::move(all));
    }
  }

  // A name that is another version's: it stays in the file, and `usual` is shown for it.
  void leave_name(const Node& node, std::string_view what, std::string_view usual) {
    if (node.text().empty()) return node.fail("a name is missing");
    node.leave();
    remark(fmt::format("There is no {} {} in this version; {}. The name stays in the file.", what,
                       shortened_name(node.text()), usual));
  }

  void read_view(const Node& node) {
    if (const auto view = parse_view(read_word(node))) {
      loaded_->document.view = *view;
    } else {
      leave_name(node, "view", fmt::format("{} is shown", title_of(loaded_->document.view)));
    }
  }

  void read_l2(const Node& node) {
    const std::string name = read_word(node);
    if (name != "cold" && name != "warm") return leave_name(node, "L2", "it is cold");
    loaded_->document.cold_l2 = name == "cold";
  }

  void read_settings(const Node& node) {
    ViewSettings& settings = loaded_->document.settings;
    read(node.find("heat"), settings.heat);
    read_whole(node.find("latency_cycles"), settings.latency_cycles, 0, 1'000'000);
    read_whole(node.find("lane_window"), settings.lane_window, 0, std::int64_t{1} << 40);
    if (const Node compare = node.find("compare"); compare.exists()) read_compare(compare);
    const Node device = node.find("device");
    if (!device.exists()) return;
    const std::string name = read_word(device);
    const auto found = std::ranges::find(names_.devices, name, &DeviceModel::name);
    if (found == names_.devices.end()) {
      leave_name(device, "device", "occupancy is the GPU's");
    } else {
      settings.device = static_cast<int>(found - names_.devices.begin());
    }
  }

  void read_compare(const Node& node) {
    constexpr int kLastVariant = static_cast<int>(kMostDocumentVariants) - 1;
    ViewSettings& settings = loaded_->document.settings;
    read_whole(node.find("base"), settings.compare_base, 0, kLastVariant);
    int mode = 0;
    read_whole(node.find("mode"), mode, 0, static_cast<int>(CompareMode::kOverlay));
    settings.compare_mode = static_cast<CompareMode>(mode);
    read_whole(node.find("pane"), settings.compare_pane, -1, kLastVariant);
    read_whole(node.find("part"), settings.compare_part, 0, 2);
    read(node.find("ladder"), settings.compare_ladder);
    if (const Node view = node.find("view"); view.exists()) {
      const std::string name = read_word(view);
      const auto known = parse_view(name);
      if (known == View::kCompare) {
        view.fail(fmt::format("compare has no panes of {}", name));
      } else if (known) {
        settings.compare_view = static_cast<int>(*known);
      } else {
        leave_name(view, "view", "the panes of the comparison show what differs");
      }
    }
    const Node steps = node.find("steps_off");
    if (!steps.exists()) return;
    for (const Node& step : steps.elements()) settings.steps_off.insert(read_word(step));
  }

  void read_latencies(const Node& node) {
    LatencyModel model;
    for (const LatencyDescription& constant : latency_descriptions()) {
      double& value = model.value[static_cast<std::size_t>(constant.latency)];
      value = constant.usual;
      read_real(node.find(constant.name), value, constant.least, constant.most);
    }
    loaded_->document.latencies = model;
  }

  void read_interface(const Node& node) {
    Document& document = loaded_->document;
    if (const Node theme = node.find("theme"); theme.exists()) {
      const auto known = parse_theme(read_word(theme));
      if (!known) leave_name(theme, "theme", fmt::format("it is {}", name_of(document.theme)));
      document.theme = known.value_or(document.theme);
    }
    read_real(node.find("text_scale"), document.text_scale, static_cast<double>(kLeastTextScale),
              static_cast<double>(kMostTextScale));
    read(node.find("reduce_motion"), document.reduce_motion);
    read(node.find("lecture"), document.lecture);
    read(node.find("as_issued"), document.as_issued);
    if (const Node column = node.find("heat_column"); column.exists()) {
      const auto known = parse_heat_column(read_word(column));
      if (!known) {
        leave_name(column, "column", fmt::format("{} stand there", name_of(document.heat_column)));
      }
      document.heat_column = known.value_or(document.heat_column);
    }
    const Node panels = node.find("panels");
    if (!panels.exists()) return;
    if (panels.size() > kMostPanels) {
      panels.fail(fmt::format("{} panels, at most {} are taken", panels.size(), kMostPanels));
      return;
    }
    for (const auto& [title, open] : panels.members()) document.panels[title] = open.boolean();
  }

  void read_window(const Node& node) {
    Arrangement& arrangement = loaded_->document.arrangement;
    arrangement.focused_parameter = read_word(node.find("focused_parameter"));
    arrangement.family = read_word(node.find("family"));
    arrangement.layout = read_word(node.find("layout"));
    read_whole(node.find("width"), arrangement.width, 0, kMostPixelSide);
    read_whole(node.find("height"), arrangement.height, 0, kMostPixelSide);
    const std::string ini = read_text(node.find("layout_ini"), kMostLayoutBytes);
    if (!ini.empty()) arrangement.layout_text = share_text(ini);
    const Node source = node.find("source");
    if (!source.exists()) return;
    arrangement.source = read_word(source.find("text"));
    read_real(source.find("first_line"), arrangement.source_line, 0, 1e7);
    read(source.find("editing"), arrangement.editing);
    read(source.find("side_by_side"), arrangement.side_by_side);
  }

  const SessionNames& names_;
  bool own_recovery_;
  LoadedSession* loaded_;
};

}  // namespace

Result<LoadedSession> parse_session(std::string text, const std::filesystem::path& file,
                                    const SessionNames& names, bool own_recovery) {
  JsonDocument json(std::move(text), file);
  LoadedSession loaded;
  if (!json.mistake()) SessionReader(names, own_recovery, &loaded).read_all(json.root());
  if (json.mistake()) {
    Error mistake = *json.mistake();
    if (mistake.remedy.empty()) {
      mistake.remedy = "Correct it there, or open another file; what is open stays as it is";
    }
    return mistake;
  }
  return loaded;
}

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
