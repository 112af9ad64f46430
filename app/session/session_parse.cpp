#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernel/file_launch.h"
#include "kernel/json_document.h"
#include "kernel/parameter_values.h"
#include "kernel/spelling.h"
#include "session/session_file.h"

namespace tilescope {
namespace {

using Node = JsonDocument::Node;

constexpr std::size_t kMostNoteBytes = std::size_t{1} << 20;
constexpr std::size_t kMostLayoutBytes = std::size_t{256} << 10;
constexpr std::size_t kMostWordBytes = 4096;
constexpr std::size_t kMostArguments = 256;
constexpr std::size_t kMostPanels = 256;
constexpr std::int64_t kMostExtent = INT32_MAX;
constexpr std::int64_t kMostBlock = std::int64_t{1} << 62;

// Reads into `to` where the value is there; what stands in `to` is the default.
void read(const Node& node, bool& to) {
  if (node.exists()) to = node.boolean();
}

template <typename Number>
void read_whole(const Node& node, Number& to, std::int64_t least, std::int64_t most) {
  if (!node.exists()) return;
  const std::int64_t value = node.integer();
  if (value < least || value > most) {
    node.fail(fmt::format("{} lies outside {} to {}", value, least, most));
    return;
  }
  to = static_cast<Number>(value);
}

template <typename Number>
void read_real(const Node& node, Number& to, double least, double most) {
  if (!node.exists()) return;
  const double value = node.number();
  if (!std::isfinite(value) || value < least || value > most) {
    node.fail(fmt::format("{} lies outside {} to {}", value, least, most));
    return;
  }
  to = static_cast<Number>(value);
}

std::string read_text(const Node& node, std::size_t most_bytes) {
  if (!node.exists()) return "";
  std::string text = node.text();
  if (text.size() > most_bytes) {
    node.fail(fmt::format("the text has {} bytes, at most {} are taken", text.size(), most_bytes));
    return "";
  }
  return text;
}

SharedText read_source(const Node& node) {
  if (!node.exists()) return nullptr;
  return share_text(read_text(node, kMostSourceBytes));
}

std::string read_word(const Node& node) { return read_text(node, kMostWordBytes); }

// As much of a name out of a file as a sentence takes, in one line.
std::string shortened(const std::string& name) {
  std::size_t shown = std::min<std::size_t>(name.size(), 40);
  const auto continues = [&] { return (static_cast<unsigned char>(name[shown]) & 0xc0U) == 0x80U; };
  while (shown > 0 && shown < name.size() && continues()) --shown;
  std::string words = shown == name.size() ? name : name.substr(0, shown) + "…";
  std::ranges::replace_if(
      words, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return words;
}

std::optional<std::uint32_t> read_event(const Node& node) {
  if (!node.exists()) return std::nullopt;
  std::uint32_t event = 0;
  read_whole(node, event, 0, UINT32_MAX);
  return event;
}

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
      rest.erase("variants");  // each variant keeps its own
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
      loaded_->document.variants.push_back(read_variant(element));
    }
    if (loaded_->document.variants.empty()) node.fail("there is no variant");
  }

  VariantDocument read_variant(const Node& node) {
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
    if (const Node allowed = node.find("allowed"); own_recovery_) read(allowed, variant.allowed);
    if (nlohmann::json rest = node.unread(); !rest.is_null()) {
      variant.unknown = std::make_shared<const nlohmann::json>(std::move(rest));
    }
    return variant;
  }

  // The text of the session wins over the catalogue's of today.
  void read_catalogue_kernel(const Node& node, VariantDocument* variant) {
    const CatalogueEntry* entry = names_.catalogue.find(variant->kernel);
    if (entry == nullptr) {
      std::vector<std::string> ids;
      for (const CatalogueEntry& known : names_.catalogue.entries) ids.push_back(known.id);
      std::string remedy = did_you_mean(variant->kernel, ids);
      if (remedy.empty()) remedy = "tilescope list shows what there is";
      node.find("kernel").fail(fmt::format("there is no kernel {}", shortened(variant->kernel)),
                               remedy);
      return;
    }
    const SharedText saved = read_source(node.find("source"));
    variant->original = share_text(entry->source);
    variant->edited = read_source(node.find("edited"));
    if (saved != nullptr && *saved != entry->source && variant->edited == nullptr) {
      variant->edited = saved;
      remark(fmt::format("The text of {} has changed since; the session's is shown, as edited.",
                         variant->kernel));
    }
    if (variant->edited != nullptr && *variant->edited == entry->source) variant->edited = nullptr;
    read_parameters(node.find("parameters"), *entry, variant);
    read_extents(node.find("size"), *entry, variant);
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
      read(item["buffer"], argument.is_buffer);
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

  // A name that is another version's: it stays in the file, and `usual` is shown for it.
  void leave_name(const Node& node, std::string_view what, std::string_view usual) {
    if (node.text().empty()) return node.fail("a name is missing");
    node.leave();
    remark(fmt::format("There is no {} {} in this version; {}. The name stays in the file.", what,
                       shortened(node.text()), usual));
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

}  // namespace tilescope
