#include "kernel/compile/device_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "core/file.h"
#include "core/text.h"
#include "kernel/compile/spelled_headers.h"
#include "kernel/host/host_names.h"
#include "kernel/source/build_defines.h"
#include "kernel/source/device_source.h"
#include "kernel/source/header_folders.h"
#include "kernel/source/kernel_signature.h"
#include "kernel/source/near_sources.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"

namespace tilescope {

namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostFiles = 256;
constexpr std::size_t kLargestHeader = 16 << 20;
constexpr const char* kImpliedFolder = "implied/";  // of names that no #include says
constexpr const char* kStandard = "implied/standard.h";
constexpr const char* kGuesses = "implied/guesses.h";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

constexpr std::string_view kErrorDirective = "#error directive:";

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
  if (Status read = program.read_local_headers(program.files_); !read) {
    return std::move(read).error();
  }
  if (auto includer = includer_of(instance.file_name)) {
    program.includer_files_.emplace_back(std::move(includer->path), std::move(includer->beginning));
    if (!program.read_local_headers(program.includer_files_)) program.includer_files_.clear();
  }
  program.settle_includes();
  return program;
}

DeviceProgram::DeviceProgram(const KernelInstance& instance, std::vector<std::string> cuda_folders)
    : cuda_folders_(std::move(cuda_folders)),
      project_folders_(header_folders(fs::path(instance.file_name).parent_path())) {
  const fs::path own = fs::path(instance.file_name).parent_path();
  folders_.push_back(own.empty() ? "." : own.string());
  folders_.insert(folders_.end(), instance.include_directories.begin(),
                  instance.include_directories.end());
  const std::vector<std::string> given = given_header_folders();
  folders_.insert(folders_.end(), given.begin(), given.end());
  files_.emplace_back(instance.file_name, instance.source);
}

// Headers in quotes, and those that they include in turn. A file's name is its path.
Status DeviceProgram::read_local_headers(std::vector<DeviceSource>& files) {
  const auto has = [](const std::vector<DeviceSource>& some, const std::string& path) {
    return std::ranges::find(some, path, &DeviceSource::name) != some.end();
  };
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const std::string& path : redirect_local_headers(files[i])) {
      if (has(files, path) || has(files_, path)) continue;
      std::error_code problem;
      std::ifstream file(path, std::ios::binary);
      if (!file || fs::file_size(path, problem) > kLargestHeader || files.size() >= kMostFiles) {
        return Error{ErrorCode::kMachine,
                     fmt::format("cannot read the header {}", path),
                     "",
                     {files[i].name(), 0, 0}};
      }
      files.emplace_back(path, std::string(std::istreambuf_iterator<char>(file), {}));
    }
  }
  return ok_status();
}

std::vector<std::string> DeviceProgram::redirect_local_headers(DeviceSource& file) {
  std::vector<std::string> paths;
  for (const DeviceSource::Include& include : file.includes()) {
    if (include.foreign) continue;
    std::optional<Found> found =
        include.angle ? find_in_brackets(include.target) : find_local(file, include.target);
    if (!found) continue;
    if (!found->folder.empty()) add_found_folder(found->folder);
    if (is_left_to_compiler(found->folder)) continue;
    file.redirect(include, plain_name(found->path));
    paths.push_back(std::move(found->path));
  }
  return paths;
}

std::optional<DeviceProgram::Found> DeviceProgram::find_local(const DeviceSource& from,
                                                              const std::string& target) const {
  std::vector<fs::path> places = {fs::path(from.name()).parent_path()};
  places.insert(places.end(), folders_.begin(), folders_.end());
  for (const fs::path& place : places) {
    const fs::path path = (place / target).lexically_normal();
    if (is_file(path)) return Found{path.string(), ""};
  }
  return find_in_project(target);
}

// One of C or CUDA in brackets, as helper_math.h of CUDA's samples: it has host code to be set
// aside. The compiler itself reads the many files of a C++ library.
std::optional<DeviceProgram::Found> DeviceProgram::find_in_brackets(
    const std::string& target) const {
  if (!target.ends_with(".h") && !target.ends_with(".cuh")) return std::nullopt;
  if (is_users(target)) return std::nullopt;
  const fs::path beside = (fs::path(folders_.front()) / target).lexically_normal();
  const bool is_beside = !is_known(target) && is_file(beside);
  return is_beside ? Found{beside.string(), ""} : find_in_project(target);
}

