#include "cli/session_wanted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "cli/command.h"
#include "cli/export_names.h"
#include "cli/option_values.h"
#include "kernel/launch_guess.h"
#include "kernel/source_parameters.h"
#include "scene/compare/compared.h"
#include "session/measurements.h"

namespace tilescope {
namespace {

Result<std::size_t> chosen_variant(const ExportArguments& arguments, const Document& document) {
  if (arguments.variant.empty()) return static_cast<std::size_t>(document.active);
  const std::string& name = arguments.variant;
  const auto index =
      static_cast<std::size_t>(std::toupper(static_cast<unsigned char>(name[0])) - 'A');
  if (name.size() != 1 || index >= document.variants.size()) {
    return usage(
        fmt::format("the session has no variant {}", name),
        fmt::format("It has A to {}", static_cast<char>('A' + document.variants.size() - 1)));
  }
  return index;
}

std::string stem_of(std::size_t index, const VariantDocument& variant, std::string_view picture) {
  std::string name = title_of(variant);
  std::ranges::replace_if(
      name, [](char c) { return c == '/' || c == '.' || c == ' '; }, '_');
  return fmt::format("{}_{}_{}", letter_of(index), name, picture);
}

// What the charts of a variant are over.
std::vector<std::string> axes_of(const VariantDocument& variant, const Document& document,
                                 const Resources& resources) {
  std::vector<std::string> axes;
  const bool measured = document.measured != nullptr;
  const CatalogueEntry* entry = resources.catalogue.find(variant.kernel);
  if (entry != nullptr && (variant.edited == nullptr || measured)) {
    for (const ParameterSpec& spec : entry->parameters) axes.push_back(spec.name);
    axes.emplace_back("size");
  }
  if (measured && !document.measured->launches.empty()) axes.emplace_back("time");
  return axes;
}

Wanted all_pictures(std::size_t index, const Document& document, const ExportArguments& arguments,
                    PictureFormat format, const Resources& resources) {
  const VariantDocument& variant = document.variants[index];
  const auto file = [&](const std::string& picture) {
    return std::filesystem::path(arguments.output) /
           (stem_of(index, variant, picture) + "." + arguments.format);
  };
  Wanted all{index, {}};
  for (const View view : all_views()) {
    if (view == View::kCompare && document.variants.size() < 2) continue;
    all.pictures.push_back({view, {}, file(std::string(name_of(view)))});
  }
  if (is_animation(format)) return all;  // charts and pages do not run in time
  for (const Page page : all_pages()) {
    all.pictures.push_back({std::nullopt, {}, file(std::string(name_of(page))), page});
  }
  if (charted_entry(variant, resources) != nullptr) {
    all.pictures.push_back(
        {std::nullopt, {}, file(std::string(kTunerView)), std::nullopt, /*tuner=*/true});
  }
  for (const std::string& axis : axes_of(variant, document, resources)) {
    all.pictures.push_back(
        {std::nullopt, axis, file(fmt::format("{}_over_{}", kThroughputView, axis))});
  }
  return all;
}

Result<Wanted> one_picture(const ExportArguments& arguments, const Document& document) {
  const auto view = parse_view(arguments.view);
  const auto page = parse_page(arguments.view);
  const bool tuner = arguments.view == kTunerView;
  if (!view && !page && !tuner && arguments.view != kThroughputView) {
    return usage(fmt::format("there is no view '{}'", arguments.view), "export --help names them");
  }
  if (Status there = check_folder_of(arguments.output); !there) return there.error();
  const auto index = chosen_variant(arguments, document);
  if (!index) return index.error();
  const auto format = picture_format(arguments.output);
  if (!format) return format.error();
  if (!view && is_animation(*format)) {
    return usage(fmt::format("{} does not run in time", arguments.view),
                 "End its file's name in .svg, .pdf, .png, .csv or .json");
  }
  if (view == View::kCompare && document.variants.size() < 2) {
    return usage("one variant alone does not compare",
                 "Add another to the session, or export its kernel with --beside");
  }
  return Wanted{*index, {{view, arguments.over, arguments.output, page, tuner}}};
}

}  // namespace

const CatalogueEntry* charted_entry(const VariantDocument& variant, const Resources& resources) {
  return variant.edited == nullptr ? resources.catalogue.find(variant.kernel) : nullptr;
}

Result<std::vector<Wanted>> wanted_pictures(const ExportArguments& arguments,
                                            const Document& document, const Resources& resources) {
  if (!arguments.all) {
    auto one = one_picture(arguments, document);
    if (!one) return one.error();
    return std::vector<Wanted>{*std::move(one)};
  }
  const std::filesystem::path folder = arguments.output;
  const auto format = picture_format("x." + arguments.format);
  if (!format) return format.error();
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    return Error{ErrorCode::kMachine,
                 "the folder cannot be made: " + failure.message(),
                 "Choose another place",
                 {folder.string(), 0, 0}};
  }
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < document.variants.size(); ++i) {
    if (!document.variants[i].has_kernel()) continue;
    wanted.push_back(all_pictures(i, document, arguments, *format, resources));
  }
  return wanted;
}

Status change_parameters(const ExportArguments& arguments, const Resources& resources,
                         VariantDocument* variant) {
  const auto changes = parse_parameters(arguments.kernel.parameters);
  if (!changes) return changes.error();
  if (changes->empty()) return ok_status();
  if (const CatalogueEntry* entry = resources.catalogue.find(variant->kernel)) {
    ParameterSet wanted = variant->parameters;
    for (const auto& [name, value] : *changes) wanted[name] = value;
    auto complete = complete_parameters(*entry, wanted);
    if (!complete) return complete.error();
    variant->parameters = *std::move(complete);
    return ok_status();
  }
  const KernelFile file{variant->file, *variant->text()};
  const std::vector<ParameterSpec> offered = source_parameters(file, variant->launch.kernel);
  for (const auto& [name, value] : *changes) {
    const auto spec = std::ranges::find(offered, name, &ParameterSpec::name);
    if (spec == offered.end()) {
      return usage(fmt::format("-p {}: {} has no such number", name, title_of(*variant)));
    }
    variant->launch = with_parameter(variant->launch, file, *spec, value);
  }
  return ok_status();
}

}  // namespace tilescope
