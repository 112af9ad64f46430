#include "kernel/compile/device_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/file.h"
#include "kernel/source/device_source.h"
#include "kernel/text/cuda_lexer.h"

namespace tilescope {

namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostFiles = 256;
constexpr std::size_t kLargestHeader = 16 << 20;
constexpr const char* kImpliedFolder = "implied/";  // of names that no #include says

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The names in quotes of "identifier "foo" is undefined".
std::vector<std::string_view> quoted_names(std::string_view message) {
  std::vector<std::string_view> names;
  for (std::size_t open = message.find('"'); open != std::string_view::npos;) {
    const std::size_t close = message.find('"', open + 1);
    if (close == std::string_view::npos) break;
    names.push_back(message.substr(open + 1, close - open - 1));
    open = message.find('"', close + 1);
  }
  return names;
}

}  // namespace

Result<DeviceProgram> DeviceProgram::open(const KernelInstance& instance,
                                          std::vector<std::string> cuda_folders) {
  DeviceProgram program(instance, std::move(cuda_folders));
  if (Status read = program.read_local_headers(); !read) return std::move(read).error();
  program.settle_includes();
  return program;
}

DeviceProgram::DeviceProgram(const KernelInstance& instance, std::vector<std::string> cuda_folders)
    : cuda_folders_(std::move(cuda_folders)) {
  const fs::path own = fs::path(instance.file_name).parent_path();
  folders_.push_back(own.empty() ? "." : own.string());
  folders_.insert(folders_.end(), instance.include_directories.begin(),
                  instance.include_directories.end());
  files_.emplace_back(instance.file_name, instance.source);
}

// Headers in quotes, and those that they include in turn. A file's name is its path.
Status DeviceProgram::read_local_headers() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    for (const std::string& path : redirect_local_headers(files_[i])) {
      if (std::ranges::find(files_, path, &DeviceSource::name) != files_.end()) continue;
      std::error_code problem;
      std::ifstream file(path, std::ios::binary);
      if (!file || fs::file_size(path, problem) > kLargestHeader || files_.size() >= kMostFiles) {
        return Error{ErrorCode::kMachine,
                     fmt::format("cannot read the header {}", path),
                     "",
                     {files_[i].name(), 0, 0}};
      }
      files_.emplace_back(path, std::string(std::istreambuf_iterator<char>(file), {}));
    }
  }
  return ok_status();
}

std::vector<std::string> DeviceProgram::redirect_local_headers(DeviceSource& file) const {
  std::vector<std::string> paths;
  for (const DeviceSource::Include& include : file.includes()) {
    if (include.angle) continue;
    const std::optional<std::string> path = find_local(file, include.target);
    if (!path) continue;
    file.redirect(include, plain_name(*path));
    paths.push_back(*path);
  }
  return paths;
}

std::optional<std::string> DeviceProgram::find_local(const DeviceSource& from,
                                                     const std::string& target) const {
  std::vector<fs::path> places = {fs::path(from.name()).parent_path()};
  places.insert(places.end(), folders_.begin(), folders_.end());
  for (const fs::path& place : places) {
    const fs::path path = (place / target).lexically_normal();
    if (is_file(path)) return path.string();
  }
  return std::nullopt;
}

void DeviceProgram::settle_includes() {
  stand_ins_.clear();
  missing_headers_.clear();
  for (DeviceSource& file : files_) {
    for (const DeviceSource::Include& include : file.includes()) settle(file, include);
  }
}

// A header of the host's or of CUDA's, to be left out without a word.
bool DeviceProgram::is_known(const std::string& target) const {
  return target.find('.') == std::string::npos || is_file(fs::path("/usr/include") / target) ||
         std::ranges::any_of(cuda_folders_, [&](const std::string& folder) {
           return is_file(fs::path(folder) / target);
         });
}

void DeviceProgram::settle(DeviceSource& file, const DeviceSource::Include& include) {
  if (!include.angle && find_local(file, include.target)) return;
  const bool users = std::any_of(
      folders_.begin() + 1, folders_.end(),
      [&](const std::string& folder) { return is_file(fs::path(folder) / include.target); });
  if (users) {
    closed_ = false;
    return;
  }
  HeaderChoice choice = choose_header(include.target, library_);
  lacks_standard_ =
      lacks_standard_ ||
      (choice.kind == HeaderChoice::Kind::kDrop &&
       choose_header(include.target, StandardLibrary::kFull).kind != HeaderChoice::Kind::kDrop);
  if (!include.angle && choice.kind == HeaderChoice::Kind::kDrop && !is_known(include.target)) {
    missing_headers_.push_back({include.target, file.name(), file.line_of(include)});
  }
  const bool unused_cub = include.target == "cub/cub.cuh" && !file.uses("cub");
  if (choice.kind == HeaderChoice::Kind::kDrop || unused_cub) {
    leaves_headers_out_ = true;
    return file.drop(include);
  }
  const bool asks_cuda = choice.kind == HeaderChoice::Kind::kKeep ||
                         choice.text.find("#include <c") != std::string::npos;
  needs_cuda_ = needs_cuda_ || asks_cuda;
  const auto same = [&](const auto& header) { return header.first == include.target; };
  if (choice.kind == HeaderChoice::Kind::kVirtual && std::ranges::none_of(stand_ins_, same)) {
    stand_ins_.emplace_back(include.target, std::move(choice.text));
  }
}