std::optional<DeviceProgram::Found> DeviceProgram::find_in_project(
    const std::string& target) const {
  // CUDA's own headers and the standard library's are no project's; one that only has the name of
  // a folder of CUDA's, as "cuda/tree.cuh", may be.
  const HeaderChoice choice = choose_header(target, library_);
  const bool is_of_cuda = choice.kind == HeaderChoice::Kind::kKeep && cuda_folders_.empty();
  const bool is_standard =
      is_known(target) || is_of_cuda || choice.kind == HeaderChoice::Kind::kVirtual;
  const auto folder = is_standard ? std::nullopt : project_folder_of(target);
  if (!folder) return std::nullopt;
  return Found{(fs::path(*folder) / target).lexically_normal().string(), *folder};
}

// A library's headers are taken as they are: its macros mark what is device code. `folder`: that a
// header was found in, by way of header_folders() alone; else empty.
bool DeviceProgram::is_left_to_compiler(const std::string& folder) const {
  return takes_project_headers_ && !folder.empty();
}

// Whether it lies in a folder that the person named, beyond the file's own.
bool DeviceProgram::is_users(const std::string& target) const {
  return std::any_of(folders_.begin() + 1, folders_.end(), [&](const std::string& folder) {
    return folder != folders_.front() && is_file(fs::path(folder) / target);
  });
}

namespace {

// Whether a header has device code, or constants alone: a host library is better not there.
bool is_of_device(const fs::path& header) {
  const auto text = read_file(header, kLargestHeader);
  if (!text) return false;
  return header.extension() == ".cuh" || text->find("__device__") != std::string::npos ||
         text->find("__global__") != std::string::npos ||
         text->find("#include") == std::string::npos;
}

}  // namespace

std::optional<std::string> DeviceProgram::project_folder_of(const std::string& target) const {
  const auto folder = std::ranges::find_if(
      project_folders_, [&](const fs::path& place) { return is_file(place / target); });
  if (folder != project_folders_.end()) return folder->string();
  const fs::path own = files_.front().name();
  const bool is_pasted = !is_file(own);
  const fs::path below = is_pasted ? fs::path() : folder_of_header(own.parent_path(), target);
  if (!below.empty() && is_of_device(below / target)) return below.string();
  if (is_file(sample_headers() / target)) return sample_headers().string();
  const fs::path spelt = is_pasted ? fs::path() : folder_of_spelling(own.parent_path(), target);
  if (!spelt.empty()) return spelt.string();
  return std::nullopt;
}

void DeviceProgram::add_found_folder(const std::string& folder) {
  if (std::ranges::find(found_folders_, folder) == found_folders_.end()) {
    found_folders_.push_back(folder);
  }
}

std::vector<std::string> DeviceProgram::header_folders_used() const {
  std::vector<std::string> folders = folders_;
  folders.insert(folders.end(), found_folders_.begin(), found_folders_.end());
  return folders;
}

std::vector<std::string> DeviceProgram::folders_read() const {
  std::vector<std::string> folders = header_folders_used();
  folders.erase(folders.begin());  // the file's own, whose headers are in files()
  return folders;
}

bool DeviceProgram::has_host_code() const {
  return std::ranges::any_of(files_, [](const DeviceSource& file) {
    return !file.includes().empty() || file.sets_aside();
  });
}

void DeviceProgram::settle_includes() {
  take_back_device_functions();
  stand_ins_.clear();
  missing_headers_.clear();
  const bool has_marks = std::ranges::any_of(files_, [](const DeviceSource& file) {
    return file.uses("__builtin_align__") || file.uses("__device_builtin__");
  });
  if (has_marks && implied_.empty()) implied_.emplace_back("host_defines.h");
  drop_what_came_before();
  for (DeviceSource& file : files_) {
    for (const DeviceSource::Include& include : file.includes()) settle(file, include);
  }
  for (const MissingHeader& header : left_out_) settle_left_out(header);
  for (const std::string& name : standard_) take(name, choose_header(name, library_));
}

// Each source is a unit of its own to nvcc: in one text, a header without a guard would come again.
void DeviceProgram::drop_what_came_before() {
  constexpr std::array<std::string_view, 4> kSources{".cu", ".c", ".cc", ".cpp"};
  std::set<std::string> came;
  for (DeviceSource& file : files_) {
    const std::string ending = fs::path(file.name()).extension().string();
    const bool is_source = std::ranges::find(kSources, ending) != kSources.end();
    for (const DeviceSource::Include& include : file.includes()) {
      const auto found =
          include.angle || include.foreign ? std::nullopt : find_local(file, include.target);
      const bool is_new = !found || came.insert(found->path).second;
      if (!is_new && is_source) file.drop(include);
    }
  }
}

// Functions that are marked where they are declared, and not where their bodies are.
void DeviceProgram::take_back_device_functions() {
  std::set<std::string> prototypes;
  for (const DeviceSource& file : files_) prototypes.merge(file.device_prototypes());
  for (DeviceSource& file : files_) file.take_back(prototypes);
}

// A header of the host's or of CUDA's, to be left out without a word.
bool DeviceProgram::is_known(const std::string& target) const {
  constexpr std::array<std::string_view, 4> kSystem = {"/usr/include", "/usr/local/include",
                                                       "/usr/include/x86_64-linux-gnu",
                                                       "/usr/include/aarch64-linux-gnu"};
  // Those that lie in a folder of the host compiler's own.
  constexpr std::array<std::string_view, 9> kHostCompiler = {
      "stdarg.h",    "stdbool.h", "stdalign.h", "stdatomic.h",  "immintrin.h",
      "x86intrin.h", "omp.h",     "cpuid.h",    "bits/stdc++.h"};
  return target.find('.') == std::string::npos ||
         std::ranges::find(kHostCompiler, target) != kHostCompiler.end() ||
         std::ranges::any_of(
             kSystem,
             [&](std::string_view folder) { return is_file(fs::path(folder) / target); }) ||
         std::ranges::any_of(cuda_folders_, [&](const std::string& folder) {
           return is_file(fs::path(folder) / target);
         });
}

void DeviceProgram::settle(DeviceSource& file, const DeviceSource::Include& include) {
  if (include.foreign) return file.drop(include);
  if (const auto found =
          include.angle ? find_in_brackets(include.target) : find_local(file, include.target)) {
    if (is_left_to_compiler(found->folder)) closed_ = false;
    return;
  }
  if (is_users(include.target)) {
    closed_ = false;
    return;
  }
  HeaderChoice choice = choose_header(include.target, library_);
  lacks_standard_ =
      lacks_standard_ ||
      (choice.kind == HeaderChoice::Kind::kDrop &&
       choose_header(include.target, StandardLibrary::kFull).kind != HeaderChoice::Kind::kDrop);
  const bool is_nowhere =
      choice.is_part || (choice.kind == HeaderChoice::Kind::kDrop && !is_known(include.target));
  if (is_nowhere) {
    if (const auto folder = project_folder_of(include.target)) {
      add_found_folder(*folder);
      if (takes_project_headers_) {
        closed_ = false;
        return;
      }
      leaves_project_headers_out_ = true;
      return file.drop(include);
    }
    missing_headers_.push_back(
        {fmt::format(fmt::runtime(include.angle ? "<{}>" : "\"{}\""), include.target), file.name(),
         file.line_of(include)});
  }
  const bool unused_cub = include.target == "cub/cub.cuh" && !file.uses("cub");
  if (choice.kind == HeaderChoice::Kind::kDrop || unused_cub) return file.drop(include);
  take(include.target, std::move(choice));
}

void DeviceProgram::take(const std::string& target, HeaderChoice choice) {
  needs_cuda_ = needs_cuda_ || choice.kind == HeaderChoice::Kind::kKeep;
  const auto same = [&](const auto& header) { return header.first == target; };
  if (choice.kind != HeaderChoice::Kind::kVirtual || std::ranges::any_of(stand_ins_, same)) return;
  const DeviceSource text(target, choice.text);
  stand_ins_.emplace_back(target, std::move(choice.text));
  for (const DeviceSource::Include& include : text.includes()) {
    take(include.target, choose_header(include.target, library_));
  }
}

std::vector<std::pair<std::string, std::string>> DeviceProgram::headers() const {
  std::vector<std::pair<std::string, std::string>> headers = stand_ins_;
  for (std::size_t i = 1; i < files_.size(); ++i) {
    headers.emplace_back(plain_name(files_[i].name()), files_[i].text());
  }
  for (const std::string& name : implied_) {
    HeaderChoice choice = choose_header(name, StandardLibrary::kSmall);
    if (choice.kind == HeaderChoice::Kind::kKeep)
      choice.text = fmt::format("#include <{}>\n", name);
    headers.emplace_back(kImpliedFolder + name, std::move(choice.text));
  }
  if (!standard_.empty()) {
    std::string text;
    for (const std::string& name : standard_) text += fmt::format("#include <{}>\n", name);
    headers.emplace_back(kStandard, std::move(text));
  }
  if (has_guesses()) {
    std::string text;
    for (const std::string& name : guessed_types_) text += "typedef float " + name + ";\n";
    for (const auto& [name, value] : guessed_constants_) {
      text += fmt::format("#define {}{}\n", name, value);
    }
    headers.emplace_back(kGuesses, std::move(text));
  }
  return headers;
}

std::vector<std::string> DeviceProgram::include_options() const {
  std::vector<std::string> options;
  for (const std::string& name : implied_) {
    options.push_back(fmt::format("--pre-include={}{}", kImpliedFolder, name));
  }
  if (!standard_.empty()) options.push_back(fmt::format("--pre-include={}", kStandard));
  if (has_guesses()) options.push_back(fmt::format("--pre-include={}", kGuesses));
  if (!pre_included_.empty()) options.push_back("--pre-include=" + pre_included_);
  if (names_platform_) options.insert(options.end(), {"-D__linux__=1", "-D__unix__=1"});
  if (!closed_) {
    for (const std::string& folder : folders_read()) options.push_back("-I" + folder);
  }
  const bool takes_full = !standard_.empty() && library_ == StandardLibrary::kFull;
  if (needs_cuda_ || takes_full || !closed_) {
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
    if (header == kOldWarpFunctions) {
      notes_.push_back(fmt::format(
          "{} is of CUDA before 9.0: it is taken for the function of today with the active lanes "
          "as its mask",
          name));
    }
    found = true;
  }
  return imply_standard(error) || found;
}

// namespace "std" has no member "tie", which the file has of another header's includes.
bool DeviceProgram::imply_standard(const CompileError& error) {
  if (error.message.find("\"std\" has no member") == std::string::npos) return false;
  bool found = false;
  for (const std::string_view name : quoted_names(error.message)) {
    const std::string_view header = name == "std" ? std::string_view() : standard_header(name);
    if (header.empty() || std::ranges::find(standard_, header) != standard_.end()) continue;
    const bool is_small = choose_header(header, library_).kind != HeaderChoice::Kind::kDrop;
    if (!is_small && cuda_folders_.empty()) continue;
    standard_.emplace_back(header);
    if (!is_small) library_ = StandardLibrary::kFull;
    found = true;
  }
  if (found) begin_anew();
  return found;
}

bool DeviceProgram::take_headers_of_cuda(const std::vector<CompileError>& errors) {
  if (cuda_folders_.empty()) return false;
  const std::size_t before = implied_.size();
  const auto take = [&](std::string_view name) {
    const std::string_view header = header_of_cuda(name);
    if (header.empty() || std::ranges::find(implied_, header) != implied_.end()) return;
    implied_.emplace_back(header);
    notes_.push_back(fmt::format("{} is of {}, which no file includes: it is taken", name, header));
  };
  for (const CompileError& error : errors) {
    if (error.message.find("is undefined") != std::string::npos) {
      for (const std::string_view name : quoted_names(error.message)) take(name);
    }
    if (error.message.find("namespace name") == std::string::npos) continue;
    for (const std::string_view name : {"nvcuda", "cooperative_groups"}) {
      const bool is_used =
          std::ranges::any_of(files_, [&](const DeviceSource& file) { return file.uses(name); });
      if (is_used) take(name);
    }
  }
  if (implied_.size() == before) return false;
  needs_cuda_ = true;
  begin_anew();
  return true;
}

// A host header that is refused for it knows only platforms that name themselves, as NVRTC does
// not.
bool DeviceProgram::name_platform(const std::vector<CompileError>& errors) {
  const bool is_refused = std::ranges::any_of(errors, [](const CompileError& error) {
    return error.message.find("#error directive") != std::string::npos;
  });
  if (!is_refused || names_platform_) return false;
  names_platform_ = true;
  left_out_.clear();  // may be another platform's
  begin_anew();
  return true;
}

bool DeviceProgram::leave_out_headers(const std::vector<CompileError>& errors) {
  bool found = false;
  for (const CompileError& error : errors) {
    if (error.message.find("open source file") == std::string::npos) continue;
    for (const std::string_view name : quoted_names(error.message)) {
      // nvcc has the standard library's and the host's, and is asked at once.
      HeaderChoice choice = choose_header(name, library_);
      const bool is_somewhere = (choice.kind != HeaderChoice::Kind::kDrop && !choice.is_part) ||
                                is_known(std::string(name));
      const bool is_left_out =
          std::ranges::find(left_out_, name, &MissingHeader::target) != left_out_.end();
      if (is_somewhere || is_left_out) continue;
      left_out_.push_back({std::string(name), error.file, error.line});
      settle_left_out(left_out_.back());
      found = true;
    }
  }
  return found;
}

void DeviceProgram::settle_left_out(const MissingHeader& header) {
  missing_headers_.push_back({fmt::format("\"{}\"", header.target), header.file, header.line});
  HeaderChoice part = choose_header(header.target, library_);
  if (!part.is_part) part = {HeaderChoice::Kind::kVirtual, "#pragma once\n"};
  take(header.target, std::move(part));
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

// The concept that names it would be set aside, as a declaration of the host's.
bool lacks_concept(const CompileError& error) {
  return error.message.find("\"std\" has no member") != std::string::npos &&
         std::ranges::any_of(quoted_names(error.message), [](std::string_view name) {
           return standard_header(name) == "concepts";
         });
}

}  // namespace

std::optional<Error> DeviceProgram::learn_from(const std::vector<CompileError>& errors,
                                               std::string_view kernel) {
  if (name_platform(errors) || take_headers_of_cuda(errors) || leave_out_headers(errors)) {
    return std::nullopt;
  }
  if (lacks_project_headers(errors)) {
    take_project_headers();
    return std::nullopt;
  }
  const CompileError* first = nullptr;  // that stands, in the kernel that is meant if there is one
  bool first_is_own = false;
  bool asks_std = false;
  bool changed = false;
  for (const CompileError& error : errors) {
    if (lacks_concept(error) && imply_standard(error)) return std::nullopt;
    const auto file = std::ranges::find(files_, error.file, &DeviceSource::name);
    const DeviceSource::Blame blame =
        file == files_.end() ? DeviceSource::Blame::kNowhere
                             : file->set_aside_at(error.line, error.column, error.message);
    if (blame == DeviceSource::Blame::kSetAside) {
      changed = true;
    } else if (blame == DeviceSource::Blame::kDevice || file == files_.end()) {
      const bool is_own =
          file != files_.end() && file->is_in_kernel(error.line, error.column, kernel);
      if (first == nullptr || (is_own && !first_is_own)) first = &error;
      first_is_own = first_is_own || is_own;
      changed = imply_headers(error) || changed;
      asks_std = asks_std || error.message.find("\"std") != std::string::npos;
    }
  }
  if (changed || take_includer(errors)) return std::nullopt;
  // What is missing may be a part of the standard library that only the slow headers have.
  if ((asks_std || lacks_standard_) && library_ == StandardLibrary::kSmall &&
      !cuda_folders_.empty()) {
    library_ = StandardLibrary::kFull;
    begin_anew();
    return std::nullopt;
  }
  if (leaves_project_headers_out_ && !takes_project_headers_) {
    take_project_headers();
    return std::nullopt;
  }
  if (first == nullptr && !errors.empty() && errors[0].message.starts_with(kErrorDirective)) {
    first = &errors[0];
  }
  if (first != nullptr && (guess_types(errors) || guess_constants(errors))) {
    if (!without_guess_) without_guess_ = final_error(cause_of(errors, *first));
    return std::nullopt;
  }
  if (!first_is_own && set_aside_others(errors, kernel)) return std::nullopt;
  if (without_guess_) return std::exchange(without_guess_, std::nullopt);
  if (first == nullptr && !errors.empty()) first = &errors.front();
  if (first == nullptr) {
    return Error{ErrorCode::kKernel,
                 "the file does not compile, and the compiler does not say why",
                 "",
                 {files_.front().name(), 0, 0}};
  }
  Error error = final_error(cause_of(errors, *first));
  for (const CompileError& earlier : all_errors_) {  // what was set aside has lost its column
    const bool same = earlier.file == error.place.file && earlier.line == error.place.line;
    if (same && error.place.column == 0) error.place.column = earlier.column;
  }
  note(errors, 0);
  return error;
}

void DeviceProgram::note(const std::vector<CompileError>& errors, std::size_t before) {
  auto at = all_errors_.begin() + static_cast<std::ptrdiff_t>(before);
  for (const CompileError& error : errors) {
    at = std::next(all_errors_.insert(at, at_end_of_statement(error)));
  }
}

namespace {

// Whether a word is only ever written where a type is, and somewhere that of a value: before a
// name. What is only pointed to may be anything.
bool is_type_in(const DeviceSource& file, std::string_view word) {
  const std::vector<CudaToken> tokens = tokenize(file.original());
  bool found = false;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(word)) continue;
    const CudaToken& next = tokens[i + 1];
    const bool casts = i > 0 && tokens[i - 1].is("(") && next.is(")");
    if (!is_word(next) && !next.is("*") && !next.is("&") && !casts) return false;
    found = found || is_word(next);
  }
  return found;
}

}  // namespace

bool DeviceProgram::guess_types(const std::vector<CompileError>& errors) {
  if (missing_headers_.empty()) return false;
  std::vector<std::string> names;
  for (const CompileError& error : errors) {
    const auto file = std::ranges::find(files_, error.file, &DeviceSource::name);
    if (file == files_.end() || error.message.find("is undefined") == std::string::npos) continue;
    for (const std::string_view name : quoted_names(error.message)) {
      const bool is_new = std::ranges::find(guessed_types_, name) == guessed_types_.end() &&
                          std::ranges::find(names, name) == names.end();
      const bool is_cudas = element_type(name).has_value();  // half, without its header
      if (is_new && !is_cudas && is_type_in(*file, name)) names.emplace_back(name);
    }
  }
  if (names.empty()) return false;
  for (std::string& name : names) {
    notes_.push_back(fmt::format("the header {} was not found: the type {} is taken for float",
                                 missing_headers_.front().target, name));
    guessed_types_.push_back(std::move(name));
  }
  begin_anew();
  return true;
}

namespace {

// Whether a name in capitals is one of an extent, or of a list's: TILE_WIDTH, C0. In doubt it is a
// slip of the pen.
bool may_be_constant(std::string_view name) {
  constexpr std::array<std::string_view, 9> kParts{"TILE",   "BLOCK",  "DIM",  "WIDTH", "SIZE",
                                                   "THREAD", "RADIUS", "MASK", "FILTER"};
  const bool is_capital = std::ranges::all_of(name, [](unsigned char c) {
    return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_';
  });
  const bool is_of_list =
      name.size() == 2 && std::isdigit(static_cast<unsigned char>(name[1])) != 0;
  return is_capital && (is_of_list || std::ranges::any_of(kParts, [&](std::string_view part) {
                          return name.find(part) != name.npos;
                        }));
}

// Whether a header is one of a library for the host alone, which has no constant of a kernel's.
bool is_of_host_library(std::string_view header) {
  constexpr std::array<std::string_view, 14> kBegin{
      "nvml.h",  "mpi.h", "GL/",   "GLFW/", "GLES",       "SDL",   "SFML/",
      "opencv2", "boost", "Eigen", "gtest", "benchmark/", "png.h", "jpeglib.h"};
  return std::ranges::any_of(kBegin,
                             [&](std::string_view begin) { return header.starts_with(begin); });
}

// What the build of the file's project sets a macro to.
std::optional<std::string> set_by_build(const fs::path& file, std::string_view name) {
  for (const std::string& define : build_defines(file.parent_path())) {
    const std::size_t sign = define.find('=');
    if (std::string_view(define).substr(0, sign) != name) continue;
    return sign == std::string::npos ? "1" : define.substr(sign + 1);
  }
  return std::nullopt;
}

// The usual definition of a macro of this name: its parameters and its value. {}: there is none.
struct UsualMacro {
  std::string_view arguments;
  std::string_view value;
};
UsualMacro usual_macro(std::string_view name) {
  struct Named {
    std::string_view name;
    UsualMacro macro;
  };
  constexpr UsualMacro kWide4{"(a)", "(*reinterpret_cast<float4*>(&(a)))"};
  constexpr UsualMacro kWide2{"(a)", "(*reinterpret_cast<float2*>(&(a)))"};
  constexpr std::array<Named, 10> kMacros{{
      {"FLOAT4", kWide4},
      {"FETCH_FLOAT4", kWide4},
      {"FLOAT2", kWide2},
      {"FETCH_FLOAT2", kWide2},
      {"INT4", {"(a)", "(*reinterpret_cast<int4*>(&(a)))"}},
      {"OFFSET", {"(row, col, ld)", "((row) * (ld) + (col))"}},
      {"IDX2C", {"(i, j, ld)", "((j) * (ld) + (i))"}},
      {"MIN", {"(a, b)", "((a) < (b) ? (a) : (b))"}},
      {"MAX", {"(a, b)", "((a) > (b) ? (a) : (b))"}},
      {"CEIL", {"(a, b)", "(((a) + (b) - 1) / (b))"}},
  }};
  const std::string_view meant = divides_up(name) ? "CEIL" : name;
  const auto* const found = std::ranges::find(kMacros, meant, &Named::name);
  return found == kMacros.end() ? UsualMacro{} : found->macro;
}

// The names that the compiler does not know; of an #error those that it names and that an #ifndef
// of the file asks for.
std::vector<std::string> names_lacking(const CompileError& error, const std::string& text) {
  std::vector<std::string> names;
  if (error.message.find("is undefined") != std::string::npos) {
    for (const std::string_view name : quoted_names(error.message)) names.emplace_back(name);
  }
  if (!error.message.starts_with(kErrorDirective)) return names;
  const std::string_view message = error.message;
  for (const CudaToken& word : tokenize(message.substr(kErrorDirective.size()))) {
    const std::string name(word.text);
    const bool is_guarded = is_word(word) && text.find("#ifndef " + name) != std::string::npos;
    if (is_guarded && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

// What a constant of this name usually is. In a plane of threads a tile has its edge.
int usual_constant(std::string_view name, bool is_plane) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (name.size() == 2) return 1;
  if (has("WARP")) return 32;
  if (has("RADIUS")) return 2;
  if (has("MASK") || has("FILTER")) return 5;
  return is_plane ? 16 : 256;
}

}  // namespace

// Macros that the project's build sets, and constants that an excerpt of a file uses and that stood
// above it.
bool DeviceProgram::guess_constants(const std::vector<CompileError>& errors) {
  bool found = false;
  for (const CompileError& error : errors) {
    const auto file = std::ranges::find(files_, error.file, &DeviceSource::name);
    if (file == files_.end()) continue;
    const bool is_asked_for = error.message.starts_with(kErrorDirective);
    for (const std::string& name : names_lacking(error, file->original())) {
      const bool is_new = std::ranges::find(guessed_constants_, name,
                                            &std::pair<std::string, std::string>::first) ==
                          guessed_constants_.end();
      if (!is_new) continue;
      if (const auto set = set_by_build(files_.front().name(), name)) {
        guessed_constants_.emplace_back(name, " " + *set);
        notes_.push_back(fmt::format("{} is {}, as the project's build sets it", name, *set));
        found = true;
        continue;
      }
      // A header that is missing may well have the others.
      const bool may_be_there = std::ranges::any_of(
          missing_headers_,
          [](const MissingHeader& header) { return !is_of_host_library(header.target.substr(1)); });
      if (may_be_there) continue;
      if (const UsualMacro macro = usual_macro(name); !macro.value.empty()) {
        guessed_constants_.emplace_back(name, fmt::format("{} {}", macro.arguments, macro.value));
        notes_.push_back(
            fmt::format("{} is defined nowhere: it is taken for {}", name, macro.value));
        found = true;
        continue;
      }
      if (!may_be_constant(name) && !is_asked_for) continue;
      std::vector<std::string> defined;
      for (const auto& [own, value] : find_constants(tokenize(file->original()))) {
        defined.push_back(own);
      }
      if (did_you_mean(name, defined).starts_with("Did you mean")) continue;
      const bool is_plane = file->original().find("threadIdx.y") != std::string::npos;
      const int value = usual_constant(name, is_plane);
      guessed_constants_.emplace_back(name, fmt::format(" {}", value));
      notes_.push_back(fmt::format("{} is defined nowhere: it is taken for {}", name, value));
      found = true;
    }
  }
  if (found) begin_anew();
  return found;
}

bool DeviceProgram::define_around(std::string_view kernel) {
  const auto is_defined = [&](const std::string& name) {
    return std::ranges::find(guessed_constants_, name,
                             &std::pair<std::string, std::string>::first) !=
           guessed_constants_.end();
  };
  bool found = false;
  for (const DeviceSource& file : files_) {
    for (const std::string& name : file.conditions_around(kernel)) {
      if (is_defined(name)) continue;
      guessed_constants_.emplace_back(name, " 1");
      notes_.push_back(fmt::format("{} is defined, for {} stands in its #if", name, kernel));
      found = true;
    }
  }
  if (found) begin_anew();
  return found;
}

bool DeviceProgram::lacks_project_headers(const std::vector<CompileError>& errors) {
  constexpr int kMostRounds = 2;  // host code of a header may be all that it complains of
  if (!leaves_project_headers_out_ || takes_project_headers_) return false;
  const bool in_header = std::ranges::any_of(errors, [&](const CompileError& error) {
    const auto file = std::ranges::find(files_, error.file, &DeviceSource::name);
    return file != files_.end() && file != files_.begin();
  });
  return in_header && ++rounds_in_headers_ > kMostRounds;
}

void DeviceProgram::take_project_headers() {
  takes_project_headers_ = true;
  if (lacks_standard_ && !cuda_folders_.empty()) library_ = StandardLibrary::kFull;
  begin_anew();
}

// One kernel that does not compile is no reason to show none of the others.
bool DeviceProgram::set_aside_others(const std::vector<CompileError>& errors,
                                     std::string_view kernel) {
  if (kernel.empty()) return false;
  bool changed = false;
  for (const CompileError& error : errors) {
    const auto file = std::ranges::find(files_, error.file, &DeviceSource::name);
    if (file == files_.end()) continue;
    const Declaration* gone =
        file->set_aside_device(error.line, error.column, error.message, kernel);
    if (gone == nullptr) continue;
    changed = true;
    if (!gone->is_kernel) continue;
    notes_.push_back(fmt::format("{}:{}: {} does not compile and was left out: {}", error.file,
                                 error.line, gone->name, error.message));
  }
  if (changed) note(errors, all_errors_.size());
  return changed;
}

// Names that the file takes from the one that includes it.
bool DeviceProgram::take_includer(const std::vector<CompileError>& errors) {
  const bool lacks_names = std::ranges::any_of(errors, [](const CompileError& error) {
    return error.message.find("is undefined") != std::string::npos ||
           error.message.find("must be a class or namespace name") != std::string::npos;
  });
  if (includer_files_.empty() || !lacks_names) return false;
  pre_included_ = plain_name(includer_files_.front().name());
  notes_.push_back(fmt::format("names of {}, which includes the file, are taken from there",
                               includer_files_.front().name()));
  std::ranges::move(includer_files_, std::back_inserter(files_));
  includer_files_.clear();
  begin_anew();
  return true;
}

void DeviceProgram::begin_anew() {
  leaves_project_headers_out_ = false;
  std::vector<DeviceSource> fresh;
  for (const DeviceSource& file : files_) fresh.emplace_back(file.name(), file.original());
  files_.swap(fresh);
  for (DeviceSource& file : files_) redirect_local_headers(file);
  settle_includes();
}

namespace {

// The compiler's messages about features that CUDA 12 removed.
constexpr std::string_view kNoTextures = "texture is not a template";
constexpr std::string_view kNoSurfaces = "surface is not a template";

constexpr std::string_view kOlderCuda = "CUDA 12 has no ";

// And with what it has instead.
Error in_todays_words(Error error) {
  if (error.message == kNoTextures) {
    error.message = std::string(kOlderCuda) + "texture references, texture<...>";
    error.remedy =
        "Hand the kernel a cudaTextureObject_t and read it with tex2D<float>(object, x, y). Or run "
        "the whole program: tilescope exec";
  } else if (error.message == kNoSurfaces) {
    error.message = std::string(kOlderCuda) + "surface references, surface<...>";
    error.remedy =
        "Hand the kernel a cudaSurfaceObject_t and read it with surf2Dread(&value, object, x, y). "
        "Or run the whole program: tilescope exec";
  }
  return error;
}

}  // namespace

bool DeviceProgram::is_of_older_cuda(const Error& error) {
  return error.message.starts_with(kOlderCuda);
}

// The error may only follow from what was set aside: then that is what to tell.
Error DeviceProgram::final_error(const CompileError& error) const {
  const Error said = error_of(error);
  const bool may_follow = !is_slip_of_the_pen(error.message) && !is_of_older_cuda(said) &&
                          !error.message.starts_with("static assertion failed");
  return may_follow ? after_missing_header(said) : said;
}

Error DeviceProgram::after_missing_header(Error said) const {
  if (missing_headers_.empty()) return said;
  const MissingHeader& header = missing_headers_.front();
  const std::string in_file =
      said.place.file == header.file ? "" : fmt::format(" of {}", said.place.file);
  const std::string what =
      said.place.line == 0
          ? said.message
          : fmt::format("line {}{} does not compile: {}", said.place.line, in_file, said.message);
  const std::string_view library = library_variable(header.target.substr(1));
  return {
      said.code,
      fmt::format("the header {} was not found, and {}", header.target, what),
      library.empty()
          ? "Name its folder with -I, put it beside the file, or take the #include out"
          : fmt::format("Set {} to a checkout of the library, or name its folder with -I", library),
      {header.file, header.line, 0}};
}

CompileError DeviceProgram::at_end_of_statement(CompileError error) const {
  const auto file = std::ranges::find(files_, error.file, &DeviceSource::name);
  if (error.message != "expected a \";\"" || error.column == 0 || file == files_.end())
    return error;
  const std::string_view text = file->original();
  const auto line_of = [&](const CudaToken& token) { return static_cast<int>(token.line); };
  const auto column_of = [&](const CudaToken& token) {  // from 1
    const auto offset = static_cast<std::size_t>(token.text.data() - text.data());
    const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
    return static_cast<int>(newline == std::string_view::npos ? offset + 1 : offset - newline);
  };
  const std::vector<CudaToken> tokens = tokenize(text);
  const auto next = std::ranges::find_if(
      tokens, [&](const CudaToken& token) { return line_of(token) >= error.line; });
  if (next == tokens.begin() || next == tokens.end()) return error;
  if (line_of(*next) == error.line && column_of(*next) < error.column) return error;
  const CudaToken& last = *std::prev(next);
  if (last.text.find('\n') != std::string_view::npos) return error;
  error.line = line_of(last);
  error.column = column_of(last) + static_cast<int>(last.text.size());
  return error;
}

Error DeviceProgram::error_of(const CompileError& said) const {
  const CompileError error = at_end_of_statement(said);
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
      return in_todays_words(
          {ErrorCode::kKernel, missing.complaint, "", {file.name(), missing.line, 0}});
    }
  }
  return in_todays_words(std::move(result));
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
    for (const fs::path& path : places_of_includes(*sources[i], header_folders_used())) {
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
