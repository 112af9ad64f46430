#include "export/page_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "build_config.h"
#include "core/file.h"
#include "core/paths.h"
#include "export/svg_canvas.h"
#include "scene/drawing/palette.h"

namespace tilescope {
namespace {

constexpr std::string_view kBlock = "<!-- block: ";
constexpr std::string_view kBlockEnd = " -->\n";

constexpr int kRoles = static_cast<int>(ColourRole::kSelection) + 1;

// "--c0:#f6f7f9;--c1:...": a colour for each role.
std::string colours_of(Theme theme) {
  std::string text;
  for (int role = 0; role < kRoles; ++role) {
    text += fmt::format("--c{}:{};", role, hex_text(colour(static_cast<ColourRole>(role), theme)));
  }
  return text;
}

// The classes of SvgColours::kClasses.
std::string classes() {
  std::string text;
  for (int role = 0; role < kRoles; ++role) {
    text += fmt::format(".f{0}{{fill:var(--c{0})}}.s{0}{{fill:none;stroke:var(--c{0})}}\n", role);
  }
  return text;
}

}  // namespace

Result<PageTemplate> PageTemplate::load(const std::filesystem::path& file) {
  constexpr std::uintmax_t kMostBytes = 1U << 20;
  const auto text = read_file(file, kMostBytes);
  if (!text) {
    return Error{ErrorCode::kMachine,
                 "the template of pages cannot be read",
                 "Install the program again",
                 {file.string(), 0, 0}};
  }
  PageTemplate result;
  for (std::size_t at = text->find(kBlock); at != std::string::npos;) {
    const std::size_t name = at + kBlock.size();
    const std::size_t begin = text->find(kBlockEnd, name);
    if (begin == std::string::npos) break;
    at = text->find(kBlock, begin);
    const std::size_t first = begin + kBlockEnd.size();
    std::string block = text->substr(first, at == std::string::npos ? at : at - first);
    if (std::ranges::count(block, '\n') == 1) block.pop_back();  // it stands inside of a line
    if (!result.blocks_.emplace(text->substr(name, begin - name), std::move(block)).second) {
      return Error{ErrorCode::kUsage,
                   fmt::format("the block '{}' is there twice", text->substr(name, begin - name)),
                   "Give one of them another name",
                   {file.string(), 0, 0}};
    }
  }
  return result;
}

Result<PageTemplate> PageTemplate::load_shipped() {
  return load(resource_directory() / "assets" / "page.html");
}

std::string PageTemplate::fill(std::string_view block, const std::vector<Gap>& gaps) const {
  const auto found = blocks_.find(block);
  assert(found != blocks_.end());
  if (found == blocks_.end()) return {};
  const std::string_view text = found->second;
  std::string result;
  std::size_t at = 0;
  for (std::size_t open = text.find("{{"); open != std::string_view::npos;
       open = text.find("{{", at)) {
    const std::size_t close = text.find("}}", open);
    const std::string_view name = text.substr(open + 2, close - open - 2);
    const auto gap = std::ranges::find(gaps, name, &Gap::first);
    assert(gap != gaps.end());
    result.append(text.substr(at, open - at));
    if (gap != gaps.end()) result.append(gap->second);
    at = close + 2;
  }
  return result.append(text.substr(at));
}

std::string html_text(std::string_view text) {
  std::string result = xml_text(text);
  for (std::size_t at = result.find('"'); at != std::string::npos; at = result.find('"', at)) {
    result.replace(at, 1, "&quot;");
  }
  return result;
}

std::string html_of(const HtmlPage& page, const PageTemplate& with) {
  const std::string light = colours_of(Theme::kLight);
  const std::string dark = colours_of(Theme::kDark);
  const std::string paper = colours_of(Theme::kPaper);
  const std::string drawn = classes();
  return with.fill("page", {{"language", page.language},
                            {"title", html_text(page.title)},
                            {"description", html_text(page.description)},
                            {"program", html_text("Tilescope " TILESCOPE_VERSION)},
                            {"light", light},
                            {"dark", dark},
                            {"paper", paper},
                            {"classes", drawn},
                            {"body", page.body}});
}

}  // namespace tilescope
