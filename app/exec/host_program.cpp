#include "exec/host_program.h"

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <span>
#include <sstream>
#include <utility>

#include "core/file.h"
#include "core/paths.h"
#include "core/search_path.h"
#include "kernel/compile/compile_cache.h"
#include "kernel/compile/cuda_tool.h"
#include "kernel/compile/nvcc.h"
#include "kernel/compile/virtual_headers.h"
#include "kernel/launch/near_sources.h"
#include "kernel/source/build_defines.h"
#include "kernel/source/device_source.h"
#include "kernel/source/header_folders.h"
#include "kernel/source/kernel_name.h"
#include "kernel/text/include_paths.h"
#include "kernel/text/markdown.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostProgramBytes = std::uintmax_t{4} << 30;
constexpr std::chrono::minutes kProgramPatience{10};  // for nvcc: a person waits, and may interrupt

// "target: file file \", as nvcc -MD writes them; a blank within a name has a "\" before it.
std::vector<fs::path> files_in(const fs::path& dependencies) {
  std::ifstream text(dependencies);
  std::vector<fs::path> files;
  std::string name;
  std::string word;
  while (text >> word) {
    if (word == "\\" || word == ":") continue;
    const bool goes_on = word.back() == '\\';
    if (goes_on) word.back() = ' ';
    name += word;
    if (goes_on) continue;
    if (!name.ends_with(':')) files.emplace_back(name);  // the target is followed by one
    name.clear();
  }
  return files;
}

bool is_current(const fs::path& program, const fs::path& dependencies) {
  std::error_code failure;
  const auto made = fs::last_write_time(program, failure);
  if (failure || !fs::exists(dependencies, failure)) return false;
  const std::vector<fs::path> files = files_in(dependencies);
  return !files.empty() && std::ranges::all_of(files, [&](const fs::path& file) {
    std::error_code missing;
    const auto written = fs::last_write_time(file, missing);
    return !missing && written <= made;
  });
}

template <class T>
bool read(std::string_view bytes, std::uint64_t at, T* value) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return false;
  std::memcpy(value, bytes.data() + at, sizeof(T));
  return true;
}

