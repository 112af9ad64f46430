#include "cli/session_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/time/study_depth.h"
#include "cli/command.h"
#include "cli/compared_variants.h"
#include "cli/export_command.h"
#include "cli/export_options.h"
#include "cli/measured_rates.h"
#include "cli/options.h"
#include "core/parallel.h"
#include "core/result.h"
#include "export/export_view.h"
#include "kernel/launch/launch_form.h"
#include "kernel/launch/source_parameters.h"
#include "scene/rates/rate_figure.h"
#include "scene/rates/tuned_figure.h"
#include "scene/views.h"
#include "session/document.h"
#include "session/measurements.h"
#include "session/readings.h"
#include "session/scene.h"
#include "session/session_file.h"
#include "session/view_queries.h"
#include "store/recorded_library.h"
#include "store/source_digest.h"

namespace tilescope {
namespace {

// A variant of a session, whose charts are drawn as the window draws them when it is in front.
struct SessionCharts {
  const Document& document;
  const Resources& resources;
  std::size_t active = 0;
  int compute_capability = 90;  // whose peak is shown where nothing was measured
};

const VariantDocument& active_of(const SessionCharts& charts) {
  return charts.document.variants[charts.active];
}

Error nothing_kept() {
  return usage("there is no recorded throughput of a file or an edited text",
               "--view throughput and tuner need an unedited catalogue kernel, or the measurements "
               "of a session");
}

// Those of the catalogue that are of the active one's problem.
std::vector<ChartVariant> charted_variants(const SessionCharts& charts, const Problem& problem) {
  std::vector<ChartVariant> charted;
  int index = -1;
  for (const VariantDocument& variant : charts.document.variants) {
    ++index;
    const CatalogueEntry* entry = charts.resources.catalogue.find(variant.kernel);
    if (entry == nullptr || entry->problem != problem) continue;
    charted.push_back({index, entry, variant.parameters, variant.extents, variant.factors,
                       variant.edited != nullptr ? text_digest(*variant.edited) : std::string()});
  }
  return charted;
}

Result<std::shared_ptr<const RateFigure>> live_chart(const SessionCharts& charts,
                                                     std::optional<RateUnit> unit) {
  const Document& document = charts.document;
  if (document.measured == nullptr || document.measured->launches.empty()) {
    return usage("the session has no measured launches",
                 "Save it in a window that measured with a GPU");
  }
  return std::make_shared<const RateFigure>(
      live_figure({document.variants,
                   static_cast<int>(charts.active),
                   document.cold_l2,
                   *document.measured,
                   unit,
                   {charts.resources.catalogue, charts.resources.devices}}));
}

// What the session's tuner tried, if that is wanted.
std::optional<TunedFigure> tried_figure(const SessionCharts& charts, const CatalogueEntry* entry,
                                        bool of_variant) {
  const Measurements* measured = charts.document.measured.get();
  if (measured == nullptr || !measured->tuned) return std::nullopt;
  const VariantDocument& active = active_of(charts);
  const bool fits = entry != nullptr && active.edited == nullptr &&
                    is_of(*measured->tuned, *entry, active.extents, active.factors);
  if (of_variant && !fits) return std::nullopt;
  return tuned_figure(*measured->tuned, charts.resources.catalogue);
}

// Over a parameter, "size" or "time" (empty: the first parameter): what the session measured, of
// all its variants of the same problem, then what is recorded. kUsage: nothing is kept of such a
// kernel.
Result<std::shared_ptr<const RateFigure>> session_chart(const SessionCharts& charts,
                                                        const std::string& over,
                                                        std::optional<RateUnit> unit,
                                                        bool history) {
  if (over == "time") return live_chart(charts, unit);
  const Document& document = charts.document;
  const VariantDocument& active = active_of(charts);
  const CatalogueEntry* entry = charts.resources.catalogue.find(active.kernel);
  const Measurements* measured = document.measured.get();
  if (entry == nullptr || (active.edited != nullptr && measured == nullptr)) return nothing_kept();
  const DeviceModel device =
      measured != nullptr ? measured->device
                          : device_model_for(charts.resources.devices, charts.compute_capability);
  const auto instance = instance_of(active, charts.resources.catalogue, device);
  if (!instance) return instance.error();
  RateRequest request{*instance, device, over, unit, history, document.cold_l2};
  request.measured = measured;
  request.variants = charted_variants(charts, entry->problem);
  request.active = static_cast<int>(charts.active);
  for (const VariantDocument& variant : document.variants) {
    request.names.push_back(title_of(variant));
  }
  return rate_figure_of(charts.resources, request);
}

// The GPU that the session's measurements are of, where it has this compute capability; else the
// table's. Its pictures are computed for it.
DeviceModel device_of(const Document& document, const Resources& resources,
                      int compute_capability) {
  const Measurements* measured = document.measured.get();
  if (measured != nullptr && measured->device.compute_capability == compute_capability) {
    return measured->device;
  }
  return device_model_for(resources.devices, compute_capability);
}

// What the tuner tried last in the session; with `of_variant` only where that was the variant's
// kernel, at its size and with its factors. Else what is recorded of it.
Result<std::shared_ptr<const TunedFigure>> session_tuner(const SessionCharts& charts,
                                                         bool of_variant, bool history) {
  const VariantDocument& active = active_of(charts);
  const CatalogueEntry* entry = charts.resources.catalogue.find(active.kernel);
  if (auto tried = tried_figure(charts, entry, of_variant)) {
    return std::make_shared<const TunedFigure>(*std::move(tried));
  }
  if (entry == nullptr || active.edited != nullptr) return nothing_kept();
  const DeviceModel device = device_model_for(charts.resources.devices, charts.compute_capability);
  const auto instance = instance_of(active, charts.resources.catalogue, device);
  if (!instance) return instance.error();
  return tuned_figure_of(charts.resources, {*instance, device, {}, {}, history, true});
}

// A file that is to be written: a view, a page, or a chart over a parameter or the size.
struct WantedPicture {
  std::optional<View> view;  // nullopt, as the page: a chart, or the tuner
  std::string over;  // of a chart: a parameter, "size" or "time"; empty: the first parameter
  std::filesystem::path file;
  std::optional<Page> page = std::nullopt;
  bool tuner = false;
};
// Those of one variant.
struct WantedPictures {
  std::size_t variant = 0;
  std::vector<WantedPicture> pictures;
};

// The catalogue's kernel of which there are recorded times; nullptr: a file, or an edited text.
[[nodiscard]] const CatalogueEntry* charted_entry(const VariantDocument& variant,
                                                  const Resources& resources);

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

WantedPictures all_pictures(std::size_t index, const Document& document,
                            const ExportArguments& arguments, PictureFormat format,
                            const Resources& resources) {
  const VariantDocument& variant = document.variants[index];
  const auto file = [&](const std::string& picture) {
    return std::filesystem::path(arguments.output) /
           (stem_of(index, variant, picture) + "." + arguments.format);
  };
  WantedPictures all{index, {}};
  for (const View view : all_views()) {
    if (descriptor_of(view).needs.variants && document.variants.size() < 2) continue;
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

Result<WantedPictures> one_picture(const ExportArguments& arguments, const Document& document) {
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
    return usage(fmt::format("{} has no animation", arguments.view),
                 "Use a file name ending in .svg, .pdf, .png, .csv or .json");
  }
  if (view && descriptor_of(*view).needs.variants && document.variants.size() < 2) {
    return usage("a comparison needs two variants",
                 "Add another to the session, or export its kernel with --beside");
  }
  return WantedPictures{*index, {{view, arguments.over, arguments.output, page, tuner}}};
}

const CatalogueEntry* charted_entry(const VariantDocument& variant, const Resources& resources) {
  return variant.edited == nullptr ? resources.catalogue.find(variant.kernel) : nullptr;
}

// The format of the pictures in the output folder, which is made.
Result<PictureFormat> format_in_folder(const ExportArguments& arguments) {
  const std::filesystem::path folder = arguments.output;
  auto format = picture_format("x." + arguments.format);
  if (!format) return format.error();
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    return Error{ErrorCode::kMachine,
                 "the folder cannot be made: " + failure.message(),
                 "Choose another place",
                 {folder.string(), 0, 0}};
  }
  return format;
}

// What --session asks for: one picture of one variant, or with --all every view of each that has a
// kernel and every chart of what is recorded. Makes the folder of --all.
Result<std::vector<WantedPictures>> wanted_pictures(const ExportArguments& arguments,
                                                    const Document& document,
                                                    const Resources& resources) {
  if (!arguments.all) {
    auto one = one_picture(arguments, document);
    if (!one) return one.error();
    return std::vector<WantedPictures>{*std::move(one)};
  }
  const auto format = format_in_folder(arguments);
  if (!format) return format.error();
  std::vector<WantedPictures> wanted;
  for (std::size_t i = 0; i < document.variants.size(); ++i) {
    if (!document.variants[i].has_kernel()) continue;
    wanted.push_back(all_pictures(i, document, arguments, *format, resources));
  }
  return wanted;
}

// -p on the command line: other numbers for the one variant that is written.
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

// The pictures of one session, as files; what several of them show is computed once. What it is
// made of outlives it.
class SessionPictures {
 public:
  // Precondition: the device is what the document is drawn for.
  SessionPictures(const Document& document, const Resources& resources,
                  const ExportArguments& arguments, DeviceModel device);

