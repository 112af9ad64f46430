#include "cli/session_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <thread>
#include <utility>

#include "analysis/pipeline.h"
#include "cli/resources.h"
#include "cli/roofline_lookup.h"
#include "export/export_view.h"
#include "session/session_file.h"
#include "session/variant_instance.h"

namespace tilescope {
namespace {

using SharedStudy = std::shared_ptr<const KernelStudy>;

Error usage(std::string message, std::string remedy) {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

// Files that are to be written, of one variant.
struct Wanted {
  std::size_t variant = 0;
  std::vector<std::pair<View, std::filesystem::path>> pictures;
};

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

std::string stem_of(std::size_t index, const VariantDocument& variant, View view) {
  std::string name = title_of(variant);
  std::ranges::replace_if(
      name, [](char c) { return c == '/' || c == '.' || c == ' '; }, '_');
  return fmt::format("{}_{}_{}", static_cast<char>('A' + index), name, name_of(view));
}

Result<std::vector<Wanted>> wanted_pictures(const ExportArguments& arguments,
                                            const Document& document) {
  std::vector<Wanted> wanted;
  if (!arguments.all) {
    const auto view = parse_view(arguments.view);
    if (!view) {
      return usage(fmt::format("there is no view '{}'", arguments.view),
                   "export --help names them");
    }
    const auto index = chosen_variant(arguments, document);
    if (!index) return index.error();
    if (const auto format = picture_format(arguments.output); !format) return format.error();
    wanted.push_back({*index, {{*view, arguments.output}}});
    return wanted;
  }
  const std::filesystem::path folder = arguments.output;
  if (const auto format = picture_format("x." + arguments.format); !format) return format.error();
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    return Error{ErrorCode::kMachine,
                 "the folder cannot be made: " + failure.message(),
                 "Choose another place",
                 {folder.string(), 0, 0}};
  }
  for (std::size_t i = 0; i < document.variants.size(); ++i) {
    if (!document.variants[i].has_kernel()) continue;
    Wanted all{i, {}};
    for (const View view : all_views()) {
      all.pictures.emplace_back(
          view, folder / (stem_of(i, document.variants[i], view) + "." + arguments.format));
    }
    wanted.push_back(std::move(all));
  }
  return wanted;
}

// All that the window knows of a variant in the end.
Result<SharedStudy> whole_study(const VariantDocument& variant, const Document& document,
                                const Resources& resources, int compute_capability) {
  const unsigned workers = std::max(std::thread::hardware_concurrency(), 1u);
  const DeviceModel device = device_model_for(resources.devices, compute_capability);
  auto instance = instance_of(variant, resources.catalogue, device);
  if (!instance) return instance.error();
  StudyRequest request;
  request.instance = *std::move(instance);
  request.compute_capability = compute_capability;
  request.block = variant.selection.block;
  request.workers = workers;
  auto study = study_block(request, {});
  if (study) study = with_resources(*study, device, {});
  if (variant.is_own() || variant.edited != nullptr) {
    if (study) study = with_checks(*study, CheckedBlocks::kTraced, {});
    if (study) study = with_checks(*study, CheckedBlocks::kSample, {});
  }
  if (study) study = with_issued_counts(*study, false, workers, {});
  if (!study) return study;
  if (auto piped = with_pipeline(*study, document.latencies, {})) study = *std::move(piped);
  const auto grid = run_grid(**study, workers, {});
  if (!grid) return grid.error();
  study = with_grid(*study, *grid);
  if (!(*study)->issued_counters) return study;
  return with_issued_counts(*study, true, workers, {});
}

Status export_variant(const Wanted& wanted, const Document& document, const Resources& resources,
                      const ExportArguments& arguments, PictureRequest request) {
  const VariantDocument& variant = document.variants[wanted.variant];
  int compute_capability = 0;
  const auto architecture = parse_architecture(arguments.kernel.architecture);
  if (!architecture) return architecture.error();
  compute_capability = *architecture;
  const auto study = whole_study(variant, document, resources, compute_capability);
  if (!study) return study.error();
  ViewContext& context = request.context;
  context.study = study->get();
  context.prepared = prepare(**study);
  context.entry = resources.catalogue.find(variant.kernel);
  context.selection = variant.selection;
  TimeMarks marks = variant.marks;
  keep_inside(**study, &context.selection, &marks);
  context.camera = variant.camera;
  context.time_zoom = variant.time_zoom;
  context.settings = document.settings;
  context.devices = std::make_shared<const std::vector<DeviceModel>>(resources.devices);
  for (const auto& [view, file] : wanted.pictures) {
    request.view = view;
    const auto format = picture_format(file);
    if (!format) return format.error();
    if (Status sized = set_size(arguments.pixels, *format, &request); !sized) return sized;
    if (view == View::kPipeline && context.entry != nullptr && variant.edited == nullptr) {
      auto alternatives = pipeline_alternatives(*context.entry, **study, nullptr, {});
      if (!alternatives) return alternatives.error();
      context.alternatives =
          std::make_shared<const std::vector<PipelineAlternative>>(*std::move(alternatives));
    }
    if (view == View::kRoofline && context.entry != nullptr) {
      KernelInstance named = (*study)->instance;
      named.id = variant.kernel;  // an edited one too stands on its family's roofline
      context.roofline = roofline_data_of(named, *(*study)->device);
    }
    if (Status written = export_view(request, file); !written) return written;
    fmt::print("{}\n", file.string());
  }
  return ok_status();
}

}  // namespace

int export_session(const ExportArguments& arguments) {
  const auto resources = load_resources();
  if (!resources) return report(resources.error());
  const auto loaded = read_session(arguments.session, {resources->catalogue, resources->devices});
  if (!loaded) return report(loaded.error());
  for (const std::string& remark : loaded->remarks) fmt::print(stderr, "{}\n", remark);
  const auto wanted = wanted_pictures(arguments, loaded->document);
  if (!wanted) return report(wanted.error());
  PictureRequest request;
  const auto theme = parse_theme(arguments.theme);
  if (!theme) {
    return report(usage(fmt::format("there is no theme '{}'", arguments.theme),
                        "Choose dark, light or paper"));
  }
  request.context.theme = *theme;
  request.context.text_scale = arguments.text_scale;
  for (const Wanted& variant : *wanted) {
    const Status done = export_variant(variant, loaded->document, *resources, arguments, request);
    if (!done) return report(done.error());
  }
  return 0;
}

}  // namespace tilescope
