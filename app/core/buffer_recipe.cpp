#include "core/buffer_recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <type_traits>
#include <utility>

#include "core/expression.h"
#include "core/number_text.h"

namespace tilescope {
namespace {

struct TypeRow {
  ElementType type;
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<TypeRow, 12> kTypes = {{{ElementType::kI8, "i8", 1},
                                             {ElementType::kU8, "u8", 1},
                                             {ElementType::kI16, "i16", 2},
                                             {ElementType::kU16, "u16", 2},
                                             {ElementType::kF16, "f16", 2},
                                             {ElementType::kBf16, "bf16", 2},
                                             {ElementType::kI32, "i32", 4},
                                             {ElementType::kU32, "u32", 4},
                                             {ElementType::kF32, "f32", 4},
                                             {ElementType::kI64, "i64", 8},
                                             {ElementType::kU64, "u64", 8},
                                             {ElementType::kF64, "f64", 8}}};

const TypeRow& row_of(ElementType type) { return kTypes[static_cast<std::size_t>(type)]; }

bool is_float(ElementType type) {
  return type == ElementType::kF16 || type == ElementType::kBf16 || type == ElementType::kF32 ||
         type == ElementType::kF64;
}

// splitmix64 (Steele, Lea, Flood 2014) of a counter: element i depends on (seed, i) alone.
std::uint64_t mix(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

float random_float(std::uint64_t bits) { return static_cast<float>(bits >> 40) * 0x1p-23f - 1.0f; }

// What an expression says of each element.
class ElementValues {
 public:
  [[nodiscard]] static Result<ElementValues> make(const BufferRecipe& recipe) {
    Result<Expression> expression = Expression::parse(recipe.expression);
    if (!expression) return std::move(expression).error();
    for (const std::string& name : expression->variables()) {
      if (name == "i" || name == "random") continue;
      return Error{
          ErrorCode::kUsage,
          fmt::format("what a buffer's elements hold depends on i and random, not on {}", name),
          "",
          {}};
    }
    return ElementValues(*std::move(expression), recipe.seed);
  }

  // 0 where the expression has no value; problem() then says why, of the first such element.
  [[nodiscard]] std::int64_t operator()(std::uint64_t i) {
    values_[place_] = static_cast<std::int64_t>(i);
    values_[random_] = static_cast<std::int64_t>(mix(seed_, i) >> 32);
    const std::span known = std::span(values_).first(expression_.variables().size());
    if (const auto value = expression_.value(known)) return *value;
    if (problem_.ok()) problem_ = expression_.evaluate(known).error();
    return 0;
  }
  [[nodiscard]] const Status& problem() const { return problem_; }

 private:
  ElementValues(Expression expression, std::uint64_t seed)
      : expression_(std::move(expression)), seed_(seed) {
    const std::vector<std::string>& names = expression_.variables();
    const auto place_of = [&](std::string_view name) {
      return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    };
    values_.resize(names.size() + 1);
    place_ = place_of("i");
    random_ = place_of("random");
  }

  Expression expression_;
  std::uint64_t seed_;
  std::vector<std::int64_t> values_;  // of expression_.variables(), and a spare
  // Places in values_; the spare where the expression does not ask.
  std::size_t place_ = 0;
  std::size_t random_ = 0;
  Status problem_ = ok_status();
};

template <typename T, typename Make>
void fill_with(std::span<std::byte> out, std::uint64_t count, Make make) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const T value = make(i);
    std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
  }
}

template <typename T, typename Convert>
void fill_floats(const BufferRecipe& recipe, std::span<std::byte> out, ElementValues* values,
                 Convert convert) {
  const auto count = static_cast<double>(recipe.count);
  switch (recipe.fill) {
    case Fill::kIota:
      fill_with<T>(out, recipe.count,
                   [&](std::uint64_t i) { return convert(static_cast<double>(i)); });
      break;
    case Fill::kRamp:
      fill_with<T>(out, recipe.count,
                   [&](std::uint64_t i) { return convert(static_cast<double>(i) / count); });
      break;
    case Fill::kExpression:
      fill_with<T>(out, recipe.count,
                   [&](std::uint64_t i) { return convert(static_cast<double>((*values)(i))); });
      break;
    default:
      fill_with<T>(out, recipe.count, [&](std::uint64_t i) {
        return convert(static_cast<double>(random_float(mix(recipe.seed, i))));
      });
  }
}

template <typename T>
void fill_integers(const BufferRecipe& recipe, std::span<std::byte> out, ElementValues* values) {
  using U = std::make_unsigned_t<T>;
  switch (recipe.fill) {
    case Fill::kIota:
      fill_with<U>(out, recipe.count, [](std::uint64_t i) { return static_cast<U>(i); });
      break;
    case Fill::kRamp:
      fill_with<U>(out, recipe.count, [](std::uint64_t i) { return static_cast<U>(i % 251); });
      break;
    case Fill::kExpression:
      fill_with<U>(out, recipe.count,
                   [&](std::uint64_t i) { return static_cast<U>((*values)(i)); });
      break;
    default:
      fill_with<U>(out, recipe.count,
                   [&](std::uint64_t i) { return static_cast<U>(mix(recipe.seed, i)); });
  }
}

// `values`: of Fill::kExpression, else nullptr.
void fill_elements(const BufferRecipe& recipe, std::span<std::byte> out, ElementValues* values) {
  const auto narrow = [](double value) { return static_cast<float>(value); };
  switch (recipe.type) {
    case ElementType::kI8:
    case ElementType::kU8:
      fill_integers<std::uint8_t>(recipe, out, values);
      break;
    case ElementType::kI16:
    case ElementType::kU16:
      fill_integers<std::uint16_t>(recipe, out, values);
      break;
    case ElementType::kI32:
    case ElementType::kU32:
      fill_integers<std::uint32_t>(recipe, out, values);
      break;
    case ElementType::kI64:
    case ElementType::kU64:
      fill_integers<std::uint64_t>(recipe, out, values);
      break;
    case ElementType::kF16:
      fill_floats<std::uint16_t>(recipe, out, values,
                                 [&](double value) { return to_half(narrow(value)); });
      break;
    case ElementType::kBf16:
      fill_floats<std::uint16_t>(recipe, out, values,
                                 [&](double value) { return to_bfloat16(narrow(value)); });
      break;
    case ElementType::kF32:
      fill_floats<float>(recipe, out, values, narrow);
      break;
    case ElementType::kF64:
      fill_floats<double>(recipe, out, values, [](double value) { return value; });
      break;
  }
}

Status fill_from_file(const BufferRecipe& recipe, std::span<std::byte> out) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(recipe.path, failure);
  if (failure) {
    return Error{ErrorCode::kUsage,
                 fmt::format("cannot read {}: {}", recipe.path, failure.message()),
                 "",
                 {}};
  }
  if (size != recipe.bytes()) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} has {} bytes, but {}[{}] needs {}", recipe.path, size,
                             name_of(recipe.type), recipe.count, recipe.bytes()),
                 "Use the number of elements in the file",
                 {}};
  }
  std::ifstream file(recipe.path, std::ios::binary);
  file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  if (!file) return Error{ErrorCode::kUsage, fmt::format("cannot read {}", recipe.path), "", {}};
  return ok_status();
}

