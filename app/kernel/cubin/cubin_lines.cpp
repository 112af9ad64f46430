#include "kernel/cubin/cubin_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace tilescope {
namespace {

// Of the line number program (DWARF 2, 6.2.5).
enum Operation : std::uint8_t {
  kExtended = 0,
  kCopy = 1,
  kAdvanceAddress = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstantAddAddress = 8,
  kFixedAdvanceAddress = 9,
};
enum ExtendedOperation : std::uint8_t {
  kEndSequence = 1,
  kSetAddress = 2,
  kInlinedCall = 0x90,  // NVIDIA's: the line that calls, counted from 1, and the function's name
};

struct Header {
  std::uint8_t shortest_instruction;
  std::uint8_t starts_statement;
  std::int8_t line_base;
  std::uint8_t line_range;
  std::uint8_t first_special;
};

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  void go_to(std::size_t at) { at_ = at; }

  template <class T>
  T take() {
    T value{};
    failed_ = failed_ || !read_at(bytes_, at_, &value);
    at_ += sizeof value;
    return value;
  }
  std::uint64_t take_unsigned() { return take_leb(false); }
  std::int64_t take_signed() { return static_cast<std::int64_t>(take_leb(true)); }
  std::string_view take_text() {
    const std::string_view text = text_at(bytes_, at_);
    at_ += text.size() + 1;
    failed_ = failed_ || at_ > bytes_.size();
    return text;
  }

 private:
  std::uint64_t take_leb(bool is_signed) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !failed_; shift += 7) {
      const auto byte = take<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) != 0) continue;
      const bool is_negative = is_signed && (byte & 0x40U) != 0 && shift + 7 < 64;
      return is_negative ? value | ~std::uint64_t{0} << (shift + 7) : value;
    }
    failed_ = true;
    return 0;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_;
  bool failed_ = false;
};

// Adds the files of one unit, the first for lines without one; their numbers count from there.
void take_files(Reader& reader, std::vector<std::string>& files) {
  std::vector<std::string_view> folders{""};
  while (!reader.failed()) {
    const std::string_view folder = reader.take_text();
    if (folder.empty()) break;
    folders.push_back(folder);
  }
  files.emplace_back();
  while (!reader.failed()) {
    const std::string_view name = reader.take_text();
    if (name.empty()) break;
    const std::uint64_t folder = reader.take_unsigned();
    reader.take_unsigned();  // when it was changed
    reader.take_unsigned();  // its bytes
    const std::string_view before = folder < folders.size() ? folders[folder] : "";
    files.push_back(before.empty() ? std::string(name) : fmt::format("{}/{}", before, name));
  }
}

// Runs the programs of a table and keeps the rows of one function.
class LineProgram {
 public:
  LineProgram(std::span<const std::byte> bytes, std::map<std::uint64_t, std::uint64_t> own_starts)
      : reader_(bytes, 0), end_(bytes.size()), own_starts_(std::move(own_starts)) {}

  CubinLines run() {
    while (!reader_.failed() && reader_.at() < end_) run_unit();
    CubinLines found;
    if (reader_.failed()) return found;
    found.files = std::move(files_);
    found.lines = std::move(lines_);
    for (const auto& [address, line] : rows_) found.rows.push_back({address, line});
    return found;
  }

 private:
  struct State {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::int64_t line = 1;
    std::uint32_t inlined_at = 0;
    bool is_own = false;  // of the function that is asked for
  };

  void run_unit() {
    const auto bytes = reader_.take<std::uint32_t>();
    const std::size_t end = reader_.at() + bytes;
    reader_.take<std::uint16_t>();  // version
    const auto header_bytes = reader_.take<std::uint32_t>();
    const std::size_t program = reader_.at() + header_bytes;
    header_ = reader_.take<Header>();
    std::vector<std::uint8_t> operands{0};  // how many each standard operation has
    for (unsigned i = 1; i < header_.first_special; ++i) {
      operands.push_back(reader_.take<std::uint8_t>());
    }
    first_file_ = files_.size();
    take_files(reader_, files_);
    reader_.go_to(program);
    first_line_ = lines_.size();
    state_ = {};
    while (!reader_.failed() && reader_.at() < end) step(operands);
    if (header_.line_range == 0 || end > end_) reader_.fail();
    reader_.go_to(end);
  }

