#include "kernel/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "kernel/catalogue_entry.h"

namespace tilescope {
namespace {

constexpr std::int64_t kLargestExtent = 1'000'000'000;  // kernels count rows and columns in an int

// NN_idea.json
bool is_entry(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t digits = stem.find_first_not_of("0123456789");
  return path.extension() == ".json" && digits != std::string::npos && digits >= 1 && digits <= 4 &&
         stem[digits] == '_' && stem.size() > digits + 1;
}

Result<std::vector<std::filesystem::path>> entry_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code problem;
  std::filesystem::recursive_directory_iterator walk(folder, problem);
  const std::filesystem::recursive_directory_iterator end;
  while (!problem && walk != end) {
    if (is_entry(walk->path())) files.push_back(walk->path());
    walk.increment(problem);
  }
  if (problem) {
    return Error{ErrorCode::kMachine,
                 fmt::format("cannot read the folder of kernels: {}", problem.message()),
                 "",
                 {folder.string(), 0, 0}};
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

const CatalogueEntry* Catalogue::find(std::string_view id) const {
  const auto found = std::ranges::find(entries, id, &CatalogueEntry::id);
  return found == entries.end() ? nullptr : &*found;
}

Result<Catalogue> load_catalogue(const std::vector<std::filesystem::path>& folders) {
  Catalogue catalogue;
  for (const std::filesystem::path& folder : folders) {
    Result<std::vector<std::filesystem::path>> files = entry_files(folder);
    if (!files) return std::move(files).error();
    for (const std::filesystem::path& file : *files) {
      Result<CatalogueEntry> entry = load_entry(file);
      if (!entry) return std::move(entry).error();
      if (const CatalogueEntry* same = catalogue.find(entry->id)) {
        return Error{
            ErrorCode::kUsage,
            fmt::format("{} is there already, from {}", entry->id, same->source_file.string()),
            "Give one of the two another name",
            {file.string(), 0, 0}};
      }
      catalogue.entries.push_back(std::move(entry).value());
    }
  }
  std::ranges::sort(catalogue.entries, {}, [](const CatalogueEntry& entry) {
    return std::tie(entry.family, entry.step, entry.id);
  });
  return catalogue;
}

std::string size_text(const ParameterSet& extents) {
  std::string text;
  for (const char* name : {"M", "N", "K", "ROWS", "COLS"}) {
    const auto extent = extents.find(name);
    if (extent == extents.end()) continue;
    text += fmt::format("{}{}", text.empty() ? "" : "x", extent->second);
  }
  return text;
}

Result<ParameterSet> parse_size(Problem problem, std::string_view text) {
  const std::vector<std::string> names = extent_names(problem);
  const Error unclear{ErrorCode::kUsage,
                      fmt::format("\"{}\" is no size", text.substr(0, 64)),
                      problem == Problem::kGemm
                          ? "Give N for a square GEMM or MxNxK, e.g. 2048x2048x1024"
                          : "Give N for a square matrix or ROWSxCOLS, e.g. 4096x1024",
                      {}};
  std::vector<std::int64_t> numbers;
  while (numbers.size() <= names.size()) {
    std::int64_t number = 0;
    const auto [end, problem_code] =
        std::from_chars(text.data(), text.data() + text.size(), number);
    const bool too_large = problem_code == std::errc::result_out_of_range;
    if (problem_code != std::errc{} && !too_large) return unclear;
    if (too_large || number < 1 || number > kLargestExtent) {
      return Error{ErrorCode::kUsage, "an extent must lie between 1 and 1,000,000,000", "", {}};
    }
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != 'x' && text.front() != 'X') return unclear;
    text.remove_prefix(1);
  }
  if (!text.empty() || (numbers.size() != 1 && numbers.size() != names.size())) return unclear;

  ParameterSet extents;
  for (std::size_t i = 0; i < names.size(); ++i) {
    extents[names[i]] = numbers[numbers.size() == 1 ? 0 : i];
  }
  return extents;
}

}  // namespace tilescope