  // Writes what is wanted of one variant and names each file on stdout. The first error ends it:
  // what hinders one view hinders all.
  Status write(const WantedPictures& wanted);
  // Variants are shown where this view of them shows most, not where their selection is.
  void look_where_it_shows_most(View view) { most_shown_ = view; }

 private:
  struct Studied {
    std::shared_ptr<const KernelStudy> study;
    std::shared_ptr<const PreparedStudy> prepared;
    Selection selection;
  };
  Result<const Studied*> studied(std::size_t index);
  // What the session measured; and, where it is needed, the person's history if that is asked for,
  // then what is recorded: read once, for the first picture that needs it.
  Result<KnownMeasurements> known_measurements(const ViewNeeds& needs);
  ViewedVariant viewed(std::size_t index);
  Status fill_context(std::size_t index, const ViewNeeds& needs, ViewContext* context);
  // A chart or the tuner. False: nothing is known of what it would show, and it is one of many.
  Result<bool> write_figure(std::size_t index, const WantedPicture& wanted);
  [[nodiscard]] Result<PictureRequest> request_for(const std::filesystem::path& file) const;
  Status write_page(std::size_t index, Page page, const std::filesystem::path& file);
  Status write(std::size_t index, View view, const std::filesystem::path& file);

  const Document& document_;
  const Resources& resources_;
  const ExportArguments& arguments_;
  DeviceModel device_;
  std::optional<View> most_shown_;
  std::vector<std::optional<Studied>> studied_;
  KeptMeasurements nothing_kept_;
  std::optional<KeptMeasurements> kept_;
  OtherLaunches launches_;
};

// All that the window knows of a variant in the end.
Result<std::shared_ptr<const KernelStudy>> whole_study(const VariantDocument& variant,
                                                       const Document& document,
                                                       const Resources& resources,
                                                       const DeviceModel& device) {
  auto instance = instance_of(variant, resources.catalogue, device);
  if (!instance) return instance.error();
  StudyRequest request;
  request.instance = *std::move(instance);
  request.compute_capability = device.compute_capability;
  request.block = variant.selection.block;
  request.workers = processor_count();
  auto study = study_block(request, {});
  if (study) study = with_resources(*study, device, {});
  if (!study) return study;
  return with_depth(*study,
                    {.checks = variant.is_own() || variant.edited != nullptr,
                     .issued = true,
                     .pipeline = true,
                     .whole_grid = true,
                     .latencies = document.latencies,
                     .workers = processor_count()},
                    {});
}

SessionPictures::SessionPictures(const Document& document, const Resources& resources,
                                 const ExportArguments& arguments, DeviceModel device)
    : document_(document),
      resources_(resources),
      arguments_(arguments),
      device_(std::move(device)),
      studied_(document.variants.size()),
      launches_(resources.catalogue, run_now, processor_count()) {}

Status SessionPictures::write(const WantedPictures& wanted) {
  for (const WantedPicture& each : wanted.pictures) {
    if (each.page) {
      const Status written = write_page(wanted.variant, *each.page, each.file);
      if (!written) return written;
    } else if (each.view) {
      if (Status written = write(wanted.variant, *each.view, each.file); !written) return written;
    } else {
      const auto written = write_figure(wanted.variant, each);
      if (!written) return written.error();
      if (!*written) continue;
    }
    print_out("{}\n", each.file.string());
  }
  return ok_status();
}

Result<const SessionPictures::Studied*> SessionPictures::studied(std::size_t index) {
  std::optional<Studied>& known = studied_[index];
  if (known) return &*known;
  const VariantDocument& variant = document_.variants[index];
  const DeviceModel& device = device_of(variant, resources_.devices, device_);
  if (!variant.gpu.empty() && device.name != variant.gpu) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} is computed for an {}, which is not in the list of GPUs",
                             title_of(variant), variant.gpu),
                 "Choose another GPU for it in the window; tilescope list --devices",
                 {}};
  }
  const auto study = whole_study(variant, document_, resources_, device);
  if (!study) {
    Error error = study.error();
    // What a session's kernel asks for that cannot be is the kernel's fault, not the command's.
    if (error.code == ErrorCode::kUsage) error.code = ErrorCode::kKernel;
    return error;
  }
  known = {*study, prepare(**study), variant.selection};
  if (most_shown_) known->selection = default_selection(*most_shown_, **study, *known->prepared);
  TimeMarks marks = variant.marks;
  keep_inside(**study, &known->selection, &marks);
  return &*known;
}

