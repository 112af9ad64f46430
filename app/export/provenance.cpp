#include "export/provenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>
#include <vector>

#include "analysis/study/counter_check.h"
#include "analysis/time/measured_phases.h"
#include "build_config.h"
#include "core/conditions.h"
#include "core/number_text.h"
#include "core/text.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/gemm_factors.h"
#include "scene/compare/compare_scene.h"
#include "scene/compare/compared.h"
#include "scene/roofline/roofline_figure.h"
#include "scene/views.h"

namespace tilescope {
namespace {

std::string extents_of(const char* name, const Dim3& size) {
  return fmt::format("{} {} x {} x {}", name, size.x, size.y, size.z);
}

void add_study(Provenance& result, const KernelStudy& study, const CatalogueEntry* entry) {
  result.kernel = study.instance.id;
  result.parameters =
      with_factors_text(values_words(entry, study.instance.parameters), factors_of(study.instance));
  result.size = values_words(entry, study.instance.extents);
  result.launch =
      extents_of("grid", study.instance.grid) + ", " + extents_of("block", study.instance.block);
  if (study.compiled == nullptr) return;
  result.device = study.compiled->architecture;
  result.toolkit = study.compiled->compiler;
}

using Times = std::vector<const KnownTime*>;

// Those that the roofline view knows.
Times times_of(const RooflineData& data) {
  Times times;
  if (data.known) times.push_back(&*data.known);
  for (const LadderStep& step : data.steps) times.push_back(&step.time);
  return times;
}

// Those that it shows beside them.
Times times_elsewhere(const RooflineData& data) {
  Times times;
  for (const KnownTime& time : data.elsewhere) times.push_back(&time);
  for (const LadderStep& step : data.steps_elsewhere) times.push_back(&step.time);
  return times;
}

void add_times(Provenance& result, const Times& times, const std::string& gpu) {
  for (const KnownTime* time : times) result.date = std::max(result.date, time->date);
  if (!times.empty()) {
    result.measured =
        fmt::format("{} on {}", name_of(times.front()->source), gpu.empty() ? "a GPU" : gpu);
  }
}

// Those of other conditions than `own`, which stand apart: "apart: recorded on H200".
void add_apart(Provenance& result, const Times& times, const Conditions& own) {
  std::set<std::string> words;
  for (const KnownTime* time : times) {
    words.insert(fmt::format("{} {} {}", name_of(time->source),
                             time->under.gpu != own.gpu ? "on" : "with",
                             apart_words(time->under, own)));
    result.date = std::max(result.date, time->date);
  }
  if (words.empty()) return;
  result.measured +=
      fmt::format("{}apart: {}", result.measured.empty() ? "" : "; ", fmt::join(words, ", "));
}

// "B transpose/tiled PAD 0"
std::string name_in(const ComparedSet& set, std::size_t variant) {
  const ComparedVariant& own = set.variants[variant];
  std::string name = letter_of(variant) + " ";
  if (own.study == nullptr) return name + own.name;
  name += own.study->instance.id;
  std::string apart = label_of(set, variant).substr(own.name.size());  // ", PAD 0"
  std::erase(apart, ',');
  return name + apart;
}

// All variants in the place of the one that is worked on, and the times that are shown of them.
void add_compared(Provenance& result, const ViewContext& context) {
  const ComparedSet& set = *context.compared;
  result.several = true;
  result.kernel.clear();
  result.parameters.clear();
  result.launch.clear();
  const bool each_size = sizes_differ(set);
  if (each_size) result.size.clear();
  Times times;
  Times elsewhere;
  for (std::size_t i = 0; i < set.variants.size(); ++i) {
    const ComparedVariant& variant = set.variants[i];
    for (const KnownTime& time : variant.elsewhere) elsewhere.push_back(&time);
    result.kernel += (i == 0 ? "" : ", ") + name_in(set, i);
    if (variant.known) times.push_back(&*variant.known);
    if (variant.study == nullptr) continue;
    if (each_size) {
      result.size += fmt::format("{}{} {}", result.size.empty() ? "" : "; ", letter_of(i),
                                 size_words(variant));
    }
    const KernelInstance& instance = variant.study->instance;
    const std::string words =
        with_factors_text(values_words(variant.entry, instance.parameters), factors_of(instance));
    if (words.empty()) continue;
    result.parameters +=
        fmt::format("{}{} {}", result.parameters.empty() ? "" : "; ", letter_of(i), words);
  }
  if (context.roofline && waterfall_of(context).is_ladder) {
    for (const LadderStep& step : context.roofline->steps) times.push_back(&step.time);
  }
  std::vector<std::string> gpus;  // several where variants have their own
  for (const KnownTime* time : times) {
    const std::string& gpu = time->under.gpu;
    if (!gpu.empty() && std::ranges::find(gpus, gpu) == gpus.end()) gpus.push_back(gpu);
  }
  add_times(result, times, joined(gpus));
  add_apart(result, elsewhere, times.empty() ? Conditions{} : times.front()->under);
}

// Of a figure of many runs: RateFigure, TunedFigure.
template <typename Figure>
void add_figure(Provenance& result, const Figure& figure, bool cold) {
  result.kernel = figure.kernel;
  result.parameters = figure.parameter_words;
  result.size = values_words(nullptr, figure.extents);
  const std::string gpus = figure.gpus();
  if (!gpus.empty()) {
    const Source source = figure.is_of_this_run() ? Source::kMeasured : Source::kRecorded;
    result.measured =
        fmt::format("{} on {} with a {} L2", name_of(source), gpus, cold ? "cold" : "warm");
  }
  if constexpr (requires { figure.apart(); }) {
    const std::string apart = figure.apart();
    if (!apart.empty()) result.measured += (gpus.empty() ? "apart: " : "; apart: ") + apart;
  }
  result.toolkit = figure.toolkits();
  result.date = figure.newest_date();
}

}  // namespace

std::string stated_date() {
  const char* text = std::getenv("SOURCE_DATE_EPOCH");
  if (text == nullptr) return {};
  const auto seconds = parse_number<std::int64_t>(text);
  constexpr std::int64_t kMost = 253402300799;  // the last second of the year 9999
  if (!seconds || *seconds < 0 || *seconds > kMost) return {};
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds{std::chrono::seconds{*seconds}})};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

