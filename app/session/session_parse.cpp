#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernel/json_document.h"
#include "session/measurements_text.h"
#include "session/read_values.h"
#include "session/session_file.h"
#include "session/variant_parse.h"

namespace tilescope {
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

}  // namespace tilescope
