#include "kernel/included_files.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <system_error>

#include "core/read_file.h"
#include "kernel/cuda_lexer.h"
#include "kernel/device_program.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostFiles = 256;
constexpr std::size_t kLargestHeader = 16 << 20;

std::string without_continuations(const std::string& text) {
  std::string joined;
  joined.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t line_end = text[i] != '\\'                       ? 0
                                 : text.compare(i + 1, 1, "\n") == 0   ? 1
                                 : text.compare(i + 1, 2, "\r\n") == 0 ? 2
                                                                       : 0;
    if (line_end == 0) {
      joined += text[i];
    } else {
      i += line_end;
    }
  }
  return joined;
}

// Whether a compiler takes in more than the includes that were found: a file whose name a macro
// says, or an #include that is written as few people do. In doubt it does.
bool hides_includes(const DeviceSource& file) {
  const std::string text = without_continuations(file.original());
  if (text.find("%:") != std::string::npos || text.find("?"
                                                        "?=") != std::string::npos)
    return true;
  std::size_t said = 0;
  for (const CudaToken& token : tokenize(text)) {
    if (token.kind != CudaTokenKind::kDirective) continue;
    const std::size_t name =
        std::min(token.text.find_first_not_of(" \t\f\v", 1), token.text.size());
    const std::string_view words = token.text.substr(name);
    if (words.starts_with("/")) return true;  // a comment before the directive's name
    if (words.starts_with("import") || words.starts_with("include_next")) return true;
    if (!words.starts_with("include")) continue;
    const std::size_t target = words.find_first_not_of(" \t", 7);
    if (target == std::string_view::npos || (words[target] != '<' && words[target] != '"')) {
      return true;
    }
    ++said;
  }
  return said != file.includes().size();
}

// Where what the file includes may lie, as far as there is something.
std::vector<fs::path> places_of_includes(const DeviceSource& file,
                                         const std::vector<std::string>& folders) {
  std::vector<fs::path> found;
  for (const DeviceSource::Include& include : file.includes()) {
    std::vector<fs::path> places = {fs::path(file.name()).parent_path()};
    places.insert(places.end(), folders.begin(), folders.end());
    for (const fs::path& place : places) {
      fs::path path = (place / include.target).lexically_normal();
      std::error_code ignored;
      if (fs::is_regular_file(path, ignored)) found.push_back(std::move(path));
    }
  }
  return found;
}

}  // namespace

IncludedFiles DeviceProgram::included() const {
  IncludedFiles all;
  std::vector<fs::path> taken;
  const auto take = [&](const DeviceSource& file) {
    all.complete = all.complete && !hides_includes(file);
    if (&file == &files_.front()) return;
    taken.emplace_back(file.name());
    const fs::path from_here = fs::path(file.name()).lexically_relative(folders_.front());
    all.files.push_back({from_here.empty() ? file.name() : from_here.string(), file.original()});
  };
  for (const DeviceSource& file : files_) take(file);
  if (closed_) return all;

  // The compiler itself reads what is included by <…> from the person's folders, and all from
  // there. Where two folders have a file of that name, both count.
  std::deque<DeviceSource> read_here;
  std::vector<const DeviceSource*> sources;
  for (const DeviceSource& file : files_) sources.push_back(&file);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const fs::path& path : places_of_includes(*sources[i], folders_)) {
      if (std::ranges::find(taken, path) != taken.end()) continue;
      const auto text = read_file(path, kLargestHeader);
      if (!text || all.files.size() >= kMostFiles) {
        all.complete = false;
        return all;
      }
      take(read_here.emplace_back(path.string(), *text));
      sources.push_back(&read_here.back());
    }
  }
  return all;
}

}  // namespace tilescope
