#include "kernel/source/near_sources.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>

#include "core/file.h"
#include "kernel/source/conditional_text.h"
#include "kernel/source/device_source.h"
#include "kernel/source/header_folders.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 200;
constexpr std::uintmax_t kMostBytes = 256 << 10;

bool may_launch(const fs::path& path) {
  constexpr std::array<std::string_view, 7> kEndings{".cu",  ".cuh", ".h", ".hpp",
                                                     ".cpp", ".cc",  ".c"};
  const bool is_hidden = path.filename().string().starts_with('.');  // macOS leaves ._main.cu
  return !is_hidden && std::ranges::find(kEndings, path.extension().string()) != kEndings.end();
}

bool is_header(const fs::path& path) {
  return path.extension().string().starts_with(".h") || path.extension() == ".cuh";
}

// In the order of their names.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code unknown;
    if (may_launch(entry->path()) && entry->is_regular_file(unknown) &&
        entry->file_size(unknown) <= kMostBytes) {
      files.push_back(entry->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

// What the file says where no option defines anything: a test with a main() of its own may stand
// under an #ifdef.
std::vector<CudaToken> tokens_taken(const std::string& text) {
  std::vector<CudaToken> taken;
  ConditionalText conditions;
  for (CudaToken& token : tokenize(text)) {
    if (token.kind == CudaTokenKind::kDirective) {
      conditions.read(tokenize(token.text.substr(1)));
    } else if (!conditions.leaves_out()) {
      taken.push_back(token);
    }
  }
  return taken;
}

using Take = std::function<bool(const fs::path&, std::string)>;

// Some of these files, until `take` is content with one.
void for_files_of(const std::vector<fs::path>& files, const Take& take) {
  for (std::size_t i = 0; i < std::min(files.size(), kMostFiles); ++i) {
    auto text = read_file(files[i], kMostBytes);
    if (text && take(files[i], *std::move(text))) return;
  }
}

// The files in these folders, likewise.
void for_files_in(const std::vector<fs::path>& folders, const fs::path& own, const Take& take) {
  std::vector<fs::path> files;
  for (const fs::path& folder : folders) {
    std::ranges::copy_if(files_of(folder), std::back_inserter(files),
                         [&](const fs::path& file) { return file != own; });
    if (files.size() >= kMostFiles) break;
  }
  for_files_of(files, take);
}

// The files around `own`, nearest first.
void for_files_near(const fs::path& own, const Take& take) {
  for_files_in(project_folders(own.parent_path()), own, take);
}

std::optional<fs::path> whole_path(const std::string& path) {
  std::error_code failed;
  fs::path own = fs::canonical(path, failed);
  if (failed || !fs::is_regular_file(own, failed)) return std::nullopt;
  return own;
}

// An #if that is open at the end of the text.
std::size_t open_conditions(const std::string& text) {
  std::size_t open = 0;
  for (const CudaToken& token : tokenize(text)) {
    if (token.kind != CudaTokenKind::kDirective) continue;
    const std::vector<CudaToken> words = tokenize(token.text.substr(1));
    if (words.empty()) continue;
    if (words[0].text.starts_with("if")) ++open;
    if (words[0].is("endif") && open > 0) --open;
  }
  return open;
}

// Braces that are open at the end of the text: a namespace, extern "C".
std::size_t open_braces(const std::string& text) {
  std::size_t open = 0;
  for (const CudaToken& token : tokenize(text)) {
    if (token.is("{")) ++open;
    if (token.is("}") && open > 0) --open;
  }
  return open;
}

}  // namespace

std::vector<std::string> sources_near(const std::string& path, const std::string& kernel) {
  const auto own = whole_path(path);
  if (!own) return {};
  const std::string name = kernel.substr(kernel.rfind(':') + 1);  // npos + 1: from the beginning
  std::vector<std::string> sources;
  for_files_near(*own, [&](const fs::path&, std::string text) {
    const bool launches =
        text.find("<<<") != std::string::npos || text.find("cudaLaunch") != std::string::npos;
    if (launches && text.find(name) != std::string::npos) sources.push_back(std::move(text));
    return false;
  });
  return sources;
}

namespace {

bool calls(const std::string& text, const std::string& function) {
  const std::vector<CudaToken> tokens = tokenize(text);
  for (const Declaration& declaration : find_declarations(tokens)) {
    if (declaration.kind != Declaration::Kind::kFunction || declaration.name == function) continue;
    for (std::size_t i = declaration.first; i + 1 < declaration.last; ++i) {
      if (tokens[i].is(function) && (tokens[i + 1].is("(") || tokens[i + 1].is("<"))) return true;
    }
  }
  return false;
}

}  // namespace

std::string caller_near(const std::string& path, const std::string& function) {
  const auto own = whole_path(path);
  if (!own) return {};
  std::string found;
  for_files_near(*own, [&](const fs::path&, std::string text) {
    if (text.find(function) == std::string::npos || !calls(text, function)) return false;
    found = std::move(text);
    return true;
  });
  return found;
}

namespace {

// Of these files and of those that they include in quotes, directly or not; each once.
std::vector<fs::path> folders_of_includes(std::vector<fs::path> files) {
  std::vector<fs::path> folders;
  const auto add = [&folders](fs::path folder) {
    if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(std::move(folder));
  };
  for (std::size_t i = 0; i < files.size() && i < kMostFiles; ++i) {
    const fs::path file = files[i];
    add(file.parent_path());
    const auto text = read_file(file, kMostBytes);
    if (!text) continue;
    const DeviceSource source(file.string(), *text);
    for (const DeviceSource::Include& include : source.includes()) {
      if (include.angle) continue;  // what a header declares may be defined beside it
      fs::path included = (file.parent_path() / include.target).lexically_normal();
      add(included.parent_path());
      if (std::ranges::find(files, included) == files.end()) files.push_back(std::move(included));
    }
  }
  return folders;
}

}  // namespace

std::string definer_near(const std::vector<std::string>& paths, const std::string& function) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (auto file = whole_path(path)) files.push_back(*std::move(file));
  }
  if (files.empty()) return {};
  const fs::path own = files.front();
  std::vector<fs::path> folders = folders_of_includes(files);
  std::ranges::copy(header_folders(own.parent_path()), std::back_inserter(folders));
  std::string found;
  const auto take = [&](const fs::path& file, const std::string& text) {
    if (is_header(file) || file == own) return false;
    if (std::ranges::find(files, file) != files.end()) return false;
    if (text.find(function) == std::string::npos) return false;
    bool defines = false;
    for (const Declaration& declaration : find_declarations(tokens_taken(text))) {
      if (declaration.kind != Declaration::Kind::kFunction) continue;
      if (declaration.name == "main") return false;
      defines |= declaration.name == function;
    }
    if (defines) found = file.string();
    return defines;
  };
  for_files_in(folders, own, take);
  if (found.empty()) for_files_of(repository_sources(own.parent_path()), take);
  return found;
}

