#include "core/conditions.h"

#include <fmt/format.h>

#include <vector>

namespace tilescope {
namespace {

// Those of `other` that `own` has not, or has otherwise.
void add_factors(const Conditions& other, const Conditions& own, std::vector<std::string>* words) {
  for (const char* name : {"alpha", "beta"}) {
    const double usual = std::string_view(name) == "alpha" ? 1 : 0;
    const auto of = [&](const Conditions& conditions) {
      const auto found = conditions.factors.find(name);
      return found == conditions.factors.end() ? usual : found->second;
    };
    if (of(other) != of(own)) words->push_back(fmt::format("{} {:g}", name, of(other)));
  }
}

}  // namespace

std::string apart_words(const Conditions& other, const Conditions& own) {
  std::vector<std::string> words;
  if (other.gpu != own.gpu) {
    words.push_back(other.gpu.empty() ? "unknown GPU" : short_gpu(other.gpu));
  } else if (other.driver != own.driver) {
    words.push_back(other.driver.empty() ? "unknown driver" : "driver " + other.driver);
  }
  if (other.cold != own.cold) words.emplace_back(other.cold ? "cold L2" : "warm L2");
  add_factors(other, own, &words);
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string short_gpu(std::string_view name) {
  for (const std::string_view maker : {"NVIDIA ", "GeForce "}) {
    if (name.starts_with(maker)) name.remove_prefix(maker.size());
  }
  return name.starts_with("a GPU") ? "unnamed GPU" : std::string(name);
}

std::optional<double> ratio(const Conditioned& a, const Conditioned& b) {
  if (!(a.under == b.under) || !(b.value > 0)) return std::nullopt;
  return a.value / b.value;
}

}  // namespace tilescope
