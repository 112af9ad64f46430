#include "kernel/cubin/instruction_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "core/file.h"
#include "core/number_text.h"
#include "core/paths.h"
#include "core/text.h"

namespace tilescope {
namespace {

constexpr unsigned kWordBits = 128;
constexpr unsigned kOpcodeBits = 12;
constexpr unsigned kGuardBits = 12;    // the first of four: a predicate, and whether it is negated
constexpr unsigned kScheduling = 105;  // 17 bits that are never printed
constexpr std::uint64_t kTrue = 7;     // PT
constexpr std::uintmax_t kMostTableBytes = std::uintmax_t{16} << 20;
constexpr double kLargePlainNumber = 1e9;  // from here on nvdisasm prints numbers with an exponent

std::uint64_t bits_of(const InstructionWord& word, unsigned first, unsigned count) {
  const std::uint64_t from = first >= 64  ? word.high >> (first - 64)
                             : first == 0 ? word.low
                                          : word.low >> first | word.high << (64 - first);
  return count >= 64 ? from : from & ((std::uint64_t{1} << count) - 1);
}

void clear_bits(InstructionWord* word, unsigned first, unsigned count) {
  for (unsigned bit = first; bit < first + count; ++bit) {
    (bit < 64 ? word->low : word->high) &= ~(std::uint64_t{1} << (bit % 64));
  }
}

// What stands before `mark`, which is taken off with it; the whole text where it has none.
std::string_view take_until(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view before = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return before;
}

template <class T>
bool read_whole(std::string_view text, T* value) {
  const auto number = parse_number<T>(text);
  if (number) *value = *number;
  return number.has_value();
}

}  // namespace

std::string label_at(std::uint64_t address) { return fmt::format(".L_x_{:x}", address); }

// `count` bits from the one whose number the text is.
bool InstructionForms::add_bits(std::string_view first, unsigned count, Hole* hole) {
  const auto number = parse_number<unsigned>(first);
  if (!number || *number >= kWordBits || count > kWordBits - *number) return false;
  hole->bits.push_back({*number, count, 0});
  return true;
}

// What stands between < and > (docs/instruction_forms.md): "R:24-31", "x:40-63s not 0",
// "@:16-23<<2,34-63<<10s+16", "UP:~87-89", "single:32", "72?.FTZ", "73!.U32".
bool InstructionForms::read_hole(std::string_view text, Hole* hole) {
  if (const std::size_t mark = text.find_first_of("?!:"); mark < text.size() && text[mark] != ':') {
    hole->kind = HoleKind::kFlag;
    hole->when = text[mark] == '?';
    hole->name = text.substr(mark + 1);
    return add_bits(text.substr(0, mark), 1, hole);
  }
  hole->name = take_until(text, ':');
  static const std::map<std::string_view, NumberFormat> kFormats{{"single", {8, 23, 32}},
                                                                 {"half", {5, 10, 16}},
                                                                 {"bfloat", {8, 7, 16}},
                                                                 {"double", {11, 52, 32}}};
  if (const auto format = kFormats.find(hole->name); format != kFormats.end()) {
    hole->kind = HoleKind::kNumber;
    hole->format = format->second;
    return add_bits(text, format->second.stored_bits, hole);
  }
  hole->kind = hole->name == "x"   ? HoleKind::kInteger
               : hole->name == "@" ? HoleKind::kTarget
                                   : HoleKind::kRegister;
  std::string_view where = text.substr(0, text.find(' '));
  text.remove_prefix(where.size());
  while (consume_prefix(text, " not ")) {
    const std::string_view value = text.substr(0, text.find(' '));
    text.remove_prefix(value.size());
    if (!read_whole(value, &hole->other_forms.emplace_back())) return false;
  }
  hole->is_inverted = consume_prefix(where, "~");
  if (const std::size_t plus = where.find('+'); plus < where.size()) {
    if (!read_whole(where.substr(plus + 1), &hole->added)) return false;
    where = where.substr(0, plus);
  }
  if (where.ends_with('s')) {
    hole->is_signed = true;
    where.remove_suffix(1);
  }
  while (!where.empty()) {
    std::string_view run = take_until(where, ',');
    Bits bits;
    unsigned last = 0;
    std::string_view range = run.substr(0, run.find("<<"));
    run.remove_prefix(range.size());
    if (consume_prefix(run, "<<") && !read_whole(run, &bits.shift)) return false;
    if (!read_whole(take_until(range, '-'), &bits.first) || !read_whole(range, &last)) return false;
    if (last < bits.first || last >= kWordBits) return false;
    bits.count = last - bits.first + 1;
    if (bits.count + bits.shift > 64) return false;
    hole->bits.push_back(bits);
  }
  return text.empty() && !hole->bits.empty();
}

// "<32 digits: the word> <P or UP> <text with holes>"
bool InstructionForms::read_form(std::string_view line, Form* form) {
  const std::string_view digits = take_until(line, ' ');
  if (digits.size() != 32) return false;
  const auto high = parse_hexadecimal<std::uint64_t>(digits.substr(0, 16));
  const auto low = parse_hexadecimal<std::uint64_t>(digits.substr(16));
  if (!high || !low) return false;
  form->value = {*low, *high};
  form->guard = take_until(line, ' ');
  form->mask = {~std::uint64_t{0}, ~std::uint64_t{0}};
  clear_bits(&form->mask, kGuardBits, 4);
  clear_bits(&form->mask, kScheduling, 17);
  while (true) {
    const std::size_t open = line.find('<');
    form->words.emplace_back(take_until(line, '<'));
    if (open == std::string_view::npos) return !form->guard.empty();
    Hole& hole = form->holes.emplace_back();
    if (line.find('>') == std::string_view::npos || !read_hole(take_until(line, '>'), &hole)) {
      return false;
    }
    for (const Bits& bits : hole.bits) clear_bits(&form->mask, bits.first, bits.count);
  }
}

Result<InstructionForms> InstructionForms::read(std::string_view table) {
  InstructionForms made;
  for (std::size_t number = 1; !table.empty(); ++number) {
    const std::string_view line = take_until(table, '\n');
    if (line.empty() || line.starts_with('#')) continue;
    Form form;
    if (!read_form(line, &form)) {
      return Error{ErrorCode::kMachine,
                   fmt::format("line {} of the instruction forms cannot be read: {}", number, line),
                   "Install the program again",
                   {}};
    }
    const auto opcode = static_cast<unsigned>(bits_of(form.value, 0, kOpcodeBits));
    made.forms_[opcode].push_back(std::move(form));
  }
  // What is written in a way of its own comes before the form that it is an exception of.
  for (auto& [opcode, forms] : made.forms_) {
    std::ranges::stable_sort(forms, std::greater(), [](const Form& form) {
      return std::popcount(form.mask.low) + std::popcount(form.mask.high);
    });
  }
  return made;
}

namespace {

// As printf writes it with 20 digits.
std::string number_text(std::uint64_t stored, unsigned exponent_bits, unsigned fraction_bits,
                        unsigned stored_bits) {
  const std::uint64_t raw = stored << (1 + exponent_bits + fraction_bits - stored_bits);
  const bool is_negative = raw >> (exponent_bits + fraction_bits) != 0;
  const std::uint64_t fraction = raw & ((std::uint64_t{1} << fraction_bits) - 1);
  const std::uint64_t most = (std::uint64_t{1} << exponent_bits) - 1;
  const std::uint64_t exponent = raw >> fraction_bits & most;
  if (exponent == most) {
    const bool is_quiet = fraction >> (fraction_bits - 1) != 0;
    return fmt::format("{}{}", is_negative ? '-' : '+',
                       fraction == 0 ? "INF"
                       : is_quiet    ? "QNAN"
                                     : "SNAN");
  }
  const std::uint64_t whole = std::uint64_t{exponent != 0} << fraction_bits | fraction;
  const auto bias = static_cast<int>(most / 2);
  const int power =
      std::max(static_cast<int>(exponent), 1) - bias - static_cast<int>(fraction_bits);
  const double value = std::ldexp(static_cast<double>(whole), power) * (is_negative ? -1 : 1);
  if (value == 0) return is_negative ? "-0.0" : "0";
  return std::abs(value) >= kLargePlainNumber ? fmt::format("{:.20e}", value)
                                              : fmt::format("{:.20g}", value);
}

// `all`: the field's bits, all set. Uniform registers have 6 bits, since sm_100 8; a field may lack
// the upper ones.
std::string register_text(const std::string& file, std::uint64_t index, std::uint64_t all) {
  const bool is_predicate = file.ends_with('P');
  const std::uint64_t uniform = all > 63 ? 255 : 63;
  const std::uint64_t last = is_predicate ? 7 : file == "UR" ? uniform : 255;
  if (index != last || file.ends_with('B')) return fmt::format("{}{}", file, index);
  return file + (is_predicate ? 'T' : 'Z');
}

}  // namespace

// False: this value is another form's.
bool InstructionForms::write(const Hole& hole, const InstructionWord& word, std::uint64_t address,
                             PrintedInstruction* printed) {
  std::uint64_t raw = 0;
  unsigned width = 0;
  for (const Bits& bits : hole.bits) {
    raw |= bits_of(word, bits.first, bits.count) << bits.shift;
    width = std::max(width, bits.shift + bits.count);
  }
  const std::uint64_t all = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if (hole.is_inverted) raw = ~raw & all;
  auto value = static_cast<std::int64_t>(raw);
  if (hole.is_signed && raw >> (width - 1) != 0) value = static_cast<std::int64_t>(raw | ~all);
  value += hole.added;
  if (std::ranges::find(hole.other_forms, value) != hole.other_forms.end()) return false;
  switch (hole.kind) {
    case HoleKind::kFlag:
      if ((raw != 0) == hole.when) printed->text += hole.name;
      break;
    case HoleKind::kRegister:
      printed->text += register_text(hole.name, static_cast<std::uint64_t>(value), all);
      break;
    case HoleKind::kNumber:
      printed->text += number_text(raw, hole.format.exponent_bits, hole.format.fraction_bits,
                                   hole.format.stored_bits);
      break;
    case HoleKind::kTarget:
      printed->target = address + static_cast<std::uint64_t>(value);
      printed->text += fmt::format("`({})", label_at(*printed->target));
      break;
    case HoleKind::kInteger:
      printed->text += value < 0 && (hole.is_signed || hole.added != 0)
                           ? fmt::format("-0x{:x}", 0 - static_cast<std::uint64_t>(value))
                           : fmt::format("0x{:x}", static_cast<std::uint64_t>(value));
      break;
  }
  return true;
}

std::optional<PrintedInstruction> InstructionForms::print(const InstructionWord& word,
                                                          std::uint64_t address) const {
  const auto forms = forms_.find(static_cast<unsigned>(bits_of(word, 0, kOpcodeBits)));
  if (forms == forms_.end()) return std::nullopt;
  for (const Form& form : forms->second) {
    if ((word.low & form.mask.low) != form.value.low ||
        (word.high & form.mask.high) != form.value.high)
      continue;
    PrintedInstruction printed;
    const std::uint64_t guard = bits_of(word, kGuardBits, 4);
    if (guard != kTrue) {
      printed.text =
          fmt::format("@{}{} ", guard >= 8 ? "!" : "", register_text(form.guard, guard % 8, kTrue));
    }
    bool fits = true;
    for (std::size_t i = 0; i < form.holes.size() && fits; ++i) {
      printed.text += form.words[i];
      fits = write(form.holes[i], word, address, &printed);
    }
    if (!fits) continue;
    printed.text += form.words.back();
    return printed;
  }
  return std::nullopt;
}

namespace {

// nullptr: there is none, or it cannot be read.
std::unique_ptr<const InstructionForms> read_table(int compute_capability) {
  const auto text = read_file(resource_directory() / "assets" / "instruction_forms" /
                                  fmt::format("sm_{}.txt", compute_capability),
                              kMostTableBytes);
  if (!text) return nullptr;
  Result<InstructionForms> forms = InstructionForms::read(*text);
  return forms ? std::make_unique<const InstructionForms>(*std::move(forms)) : nullptr;
}

}  // namespace

const InstructionForms* InstructionForms::of(int compute_capability) {
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<const InstructionForms>> known;
  const std::scoped_lock lock(mutex);
  const auto [found, is_new] = known.try_emplace(compute_capability);
  const int family = compute_capability / 10 * 10;
  for (int at = compute_capability; is_new && at >= family && found->second == nullptr; --at) {
    found->second = read_table(at);
  }
  return found->second.get();
}

}  // namespace tilescope
