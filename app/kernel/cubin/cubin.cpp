#include "kernel/cubin/cubin.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernel/cubin/elf_file.h"

namespace tilescope {
namespace {

constexpr std::uint16_t kMachineCuda = 190;           // EM_CUDA
constexpr unsigned char kSinceCuda13 = 0x41;          // ELF's OS ABI
constexpr unsigned char kEntry = 0x10;                // st_other of a kernel's symbol
constexpr std::uint64_t kReservedSharedBytes = 1024;  // by the system, in a kernel's own section

// As .nv.info.<kernel> lists them, the last first.
struct ParameterInfo {
  std::uint32_t index;
  std::uint16_t ordinal;
  std::uint16_t offset;
  std::uint32_t size;  // of a large one the bytes; else these are from bit 18 on
};

std::vector<CubinKernel::Parameter> parameters_in(std::span<const std::byte> info) {
  std::vector<std::pair<std::uint16_t, CubinKernel::Parameter>> found;
  for_each_attribute(info, [&](CubinAttribute attribute, std::span<const std::byte> value) {
    ParameterInfo parameter{};
    const bool is_large = attribute == CubinAttribute::kLargeParameter;
    if (!is_large && attribute != CubinAttribute::kParameter) return;
    if (!read_at(value, 0, &parameter)) return;
    found.push_back(
        {parameter.ordinal, {parameter.offset, is_large ? parameter.size : parameter.size >> 18}});
  });
  std::ranges::sort(found, {}, [](const auto& each) { return each.first; });
  std::vector<CubinKernel::Parameter> parameters;
  for (const auto& [ordinal, parameter] : found) parameters.push_back(parameter);
  return parameters;
}

}  // namespace

int architecture_of_cubin(std::span<const std::byte> bytes) {
  Elf64_Ehdr header{};
  if (!read_at(bytes, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_machine != kMachineCuda)
    return 0;
  const bool is_new = header.e_ident[EI_OSABI] == kSinceCuda13;
  return static_cast<int>((is_new ? header.e_flags >> 8 : header.e_flags) & 0xff);
}

std::vector<CubinKernel> kernels_of_cubin(std::span<const std::byte> cubin) {
  const std::vector<ElfSection> sections = elf_sections(cubin);
  std::vector<CubinKernel> kernels;
  for (const auto& [name, symbol] : elf_symbols(sections)) {
    const bool is_kernel =
        ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && (symbol.st_other & kEntry) != 0;
    if (!is_kernel || name.empty()) continue;
    CubinKernel kernel{std::string(name), {}};
    const auto info = std::ranges::find(sections, ".nv.info." + kernel.name, &ElfSection::name);
    if (info != sections.end()) kernel.parameters = parameters_in(info->bytes);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<CubinConstant> constants_of_cubin(std::span<const std::byte> cubin) {
  std::vector<CubinConstant> constants;
  const std::vector<ElfSection> sections = elf_sections(cubin);
  for (const auto& [name, symbol] : elf_symbols(sections)) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx >= sections.size()) continue;
    const ElfSection& section = sections[symbol.st_shndx];
    const std::uint64_t bytes = section.bytes.size();
    const bool is_inside = symbol.st_value <= bytes && symbol.st_size <= bytes - symbol.st_value;
    if (section.name != ".nv.constant3" || symbol.st_size == 0 || !is_inside) continue;
    constants.push_back({std::string(name), symbol.st_value,
                         section.bytes.subspan(symbol.st_value, symbol.st_size)});
  }
  return constants;
}

CubinFacts facts_of_cubin(std::span<const std::byte> cubin, const std::string& kernel) {
  CubinFacts facts;
  const std::vector<ElfSection> sections = elf_sections(cubin);
  const std::vector<ElfSymbol> symbols = elf_symbols(sections);
  std::uint64_t reserved = 0;
  for (const ElfSection& section : sections) {
    if (section.name == ".text." + kernel) {
      facts.is_found = true;
      const auto registers = static_cast<int>(section.header.sh_info >> 24);
      if (registers != 0) facts.registers = registers;  // before CUDA 13
    } else if (section.name == ".nv.shared." + kernel) {
      facts.static_shared_bytes = section.header.sh_size;
    } else if (section.name == ".nv.shared.reserved.0") {
      reserved = kReservedSharedBytes;
    } else if (section.name == ".nv.constant3") {
      facts.constant_bytes = section.header.sh_size;
    } else if (section.name == ".nv.info") {
      for_each_attribute(
          section.bytes, [&](CubinAttribute attribute, std::span<const std::byte> value) {
            std::array<std::uint32_t, 2> of{};  // a symbol, and the number
            const bool is_own =
                read_at(value, 0, &of) && of[0] < symbols.size() && symbols[of[0]].name == kernel;
            if (is_own && attribute == CubinAttribute::kRegisters)
              facts.registers = static_cast<int>(of[1]);
            if (is_own && attribute == CubinAttribute::kFrameBytes) facts.stack_bytes = of[1];
          });
    }
  }
  facts.static_shared_bytes -= std::min(reserved, facts.static_shared_bytes);
  return facts;
}

}  // namespace tilescope