Error bad_spec(std::string_view text, std::string_view why) {
  return Error{
      ErrorCode::kUsage,
      fmt::format("--arg {}: {}", text, why),
      "Write a scalar as i32:5 or f32:1.5, a buffer as f32[4096]=zero|iota|ramp|random:SEED|@FILE, "
      "or i32[4096]=i*8%4096 with an expression over i and random",
      {}};
}

// A file may not ask for more than a machine could hold: 2^40 bytes.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

Result<ArgumentSpec> parse_buffer(std::string_view text, std::size_t bracket) {
  const auto close = text.find(']', bracket);
  if (close == std::string_view::npos) return bad_spec(text, "the ']' after the count is missing");
  const auto type = parse_element_type(text.substr(0, bracket));
  if (!type) return bad_spec(text, type.error().message);
  ArgumentSpec spec;
  spec.is_buffer = true;
  spec.buffer.type = *type;
  spec.buffer.count =
      parse_number<std::uint64_t>(text.substr(bracket + 1, close - bracket - 1)).value_or(0);
  if (spec.buffer.count == 0 || spec.buffer.count > kMostBytes / size_of(*type)) {
    return bad_spec(text, "the count must be a whole number from 1 to 2^40 bytes' worth");
  }
  std::string_view fill = text.substr(close + 1);
  if (!fill.empty() && fill.front() != '=') return bad_spec(text, "expected '=' after ']'");
  fill = fill.empty() ? "zero" : fill.substr(1);
  if (fill == "zero") {
    spec.buffer.fill = Fill::kZero;
  } else if (fill == "iota") {
    spec.buffer.fill = Fill::kIota;
  } else if (fill == "ramp") {
    spec.buffer.fill = Fill::kRamp;
  } else if (fill == "random" || fill.starts_with("random:")) {
    spec.buffer.fill = Fill::kRandom;
    const auto seed =
        fill.size() > 7 ? parse_number<std::uint64_t>(fill.substr(7)) : spec.buffer.seed;
    if (!seed) return bad_spec(text, "the seed must be a whole number");
    spec.buffer.seed = *seed;
  } else if (fill.starts_with('@') && fill.size() > 1) {
    spec.buffer.fill = Fill::kFile;
    spec.buffer.path = fill.substr(1);
  } else {
    spec.buffer.fill = Fill::kExpression;
    spec.buffer.expression = fill;
    if (!ElementValues::make(spec.buffer).ok())
      return bad_spec(text, fmt::format("unknown contents '{}'", fill));
  }
  return spec;
}

