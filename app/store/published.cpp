#include "store/published.h"

#include <algorithm>

#include "core/json_document.h"

namespace tilescope {
namespace {

constexpr std::int64_t kPublishedFormat = 1;

// A list of ladders, each with steps; what is missing in a step is its ladder's.
std::vector<PublishedFigure> read_figures(const JsonDocument::Node& root) {
  std::vector<PublishedFigure> figures;
  if (root["format"].integer() != kPublishedFormat)
    root["format"].fail("a format of another version");
  for (const JsonDocument::Node& ladder : root["ladders"].elements()) {
    for (const JsonDocument::Node& step : ladder["steps"].elements()) {
      const JsonDocument::Node value = step.find("value");
      if (!value.exists()) continue;  // beside the published ones, for docs/results.md
      PublishedFigure figure;
      figure.kernel = step["kernel"].text();
      figure.parameters = step["parameters"].integers();
      figure.extents = (step.find("extents").exists() ? step : ladder)["extents"].integers();
      figure.gpu = ladder["gpu"].text();
      figure.document = ladder["source"].text();
      figure.value = value.number();
      figure.unit = ladder["unit"].text();
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
  return load_json_file(file, "published figures", "", read_figures);
}

}  // namespace tilescope
