#include "cli/session_charts.h"

#include "cli/command.h"
#include "cli/rate_lookup.h"
#include "session/live_figure.h"
#include "session/measurements.h"
#include "session/readings.h"
#include "session/variant_instance.h"

namespace tilescope {
namespace {

const VariantDocument& active_of(const SessionCharts& charts) {
  return charts.document.variants[charts.active];
}

Error nothing_kept() {
  return usage("no throughput is kept of a file or an edited text",
               "--view throughput and tuner take a kernel of the catalogue as it ships, or what a "
               "session measured");
}

// Those of the catalogue that are of the active one's problem.
std::vector<ChartVariant> charted_variants(const SessionCharts& charts, Problem problem) {
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
    return usage("the session keeps no launches",
                 "Save it in a window that has measured with a GPU");
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

}  // namespace

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

DeviceModel device_of(const Document& document, const Resources& resources,
                      int compute_capability) {
  const Measurements* measured = document.measured.get();
  if (measured != nullptr && measured->device.compute_capability == compute_capability) {
    return measured->device;
  }
  return device_model_for(resources.devices, compute_capability);
}

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

}  // namespace tilescope
