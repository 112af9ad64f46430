#include "kernel/cubin/elf_file.h"

#include <string>

namespace tilescope {

std::string_view text_at(std::span<const std::byte> bytes, std::size_t at) {
  if (at >= bytes.size()) return {};
  const char* text = reinterpret_cast<const char*>(bytes.data()) + at;
  return {text, ::strnlen(text, bytes.size() - at)};
}

std::vector<ElfSection> elf_sections(std::span<const std::byte> file) {
  std::vector<ElfSection> sections;
  Elf64_Ehdr header{};
  if (!read_at(file, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return sections;
  Elf64_Shdr names{};
  if (!read_at(file, header.e_shoff + header.e_shstrndx * sizeof names, &names)) return sections;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    ElfSection section;
    if (!read_at(file, header.e_shoff + i * sizeof section.header, &section.header)) break;
    const std::size_t at = names.sh_offset + section.header.sh_name;
    section.name = text_at(file, at);
    const Elf64_Shdr& place = section.header;
    if (place.sh_type != SHT_NOBITS && place.sh_offset <= file.size() &&
        place.sh_size <= file.size() - place.sh_offset) {
      section.bytes = file.subspan(place.sh_offset, place.sh_size);
    }
    sections.push_back(section);
  }
  return sections;
}

std::vector<ElfSymbol> elf_symbols(const std::vector<ElfSection>& sections) {
  std::vector<ElfSymbol> symbols;
  for (const ElfSection& table : sections) {
    if (table.header.sh_type != SHT_SYMTAB || table.header.sh_link >= sections.size()) continue;
    const std::span<const std::byte> names = sections[table.header.sh_link].bytes;
    Elf64_Sym symbol{};
    for (std::size_t at = 0; read_at(table.bytes, at, &symbol); at += sizeof symbol) {
      symbols.push_back({text_at(names, symbol.st_name), symbol});
    }
  }
  return symbols;
}

std::vector<ElfRelocation> elf_relocations(const std::vector<ElfSection>& sections,
                                           std::string_view section) {
  std::vector<ElfRelocation> relocations;
  for (const ElfSection& table : sections) {
    const bool has_addends = table.header.sh_type == SHT_RELA;
    if ((!has_addends && table.header.sh_type != SHT_REL) ||
        table.header.sh_info >= sections.size() || sections[table.header.sh_info].name != section)
      continue;
    const std::size_t bytes = has_addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (std::size_t at = 0; at + bytes <= table.bytes.size(); at += bytes) {
      Elf64_Rela relocation{};
      std::memcpy(&relocation, table.bytes.data() + at, bytes);
      relocations.push_back({relocation.r_offset,
                             static_cast<std::uint32_t>(ELF64_R_SYM(relocation.r_info)),
                             relocation.r_addend});
    }
  }
  return relocations;
}

}  // namespace tilescope
