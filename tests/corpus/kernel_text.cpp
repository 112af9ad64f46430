#include "kernel_text.h"

#include <elf.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tilescope {
namespace {

using Bytes = std::span<const std::byte>;

template <typename T>
bool read_at(Bytes file, std::uint64_t offset, T* value) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return false;
  std::memcpy(value, file.data() + offset, sizeof(T));
  return true;
}

Bytes bytes_of(Bytes file, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > file.size() ||
      section.sh_size > file.size() - section.sh_offset) {
    return {};
  }
  return file.subspan(section.sh_offset, section.sh_size);
}

bool read_section(Bytes file, const Elf64_Ehdr& header, std::uint64_t index, Elf64_Shdr* section) {
  return read_at(file, header.e_shoff + index * sizeof(*section), section);
}

std::string_view name_at(Bytes names, std::uint32_t offset) {
  if (offset >= names.size()) return {};
  const char* const begin = reinterpret_cast<const char*>(names.data()) + offset;
  return {begin, ::strnlen(begin, names.size() - offset)};
}

}  // namespace

std::string hash_of_text(Bytes cubin, const std::string& kernel) {
  Elf64_Ehdr header{};
  Elf64_Shdr section{};
  if (!read_at(cubin, 0, &header) || header.e_shentsize != sizeof(section)) return "";
  if (!read_section(cubin, header, header.e_shstrndx, &section)) return "";
  const Bytes names = bytes_of(cubin, section);
  const std::string wanted = ".text." + kernel;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    if (!read_section(cubin, header, i, &section)) return "";
    if (name_at(names, section.sh_name) != wanted) continue;
    const Bytes text = bytes_of(cubin, section);
    return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
  }
  return "";
}

}  // namespace tilescope
