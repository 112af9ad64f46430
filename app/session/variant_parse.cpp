#include "session/variant_parse.h"

#include <algorithm>
#include <limits>

#include "kernel/file_launch.h"
#include "kernel/parameter_values.h"
#include "kernel/spelling.h"
#include "session/read_values.h"

namespace tilescope {
namespace {

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

}  // namespace

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

}  // namespace tilescope
