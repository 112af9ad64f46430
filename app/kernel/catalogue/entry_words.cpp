#include "kernel/catalogue/entry_words.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace tilescope {

std::string seeds_text(const CatalogueEntry& entry) {
  std::vector<std::pair<std::string, std::string>> documents;  // and their sections
  for (const std::string& seed : entry.seeds) {
    const std::size_t colon = std::min(seed.find(": "), seed.size());
    const std::string document = seed.substr(0, colon);
    const std::string section = seed.substr(std::min(colon + 2, seed.size()));
    const auto known =
        std::ranges::find(documents, document, &std::pair<std::string, std::string>::first);
    if (known == documents.end()) {
      documents.emplace_back(document, section);
    } else {
      known->second += ", " + section;
    }
  }
  std::string text;
  for (const auto& [document, sections] : documents) {
    const bool numbered =
        !document.empty() && std::isdigit(static_cast<unsigned char>(document.front())) != 0;
    text += text.empty() ? (numbered ? "course texts " : "") : "; ";
    text += sections.empty() ? document : document + ": " + sections;
  }
  return text;
}

std::string place_of(const Watch& watch) {
  std::string text = watch.view;
  for (const auto& [name, value] : watch.parameters) {
    text += (text == watch.view ? " with " : ", ") + name + " = " + std::to_string(value);
  }
  return text;
}

}  // namespace tilescope
