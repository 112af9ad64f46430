#include "cli/session_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <utility>

#include "analysis/issued_study.h"
#include "analysis/pipeline.h"
#include "cli/animation_export.h"
#include "cli/output.h"
#include "cli/resources.h"
#include "cli/roofline_lookup.h"
#include "cli/view_study.h"
#include "core/parallel.h"
#include "export/export_view.h"
#include "scene/compare/compared.h"
#include "session/session_file.h"
#include "session/variant_instance.h"
#include "store/recorded_library.h"

namespace tilescope {
namespace {

using SharedStudy = std::shared_ptr<const KernelStudy>;

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
    const auto format = picture_format(arguments.output);
    if (!format) return format.error();
    wanted.push_back({*index, {{*view, arguments.output}}});
    return wanted;
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
  for (std::size_t i = 0; i < document.variants.size(); ++i) {
    if (!document.variants[i].has_kernel()) continue;
    Wanted all{i, {}};
    for (const View view : all_views()) {
      if (view == View::kCompare && document.variants.size() < 2) continue;
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
  const DeviceModel device = device_model_for(resources.devices, compute_capability);
  auto instance = instance_of(variant, resources.catalogue, device);
  if (!instance) return instance.error();
  StudyRequest request;
  request.instance = *std::move(instance);
  request.compute_capability = compute_capability;
  request.block = variant.selection.block;
  request.workers = processor_count();
  auto study = study_block(request, {});
  if (study) study = with_resources(*study, device, {});
  if (variant.is_own() || variant.edited != nullptr) {
    if (study) study = with_checks(*study, CheckedBlocks::kTraced, {});
    if (study) study = with_checks(*study, CheckedBlocks::kSample, {});
  }
  if (study) study = with_issued_counts(*study, Counted::kSample, processor_count(), {});
  if (!study) return study;
  if (auto piped = with_pipeline(*study, document.latencies, {})) study = *std::move(piped);
  return with_whole_grid(*study);
}

// The pictures of one session; what several of them show is computed once.
class SessionPictures {
 public:
  SessionPictures(const Document& document, const Resources& resources,
                  const ExportArguments& arguments, int compute_capability)
      : document_(document),
        resources_(resources),
        arguments_(arguments),
        compute_capability_(compute_capability),
        studied_(document.variants.size()) {}

  Status write(const Wanted& wanted) {
    for (const auto& [view, file] : wanted.pictures) {
      if (Status written = write(wanted.variant, view, file); !written) return written;
      print_out("{}\n", file.string());
    }
    return ok_status();
  }

 private:
  struct Studied {
    SharedStudy study;
    std::shared_ptr<const PreparedStudy> prepared;
    Selection selection;
  };

  Result<const Studied*> studied(std::size_t index) {
    std::optional<Studied>& known = studied_[index];
    if (known) return &*known;
    const VariantDocument& variant = document_.variants[index];
    const auto study = whole_study(variant, document_, resources_, compute_capability_);
    if (!study) return study.error();
    known = {*study, prepare(**study), variant.selection};
    TimeMarks marks = variant.marks;
    keep_inside(**study, &known->selection, &marks);
    return &*known;
  }

  // Read once, for the first picture that needs it.
  Result<const RecordedLibrary*> recorded_library() {
    if (!recorded_) {
      auto loaded = RecordedLibrary::load_shipped(resources_.catalogue);
      if (!loaded) return loaded.error();
      recorded_ = *std::move(loaded);
    }
    return &*recorded_;
  }

  Status compare(std::size_t active, ViewContext* context) {
    const auto recorded = recorded_library();
    if (!recorded) return recorded.error();
    std::vector<ComparedVariant> variants;
    for (std::size_t i = 0; i < document_.variants.size(); ++i) {
      const VariantDocument& variant = document_.variants[i];
      ComparedVariant& shown = variants.emplace_back();
      shown.entry = resources_.catalogue.find(variant.kernel);
      shown.name = shown.entry != nullptr ? shown.entry->title : title_of(variant);
      context->compared_at.push_back(variant.selection);
      if (!variant.has_kernel()) {
        shown.missing = "no kernel is chosen";
        continue;
      }
      const auto found = studied(i);
      if (!found) {
        shown.missing = to_string(found.error());
        continue;
      }
      shown.study = (*found)->study;
      shown.prepared = (*found)->prepared;
      context->compared_at.back() = (*found)->selection;
      if (variant.edited != nullptr) shown.name += ", edited";
      if (shown.entry == nullptr || variant.edited != nullptr) continue;
      const KernelInstance& instance = shown.study->instance;
      shown.known = recorded_time(**recorded, *shown.entry, instance.parameters, instance);
    }
    context->compared = compared_set(std::move(variants), active);
    return ok_status();
  }

  Status write(std::size_t index, View view, const std::filesystem::path& file) {
    const VariantDocument& variant = document_.variants[index];
    const auto format = picture_format(file);
    if (!format) return format.error();
    auto request = picture_request(arguments_, *format);
    if (!request) return request.error();
    const auto found = studied(index);
    if (!found) return found.error();
    const KernelStudy& study = *(*found)->study;
    request->view = view;
    ViewContext& context = request->context;
    context.study = &study;
    context.prepared = (*found)->prepared;
    context.selection = (*found)->selection;
    context.entry = resources_.catalogue.find(variant.kernel);
    context.camera = variant.camera;
    context.time_zoom = variant.time_zoom;
    context.settings = document_.settings;
    context.devices = std::make_shared<const std::vector<DeviceModel>>(resources_.devices);
    if (variant.edited == nullptr) {
      if (Status added = add_alternatives(view, study, *study.device, &context); !added) {
        return added;
      }
    }
    if ((view == View::kRoofline || view == View::kCompare) && context.entry != nullptr) {
      KernelInstance named = study.instance;
      named.id = variant.kernel;  // an edited one too stands on its family's roofline
      const auto recorded = recorded_library();
      if (!recorded) return recorded.error();
      context.roofline =
          roofline_data_of({.instance = named,
                            .device = *study.device,
                            .catalogue = resources_.catalogue,
                            .recorded = **recorded,
                            .count = view == View::kRoofline ? CountMoved::kOn : CountMoved::kOff});
    }
    if (view == View::kCompare && document_.variants.size() > 1) {
      if (Status compared = compare(index, &context); !compared) return compared;
    }
    return is_animation(*format) ? write_animation(arguments_, *std::move(request), file)
                                 : export_view(*request, file);
  }

  const Document& document_;
  const Resources& resources_;
  const ExportArguments& arguments_;
  int compute_capability_;
  std::vector<std::optional<Studied>> studied_;
  std::optional<RecordedLibrary> recorded_;
};

}  // namespace

int export_session(const ExportArguments& arguments) {
  const auto resources = load_resources();
  if (!resources) return report(resources.error());
  const auto loaded = read_session(arguments.session, {resources->catalogue, resources->devices});
  if (!loaded) return report(loaded.error());
  for (const std::string& remark : loaded->remarks) print_error("{}\n", remark);
  const auto wanted = wanted_pictures(arguments, loaded->document);
  if (!wanted) return report(wanted.error());
  const auto architecture = parse_architecture(arguments.kernel.architecture);
  if (!architecture) return report(architecture.error());
  SessionPictures pictures(loaded->document, *resources, arguments, *architecture);
  for (const Wanted& variant : *wanted) {
    if (const Status done = pictures.write(variant); !done) return report(done.error());
  }
  return 0;
}

}  // namespace tilescope