bool parse_float_bits(ElementType type, std::string_view text, std::uint64_t* bits) {
  const auto value = parse_number<double>(text);
  if (!value) return false;
  switch (type) {
    case ElementType::kF16:
      *bits = to_half(static_cast<float>(*value));
      break;
    case ElementType::kBf16:
      *bits = to_bfloat16(static_cast<float>(*value));
      break;
    case ElementType::kF32:
      *bits = std::bit_cast<std::uint32_t>(static_cast<float>(*value));
      break;
    default:
      *bits = std::bit_cast<std::uint64_t>(*value);
  }
  return true;
}

template <typename T>
bool parse_integer_bits(std::string_view text, std::uint64_t* bits) {
  const auto value = parse_number<T>(text);
  if (!value) return false;
  *bits = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(*value));
  return true;
}

bool parse_scalar_bits(ElementType type, std::string_view text, std::uint64_t* bits) {
  switch (type) {
    case ElementType::kI8:
      return parse_integer_bits<std::int8_t>(text, bits);
    case ElementType::kU8:
      return parse_integer_bits<std::uint8_t>(text, bits);
    case ElementType::kI16:
      return parse_integer_bits<std::int16_t>(text, bits);
    case ElementType::kU16:
      return parse_integer_bits<std::uint16_t>(text, bits);
    case ElementType::kI32:
      return parse_integer_bits<std::int32_t>(text, bits);
    case ElementType::kU32:
      return parse_integer_bits<std::uint32_t>(text, bits);
    case ElementType::kI64:
      return parse_integer_bits<std::int64_t>(text, bits);
    case ElementType::kU64:
      return parse_integer_bits<std::uint64_t>(text, bits);
    default:
      return parse_float_bits(type, text, bits);
  }
}

}  // namespace

std::size_t size_of(ElementType type) { return row_of(type).bytes; }
std::string_view name_of(ElementType type) { return row_of(type).name; }

Result<ElementType> parse_element_type(std::string_view name) {
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return Error{
      ErrorCode::kUsage,
      fmt::format("'{}' is not a type (i8 u8 i16 u16 f16 bf16 i32 u32 f32 i64 u64 f64)", name),
      "",
      {}};
}

Status fill_buffer(const BufferRecipe& recipe, std::span<std::byte> out) {
  assert(out.size() == recipe.bytes());
  if (recipe.fill == Fill::kFile) return fill_from_file(recipe, out);
  if (recipe.fill == Fill::kZero) {
    std::memset(out.data(), 0, out.size());
    return ok_status();
  }
  if (recipe.fill != Fill::kExpression) {
    fill_elements(recipe, out, nullptr);
    return ok_status();
  }
  Result<ElementValues> values = ElementValues::make(recipe);
  if (!values) return std::move(values).error();
  fill_elements(recipe, out, &*values);
  return values->problem();
}

std::vector<float> to_floats(ElementType type, std::span<const std::byte> contents) {
  std::vector<float> floats;
  if (type == ElementType::kF32) {
    floats.resize(contents.size() / sizeof(float));
    std::memcpy(floats.data(), contents.data(), floats.size() * sizeof(float));
  } else if (type == ElementType::kF16 || type == ElementType::kBf16) {
    floats.resize(contents.size() / sizeof(std::uint16_t));
    for (std::size_t i = 0; i < floats.size(); ++i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, contents.data() + i * sizeof bits, sizeof bits);
      floats[i] = type == ElementType::kF16 ? from_half(bits) : from_bfloat16(bits);
    }
  }
  return floats;
}

Result<ArgumentSpec> parse_argument_spec(std::string_view text) {
  const auto bracket = text.find('[');
  if (bracket != std::string_view::npos) return parse_buffer(text, bracket);
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return bad_spec(text, "neither TYPE:VALUE nor TYPE[COUNT]");
  const auto type = parse_element_type(text.substr(0, colon));
  if (!type) return bad_spec(text, type.error().message);
  ArgumentSpec spec;
  spec.type = *type;
  if (!parse_scalar_bits(*type, text.substr(colon + 1), &spec.bits)) {
    return bad_spec(
        text, is_float(*type)
                  ? "the value is not a number"
                  : fmt::format("the value is not a whole number that fits {}", name_of(*type)));
  }
  return spec;
}

std::uint16_t to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x477ff000u)
    return static_cast<std::uint16_t>(sign | 0x7c00u);  // rounds past 65504
  if (magnitude < 0x38800000u) {
    // Below the least normal: adding 0.5 aligns the last kept bit with the float's own rounding.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  const std::uint32_t rounded = magnitude - 0x38000000u + 0xfffu + odd;
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

float from_half(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
}

std::uint16_t to_bfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace tilescope
