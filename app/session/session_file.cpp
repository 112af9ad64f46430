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

#include "core/fields.h"
#include "core/text.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/file_launch.h"
#include "kernel/launch/launch_fields.h"
#include "scene/views.h"
#include "session/measurements_text.h"
#include "session/scene.h"

namespace tilescope {
namespace {

using Json = nlohmann::ordered_json;
using Node = JsonDocument::Node;

constexpr std::uintmax_t kMostFileBytes = std::uintmax_t{96} << 20;  // texts, as JSON has them
constexpr FieldLimits kWord{.most_elements = 4096};
constexpr std::size_t kMostArguments = 256;
constexpr std::size_t kMostNoteBytes = std::size_t{1} << 20;
constexpr std::size_t kMostLayoutBytes = std::size_t{256} << 10;
// In Document::unknown, the scenes that this version cannot show: [{"at": 2, "scene": {…}}, …] with
// their places in the list. In a file they are among the others.
constexpr const char* kLostScenes = "lost_scenes";
constexpr std::int64_t kMostBlock = std::int64_t{1} << 62;

// As much of a name out of a file as a sentence takes, in one line.
std::string shortened_name(const std::string& name) {
  std::size_t shown = std::min<std::size_t>(name.size(), 40);
  const auto continues = [&] { return (static_cast<unsigned char>(name[shown]) & 0xc0U) == 0x80U; };
  while (shown > 0 && shown < name.size() && continues()) --shown;
  std::string words = shown == name.size() ? name : name.substr(0, shown) + "…";
  std::ranges::replace_if(
      words, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return words;
}

// What a session's fields are read and written with.
struct SessionContext {
  const SessionNames& names;
  bool recovery = false;                        // whether a text may run on the GPU is kept
  std::vector<std::string>* remarks = nullptr;  // of a reader
  nlohmann::json* lost_scenes = nullptr;        // of a reader

  void remark(std::string sentence) const { remarks->push_back(std::move(sentence)); }
  void remark_unknown(std::string_view what, const std::string& name,
                      std::string_view instead) const {
    remark(fmt::format("There is no {} {} in this version; {} is used. The name stays in the file.",
                       what, shortened_name(name), instead));
  }
};

constexpr EnumeratorNames<View> kViews{name_of, parse_view, "view"};

// A text that may be missing.
template <typename Visitor>
void visit_text(Visitor& visit, const FieldName& name, SharedText& text, std::size_t most_bytes) {
  if constexpr (Visitor::kReads) {
    std::string read;
    visit(name, read, {.most_elements = most_bytes});
    text = visit.node().find(name.name).exists() ? share_text(read) : nullptr;
  } else if (text != nullptr) {
    visit(name, *text);
  }
}

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

// The fields of another version, which stay in the file.
template <typename Visitor>
void visit_unknown(Visitor& visit, UnknownFields& unknown) {
  if constexpr (Visitor::kReads) {
    nlohmann::json rest = visit.node().unread();
    unknown = rest.is_null() ? nullptr : std::make_shared<const nlohmann::json>(std::move(rest));
  } else if (unknown != nullptr) {
    add_unknown(visit.json(), *unknown);
  }
}

// Whether a text may run on the GPU: another file has no say in this.
template <typename Visitor>
void visit_allowed(Visitor& visit, bool& allowed) {
  if (visit.context().recovery) {
    visit(lenient("allowed"), allowed);
  } else if constexpr (Visitor::kReads) {
    (void)visit.node().find("allowed");
  }
}

// The text of the session wins over the catalogue's of today. `node`: the variant.
void complete_catalogue_variant(const Node& node, const SessionContext& context,
                                VariantDocument* variant) {
  const CatalogueEntry* entry = context.names.catalogue.find(variant->kernel);
  if (entry == nullptr) {
    std::vector<std::string> ids;
    for (const CatalogueEntry& known : context.names.catalogue.entries) ids.push_back(known.id);
    node.find("kernel").fail(fmt::format("there is no kernel {}", shortened_name(variant->kernel)),
                             did_you_mean(variant->kernel, ids, kListsKernels));
    return;
  }
  const SharedText saved = std::exchange(variant->original, share_text(entry->source));
  if (saved != nullptr && *saved != entry->source && variant->edited == nullptr) {
    variant->edited = saved;
    context.remark(fmt::format(
        "The text of {} has changed since; the session's is shown, as edited.", variant->kernel));
  }
  if (variant->edited != nullptr && *variant->edited == entry->source) variant->edited = nullptr;

  const ParameterSet parameters = std::exchange(variant->parameters, default_parameters(*entry));
  for (const auto& [name, value] : parameters) {
    if (const auto complete = complete_parameters(*entry, {{name, value}}); !complete) {
      node.find("parameters").find(name).fail(complete.error().message, complete.error().remedy);
      return;
    }
    variant->parameters[name] = value;
  }
  const ParameterSet extents = std::exchange(variant->extents, entry->default_extents);
  for (const auto& [name, value] : extents) {
    if (!variant->extents.contains(name)) {
      node.find("size").find(name).fail(fmt::format("{} has no such extent", entry->id));
      return;
    }
    variant->extents[name] = value;
  }
  const std::vector<std::string> known = factor_names(*entry);
  for (const auto& [name, value] : std::exchange(variant->factors, {})) {
    if (std::ranges::find(known, name) == known.end()) {
      node.find("factors").find(name).fail(fmt::format("{} has no such factor", entry->id));
      return;
    }
    variant->factors = with_factor(std::move(variant->factors), name, value);
  }
}

}  // namespace

template <typename Visitor>
void fields(Visitor& visit, ArgumentForm& argument) {
  visit("name", argument.name, kWord);
  visit(lenient("declared"), argument.declared, kWord);
  visit("buffer", argument.is_buffer);
  visit("type", argument.type, kWord);
  if (argument.is_buffer) {
    visit(lenient("count"), argument.count, kWord);
    visit(lenient("fill"), argument.fill, kWord);
  } else {
    visit(lenient("value"), argument.value, kWord);
  }
  visit(sparse("member"), argument.member);
  visit(sparse("behind"), argument.behind,
        {.most_elements = kMostArguments, .elements = "members"});
  visit.check("member", !argument.member || argument.member->parameter <= kMostArguments,
              "a kernel has at most 256 parameters");
}

template <typename Visitor>
void fields(Visitor& visit, LaunchForm& launch) {
  visit("kernel", launch.kernel, kWord);
  visit("grid", launch.grid, kWord);
  visit("block", launch.block, kWord);
  visit(lenient("shared"), launch.dynamic_shared, kWord);
  visit(sparse("parameters"), launch.parameters);
  visit("arguments", launch.arguments, {.most_elements = kMostArguments, .elements = "arguments"});
}

template <typename Visitor>
void fields(Visitor& visit, Selection& selection) {
  visit(lenient("block"), selection.block, {.most = kMostBlock});
  visit(lenient("warp"), selection.warp, {.least = 0, .most = 31});
  visit(lenient("lane"), selection.lane, {.least = 0, .most = 31});
  visit(lenient("time"), selection.event);
  visit(lenient("line"), selection.line);
}

template <typename Visitor>
void fields(Visitor& visit, TimeMarks& marks) {
  visit(sparse("loop_in"), marks.loop_in);
  visit(sparse("loop_out"), marks.loop_out);
  visit.check("loop_out", !marks.loops() || *marks.loop_in <= *marks.loop_out,
              "it lies before loop_in");
  visit.group(lenient("bookmarks"), [&](auto& bookmarks) {
    for (std::size_t i = 0; i < marks.bookmarks.size(); ++i) {
      bookmarks(sparse(std::string_view("0123456789").substr(i, 1)), marks.bookmarks[i]);
    }
    bookmarks.allow_only(
        [](std::string_view name) { return name.size() == 1 && name[0] >= '0' && name[0] <= '9'; },
        "bookmarks are called 0 to 9");
  });
}

template <typename Visitor>
void fields(Visitor& visit, MatrixCamera& camera) {
  visit(lenient("zoom"), camera.zoom, {.least = 1, .most = 4096});
  visit(lenient("x"), camera.center_x, {.least = 0, .most = 1});
  visit(lenient("y"), camera.center_y, {.least = 0, .most = 1});
}

template <typename Visitor>
void fields(Visitor& visit, VariantDocument& variant) {
  constexpr FieldLimits kFactor{.least = -std::numeric_limits<float>::max(),
                                .most = std::numeric_limits<float>::max()};
  visit(sparse("kernel"), variant.kernel, kWord);
  if (!variant.kernel.empty()) {
    visit(lenient("parameters"), variant.parameters);
    visit(lenient("size"), variant.extents, {.least = 1, .most = INT32_MAX});
    visit(sparse("factors"), variant.factors, kFactor);
  } else {
    visit(sparse("file"), variant.file, kWord);
    if (variant.is_own()) visit("launch", variant.launch);
  }
  visit(sparse("gpu"), variant.gpu, kWord);
  visit(lenient("selection"), variant.selection);
  visit(lenient("marks"), variant.marks);
  visit(lenient("camera"), variant.camera);
  visit(lenient("time_zoom"), variant.time_zoom, {.least = kLeastTimeZoom, .most = kMostTimeZoom});
  visit_allowed(visit, variant.allowed);
  if (variant.has_kernel()) {
    visit_text(visit, variant.is_own() ? FieldName("source") : lenient("source"), variant.original,
               kMostSourceBytes);
    visit_text(visit, lenient("edited"), variant.edited, kMostSourceBytes);
  }
  visit_unknown(visit, variant.unknown);
  if constexpr (Visitor::kReads) {
    if (!variant.kernel.empty()) {
      complete_catalogue_variant(visit.node(), visit.context(), &variant);
    }
  }
}

template <typename Visitor>
void fields(Visitor& visit, OwnKernelDocument& own) {
  visit("file", own.file, kWord);
  visit.check("file", !own.file.empty(), "a name is missing");
  visit(lenient("name"), own.name, kWord);
  if constexpr (Visitor::kReads) {
    own.name = usable_name(own.name);
    if (own.name.empty()) own.name = usable_name(own.file.substr(own.file.find_last_of('/') + 1));
    if (own.name.empty()) own.name = "kernel";
  }
  visit("launch", own.launch);
  visit_allowed(visit, own.allowed);
  visit_text(visit, "source", own.original, kMostSourceBytes);
  visit_text(visit, lenient("edited"), own.edited, kMostSourceBytes);
  visit_unknown(visit, own.unknown);
}

template <typename Visitor>
void fields(Visitor& visit, LatencyModel& model) {
  for (const LatencyDescription& constant : latency_descriptions()) {
    double& value = model.value[static_cast<std::size_t>(constant.latency)];
    if constexpr (Visitor::kReads) value = constant.usual;
    visit(lenient(constant.name), value, {.least = constant.least, .most = constant.most});
  }
}

template <typename Visitor>
void fields(Visitor& visit, ViewSettings& settings) {
  constexpr FieldLimits kVariant{.least = 0, .most = kMostDocumentVariants - 1};
  // A setting that is forgotten here does not compile.
  auto& [heat, device, latency_cycles, lane_window, base, mode, pane, view, part, ladder,
         steps_off] = settings;
  visit(lenient("heat"), heat);
  visit(lenient("latency_cycles"), latency_cycles, {.least = 0, .most = 1'000'000});
  visit(lenient("lane_window"), lane_window, {.least = 0, .most = std::int64_t{1} << 40});
  visit.group(lenient("compare"), [&](auto& compare) {
    compare(lenient("base"), base, kVariant);
    compare(lenient("mode"), mode, {.least = 0, .most = static_cast<int>(CompareMode::kOverlay)});
    compare(lenient("pane"), pane, {.least = -1, .most = kMostDocumentVariants - 1});
    compare(lenient("part"), part, {.least = 0, .most = 3});
    compare(lenient("ladder"), ladder);
    compare(lenient("steps_off"), steps_off, kWord);
    // By its name, where every pane shows one.
    const EnumeratorNames<int> names{
        [](int its_view) {
          return its_view < 0 ? "what differs" : name_of(static_cast<View>(its_view));
        },
        [](std::string_view name) -> std::optional<int> {
          const auto known = parse_view(name);
          return known ? std::optional(static_cast<int>(*known)) : std::nullopt;
        },
        "view"};
    if (Visitor::kReads || view >= 0) compare.named(lenient("view"), view, names);
    const bool compares = std::ranges::any_of(view_descriptors(), [&](const ViewDescriptor& other) {
      return other.needs.variants && static_cast<int>(other.view) == view;
    });
    compare.check("view", !compares, "compare has no panes of compare");
  });
  const std::vector<DeviceModel>& devices = visit.context().names.devices;
  if constexpr (Visitor::kReads) {
    std::string name;
    visit(lenient("device"), name, kWord);
    const auto found = std::ranges::find(devices, name, &DeviceModel::name);
    if (found != devices.end()) {
      device = static_cast<int>(found - devices.begin());
    } else if (!name.empty()) {
      visit.node().find("device").leave();
      visit.context().remark_unknown("device", name, "the GPU's occupancy");
    }
  } else if (device >= 0 && static_cast<std::size_t>(device) < devices.size()) {
    visit("device", devices[static_cast<std::size_t>(device)].name);
  }
}

template <typename Visitor>
void fields(Visitor& visit, Arrangement& arrangement) {
  constexpr FieldLimits kPixels{.least = 0, .most = kMostPixelSide};
  visit(lenient("focused_parameter"), arrangement.focused_parameter, kWord);
  visit(lenient("family"), arrangement.family, kWord);
  visit.group(lenient("source"), [&](auto& source) {
    source(lenient("text"), arrangement.source, kWord);
    source(lenient("first_line"), arrangement.source_line, {.least = 0, .most = 1e7});
    source(lenient("editing"), arrangement.editing);
    source(lenient("side_by_side"), arrangement.side_by_side);
  });
  visit(lenient("width"), arrangement.width, kPixels);
  visit(lenient("height"), arrangement.height, kPixels);
  visit(lenient("layout"), arrangement.layout, kWord);
  visit_text(visit, lenient("layout_ini"), arrangement.layout_text, kMostLayoutBytes);
}

// The kernels of what is shown, and the one in front.
template <typename Visitor>
void visit_variants(Visitor& visit, std::vector<VariantDocument>& variants, int& active) {
  visit(lenient("active"), active, {.least = 0, .most = kMostDocumentVariants - 1});
  visit("variants", variants, {.most_elements = kMostDocumentVariants, .elements = "variants"});
  visit.check("variants", !variants.empty(), "there is no variant");
  const auto last = std::max<std::ptrdiff_t>(0, std::ssize(variants) - 1);
  visit.check("active", active <= last, fmt::format("{} is outside 0 to {}", active, last));
}

constexpr EnumeratorNames<HeatColumn> kHeatColumnNames{name_of, parse_heat_column, "column"};

template <typename Visitor>
void fields(Visitor& visit, NamedScene& named) {
  Scene& scene = named.scene;
  visit(lenient("name"), named.name, kWord);
  visit(sparse("note"), named.note, {.most_elements = kMostSceneNoteBytes});
  visit.named(lenient("view"), scene.view, kViews);
  visit(lenient("view_settings"), scene.settings);
  visit(sparse("control"), scene.control, kWord);
  visit(sparse("telling"), scene.at_default);
  visit(lenient("as_issued"), scene.as_issued);
  visit.named(lenient("heat_column"), scene.heat_column, kHeatColumnNames);
  visit_variants(visit, scene.variants, scene.active);
  visit_unknown(visit, named.unknown);
}

template <typename Visitor>
void fields(Visitor& visit, Recovery& recovery) {
  visit(lenient("path"), recovery.path, kWord);
  visit(lenient("saved"), recovery.saved);
  visit(lenient("ended"), recovery.ended);
}

namespace {

void check_own_kernels(const Node& node, OwnKernels* all) {
  OwnKernels checked;
  for (OwnKernelDocument& own : *all) {
    if (find_own_kernel(checked, own.file) != checked.end()) {
      node.elements()[checked.size()].find("file").fail(
          fmt::format("{} is there twice", shortened_name(own.file)));
      return;
    }
    own.name = free_name(checked, own.name, own.file);
    checked.push_back(std::move(own));
  }
  *all = std::move(checked);
}

// Cold or warm.
constexpr EnumeratorNames<bool> kL2{
    [](bool cold) -> std::string_view { return cold ? "cold" : "warm"; },
    [](std::string_view name) -> std::optional<bool> {
      if (name != "cold" && name != "warm") return std::nullopt;
      return name == "cold";
    },
    "L2"};

}  // namespace

namespace {

// The catalogue's kernel that a scene needs and this version lacks; empty: there is none.
std::string missing_kernel(const nlohmann::json& scene, const Catalogue& catalogue) {
  const auto variants = scene.is_object() ? scene.find("variants") : scene.end();
  if (!scene.is_object() || variants == scene.end() || !variants->is_array()) return "";
  for (const nlohmann::json& variant : *variants) {
    if (!variant.is_object() || !variant.contains("kernel")) continue;
    const nlohmann::json& kernel = variant["kernel"];
    if (!kernel.is_string() || kernel.get_ref<const std::string&>().empty()) continue;
    if (catalogue.find(kernel.get<std::string>()) == nullptr) return kernel.get<std::string>();
  }
  return "";
}

// Those that this version can show. The others are put aside, so that they stay in the file.
template <typename Reader>
Scenes read_scenes(const Reader& reader) {
  Scenes scenes;
  const Node all = reader.node().find("scenes");
  if (!all.exists()) return scenes;
  if (all.size() > kMostScenes) {
    all.fail(fmt::format("{} scenes, at most {} are taken", all.size(), kMostScenes));
    return scenes;
  }
  const SessionContext& context = reader.context();
  std::size_t at = 0;
  for (const Node& node : all.elements()) {
    nlohmann::json scene = node.whole();
    const std::string kernel = missing_kernel(scene, context.names.catalogue);
    if (kernel.empty()) {
      reader.read(node, scenes.emplace_back());
    } else {
      context.remark(
          fmt::format("Scene {} is not shown: this version has no kernel {}. It stays in the file.",
                      at + 1, shortened_name(kernel)));
      context.lost_scenes->push_back({{"at", at}, {"scene", std::move(scene)}});
    }
    ++at;
  }
  return scenes;
}

// Puts lost scenes back to their places in a file's list.
void put_back(const nlohmann::json& lost, Json* scenes) {
  if (scenes->is_null()) *scenes = Json::array();
  for (const nlohmann::json& each : lost) {
    const auto at = std::min<std::size_t>(each["at"].get<std::size_t>(), scenes->size());
    scenes->insert(scenes->begin() + static_cast<std::ptrdiff_t>(at), Json(each["scene"]));
  }
}

}  // namespace

// Without its measurements and what another version wrote.
template <typename Visitor>
void fields(Visitor& visit, Document& document) {
  visit_variants(visit, document.variants, document.active);
  if constexpr (Visitor::kReads) {
    OwnKernels own;
    visit(lenient("own_kernels"), own, {.most_elements = kMostOwnKernels, .elements = "kernels"});
    check_own_kernels(visit.node().find("own_kernels"), &own);
    if (!own.empty()) document.own_kernels = std::make_shared<const OwnKernels>(std::move(own));
  } else if (document.own_kernels != nullptr && !document.own_kernels->empty()) {
    visit("own_kernels", *document.own_kernels);
  }
  if constexpr (Visitor::kReads) {
    Scenes scenes = read_scenes(visit);
    if (!scenes.empty()) document.scenes = std::make_shared<const Scenes>(std::move(scenes));
  } else if (document.scenes != nullptr && !document.scenes->empty()) {
    visit("scenes", *document.scenes);
  }
  visit.named(lenient("view"), document.view, kViews);
  visit(lenient("view_settings"), document.settings);
  visit(sparse("latencies"), document.latencies);
  visit.named(lenient("l2"), document.cold_l2, kL2);
  visit.group(lenient("interface"), [&](auto& interface) {
    interface.named(lenient("theme"), document.theme,
                    EnumeratorNames<Theme>{name_of, parse_theme, "theme"});
    interface(lenient("text_scale"), document.text_scale,
              {.least = kLeastTextScale, .most = kMostTextScale});
    interface(lenient("reduce_motion"), document.reduce_motion);
    interface(lenient("lecture"), document.lecture);
    interface(lenient("as_issued"), document.as_issued);
    interface(lenient("panels"), document.panels, {.most_elements = 256, .elements = "panels"});
    interface.named(lenient("heat_column"), document.heat_column, kHeatColumnNames);
  });
  visit(lenient("window"), document.arrangement);
  if constexpr (Visitor::kReads) {
    visit_text(visit, lenient("notes"), document.notes, kMostNoteBytes);
    if (document.notes != nullptr && document.notes->empty()) document.notes = nullptr;
  } else {
    visit("notes", document.notes != nullptr ? *document.notes : std::string());
  }
}

namespace {

// Gives the variants of the document's scenes the names that their kernels have in its list.
void complete_scenes(Document* document) {
  if (document->scenes == nullptr || document->own_kernels == nullptr) return;
  Scenes scenes = *document->scenes;
  for (NamedScene& named : scenes) {
    for (VariantDocument& variant : named.scene.variants) {
      const auto own = find_own_kernel(*document->own_kernels, variant.file);
      if (own != document->own_kernels->end()) variant.name = own->name;
    }
  }
  document->scenes = std::make_shared<const Scenes>(std::move(scenes));
}

// Reads a whole file. Mistakes are kept in the JSON document.
void read_document(const Node& root, SessionContext context, LoadedSession* loaded) {
  nlohmann::json lost_scenes;
  context.lost_scenes = &lost_scenes;
  constexpr std::string_view kFormat = "tilescope session";
  if (root["format"].text() != kFormat) {
    root["format"].fail("this is no session of Tilescope",
                        fmt::format("Its format is {}", kFormat));
    return;
  }
  const std::int64_t version = root["version"].integer();
  if (version < 1 || version > INT32_MAX) {
    root["version"].fail(fmt::format("{} is outside 1 to {}", version, INT32_MAX));
  }
  if (version > kSessionVersion) {
    context.remark("It was written by a newer version; what this one does not know is kept.");
  }
  Document& document = loaded->document;
  FieldReader<const SessionContext> reader(root, context);
  fields(reader, document);
  complete_own_kernels(&document);
  complete_scenes(&document);
  if (const Node measured = root.find("measured"); measured.exists()) {
    document.measured =
        std::make_shared<const Measurements>(read_measurements(measured, context.names.devices));
  }
  const Node recovery = root.find("recovery");
  if (recovery.exists() && context.recovery) reader.read(recovery, loaded->recovery.emplace());
  nlohmann::json rest = root.unread();
  if (rest.is_object()) {
    rest.erase("variants");  // each of them keeps its own
    rest.erase("own_kernels");
    rest.erase("scenes");
    rest.erase("recovery");
    rest.erase(kLostScenes);
  }
  if (!lost_scenes.empty()) rest[kLostScenes] = std::move(lost_scenes);
  if (!rest.is_null() && !rest.empty()) {
    document.unknown = std::make_shared<const nlohmann::json>(std::move(rest));
  }
}

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

Result<LoadedSession> parse_session(std::string text, const std::filesystem::path& file,
                                    const SessionNames& names, bool own_recovery) {
  JsonDocument json(std::move(text), file);
  LoadedSession loaded;
  if (!json.mistake()) {
    read_document(json.root(), {names, own_recovery, &loaded.remarks}, &loaded);
  }
  if (json.mistake()) {
    Error mistake = *json.mistake();
    if (mistake.remedy.empty()) {
      mistake.remedy = "Correct it there, or open another file; what is open stays as it is";
    }
    return mistake;
  }
  return loaded;
}

std::string session_text(const Document& document, const SessionNames& names,
                         const std::optional<Recovery>& recovery) {
  const SessionContext context{names, recovery.has_value()};
  const FieldWriter<Json, SessionContext> writer(context);
  Json json{{"format", "tilescope session"}, {"version", kSessionVersion}};
  if (recovery) json["recovery"] = writer.json_of(*recovery);
  json.update(writer.json_of(document));
  if (document.measured != nullptr && !document.measured->empty()) {
    json["measured"] = json_of(*document.measured);
  }
  if (document.unknown != nullptr) {
    const Json usual = writer.json_of(Document{});
    nlohmann::json unknown = *document.unknown;
    if (const auto lost = unknown.find(kLostScenes); lost != unknown.end()) {
      put_back(*lost, &json["scenes"]);
      unknown.erase(lost);
    }
    add_unknown(json, unknown, &usual);
  }
  // Typed text may hold anything; what is no UTF-8 is replaced.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilescope
