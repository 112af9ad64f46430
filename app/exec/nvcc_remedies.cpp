#include "exec/nvcc_remedies.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <regex>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/file.h"
#include "core/paths.h"
#include "exec/program_build.h"
#include "kernel/compile/nvcc.h"
#include "kernel/compile/spelled_headers.h"
#include "kernel/compile/virtual_headers.h"
#include "kernel/launch/file_launch.h"
#include "kernel/source/build_defines.h"
#include "kernel/source/device_source.h"
#include "kernel/source/header_folders.h"
#include "kernel/source/kernel_name.h"
#include "kernel/source/near_sources.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMissed = "undefined reference to `";

bool names_standard(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word.starts_with("-std") || word.starts_with("--std");
  });
}

// The folder of a library's headers in the system, one below the usual ones: of "Eigen/Core"
// /usr/include/eigen3. Empty: there is none.
fs::path system_folder_of(const std::string& header) {
  std::error_code failure;
  for (const char* const root : {"/usr/include", "/usr/local/include"}) {
    for (fs::directory_iterator entry(root, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      if (fs::exists(entry->path() / header, failure)) return entry->path();
    }
  }
  return {};
}

bool is_system_library(const std::string& name) {
  return std::ranges::any_of(
      std::array{"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"},
      [&](const char* folder) {
        std::error_code failure;
        return fs::exists(fs::path(folder) / ("lib" + name + ".so"), failure);
      });
}

// Libraries of the system that are named like a header which these sources include: "gflags" for
// <gflags/gflags.h>.
std::vector<std::string> libraries_of_headers(const std::vector<std::string>& sources) {
  std::vector<std::string> names;
  for (const std::string& file : sources) {
    const auto text = read_file(file, kMostSourceBytes);
    const DeviceSource source(file, text ? *text : std::string());
    for (const DeviceSource::Include& include : source.includes()) {
      const fs::path target(include.target);
      if (!target.has_extension()) continue;
      names.push_back(target.has_parent_path() ? target.begin()->string() : target.stem().string());
    }
  }
  return names;
}

// The standard header of a name that nvcc does not know; empty: none is known.
std::string_view standard_header_of(std::string_view name) {
  struct Header {
    std::string_view name;
    std::initializer_list<std::string_view> has;  // beginnings and whole names
  };
  static const std::array<Header, 8> kHeaders{{
      {"cfloat", {"FLT_", "DBL_", "LDBL_"}},
      {"climits",
       {"INT_M", "UINT_MAX", "LONG_M", "ULONG_MAX", "LLONG_M", "CHAR_", "SHRT_", "UCHAR_"}},
      {"cstdint",
       {"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
        "uintptr_t", "intptr_t", "UINT8_", "UINT16_", "UINT32_", "UINT64_", "INT32_", "INT64_"}},
      {"cstring",
       {"memset", "memcpy", "memcmp", "strlen", "strcmp", "strcpy", "strncmp", "strstr"}},
      {"cstdlib", {"malloc", "free", "rand", "srand", "exit", "atoi", "atof", "EXIT_", "RAND_MAX"}},
      {"cstdio", {"printf", "fprintf", "puts", "fopen", "stderr", "stdout", "sprintf"}},
      {"cassert", {"assert"}},
      {"ctime", {"clock", "time", "CLOCKS_PER_SEC"}},
  }};
  for (const Header& header : kHeaders) {
    for (const std::string_view one : header.has) {
      const bool is_beginning = one.ends_with('_') || one.ends_with("_M");
      if (is_beginning ? name.starts_with(one) : name == one) return header.name;
    }
  }
  return {};
}

class Remedies {
 public:
  Remedies(const std::string& message, const fs::path& file, const fs::path& nvcc,
           const std::vector<std::string>& words)
      : message_(message), file_(file), nvcc_(nvcc), words_(words) {}

  std::vector<std::string> find() {
    for (std::string& option : headers_of_older_cuda(message_)) add(std::move(option));
    find_header();
    pre_include_thrust();
    pre_include_standard();
    find_sources();
    if (message_.find("\" is undefined") != std::string::npos) {
      for (const std::string& define : build_defines(file_.parent_path())) add("-D" + define);
    }
    use_table();
    rename_main();
    if (further_.empty() && message_.find(kMissed) != std::string::npos) {
      std::vector<std::string> names = libraries_of_headers(sources());
      std::ranges::copy(build_libraries(file_.parent_path()), std::back_inserter(names));
      for (const std::string& name : names) {
        if (is_system_library(name)) add("-l" + name);
      }
    }
    return std::move(further_);
  }

 private:
  [[nodiscard]] bool has(const std::string& option) const {
    return std::ranges::find(words_, option) != words_.end() ||
           std::ranges::find(further_, option) != further_.end();
  }
  void add(std::string option) {
    if (!option.empty() && !has(option)) further_.push_back(std::move(option));
  }

  // What the message says in the first group of each match.
  [[nodiscard]] std::vector<std::string> said(const char* pattern) const {
    const std::regex expression(pattern);
    std::vector<std::string> found;
    for (auto at = std::sregex_iterator(message_.begin(), message_.end(), expression);
         at != std::sregex_iterator(); ++at) {
      found.push_back((*at)[1].str());
    }
    return found;
  }

  void find_header() {
    const std::vector<std::string> missing =
        said(": fatal error: ([^:\n]+): No such file or directory");
    if (missing.empty()) return;
    const std::string& header = missing.front();
    const fs::path folder = folder_of_header(file_.parent_path(), header);
    const std::string stand_ins = "-idirafter," + sample_headers().string();
    if (!folder.empty()) {
      further_.push_back("-I" + folder.string());
    } else if (fs::exists(sample_headers() / header) && !has(stand_ins)) {
      further_.insert(further_.end(), {"-Xcompiler", stand_ins});
    } else if (const fs::path system = system_folder_of(header); !system.empty()) {
      further_.push_back("-I" + system.string());
    } else if (const fs::path spelt = folder_of_spelling(file_.parent_path(), header);
               !spelt.empty()) {
      add("-I" + spelt.string());
    }
  }

  // Headers of thrust once included others of its own.
  void pre_include_thrust() {
    for (const std::string& member : said("namespace \"thrust\" has no member \"([a-z_]+)\"")) {
      const std::string name = "thrust/" + member + ".h";
      const fs::path includes = nvcc_.parent_path() / "../include";
      if (fs::exists(includes / "cccl" / name) || fs::exists(includes / name))
        add("--pre-include=" + name);
    }
  }

  // What an older standard library, or Visual Studio's, included by itself. g++ says which header
  // it wants, nvcc's own front end only what it lacks.
  void pre_include_standard() {
    std::vector<std::string> headers = said("did you forget to [^#]*#include <([a-z_.]+)>");
    const auto says = [&](const char* pattern) {
      return std::regex_search(message_, std::regex(pattern));
    };
    if (says("[^a-z]chrono[^a-z ]+ (has not been declared|is not)")) headers.emplace_back("chrono");
    if (says("(fabs|fmax|fmin|sqrt|pow|exp|log|sin|cos|floor|ceil|fmod|round)f?"
             "(’|') was not declared")) {
      headers.emplace_back("cmath");
    }
    for (const std::string& name : said("identifier \"([A-Za-z_0-9]+)\" is undefined"))
      headers.emplace_back(standard_header_of(name));
    for (const std::string& header : headers) {
      if (!header.empty()) add("--pre-include=" + header);
    }
  }

  [[nodiscard]] std::vector<std::string> sources() const {
    std::vector<std::string> sources{file_.string()};
    for (const std::string& word : words_) {
      if (is_source_word(word) && word != file_) sources.push_back(word);
    }
    return sources;
  }

  // Of the project, those that have what the linker misses: functions, and variables.
  void find_sources() {
    std::vector<std::string> missed = said(
        "undefined reference to `(?:[A-Za-z_0-9:<>*&, ]+ )?(?:[A-Za-z_0-9]+::)*([A-Za-z_0-9]+)"
        "(?:<[^(']*)?[('(]");
    // ptxas and nvlink name a device function that is missing as the compiler decorates it.
    for (const std::string& decorated :
         said("(?:Unresolved extern function|Undefined reference to) '([^']+)'")) {
      const std::string whole = name_without_parameters(decorated);
      missed.push_back(whole.substr(whole.rfind(':') + 1));  // npos + 1: all of it
    }
    for (const std::string& name : missed) {
      add(name == "main" ? main_near(file_.string()) : definer_near(sources(), name));
    }
  }

  void use_table() {
    const bool is_cuda_12 = fs::exists(nvcc_.parent_path() / "../lib64/libcudart.so.12");
    const std::string cublas = is_cuda_12 ? "libcublas.so.12" : "libcublas.so.13";
    const std::string cublas_lt = is_cuda_12 ? "libcublasLt.so.12" : "libcublasLt.so.13";
    const std::string cufft = is_cuda_12 ? "libcufft.so.11" : "libcufft.so.12";
    const auto stand_in = [](const std::string& name) {  // it needs what only our runtime has
      return "-Xlinker=--allow-shlib-undefined," + (runtime_directory() / name).string();
    };
    const std::string missed = kMissed;
    const std::array<std::pair<std::string, std::string>, 12> kRemedies{{
        {"separate compilation|is treated as a static definition|Unresolved extern function",
         "-rdc=true"},
        {"namespace \"std\" has no member \"(source_location|span|bit_cast|numbers|ranges|views|"
         "format|popcount|countr_zero|countl_zero|bit_ceil|bit_floor|bit_width|has_single_bit|"
         "same_as|integral|floating_point|convertible_to|invocable|remove_cvref_t|jthread|barrier|"
         "latch|ssize|midpoint|type_identity_t)\"|"
         "identifier \"(concept|requires|consteval|constinit)\" is undefined",
         "-std=c++20"},
        // using namespace std, and a name that C++17 has too: byte, beta, size.
        {"\" is ambiguous|reference to (‘|')[a-z_]+(’|') is ambiguous", "-std=c++14"},
        {"target specific option mismatch", "-Xcompiler=-march=native"},
        {missed + "(omp_|GOMP_)", "-Xcompiler=-fopenmp"},
        {"undefined reference to (`|symbol ')cublasLt", stand_in(cublas_lt)},
        {missed + "cublas", stand_in(cublas)},
        {missed + "cufft", stand_in(cufft)},
        {missed + "curand", stand_in("libcurand.so.10")},
        {missed + "cusparse", stand_in("libcusparse.so.12")},
        {missed + "nvrtc", "-lnvrtc"},
        {missed + "cu[A-Z]", stand_in("libcuda.so.1")},
    }};
    for (const auto& [sign, option] : kRemedies) {
      const bool has_standard = option.starts_with("-std") && names_standard(words_);
      if (!has_standard && std::regex_search(message_, std::regex(sign))) add(option);
    }
  }

  // void main(), as Visual Studio takes it.
  void rename_main() {
    constexpr const char* kRenamed = "-Dmain=tilescope_void_main";
    const bool is_void = message_.find("main’ must return") != std::string::npos ||
                         message_.find("main' must return") != std::string::npos;
    if (is_void && !has(kRenamed))
      further_.insert(further_.end(), {kRenamed, (shipped_headers() / "void_main.cpp").string()});
  }

  const std::string& message_;
  const fs::path& file_;
  const fs::path& nvcc_;
  const std::vector<std::string>& words_;
  std::vector<std::string> further_;
};

}  // namespace

std::vector<std::string> options_asked_for(const std::string& message, const fs::path& file,
                                           const fs::path& nvcc,
                                           const std::vector<std::string>& words) {
  return Remedies(message, file, nvcc, words).find();
}

}  // namespace tilescope