  void step(const std::vector<std::uint8_t>& operands) {
    const auto operation = reader_.take<std::uint8_t>();
    if (operation >= header_.first_special) return special(operation);
    switch (operation) {
      case kExtended:
        return extended();
      case kCopy:
        return add_row();
      case kAdvanceAddress:
        state_.address += reader_.take_unsigned() * header_.shortest_instruction;
        return;
      case kAdvanceLine:
        state_.line += reader_.take_signed();
        return;
      case kSetFile:
        state_.file = reader_.take_unsigned();
        return;
      case kConstantAddAddress:
        if (header_.line_range != 0) advance(255);
        return;
      case kFixedAdvanceAddress:
        state_.address += reader_.take<std::uint16_t>();
        return;
      default:
        for (unsigned i = 0; i < operands[operation]; ++i) reader_.take_unsigned();
    }
  }

  void advance(std::uint8_t operation) {
    state_.address +=
        std::uint64_t{header_.shortest_instruction} *
        static_cast<unsigned>((operation - header_.first_special) / header_.line_range);
  }

  void special(std::uint8_t operation) {
    if (header_.line_range == 0) return;
    advance(operation);
    state_.line += header_.line_base + (operation - header_.first_special) % header_.line_range;
    add_row();
  }

  void extended() {
    const std::uint64_t bytes = reader_.take_unsigned();
    const std::size_t next = reader_.at() + bytes;
    switch (reader_.take<std::uint8_t>()) {
      case kEndSequence:
        state_ = {};
        first_line_ = lines_.size();
        break;
      case kSetAddress: {
        const auto own = own_starts_.find(reader_.at());
        state_.is_own = own != own_starts_.end();
        state_.address = reader_.take<std::uint64_t>() + (state_.is_own ? own->second : 0);
        break;
      }
      case kInlinedCall: {
        const std::uint64_t caller = reader_.take_unsigned();
        state_.inlined_at = caller == 0 ? 0 : static_cast<std::uint32_t>(first_line_ + caller);
        break;
      }
      default:
        break;
    }
    reader_.go_to(next);
  }

  void add_row() {
    const std::size_t file = first_file_ + state_.file;
    if (state_.is_own) rows_[state_.address] = lines_.size();  // the last of an address holds
    lines_.push_back({static_cast<std::uint32_t>(file < files_.size() ? file : first_file_),
                      static_cast<std::uint32_t>(state_.line), state_.inlined_at});
  }

  Reader reader_;
  std::size_t end_;
  std::map<std::uint64_t, std::uint64_t> own_starts_;  // by the place where an address is filled in
  Header header_{};
  std::vector<std::string> files_;
  State state_;
  std::size_t first_file_ = 0;  // of the unit
  std::size_t first_line_ = 0;  // of the function
  std::vector<CubinLine> lines_;
  std::map<std::uint64_t, std::size_t> rows_;
};

}  // namespace

CubinLines cubin_lines(const std::vector<ElfSection>& sections,
                       const std::vector<ElfSymbol>& symbols, std::string_view table,
                       std::string_view function) {
  const auto section = std::ranges::find(sections, table, &ElfSection::name);
  if (section == sections.end()) return {};
  std::map<std::uint64_t, std::uint64_t> starts;
  for (const ElfRelocation& relocation : elf_relocations(sections, table)) {
    if (relocation.symbol >= symbols.size()) continue;
    const Elf64_Sym& symbol = symbols[relocation.symbol].symbol;
    const bool is_own =
        symbol.st_shndx < sections.size() && sections[symbol.st_shndx].name == function;
    if (is_own) {
      starts[relocation.offset] = symbol.st_value + static_cast<std::uint64_t>(relocation.addend);
    }
  }
  return LineProgram(section->bytes, std::move(starts)).run();
}

}  // namespace tilescope
