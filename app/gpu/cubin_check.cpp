#include "gpu/cubin_check.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tilescope {
namespace {

template <typename T>
bool read_at(std::span<const std::byte> file, std::uint64_t offset, T* value) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return false;
  std::memcpy(value, file.data() + offset, sizeof(T));
  return true;
}

bool lies_inside(std::span<const std::byte> file, std::uint64_t offset, std::uint64_t bytes) {
  return offset <= file.size() && bytes <= file.size() - offset;
}

}  // namespace

bool is_whole_cubin(std::span<const std::byte> cubin) {
  Elf64_Ehdr header{};
  if (!read_at(cubin, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) {
    return false;
  }
  if (!lies_inside(cubin, header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize)) {
    return false;
  }
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    if (!read_at(cubin, header.e_shoff + i * sizeof(section), &section)) return false;
    const bool has_bytes = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
    if (has_bytes && !lies_inside(cubin, section.sh_offset, section.sh_size)) return false;
  }
  return true;
}

bool has_variables(std::span<const std::byte> cubin) {
  constexpr std::string_view kSection = ".nv.global";  // and .nv.global.init
  const auto* text = reinterpret_cast<const char*>(cubin.data());
  return std::string_view(text, cubin.size()).find(kSection) != std::string_view::npos;
}

}  // namespace tilescope