Result<KnownMeasurements> SessionPictures::known_measurements(const ViewNeeds& needs) {
  if (!kept_ && (needs.times || needs.hardware)) {
    auto loaded =
        kept_measurements(resources_.catalogue, arguments_.history, device_.compute_capability);
    if (!loaded) return loaded.error();
    kept_ = *std::move(loaded);
  }
  return (kept_ ? *kept_ : nothing_kept_).known(document_.measured.get());
}

ViewedVariant SessionPictures::viewed(std::size_t index) {
  const VariantDocument& variant = document_.variants[index];
  ViewedVariant viewed{.entry = resources_.catalogue.find(variant.kernel)};
  viewed.name = viewed.entry != nullptr ? viewed.entry->title : title_of(variant);
  if (!variant.has_kernel()) {
    viewed.missing = "no kernel is chosen";
    return viewed;
  }
  const auto found = studied(index);
  if (!found) {
    viewed.missing = to_string(found.error());
    return viewed;
  }
  if (variant.edited != nullptr) viewed.name += ", edited";
  viewed.study = (*found)->study;
  viewed.prepared = (*found)->prepared;
  return viewed;
}

Status SessionPictures::fill_context(std::size_t index, const ViewNeeds& needs,
                                     ViewContext* context) {
  const auto found = studied(index);
  if (!found) return found.error();
  context->selection = (*found)->selection;
  const auto measurements = known_measurements(needs);
  if (!measurements) return measurements.error();
  std::vector<ViewedVariant> variants;
  std::size_t active = 0;
  if (needs.variants && document_.variants.size() > 1) {
    active = index;
    for (std::size_t i = 0; i < document_.variants.size(); ++i) {
      variants.push_back(viewed(i));
      const bool is_studied = variants.back().missing.empty();
      context->compared_at.push_back(is_studied ? studied_[i]->selection
                                                : document_.variants[i].selection);
    }
  } else {
    variants.push_back(viewed(index));
  }
  ViewQueries queries(launches_, run_now);
  Status asked = queries.ask(needs, variants, active, device_, *measurements);
  queries.fill(variants[active], context);
  return asked;
}

