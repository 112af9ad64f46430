#include "kernel/cubin/cubin_listing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "kernel/cubin/cubin.h"
#include "kernel/cubin/cubin_lines.h"
#include "kernel/cubin/elf_file.h"

namespace tilescope {
namespace {

constexpr std::size_t kInstructionBytes = 16;
constexpr std::size_t kBytesInLine = 16;

class Lister {
 public:
  Lister(std::span<const std::byte> cubin, std::string_view kernel, ListedLines lines,
         const WordPrinter& print_others)
      : sections_(elf_sections(cubin)),
        symbols_(elf_symbols(sections_)),
        compute_capability_(architecture_of_cubin(cubin)),
        forms_(InstructionForms::of(compute_capability_)),
        kernel_(kernel),
        lines_(lines),
        print_others_(print_others) {}

  Result<std::string> list() {
    bool has_code = false;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const ElfSection& section = sections_[i];
      const std::string_view name = section.name;
      if (is_of_kernel(name, ".text.")) {
        begin(name);
        if (Status listed = list_code(i); !listed) return std::move(listed).error();
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
    if (has_code) return std::move(text_);
    return Error{ErrorCode::kKernel, fmt::format("the cubin has no kernel {}", kernel_), "", {}};
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

  // Each instruction of a section, those without a form by print_others_.
  [[nodiscard]] Result<std::vector<PrintedInstruction>> print(
      std::span<const std::byte> code) const {
    std::vector<PrintedInstruction> printed;
    std::vector<PlacedWord> others;
    for (std::uint64_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
      InstructionWord word;
      if (!read_at(code, at, &word.low) || !read_at(code, at + 8, &word.high)) break;
      auto known = forms_ != nullptr ? forms_->print(word, at) : std::nullopt;
      if (!known) others.push_back({word, at});
      printed.push_back(known ? *std::move(known) : PrintedInstruction());
    }
    if (others.empty()) return printed;
    auto answers = print_others_(compute_capability_, others);
    if (!answers) return std::move(answers).error();
    for (std::size_t i = 0; i < others.size() && i < answers->size(); ++i) {
      printed[others[i].address / kInstructionBytes] = std::move((*answers)[i]);
    }
    return printed;
  }

  // Where each jump to a register may go, by its address.
  [[nodiscard]] std::map<std::uint64_t, std::vector<std::uint32_t>> branch_targets() const {
    constexpr std::size_t kHeaderBytes = 12;
    std::map<std::uint64_t, std::vector<std::uint32_t>> targets;
    const auto take = [&](CubinAttribute attribute, std::span<const std::byte> value) {
      if (attribute != CubinAttribute::kBranchTargets) return;
      std::uint32_t branch = 0;
      std::uint32_t count = 0;
      while (read_at(value, 0, &branch) && read_at(value, 8, &count)) {
        value = value.subspan(kHeaderBytes);
        std::vector<std::uint32_t>& of = targets[branch];
        for (std::uint32_t target = 0; count > 0 && read_at(value, 0, &target); --count) {
          of.push_back(target);
          value = value.subspan(sizeof(target));
        }
      }
    };
    for (const ElfSection& section : sections_) {
      if (is_of_kernel(section.name, ".nv.info.")) for_each_attribute(section.bytes, take);
    }
    return targets;
  }

  [[nodiscard]] Status list_code(std::size_t section) {
    auto instructions = print(sections_[section].bytes);
    if (!instructions) return std::move(instructions).error();
    const auto functions = names_in(section, STT_FUNC);
    const auto indirect = branch_targets();
    std::set<std::uint64_t> targets;
    for (std::size_t i = 0; i < instructions->size(); ++i) {
      auto& [text, target] = (*instructions)[i];
      if (const auto jump = indirect.find(i * kInstructionBytes); jump != indirect.end()) {
        targets.insert(jump->second.begin(), jump->second.end());
        std::vector<std::string> labels;
        for (const std::uint32_t to : jump->second) labels.push_back(label_at(to));
        text += fmt::format(" (*\"BRANCH_TARGETS {}\"*)", fmt::join(labels, ","));
      }
      if (!target) continue;
      const auto function = functions.find(*target);
      if (function == functions.end()) {
        targets.insert(*target);
      } else {
        const std::string label = label_at(*target);
        text.replace(text.find(label), label.size(), function->second);
      }
    }
    const CubinLines lines = cubin_lines(
        sections_, symbols_, lines_ == ListedLines::kPtx ? ".nv_debug_line_sass" : ".debug_line",
        sections_[section].name);
    auto row = lines.rows.begin();
    std::uint64_t at = 0;
    for (const PrintedInstruction& instruction : *instructions) {
      const auto [first, last] = functions.equal_range(at);
      for (auto name = first; name != last; ++name) write("{}:\n", name->second);
      if (targets.contains(at)) write("{}:\n", label_at(at));
      for (; row != lines.rows.end() && row->address <= at; ++row) {
        if (row->address == at) list_place(lines, row->line);
      }
      write("        /*{:04x}*/                   {} ;\n", at, instruction.text);
      at += kInstructionBytes;
    }
    if (targets.contains(at)) write("{}:\n", label_at(at));
    return ok_status();
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
  int compute_capability_;
  const InstructionForms* forms_;  // nullptr: none of this architecture
  std::string_view kernel_;
  ListedLines lines_;
  const WordPrinter& print_others_;
  std::string text_;
};

}  // namespace

Result<std::string> list_kernel(std::span<const std::byte> cubin, std::string_view kernel,
                                ListedLines lines, const WordPrinter& print_others) {
  return Lister(cubin, kernel, lines, print_others).list();
}

}  // namespace tilescope
