#include "kernel/cubin/cubin_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "kernel/cubin/cubin.h"
#include "kernel/cubin/cubin_lines.h"
#include "kernel/cubin/elf_file.h"
#include "kernel/cubin/instruction_forms.h"

namespace tilescope {
namespace {

constexpr std::size_t kInstructionBytes = 16;
constexpr std::size_t kBytesInLine = 16;

class Lister {
 public:
  Lister(std::span<const std::byte> cubin, std::string_view kernel, ListedLines lines)
      : sections_(elf_sections(cubin)),
        symbols_(elf_symbols(sections_)),
        forms_(InstructionForms::of(architecture_of_cubin(cubin))),
        kernel_(kernel),
        lines_(lines) {}

  std::optional<std::string> list() {
    bool has_code = false;
    if (forms_ == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const ElfSection& section = sections_[i];
      const std::string_view name = section.name;
      if (is_of_kernel(name, ".text.")) {
        begin(name);
        if (!list_code(i)) return std::nullopt;
        has_code = true;
      } else if (is_of_kernel(name, ".nv.info.") || name == ".nv.info") {
        begin(name);
        list_facts(section.bytes);
      } else if (is_of_kernel(name, ".nv.shared.") || is_of_kernel(name, ".nv.constant2.") ||
                 name == ".nv.constant3" || name == ".nv.constant4" || name == ".nv.global" ||
                 name == ".nv.global.init") {
        begin(name);
        list_data(i);
      }
    }
    if (!has_code) return std::nullopt;
    return std::move(text_);
  }

 private:
  [[nodiscard]] bool is_of_kernel(std::string_view name, std::string_view prefix) const {
    return name.starts_with(prefix) && name.substr(prefix.size()) == kernel_;
  }

  template <class... Values>
  void write(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  void begin(std::string_view section) { write("\t.section\t{},\n", section); }

  // Functions or variables of a section by where they begin.
  [[nodiscard]] std::multimap<std::uint64_t, std::string_view> names_in(std::size_t section,
                                                                        unsigned type) const {
    std::multimap<std::uint64_t, std::string_view> names;
    for (const auto& [name, symbol] : symbols_) {
      const bool is_here = symbol.st_shndx == section && ELF64_ST_TYPE(symbol.st_info) == type;
      if (is_here && !name.empty()) names.emplace(symbol.st_value, name);
    }
    return names;
  }

  bool list_code(std::size_t section) {
    const std::span<const std::byte> code = sections_[section].bytes;
    const auto functions = names_in(section, STT_FUNC);
    std::vector<std::string> instructions;
    std::set<std::uint64_t> targets;
    for (std::uint64_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
      InstructionWord word;
      if (!read_at(code, at, &word.low) || !read_at(code, at + 8, &word.high)) return false;
      auto printed = forms_->print(word, at);
      if (!printed || printed->text.find("BRX") != std::string::npos ||
          printed->text.find("JMX") != std::string::npos)
        return false;
      if (printed->target) {
        const auto function = functions.find(*printed->target);
        if (function == functions.end()) {
          targets.insert(*printed->target);
        } else {
          const std::string label = label_at(*printed->target);
          printed->text.replace(printed->text.find(label), label.size(), function->second);
        }
      }
      instructions.push_back(std::move(printed->text));
    }
    const CubinLines lines = cubin_lines(
        sections_, symbols_, lines_ == ListedLines::kPtx ? ".nv_debug_line_sass" : ".debug_line",
        sections_[section].name);
    auto row = lines.rows.begin();
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const std::uint64_t at = i * kInstructionBytes;
      const auto [first, last] = functions.equal_range(at);
      for (auto name = first; name != last; ++name) write("{}:\n", name->second);
      if (targets.contains(at)) write("{}:\n", label_at(at));
      for (; row != lines.rows.end() && row->address <= at; ++row) {
        if (row->address == at) list_place(lines, row->line);
      }
      write("        /*{:04x}*/                   {} ;\n", at, instructions[i]);
    }
    if (targets.contains(code.size())) write("{}:\n", label_at(code.size()));
    return true;
  }

