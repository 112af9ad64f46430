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
#include <span>
#include <sstream>
#include <utility>

#include "core/file.h"
#include "core/paths.h"
#include "core/search_path.h"
#include "exec/nvcc_remedies.h"
#include "kernel/compile/compile_cache.h"
#include "kernel/compile/cuda_tool.h"
#include "kernel/compile/nvcc.h"
#include "kernel/compile/virtual_headers.h"
#include "kernel/launch/file_launch.h"
#include "kernel/source/header_folders.h"
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

// The code of a file that nvcc cannot compile as it is (Markdown, Windows paths in #include lines),
// with the file's name and lines; nullopt: nvcc takes the file.
std::optional<std::string> changed_code(const fs::path& file) {
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
        options_asked_for(run->output, source.file, *tool, words);
    words.insert(words.end(), further.begin(), further.end());
    again = !further.empty();
    if (again) run = run_tool(*tool, words, stop, kProgramPatience);
  }
  if (!run) return run.error();
  if (!run->succeeded) {
    fs::remove(made, failure);
    if (run->output.find("undefined reference to `main'") != std::string::npos) {
      return Error{ErrorCode::kCompile,
                   fmt::format("{} has no main(), and no source near it that has one calls it",
                               source.file.string()),
                   "Give the source with the main(), or name it with --nvcc",
                   {}};
    }
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
