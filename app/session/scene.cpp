#include "session/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "kernel/catalogue/catalogue.h"
#include "kernel/catalogue/parameter_values.h"
#include "scene/views.h"

namespace tilescope {

bool operator==(const Scene& a, const Scene& b) {
  const auto content = [](const Scene& s) {
    return std::tie(s.variants, s.active, s.view, s.settings, s.as_issued, s.heat_column, s.control,
                    s.at_default);
  };
  return content(a) == content(b);
}

bool operator==(const NamedScene& a, const NamedScene& b) {
  return a.name == b.name && a.note == b.note && a.scene == b.scene && a.unknown == b.unknown;
}

bool same_scenes(const SharedScenes& a, const SharedScenes& b) {
  if (a == b) return true;
  const bool a_is_empty = a == nullptr || a->empty();
  const bool b_is_empty = b == nullptr || b->empty();
  if (a_is_empty || b_is_empty) return a_is_empty && b_is_empty;
  return *a == *b;
}

Scene scene_of(const Document& document) {
  return {.variants = document.variants,
          .active = document.active,
          .view = document.view,
          .settings = document.settings,
          .as_issued = document.as_issued,
          .heat_column = document.heat_column,
          .control = document.arrangement.focused_parameter};
}

namespace {

// "transpose/tiled, PAD 0": the kernel and the parameters that are not its usual ones.
std::string described(const VariantDocument& variant, const Catalogue& catalogue) {
  std::string name = title_of(variant);
  if (const CatalogueEntry* entry = catalogue.find(variant.kernel)) {
    for (const ParameterSpec& spec : entry->parameters) {
      const auto value = variant.parameters.find(spec.name);
      if (value == variant.parameters.end() || value->second == spec.default_value) continue;
      name += fmt::format(", {} {}", spec.name, value->second);
    }
  }
  return name;
}

}  // namespace

std::string name_for(const Scene& scene, const Catalogue& catalogue) {
  std::string name = described(scene.variants[static_cast<std::size_t>(scene.active)], catalogue);
  if (descriptor_of(scene.view).needs.variants) {
    name.clear();
    for (const VariantDocument& variant : scene.variants) {
      if (!name.empty()) name += &variant == &scene.variants.back() ? " and " : "; ";
      name += described(variant, catalogue);
    }
  }
  return fmt::format("{}: {}", title_of(scene.view), name);
}

SharedOwnKernels with_kernels_of(const SharedOwnKernels& own_kernels,
                                 const std::vector<VariantDocument>& variants) {
  if (std::ranges::none_of(variants, &VariantDocument::is_own)) return own_kernels;
  Document document;
  document.variants = variants;
  OwnKernels all = own_kernels != nullptr ? *own_kernels : OwnKernels{};
  for (const VariantDocument& variant : variants) {
    const auto own = std::ranges::find(all, variant.file, &OwnKernelDocument::file);
    if (!variant.is_own() || own == all.end()) continue;
    own->original = variant.original;
    own->edited = variant.edited;
    own->launch = variant.launch;
  }
  document.own_kernels = std::make_shared<const OwnKernels>(std::move(all));
  complete_own_kernels(&document);
  return document.own_kernels;
}

}  // namespace tilescope