  // A line each for the place itself and those it was inlined into, the innermost first.
  void list_place(const CubinLines& lines, std::size_t index) {
    for (std::size_t depth = 0; depth <= lines.lines.size();
         ++depth) {  // callers in a ring end too
      const CubinLine& line = lines.lines[index];
      const auto file_of = [&](const CubinLine& of) -> std::string_view {
        return lines_ == ListedLines::kPtx ? kPtxListingFile
                                           : std::string_view(lines.files[of.file]);
      };
      write("\t//## File \"{}\", line {}", file_of(line), line.line);
      if (line.inlined_at == 0 || line.inlined_at > lines.lines.size()) break;
      index = line.inlined_at - 1;
      write(" inlined at \"{}\", line {}\n", file_of(lines.lines[index]), lines.lines[index].line);
    }
    text_ += '\n';
  }

  void list_facts(std::span<const std::byte> info) {
    for_each_attribute(info, [&](CubinAttribute attribute, std::span<const std::byte> value) {
      std::uint16_t base = 0;
      std::uint32_t bytes = 0;
      if (attribute == CubinAttribute::kParameterBank && read_at(value, 4, &base)) {
        write("//----- nvinfo : EIATTR_PARAM_CBANK\n/**/ .short 0x{:04x}\n", base);
      }
      if (attribute == CubinAttribute::kFrameBytes && read_at(value, 4, &bytes)) {
        write("//----- nvinfo : EIATTR_FRAME_SIZE\n/**/ .word 0x{:08x}\n", bytes);
      }
      if (attribute == CubinAttribute::kLeastStackBytes && read_at(value, 4, &bytes)) {
        write("//----- nvinfo : EIATTR_MIN_STACK_SIZE\n/**/ .word 0x{:08x}\n", bytes);
      }
    });
  }

  void list_data(std::size_t index) {
    const ElfSection& section = sections_[index];
    std::map<std::uint64_t, std::string_view> addresses;  // of symbols, 8 bytes each
    for (const ElfRelocation& relocation : elf_relocations(sections_, section.name)) {
      if (relocation.symbol < symbols_.size()) {
        addresses[relocation.offset] = symbols_[relocation.symbol].name;
      }
    }
    const auto variables = names_in(index, STT_OBJECT);
    std::set<std::uint64_t> stops{section.header.sh_size};
    for (const auto& [at, name] : variables) stops.insert(at);
    for (const auto& [at, name] : addresses) stops.insert(at);
    for (std::uint64_t at = 0; at < section.header.sh_size;) {
      const auto [first, last] = variables.equal_range(at);
      for (auto name = first; name != last; ++name) write("{}:\n", name->second);
      const auto address = addresses.find(at);
      if (address != addresses.end() && section.header.sh_size - at >= sizeof(std::uint64_t)) {
        write("\t.dword\t{}\n", address->second);
        at += sizeof(std::uint64_t);
        continue;
      }
      const std::uint64_t end = *stops.upper_bound(at);
      if (section.bytes.empty()) {
        write("\t.zero\t{}\n", end - at);
        at = end;
        continue;
      }
      const std::uint64_t line_end = std::min<std::uint64_t>(end, at + kBytesInLine);
      for (bool is_first = true; at < line_end; ++at, is_first = false) {
        write("{}0x{:02x}", is_first ? "\t.byte\t" : ", ",
              std::to_integer<unsigned>(section.bytes[at]));
      }
      text_ += '\n';
    }
  }

  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
  const InstructionForms* forms_;
  std::string_view kernel_;
  ListedLines lines_;
  std::string text_;
};

}  // namespace

std::optional<std::string> list_kernel(std::span<const std::byte> cubin, std::string_view kernel,
                                       ListedLines lines) {
  return Lister(cubin, kernel, lines).list();
}

}  // namespace tilescope
