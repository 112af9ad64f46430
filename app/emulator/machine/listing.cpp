#include "emulator/machine/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/text.h"
#include "emulator/machine/operand_reader.h"

namespace tilescope::machine {
namespace {

bool consume(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// Reads the listing line by line; a section's name says what its lines mean.
class ListingReader {
 public:
  ListingReader(std::string_view text, std::string_view kernel) : text_(text), kernel_(kernel) {}

  Result<Listing> read() {
    while (!text_.empty() && error_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      ++line_;
      read_line(trimmed(text_.substr(0, end)));
      text_.remove_prefix(std::min(end + 1, text_.size()));
    }
    if (error_.empty() && listing_.instructions.empty()) {
      error_ = fmt::format("the cubin has no code of '{}'", kernel_);
    }
    if (!error_.empty()) return Error{ErrorCode::kKernel, error_, "", {}};
    return std::move(listing_);
  }

 private:
  enum class Section { kOther, kCode, kConstants, kSymbols, kGlobals, kShared, kInfo };

  void read_line(std::string_view line) {
    if (line.starts_with(".section\t")) return begin_section(line);
    if (line.empty() || section_ == Section::kOther) return;
    if (section_ == Section::kCode) return read_code(line);
    if (section_ == Section::kInfo) return read_info(line);
    read_data(line);
  }

  void begin_section(std::string_view line) {
    std::string_view name = trimmed(line.substr(std::string_view(".section").size()));
    name = name.substr(0, name.find(','));
    const auto of_kernel = [&](std::string_view prefix) {
      return name.starts_with(prefix) && name.substr(prefix.size()) == kernel_;
    };
    section_ = Section::kOther;
    attribute_ = {};
    if (of_kernel(".text.")) section_ = Section::kCode;
    if (of_kernel(".nv.info.") || name == ".nv.info") section_ = Section::kInfo;
    if (of_kernel(".nv.shared.")) section_ = Section::kShared;
    if (name == ".nv.constant4") section_ = Section::kSymbols;
    if (name == ".nv.global" || name == ".nv.global.init") section_ = Section::kGlobals;
    if (of_kernel(".nv.constant2.") || name == ".nv.constant3") {
      section_ = Section::kConstants;
      bank_ = name == ".nv.constant3" ? 3 : 2;
    }
  }

  // Position lines, labels and instructions.
  void read_code(std::string_view line) {
    if (line.starts_with("//##")) return read_place(line);
    if (line.starts_with("/*")) return read_coded(line);
    if (line.ends_with(':')) {
      listing_.labels[line.substr(0, line.size() - 1)] =
          static_cast<std::uint32_t>(listing_.instructions.size());
    }
  }

  // //## File "x.cu", line 2 inlined at "y.cu", line 4
  void read_place(std::string_view line) {
    consume(line, "//## File \"");
    const std::size_t quote = line.find('"');
    if (quote == std::string_view::npos) return;
    Place place{line.substr(0, quote), 0};
    line.remove_prefix(quote);
    if (!consume(line, "\", line ")) return;
    std::from_chars(line.data(), line.data() + line.size(), place.line);
    if (!continues_) listing_.places.emplace_back();
    listing_.places.back().push_back(place);
    continues_ = line.find("inlined at") != std::string_view::npos;
  }

  // /*0010*/  IADD3 R1, R1, -0x10, RZ ;
  void read_coded(std::string_view line) {
    continues_ = false;
    const std::size_t close = line.find("*/");
    std::uint32_t address = 0;
    if (close == std::string_view::npos) return;
    std::from_chars(line.data() + 2, line.data() + close, address, 16);
    line = trimmed(line.substr(close + 2));
    line = trimmed(line.substr(0, line.rfind(';')));
    if (line.empty() || line.starts_with('.')) return;  // data inside a code section
    auto instruction = read_instruction(line);
    if (!instruction) {
      error_ = fmt::format("line {} of the machine code cannot be read: {}", line_, line);
      return;
    }
    instruction->address = address;
    instruction->place = static_cast<std::uint32_t>(listing_.places.size() - 1);
    listing_.instructions.push_back(*std::move(instruction));
  }

  // The attributes that matter: where the parameters begin, how large the stack is.
  void read_info(std::string_view line) {
    if (consume(line, "//----- nvinfo : ")) {
      attribute_ = line;
      return;
    }
    const std::size_t close = line.find("*/");
    if (close == std::string_view::npos) return;
    line = trimmed(line.substr(close + 2));
    const bool is_short = consume(line, ".short");
    const bool is_word = !is_short && consume(line, ".word");
    line = trimmed(line);
    if (!consume(line, "0x")) return;
    std::uint32_t value = 0;
    std::from_chars(line.data(), line.data() + line.size(), value, 16);
    if (attribute_ == "EIATTR_PARAM_CBANK" && is_short && listing_.parameter_base == 0) {
      listing_.parameter_base = value;
    }
    if ((attribute_ == "EIATTR_FRAME_SIZE" || attribute_ == "EIATTR_MIN_STACK_SIZE") && is_word) {
      listing_.local_bytes = std::max(listing_.local_bytes, (value + 15) / 16 * 16);
    }
  }

  void read_data(std::string_view line) {
    if (line.ends_with(':') && section_ == Section::kGlobals && !line.starts_with('.')) {
      listing_.globals.push_back({std::string(line.substr(0, line.size() - 1)), 0, {}});
      return;
    }
    if (line.starts_with("/*")) line = trimmed(line.substr(line.find("*/") + 2));
    if (consume(line, ".dword")) {
      if (section_ == Section::kSymbols) listing_.symbols.emplace_back(trimmed(line));
      return;
    }
    if (consume(line, ".zero")) {
      line = trimmed(line);
      std::uint64_t bytes = 0;
      std::from_chars(line.data(), line.data() + line.size(), bytes);
      add_zeros(bytes);
      return;
    }
    const std::size_t width = line.starts_with(".byte")    ? 1
                              : line.starts_with(".short") ? 2
                              : line.starts_with(".word")  ? 4
                                                           : 0;
    if (width == 0) return;
    line.remove_prefix(line.find_first_of(" \t"));
    while (!line.empty()) {
      const std::size_t comma = std::min(line.find(','), line.size());
      std::string_view word = trimmed(line.substr(0, comma));
      line.remove_prefix(std::min(comma + 1, line.size()));
      std::uint64_t value = 0;
      if (consume(word, "0x")) {
        std::from_chars(word.data(), word.data() + word.size(), value, 16);
      }
      for (std::size_t i = 0; i < width; ++i) add_byte(static_cast<std::byte>(value >> (8 * i)));
    }
  }

  void add_byte(std::byte byte) {
    if (section_ == Section::kConstants) listing_.banks[bank_].push_back(byte);
    if (section_ == Section::kGlobals && !listing_.globals.empty()) {
      GlobalData& global = listing_.globals.back();
      global.image.resize(global.bytes);  // zeros that came before
      global.image.push_back(byte);
      ++global.bytes;
    }
  }

  void add_zeros(std::uint64_t bytes) {
    if (section_ == Section::kShared) listing_.shared_bytes += static_cast<std::uint32_t>(bytes);
    if (section_ == Section::kConstants) {
      std::vector<std::byte>& bank = listing_.banks[bank_];
      bank.resize(bank.size() + std::min<std::uint64_t>(bytes, 65536));
    }
    if (section_ == Section::kGlobals && !listing_.globals.empty()) {
      listing_.globals.back().bytes += bytes;
    }
  }

  std::string_view text_;
  std::string_view kernel_;
  Listing listing_;
  Section section_ = Section::kOther;
  std::uint32_t bank_ = 0;
  std::uint32_t line_ = 0;
  std::string_view attribute_;
  bool continues_ = false;  // the next position line belongs to the same place
  std::string error_;
};

}  // namespace

Result<Listing> read_listing(std::string_view text, std::string_view kernel) {
  return ListingReader(text, kernel).read();
}

}  // namespace tilescope::machine