Result<bool> SessionPictures::write_figure(std::size_t index, const WantedPicture& wanted) {
  const SessionCharts charts{document_, resources_, index, device_.compute_capability};
  const auto unit = parse_rate_unit(arguments_.unit);
  if (!unit && !arguments_.unit.empty()) {
    return usage(fmt::format("there is no unit '{}'", arguments_.unit), "export --help names them");
  }
  auto request = request_for(wanted.file);
  if (!request) return request.error();
  if (wanted.tuner) {
    const bool of_variant = arguments_.all || !arguments_.variant.empty();
    auto tuned = session_tuner(charts, of_variant, arguments_.history);
    if (!tuned) return tuned.error();
    if (arguments_.all && (*tuned)->empty()) return false;
    request->tuned = *std::move(tuned);
  } else {
    auto figure = session_chart(charts, wanted.over, unit, arguments_.history);
    if (!figure) return figure.error();
    if (arguments_.all && (*figure)->empty()) return false;
    request->chart = *std::move(figure);
  }
  if (Status written = export_view(*request, wanted.file); !written) return written.error();
  return true;
}

Result<PictureRequest> SessionPictures::request_for(const std::filesystem::path& file) const {
  const auto format = picture_format(file);
  if (!format) return format.error();
  return picture_request(arguments_, *format);
}

Status SessionPictures::write_page(std::size_t index, Page page,
                                   const std::filesystem::path& file) {
  auto request = request_for(file);
  if (!request) return request.error();
  request->page = page;
  request->as_issued = !arguments_.as_written && document_.as_issued;
  request->side_by_side = arguments_.side_by_side && page == Page::kSource;
  if (Status filled = fill_context(index, needs_of(page), &request->context); !filled) {
    return filled;
  }
  return export_view(*request, file);
}

