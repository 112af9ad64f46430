#include "store/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tilescope {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;

std::vector<PublishedFigure> decode(const json& document) {
  if (document.at("format").get<int>() != kFormat) {
    throw std::runtime_error("a format of another version");
  }
  std::vector<PublishedFigure> figures;
  for (const json& ladder : document.at("ladders")) {
    for (const json& step : ladder.at("steps")) {
      PublishedFigure figure;
      step.at("kernel").get_to(figure.kernel);
      step.at("parameters").get_to(figure.parameters);
      ladder.at("extents").get_to(figure.extents);
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
  std::ifstream stream(file);
  try {
    if (!stream) throw std::runtime_error("cannot be read");
    return decode(json::parse(stream));
  } catch (const std::exception& wrong) {
    return Error{ErrorCode::kUsage,
                 fmt::format("no published figures: {}", wrong.what()),
                 "",
                 {file.string(), 0, 0}};
  }
}

}  // namespace tilescope