std::string main_near(const std::string& path) {
  const auto own = whole_path(path);
  const auto own_text = own ? read_file(*own, kMostBytes) : std::nullopt;
  if (!own || !own_text) return {};
  std::set<std::string, std::less<>> names;
  for (const Declaration& declaration : find_declarations(tokenize(*own_text))) {
    if (declaration.kind == Declaration::Kind::kFunction) names.emplace(declaration.name);
  }
  const std::string included = own->filename().string() + '"';
  std::vector<fs::path> folders = project_folders(own->parent_path());
  std::ranges::copy(header_folders(own->parent_path()), std::back_inserter(folders));
  std::string found;
  for_files_in(folders, *own, [&](const fs::path& file, const std::string& text) {
    if (is_header(file) || text.find(included) != std::string::npos) return false;
    const std::vector<CudaToken> tokens = tokens_taken(text);
    const bool has_main =
        std::ranges::any_of(find_declarations(tokens), [](const Declaration& declaration) {
          return declaration.kind == Declaration::Kind::kFunction && declaration.name == "main";
        });
    for (std::size_t i = 0; has_main && i + 1 < tokens.size(); ++i) {
      const bool calls = tokens[i + 1].is("(") || tokens[i + 1].is("<");
      if (calls && names.contains(tokens[i].text)) found = file.string();
    }
    return !found.empty();
  });
  return found;
}

std::optional<Includer> includer_of(const std::string& path) {
  const auto own = whole_path(path);
  if (!own) return std::nullopt;
  const std::string name = own->filename().string();
  std::optional<Includer> found;
  for_files_near(*own, [&](const fs::path& file, std::string text) {
    if (text.find(name) == std::string::npos) return false;
    const DeviceSource source(file.string(), std::move(text));
    for (const DeviceSource::Include& include : source.includes()) {
      if (include.angle || fs::path(include.target).filename() != name) continue;
      std::error_code failed;
      const fs::path beside = fs::canonical(file.parent_path() / include.target, failed);
      if (!failed && beside != *own) continue;  // another of this name
      found = Includer{file.string(), source.original().substr(0, include.offset)};
      for (std::size_t open = open_conditions(found->beginning); open > 0; --open) {
        found->beginning += "\n#endif\n";
      }
      found->beginning.append(open_braces(found->beginning), '}');
      return true;
    }
    return false;
  });
  return found;
}

}  // namespace tilescope