std::string name_of(const PictureRequest& request) {
  if (request.chart) return "throughput";
  if (request.tuned) return "tuner";
  return std::string(request.page ? name_of(*request.page) : name_of(request.view));
}

PageRequest page_request(const PictureRequest& request, const ViewContext& context) {
  return {*request.page, context, request.as_issued, request.side_by_side};
}

std::string title_of(const PictureRequest& request) {
  if (request.chart) return title_of(*request.chart);
  if (request.tuned) return "Tuner";
  return std::string(request.page ? title_of(*request.page) : title_of(request.view));
}

Sentence sentence_of(const PictureRequest& request) {
  if (request.tuned) return tuned_sentence(*request.tuned);
  if (request.page) return sentence_of(page_request(request, request.context));
  return request.chart ? rate_sentence(*request.chart) : sentence_of(request.view, request.context);
}

std::vector<std::pair<std::string_view, std::string>> Provenance::facts() const {
  std::vector<std::pair<std::string_view, std::string>> all = {
      {"kernel", kernel}, {"parameters", parameters}, {"size", size},
      {"launch", launch}, {"device", device},         {"measurements", measured},
      {"date", date},     {"toolkit", toolkit},       {"program", program}};
  std::erase_if(all, [](const auto& fact) { return fact.second.empty(); });
  return all;
}

std::string Provenance::keywords() const {
  std::string text;
  for (const auto& [name, value] : facts()) {
    if (!text.empty()) text += "; ";
    text.append(name).append(": ").append(value);
  }
  return text;
}

std::string Provenance::line() const {
  std::string text = kernel;
  if (!parameters.empty() && !several) text += " · " + parameters;
  if (!size.empty()) text += " · " + size;
  std::string how;
  const auto add = [&how](const std::string& words) {
    if (!words.empty()) how += (how.empty() ? "" : ", ") + words;
  };
  if (!device.empty()) add("emulated");
  for (const std::string* part : {&device, &toolkit, &measured, &date}) add(*part);
  return how.empty() ? text : text + " · " + how;
}

Provenance provenance_of(const PictureRequest& request) {
  Provenance result;
  result.program = "Tilescope " TILESCOPE_VERSION;
  if (request.chart) {
    add_figure(result, *request.chart, request.chart->cold);
  } else if (request.tuned) {
    add_figure(result, *request.tuned, true);
  } else if (request.page) {
    add_study(result, *request.context.study, request.context.entry);
    if (const auto& hardware = request.context.hardware;
        request.page == Page::kCounters && hardware) {
      result.measured = fmt::format("{} on {}", name_of(hardware->source), hardware->device);
      result.date = hardware->date;
    }
  } else {
    add_study(result, *request.context.study, request.context.entry);
    const ViewNeeds& needs = descriptor_of(request.view).needs;
    if (needs.family && request.context.roofline) {
      const RooflineData& data = *request.context.roofline;
      add_times(result, times_of(data), data.gpu);
      add_apart(result, times_elsewhere(data), data.under);
    }
    if (const auto& phases = request.context.phases; needs.phases && phases) {
      result.measured = fmt::format("phases {} on {}", name_of(phases->source),
                                    phases->gpu.empty() ? "a GPU" : phases->gpu);
      result.date = phases->date;
    }
    const auto& compared = request.context.compared;
    if (needs.variants && compared && compared->variants.size() > 1) {
      add_compared(result, request.context);
    }
  }
  if (!request.date.empty()) result.date = request.date;
  return result;
}

std::string caption_of(const PictureRequest& request) {
  return fmt::format("{}. {} {}", title_of(request), plain(sentence_of(request)),
                     provenance_of(request).line());
}

}  // namespace tilescope
