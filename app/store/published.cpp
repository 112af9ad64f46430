#include "store/published.h"

#include <algorithm>

#include "store/recorded_runs.h"

namespace tilescope {
namespace {

using nlohmann::ordered_json;

constexpr int kFormat = 1;

std::vector<PublishedFigure> decode(const ordered_json& document) {
  check_format(document, kFormat);
  std::vector<PublishedFigure> figures;
  for (const ordered_json& ladder : document.at("ladders")) {
    for (const ordered_json& step : ladder.at("steps")) {
      if (!step.contains("value")) continue;  // beside the published ones, for docs/results.md
      PublishedFigure figure;
      step.at("kernel").get_to(figure.kernel);
      step.at("parameters").get_to(figure.parameters);
      (step.contains("extents") ? step : ladder).at("extents").get_to(figure.extents);
      ladder.at("gpu").get_to(figure.gpu);
      ladder.at("source").get_to(figure.document);
      step.at("value").get_to(figure.value);
      ladder.at("unit").get_to(figure.unit);
      figures.push_back(std::move(figure));
    }
  }
  return figures;
}

}  // namespace

bool PublishedFigure::fits(const std::map<std::string, std::int64_t>& launch_parameters,
                           const std::map<std::string, std::int64_t>& launch_extents) const {
  return extents == launch_extents && std::ranges::all_of(parameters, [&](const auto& wanted) {
           const auto found = launch_parameters.find(wanted.first);
           return found != launch_parameters.end() && found->second == wanted.second;
         });
}

Result<std::vector<PublishedFigure>> load_published(const std::filesystem::path& file) {
  return load_json_file(file, "published figures", "", decode);
}

}  // namespace tilescope