std::string_view text_at(std::string_view bytes, std::uint64_t at) {
  if (at >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(at);
  return rest.substr(0, rest.find('\0'));
}

// What an ELF file says: libraries that it needs, names of its sections.
struct Elf {
  std::vector<std::string> needed;
  std::vector<std::string> sections;
  bool has_runtime = false;  // a function named cudaMalloc, in its symbol table

  [[nodiscard]] bool has_section(std::string_view name) const {
    return std::ranges::find(sections, name) != sections.end();
  }
};

std::optional<Elf> read_elf(std::string_view bytes) {
  Elf64_Ehdr header{};
  if (!read(bytes, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (!read(bytes, header.e_shoff + i * sizeof(Elf64_Shdr), &sections[i])) return std::nullopt;
  Elf elf;
  for (const Elf64_Shdr& section : sections) {
    if (header.e_shstrndx < sections.size()) {
      elf.sections.emplace_back(
          text_at(bytes, sections[header.e_shstrndx].sh_offset + section.sh_name));
    }
    if (section.sh_type == SHT_SYMTAB && section.sh_link < sections.size()) {
      for (std::uint64_t at = 0; at < section.sh_size && !elf.has_runtime;
           at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol{};
        if (!read(bytes, section.sh_offset + at, &symbol)) break;
        elf.has_runtime =
            symbol.st_value != 0 && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
            text_at(bytes, sections[section.sh_link].sh_offset + symbol.st_name) == "cudaMalloc";
      }
    }
    if (section.sh_type != SHT_DYNAMIC || section.sh_link >= sections.size()) continue;
    for (std::uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry{};
      if (!read(bytes, section.sh_offset + at, &entry) || entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED)
        elf.needed.emplace_back(
            text_at(bytes, sections[section.sh_link].sh_offset + entry.d_un.d_val));
    }
  }
  return elf;
}

// Of one GPU alone (sm_90a), for instance, which we would not choose.
bool names_architecture(const std::vector<std::string>& nvcc_options) {
  return std::ranges::any_of(nvcc_options, [](const std::string& option) {
    return option.starts_with("-arch") || option.starts_with("--gpu-architecture") ||
           option.starts_with("-gencode") || option.starts_with("--generate-code");
  });
}

bool names_standard(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word.starts_with("-std") || word.starts_with("--std");
  });
}

// "-arch=sm_90a" as the pass for that GPU alone: nvcc 13.0 adds one for compute_90, which refuses
// what only sm_90a has. Other options as they are.
std::string with_one_pass(const std::string& option) {
  for (const std::string_view name : {"-arch=sm_", "--gpu-architecture=sm_"}) {
    if (!option.starts_with(name) || !(option.ends_with('a') || option.ends_with('f'))) continue;
    return fmt::format("-gencode=arch=compute_{0},code=[compute_{0},sm_{0}]",
                       option.substr(name.size()));
  }
  return option;
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

// Options that link the system's libraries which are named like an included header: "-lgflags" for
// <gflags/gflags.h>.
std::vector<std::string> libraries_of_headers(const std::vector<std::string>& sources) {
  constexpr std::uintmax_t kMostSourceBytes = 4 << 20;
  std::vector<std::string> options;
  for (const std::string& file : sources) {
    const auto text = read_file(file, kMostSourceBytes);
    const DeviceSource source(file, text ? *text : std::string());
    for (const DeviceSource::Include& include : source.includes()) {
      const fs::path target(include.target);
      const std::string name =
          target.has_parent_path() ? target.begin()->string() : target.stem().string();
      for (const char* const folder :
           {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"}) {
        std::error_code failure;
        const bool is_there = target.has_extension() &&
                              fs::exists(fs::path(folder) / ("lib" + name + ".so"), failure);
        if (is_there && std::ranges::find(options, "-l" + name) == options.end())
          options.push_back("-l" + name);
      }
    }
  }
  return options;
}

// What nvcc's message asks for, and `words` do not have: options for kernels that launch kernels,
// what older versions of CUDA had, the C++ standard, of the project of `file` the folder of a
// header, the sources that define what is missed and the macros that its build sets, headers that
// stand for those of CUDA's samples, libraries whose headers are included, and libraries of CUDA's
// that nobody named. These are the stand-ins, which have the names that the libraries themselves
// have where there is a GPU.
std::vector<std::string> further_options(const std::string& message, const fs::path& file,
                                         const fs::path& nvcc,
                                         const std::vector<std::string>& words) {
  const bool is_cuda_12 = fs::exists(nvcc.parent_path() / "../lib64/libcudart.so.12");
  const std::string cublas = is_cuda_12 ? "libcublas.so.12" : "libcublas.so.13";
  const std::string cublas_lt = is_cuda_12 ? "libcublasLt.so.12" : "libcublasLt.so.13";
  const std::string cufft = is_cuda_12 ? "libcufft.so.11" : "libcufft.so.12";
  const auto stand_in = [](const std::string& name) {  // it needs what only ours of the runtime has
    return "-Xlinker=--allow-shlib-undefined," + (runtime_directory() / name).string();
  };
  const std::string missed = "undefined reference to `";
  const std::array<std::pair<std::string, std::string>, 11> kRemedies{{
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
      {missed + "(omp_|GOMP_)", "-Xcompiler=-fopenmp"},
      {"undefined reference to (`|symbol ')cublasLt", stand_in(cublas_lt)},
      {missed + "cublas", stand_in(cublas)},
      {missed + "cufft", stand_in(cufft)},
      {missed + "curand", stand_in("libcurand.so.10")},
      {missed + "cusparse", stand_in("libcusparse.so.12")},
      {missed + "nvrtc", "-lnvrtc"},
      {missed + "cu[A-Z]", stand_in("libcuda.so.1")},
  }};
  std::vector<std::string> further;
  for (std::string& option : headers_of_older_cuda(message)) {
    if (std::ranges::find(words, option) == words.end()) further.push_back(std::move(option));
  }
  const std::regex missing(": fatal error: ([^:\n]+): No such file or directory");
  if (std::smatch found; std::regex_search(message, found, missing)) {
    const fs::path folder = folder_of_header(file.parent_path(), found[1].str());
    const std::string stand_ins = "-idirafter," + sample_headers().string();
    if (!folder.empty()) {
      further.push_back("-I" + folder.string());
    } else if (fs::exists(sample_headers() / found[1].str()) &&
               std::ranges::find(words, stand_ins) == words.end()) {
      further.insert(further.end(), {"-Xcompiler", stand_ins});
    } else if (const fs::path system = system_folder_of(found[1].str()); !system.empty()) {
      further.push_back("-I" + system.string());
    }
  }
  // Headers of thrust once included others of its own.
  const std::regex member("namespace \"thrust\" has no member \"([a-z_]+)\"");
  for (auto at = std::sregex_iterator(message.begin(), message.end(), member);
       at != std::sregex_iterator(); ++at) {
    const std::string name = "thrust/" + (*at)[1].str() + ".h";
    const std::string option = "--pre-include=" + name;
    const fs::path includes = nvcc.parent_path() / "../include";
    const bool is_there = fs::exists(includes / "cccl" / name) || fs::exists(includes / name);
    const bool is_new = std::ranges::find(words, option) == words.end() &&
                        std::ranges::find(further, option) == further.end();
    if (is_there && is_new) further.push_back(option);
  }
  // What an older standard library included by itself, as g++ says it.
  const std::regex forgotten("did you forget to [^#]*#include <([a-z_.]+)>");
  std::vector<std::string> headers;
  for (auto at = std::sregex_iterator(message.begin(), message.end(), forgotten);
       at != std::sregex_iterator(); ++at) {
    headers.push_back((*at)[1].str());
  }
  if (std::regex_search(message, std::regex("[^a-z]chrono[^a-z ]+ (has not been declared|is not)")))
    headers.emplace_back("chrono");
  const std::regex mathematics(
      "(fabs|fmax|fmin|sqrt|pow|exp|log|sin|cos|floor|ceil|fmod|round)f?"
      "(’|') was not declared");
  if (std::regex_search(message, mathematics)) headers.emplace_back("cmath");
  for (const std::string& name : headers) {
    const std::string option = "--pre-include=" + name;
    const bool is_new = std::ranges::find(words, option) == words.end() &&
                        std::ranges::find(further, option) == further.end();
    if (is_new) further.push_back(option);
  }
  std::vector<std::string> sources{file.string()};
  for (const std::string& word : words) {
    if (word.starts_with('-') || word == file) continue;
    if (fs::path(word).extension() == ".cu" || is_host_source(word)) sources.push_back(word);
  }
  const std::regex undefined(
      "undefined reference to `(?:[A-Za-z_0-9:<>*&, ]+ )?(?:[A-Za-z_0-9]+::)*([A-Za-z_0-9]+)"
      "(?:<[^(']*)?[('(]");
  std::vector<std::string> missed_functions;
  for (auto at = std::sregex_iterator(message.begin(), message.end(), undefined);
       at != std::sregex_iterator(); ++at) {
    missed_functions.push_back((*at)[1].str());
  }
  // ptxas and nvlink name a device function that is missing as the compiler decorates it.
  const std::regex device_code("(?:Unresolved extern function|Undefined reference to) '([^']+)'");
  for (auto at = std::sregex_iterator(message.begin(), message.end(), device_code);
       at != std::sregex_iterator(); ++at) {
    const std::string whole = name_without_parameters((*at)[1].str());
    missed_functions.push_back(whole.substr(whole.rfind(':') + 1));  // npos + 1: all of it
  }
  for (const std::string& function : missed_functions) {
    const std::string source = definer_near(sources, function);
    const bool is_new = std::ranges::find(words, source) == words.end() &&
                        std::ranges::find(further, source) == further.end();
    if (!source.empty() && is_new) further.push_back(source);
  }
  if (message.find("\" is undefined") != std::string::npos) {
    for (const std::string& define : build_defines(file.parent_path())) {
      if (std::ranges::find(words, "-D" + define) == words.end()) further.push_back("-D" + define);
    }
  }
  for (const auto& [sign, option] : kRemedies) {
    const bool has_standard = option.starts_with("-std") && names_standard(words);
    const bool is_asked_for = !has_standard && std::regex_search(message, std::regex(sign));
    if (is_asked_for && std::ranges::find(words, option) == words.end()) further.push_back(option);
  }
  // void main(), as Visual Studio takes it.
  constexpr const char* kRenamed = "-Dmain=tilescope_void_main";
  const bool is_void = message.find("main’ must return") != std::string::npos ||
                       message.find("main' must return") != std::string::npos;
  if (is_void && std::ranges::find(words, kRenamed) == words.end())
    further.insert(further.end(), {kRenamed, (shipped_headers() / "void_main.cpp").string()});
  if (further.empty() && message.find(missed) != std::string::npos) {
    for (std::string& option : libraries_of_headers(sources)) {
      if (std::ranges::find(words, option) == words.end()) further.push_back(std::move(option));
    }
  }
  return further;
}

// The code of a file that nvcc cannot compile as it is (Markdown, Windows paths in #include lines),
// with the file's name and lines; nullopt: nvcc takes the file.
std::optional<std::string> changed_code(const fs::path& file) {
  constexpr std::uintmax_t kMostSourceBytes = 4 << 20;
  const auto text = read_file(file, kMostSourceBytes);
  if (!text) return std::nullopt;
  const std::string code = with_forward_slashes(is_fenced(*text) ? without_fences(*text) : *text);
  if (code == *text) return std::nullopt;
  return fmt::format("#line 1 \"{}\"\n{}", file.string(), code);
}

}  // namespace

bool is_host_source(const fs::path& file) {
  constexpr std::array<std::string_view, 4> kEndings{".cpp", ".cc", ".cxx", ".c"};
  return std::ranges::find(kEndings, file.extension().string()) != kEndings.end();
}

Result<fs::path> build_program(const HostSource& source, const std::stop_token& stop) {
  const auto tool = nvcc();
  if (!tool) {
    return Error{
        ErrorCode::kMachine,
        "nvcc was not found, which compiles host code",
        "tilescope fetch --nvcc downloads it (99 MB). Or name it in TILESCOPE_NVCC, or give the "
        "compiled program",
        {}};
  }
  const bool names_compiler =
      std::ranges::any_of(source.nvcc_options, [](const std::string& option) {
        return option.starts_with("-ccbin") || option.starts_with("--compiler-bindir");
      });
  if (!names_compiler && find_on_path("g++").empty()) {
    return Error{
        ErrorCode::kMachine,
        "nvcc needs g++, which is not installed",
        "Debian and Ubuntu: sudo apt install g++; Fedora: sudo dnf install gcc-c++. Or give "
        "the compiled program",
        {}};
  }
  std::error_code failure;
  CacheKey key;
  key.add(tool_identity(*tool));
  key.add(fs::absolute(source.file, failure).string());
  key.add(std::to_string(source.compute_capability));
  for (const std::string& option : source.nvcc_options) key.add(option);
  const fs::path folder = cache_directory() / "programs";
  fs::create_directories(folder, failure);
  const std::optional<std::string> code = changed_code(source.file);
  if (code) key.add(*code);
  const fs::path program = folder / (source.file.stem().string() + "-" + key.digest());
  const fs::path dependencies = program.string() + ".d";
  if (is_current(program, dependencies)) return program;
  const std::string made = fmt::format("{}.{}", program.string(), ::getpid());
  std::vector<std::string> words{
      "-cudart",
      "shared",
      "-lineinfo",
      "-g",
      "-O2",
      "-MD",
      "-MF",
      dependencies.string(),
      "--extended-lambda",
      "--expt-relaxed-constexpr",
      "-I",
      source.file.parent_path().empty() ? "." : source.file.parent_path().string(),
      "-I",
      shipped_headers().string(),
      "-o",
      made};
  if (!names_architecture(source.nvcc_options)) {
    words.push_back(source.compute_capability == 0
                        ? "-arch=native"
                        : fmt::format("-gencode=arch=compute_{0},code=[compute_{0},sm_{0}]",
                                      source.compute_capability));
  }
  if (source.file.extension() != ".cu" && !is_host_source(source.file))
    words.insert(words.end(), {"-x", "cu"});
  if (code) {
    const fs::path plain = program.string() + source.file.extension().string();
    if (Status written = write_file(plain, *code); !written) return written.error();
    words.push_back(plain.string());
  } else {
    words.push_back(source.file.string());
  }
  for (const std::string& given : given_header_folders()) words.push_back("-I" + given);
  for (const fs::path& above : header_folders(source.file.parent_path())) {  // after the system's
    words.emplace_back("-Xcompiler");
    words.push_back("-idirafter," + above.string());
  }
  for (const std::string& option : source.nvcc_options) words.push_back(with_one_pass(option));
  auto run = run_tool(*tool, words, stop, kProgramPatience);
  for (bool again = true; again && run && !run->succeeded;) {
    const std::vector<std::string> further =
        further_options(run->output, source.file, *tool, words);
    words.insert(words.end(), further.begin(), further.end());
    again = !further.empty();
    if (again) run = run_tool(*tool, words, stop, kProgramPatience);
  }
  if (!run) return run.error();
  if (!run->succeeded) {
    fs::remove(made, failure);
    return Error{ErrorCode::kCompile,
                 fmt::format("nvcc does not compile {}:\n{}", source.file.string(), run->output),
                 "",
                 {}};
  }
  fs::rename(made, program, failure);
  if (failure) {
    return Error{ErrorCode::kMachine, fmt::format("cannot write {}", program.string()), "", {}};
  }
  return program;
}

Status check_program(const fs::path& program) {
  const auto usage = [&](std::string message, std::string remedy) {
    return Error{ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
  };
  const auto bytes = read_file(program, kMostProgramBytes);
  if (!bytes) return usage(fmt::format("there is no program {}", program.string()), "");
  const auto elf = read_elf(*bytes);
  if (!elf) {
    if (bytes->starts_with("#!")) return ok_status();  // a script, which starts one
    return usage(fmt::format("{} is neither a program nor a CUDA file", program.string()),
                 "Give a program that nvcc has made, or a .cu or .cpp file with a main()");
  }
  const bool has_code = elf->has_section(".nv_fatbin") || elf->has_section(".nvFatBinSegment");
  const bool is_shared = std::ranges::any_of(elf->needed, [](const std::string& library) {
    return library.starts_with("libcudart.so") || library.starts_with("libcuda.so");
  });
  // A static runtime is taken over where the functions can still be found (runtime/static_runtime).
  if (has_code && !is_shared && !elf->has_runtime) {
    return usage(
        fmt::format("{} has CUDA's runtime library inside and no symbols (it is stripped), "
                    "so that its calls cannot be taken over",
                    program.string()),
        "Link it with nvcc -cudart shared, in CMake with set(CMAKE_CUDA_RUNTIME_LIBRARY "
        "Shared), or give the .cu file");
  }
  return ok_status();
}

std::vector<std::string> libraries_that_need_a_gpu(const fs::path& program) {
  const auto bytes = read_file(program, kMostProgramBytes);
  const auto elf = bytes ? read_elf(*bytes) : std::nullopt;
  std::vector<std::string> found;
  if (!elf) return found;
  for (const std::string& library : elf->needed) {
    for (const std::string_view name :
         {"libcufftw", "libcusolver", "libcudnn", "libnccl", "libnpp"}) {
      if (library.starts_with(name)) found.push_back(library);
    }
  }
  return found;
}

}  // namespace tilescope