Status SessionPictures::write(std::size_t index, View view, const std::filesystem::path& file) {
  const VariantDocument& variant = document_.variants[index];
  auto request = request_for(file);
  if (!request) return request.error();
  request->view = view;
  ViewContext& context = request->context;
  context.camera = variant.camera;
  context.time_zoom = variant.time_zoom;
  context.settings = document_.settings;
  context.devices = std::make_shared<const std::vector<DeviceModel>>(resources_.devices);
  if (Status filled = fill_context(index, needs_of(view, context.settings), &context); !filled) {
    return filled;
  }
  const auto format = picture_format(file);
  return format && is_animation(*format) ? write_animation(arguments_, *std::move(request), file)
                                         : export_view(*request, file);
}

Error of_variant(Error error, const WantedPictures& wanted, const Document& document) {
  error.message = fmt::format("variant {} ({}): {}", letter_of(wanted.variant),
                              title_of(document.variants[wanted.variant]), error.message);
  return error;
}

// "02_Banks_transpose_tiled_PAD_0": letters and digits of the scene's name, and where it stands.
std::string stem_of(std::size_t index, const NamedScene& scene) {
  std::string stem = fmt::format("{:02}_", index + 1);
  for (const char c : scene.name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ||
                          static_cast<unsigned char>(c) >= 0x80;
    if (is_plain) {
      stem += c;
    } else if (stem.back() != '_') {
      stem += '_';
    }
  }
  while (stem.back() == '_') stem.pop_back();
  return stem;
}

// The view of each scene in the folder, named by its place. The exit status, the worst of all.
int export_scenes(const ExportArguments& arguments, const Document& document,
                  const Resources& resources, const DeviceModel& device) {
  if (document.scenes == nullptr || document.scenes->empty()) {
    return report(usage("the session has no scenes",
                        "Press A in the window to add what is on screen, and save the session"));
  }
  if (const auto format = format_in_folder(arguments); !format) return report(format.error());
  int worst = 0;
  for (std::size_t i = 0; i < document.scenes->size(); ++i) {
    const NamedScene& named = (*document.scenes)[i];
    Document shown = document;
    shown.variants = named.scene.variants;
    shown.settings = named.scene.settings;
    shown.as_issued = named.scene.as_issued;
    const auto file = std::filesystem::path(arguments.output) /
                      fmt::format("{}.{}", stem_of(i, named), arguments.format);
    SessionPictures pictures(shown, resources, arguments, device);
    if (named.scene.at_default) pictures.look_where_it_shows_most(named.scene.view);
    const Status done = pictures.write(
        {static_cast<std::size_t>(named.scene.active), {{named.scene.view, {}, file}}});
    if (done) continue;
    Error error = done.error();
    error.message = fmt::format("scene {} ({}): {}", i + 1, named.name, error.message);
    worst = std::max(worst, report(error));
  }
  return worst;
}

}  // namespace

int export_session(const ExportArguments& arguments) {
  const auto& resources = load_resources();
  if (!resources) return report(resources.error());
  const auto loaded = read_session(arguments.session, {resources->catalogue, resources->devices});
  if (!loaded) return report(loaded.error());
  for (const std::string& remark : loaded->remarks) print_error("{}\n", remark);
  if (Status applies = check_options(arguments); !applies) return report(applies.error());
  Document document = loaded->document;
  const auto architecture = parse_architecture(arguments.kernel.architecture);
  if (!architecture) return report(architecture.error());
  auto device = device_of(document, *resources, *architecture);
  if (!arguments.device.empty()) {
    const auto named = find_named_device(arguments.device, resources->devices);
    if (!named) return report(named.error());
    device = resources->devices[static_cast<std::size_t>(*named)];
    if (device.compute_capability != *architecture) {
      return report(
          usage(fmt::format("--device {} is of sm_{}", device.name, device.compute_capability),
                fmt::format("Give --arch sm_{} too", device.compute_capability)));
    }
  }
  if (arguments.scenes) return export_scenes(arguments, document, *resources, device);
  const auto wanted = wanted_pictures(arguments, document, *resources);
  if (!wanted) return report(wanted.error());
  if (!arguments.all) {
    VariantDocument& variant = document.variants[wanted->front().variant];
    if (Status changed = change_parameters(arguments, *resources, &variant); !changed) {
      return report(changed.error());
    }
  }
  SessionPictures pictures(document, *resources, arguments, device);
  int worst = 0;
  for (const WantedPictures& variant : *wanted) {
    const Status done = pictures.write(variant);
    if (!done) worst = std::max(worst, report(of_variant(done.error(), variant, document)));
  }
  return worst;
}

}  // namespace tilescope
