#include "exec/host_program.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "core/file.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostProgramBytes = std::uintmax_t{4} << 30;

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

}  // namespace

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
