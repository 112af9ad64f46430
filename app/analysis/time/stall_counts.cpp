#include "analysis/time/stall_counts.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace tilescope {
namespace {

constexpr std::size_t kCodeBytes = 16;
constexpr unsigned kStallShift = 105 - 64;  // in the second half of an instruction
constexpr std::uint64_t kStallMask = 0xf;

template <typename T>
bool read_at(std::span<const std::byte> bytes, std::size_t offset, T* value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(value, bytes.data() + offset, sizeof(T));
  return true;
}

// The bytes of a section; empty: there is none of this name.
std::span<const std::byte> section_of(std::span<const std::byte> file, const std::string& name) {
  Elf64_Ehdr header;
  if (!read_at(file, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64) {
    return {};
  }
  const auto section = [&](std::size_t index, Elf64_Shdr* found) {
    return read_at(file, header.e_shoff + index * sizeof(Elf64_Shdr), found) &&
           found->sh_offset <= file.size() && found->sh_size <= file.size() - found->sh_offset;
  };
  Elf64_Shdr names;
  if (!section(header.e_shstrndx, &names)) return {};
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr each;
    if (!section(i, &each) || each.sh_type == SHT_NOBITS || each.sh_name >= names.sh_size) continue;
    const auto* text = reinterpret_cast<const char*>(file.data() + names.sh_offset + each.sh_name);
    const std::string_view rest(text, names.sh_size - each.sh_name);
    if (rest.substr(0, rest.find('\0')) == name) return file.subspan(each.sh_offset, each.sh_size);
  }
  return {};
}

}  // namespace

std::vector<std::uint8_t> stall_counts(std::span<const std::byte> cubin, std::string_view kernel) {
  const auto code = section_of(cubin, ".text." + std::string(kernel));
  std::vector<std::uint8_t> counts;
  counts.reserve(code.size() / kCodeBytes);
  for (std::size_t at = 0; at + kCodeBytes <= code.size(); at += kCodeBytes) {
    std::uint64_t half = 0;
    (void)read_at(code, at + kCodeBytes / 2, &half);
    const std::uint64_t stall = half >> kStallShift & kStallMask;
    counts.push_back(static_cast<std::uint8_t>(std::max<std::uint64_t>(stall, 1)));
  }
  return counts;
}

}  // namespace tilescope
