#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace tilescope {

// The HTML of pages, with their style and script: assets/page.html. It has blocks, each behind a
// line "<!-- block: NAME -->"; a block has gaps, {{name}}. A block of one line is without its end.
class PageTemplate {
 public:
  // kMachine: the file cannot be read. kUsage: a block is there twice.
  [[nodiscard]] static Result<PageTemplate> load(const std::filesystem::path& file);
  // Of resource_directory().
  [[nodiscard]] static Result<PageTemplate> load_shipped();

  [[nodiscard]] bool has(std::string_view block) const { return blocks_.contains(block); }
  using Gap = std::pair<std::string_view, std::string_view>;
  // The block with its gaps filled, with what is HTML already. Preconditions: there is such a
  // block, and it has exactly these gaps.
  [[nodiscard]] std::string fill(std::string_view block, const std::vector<Gap>& gaps) const;

 private:
  std::map<std::string, std::string, std::less<>> blocks_;
};

// A text as HTML, in an attribute too.
[[nodiscard]] std::string html_text(std::string_view text);

// What a page is beside its body.
struct HtmlPage {
  std::string title;
  std::string language = "en";
  std::string description = {};  // one sentence, for search and links
  std::string body = {};         // HTML
};
// The whole file. The same page gives the same bytes.
[[nodiscard]] std::string html_of(const HtmlPage& page, const PageTemplate& with);

}  // namespace tilescope
