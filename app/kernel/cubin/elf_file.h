#pragma once

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace tilescope {

// A value that stands at a byte of a file; false where the file ends before.
template <class T>
[[nodiscard]] bool read_at(std::span<const std::byte> bytes, std::size_t at, T* value) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return false;
  std::memcpy(value, bytes.data() + at, sizeof(T));
  return true;
}

// The text that begins at a byte, up to its zero or the end.
[[nodiscard]] std::string_view text_at(std::span<const std::byte> bytes, std::size_t at);

struct ElfSection {
  std::string_view name;
  Elf64_Shdr header;
  std::span<const std::byte> bytes;  // empty where it has none in the file
};

// [] where the bytes are no ELF file of 64 bits; what lies outside them is left out. Refers to
// `file`.
[[nodiscard]] std::vector<ElfSection> elf_sections(std::span<const std::byte> file);

struct ElfSymbol {
  std::string_view name;
  Elf64_Sym symbol;
};
// In the order of the symbol table, to which relocations refer by index.
[[nodiscard]] std::vector<ElfSymbol> elf_symbols(const std::vector<ElfSection>& sections);

// Where the addresses of symbols are filled in, of the section of that name.
struct ElfRelocation {
  std::uint64_t offset = 0;  // bytes into the section
  std::uint32_t symbol = 0;  // into elf_symbols()
  std::int64_t addend = 0;
};
[[nodiscard]] std::vector<ElfRelocation> elf_relocations(const std::vector<ElfSection>& sections,
                                                         std::string_view section);

}  // namespace tilescope