std::vector<std::pair<std::string, std::string>> DeviceProgram::headers() const {
  std::vector<std::pair<std::string, std::string>> headers = stand_ins_;
  for (std::size_t i = 1; i < files_.size(); ++i) {
    headers.emplace_back(plain_name(files_[i].name()), files_[i].text());
  }
  for (const std::string& name : implied_) {
    headers.emplace_back(kImpliedFolder + name, choose_header(name, StandardLibrary::kSmall).text);
  }
  return headers;
}

std::vector<std::string> DeviceProgram::include_options() const {
  std::vector<std::string> options;
  for (const std::string& name : implied_) {
    options.push_back(fmt::format("--pre-include={}{}", kImpliedFolder, name));
  }
  if (!closed_) {
    for (std::size_t i = 1; i < folders_.size(); ++i) options.push_back("-I" + folders_[i]);
  }
  if (needs_cuda_ || !closed_) {
    for (const std::string& folder : cuda_folders_) options.push_back("-I" + folder);
  }
  return options;
}

bool DeviceProgram::imply_headers(const CompileError& error) {
  std::vector<std::string_view> names = quoted_names(error.message);
  const bool asks_std =
      error.message.find("must be a class or namespace name") != std::string::npos;
  if (asks_std) names.emplace_back("max");  // NVRTC knows no std as long as nothing is in it
  bool found = false;
  for (const std::string_view name : names) {
    const std::string_view header = implied_header(name);
    if (header.empty() || std::ranges::find(implied_, header) != implied_.end()) continue;
    implied_.emplace_back(header);
    found = true;
  }
  return found;
}

namespace {

// NVRTC complains of a whole declaration before it names the type in it that is not known, which is
// what a person has to hear: the first error of the same line that names something.
const CompileError& cause_of(const std::vector<CompileError>& errors, const CompileError& first) {
  const auto names_unknown = [](const CompileError& error) {
    return error.message.find("is undefined") != std::string::npos;
  };
  const auto cause = std::ranges::find_if(errors, [&](const CompileError& error) {
    return error.line == first.line && error.file == first.file && names_unknown(error);
  });
  return cause == errors.end() ? first : *cause;
}

}  // namespace

std::optional<Error> DeviceProgram::learn_from(const std::vector<CompileError>& errors) {
  const CompileError* first = nullptr;  // that stands
  bool asks_std = false;
  bool changed = false;
  for (const CompileError& error : errors) {
    const auto file = std::ranges::find(files_, error.file, &DeviceSource::name);
    const DeviceSource::Blame blame =
        file == files_.end() ? DeviceSource::Blame::kNowhere
                             : file->set_aside_at(error.line, error.column, error.message);
    if (blame == DeviceSource::Blame::kSetAside) {
      changed = true;
    } else if (blame == DeviceSource::Blame::kDevice || file == files_.end()) {
      if (first == nullptr) first = &error;
      changed = imply_headers(error) || changed;
      asks_std = asks_std || error.message.find("\"std") != std::string::npos;
    }
  }
  if (changed) return std::nullopt;
  // What is missing may be a part of the standard library that only the slow headers have.
  if ((asks_std || lacks_standard_) && library_ == StandardLibrary::kSmall &&
      !cuda_folders_.empty()) {
    turn_to_full_library();
    return std::nullopt;
  }
  if (first == nullptr && !errors.empty()) first = &errors.front();
  if (first == nullptr) {
    return Error{ErrorCode::kKernel,
                 "the file does not compile, and the compiler does not say why",
                 "",
                 {files_.front().name(), 0, 0}};
  }
  return final_error(cause_of(errors, *first));
}

void DeviceProgram::turn_to_full_library() {
  library_ = StandardLibrary::kFull;
  std::vector<DeviceSource> fresh;
  for (const DeviceSource& file : files_) fresh.emplace_back(file.name(), file.original());
  files_.swap(fresh);
  for (DeviceSource& file : files_) redirect_local_headers(file);
  settle_includes();
}

// The error may only follow from what was set aside: then that is what to tell.
Error DeviceProgram::final_error(const CompileError& error) const {
  Error result{ErrorCode::kKernel,
               error.message,
               "",
               {error.file.empty() ? files_.front().name() : error.file, error.line, error.column}};
  for (std::string_view name : quoted_names(error.message)) {
    for (const DeviceSource& file : files_) {
      const DeviceSource::Missing missing = file.find_missing(name);
      if (missing.line == 0) continue;
      if (missing.complaint.empty()) {
        result.remedy =
            fmt::format("{} (line {}) is host code; mark it __device__", name, missing.line);
        return result;
      }
      return {ErrorCode::kKernel, missing.complaint, "", {file.name(), missing.line, 0}};
    }
  }
  if (!missing_headers_.empty()) {
    const MissingHeader& header = missing_headers_.front();
    result.remedy = fmt::format(
        "The header \"{}\" ({}:{}) was not found: put it beside the file, or take the "
        "#include out",
        header.target, header.file, header.line);
  }
  return result;
}

namespace {

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
