#include "kernel/launch/file_launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>

#include "core/buffer_recipe.h"
#include "core/expression.h"
#include "core/launch_limits.h"
#include "core/number_text.h"
#include "core/quantity.h"
#include "core/text.h"
#include "kernel/launch/project_text.h"
#include "kernel/launch/source_parameters.h"
#include "kernel/launch/tensor_shape.h"
#include "kernel/launch/texture_shape.h"
#include "kernel/source/kernel_signature.h"
#include "kernel/source/template_arguments.h"
#include "kernel/text/declarations.h"
#include "kernel/text/include_paths.h"
#include "kernel/text/markdown.h"

namespace tilescope {
namespace {

constexpr std::int64_t kMostSharedBytes = 0xffffffff;        // what a launch can ask for
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // some editors begin UTF-8 with it

Error usage(std::string message, std::string remedy = "") {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

Error unreadable(const std::string& path, std::string why, std::string remedy = "") {
  return {ErrorCode::kUsage, "cannot read it" + why, std::move(remedy), {path, 0, 0}};
}

// The first comma that no parentheses hold.
std::size_t comma_outside(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth <= 0) return i;
  }
  return std::string_view::npos;
}

bool is_expression(std::string_view text) { return Expression::parse(text).ok(); }

Result<std::uint32_t> shared_bytes(const LaunchText& launch, const ParameterSet& names,
                                   std::string_view prefix) {
  if (launch.dynamic_shared.empty()) return launch.dynamic_shared_bytes;
  const auto bytes = evaluate_expression(launch.dynamic_shared, names);
  if (bytes && *bytes >= 0 && *bytes <= kMostSharedBytes) return static_cast<std::uint32_t>(*bytes);
  return usage(
      fmt::format("{}shared {} is no whole number of bytes", prefix, launch.dynamic_shared),
      bytes ? "" : bytes.error().message);
}

Status check_extent(std::string_view field, const Dim3& extent, const Dim3& largest) {
  if (extent.x <= largest.x && extent.y <= largest.y && extent.z <= largest.z) return ok_status();
  return usage(fmt::format("{} {},{},{} is more than a device launches", field, extent.x, extent.y,
                           extent.z),
               fmt::format("The most is {},{},{}", largest.x, largest.y, largest.z));
}

Result<std::string> chosen_kernel(const KernelFile& file, const std::string& wanted,
                                  std::string_view prefix) {
  if (!wanted.empty() || file.path.ends_with(".ptx")) return wanted;
  const std::vector<std::string> kernels = find_kernels(file.source);
  if (kernels.size() == 1) return kernels.front();
  if (kernels.empty()) {
    return Error{ErrorCode::kKernel, "the file has no __global__ function", "", {file.path, 0, 0}};
  }
  return usage(
      fmt::format("{} has {} kernels: {}", file.path, kernels.size(), fmt::join(kernels, ", ")),
      fmt::format("Choose one with {}kernel NAME", prefix));
}

// The members behind a pointer, as the text calls them: ".values"; by their place where it does
// not.
void name_behind(const std::vector<ParameterText>& text, Argument* pointer) {
  for (Argument& member : pointer->behind) {
    const std::uint32_t offset = member.member->offset;
    const auto found = std::ranges::find_if(
        text, [&](const ParameterText& one) { return one.member->offset == offset; });
    if (found == text.end()) {
      if (pointer->behind.size() > 1) member.name = fmt::format("+{}", offset);
      name_behind({}, &member);
    } else {
      member.name = found->name.substr(found->name.rfind("[]") + 2);
      name_behind(found->behind, &member);
    }
  }
}

// Names the arguments as the kernel does, where it is found and has them.
void name_arguments(const KernelFile& file, const std::string& kernel,
                    std::vector<Argument>* arguments) {
  const std::string plain = kernel.substr(0, kernel.find('<'));
  const bool in_headers =  // a structure may be of one
      std::ranges::any_of(*arguments, [](const Argument& argument) {
        return argument.member.has_value() || !argument.behind.empty();
      });
  const std::string source = in_headers ? with_project_text(file).source : file.source;
  std::vector<KernelSignature> signatures = find_signatures(file.path, source);
  const auto signature = std::ranges::find(signatures, plain, &KernelSignature::name);
  if (signature == signatures.end()) return;
  if (in_headers && plain != kernel) {
    set_template_types(source, kernel.substr(plain.size()), &*signature);
  }
  struct Declared {
    std::string_view name;
    bool is_whole = false;  // a parameter by itself
    const std::vector<ParameterText>* behind = nullptr;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Declared> names;
  ParameterIndex declared;
  for (const ParameterText& parameter : signature->parameters) {
    names[{declared.next(parameter.member), parameter.member ? parameter.member->offset : 0}] = {
        parameter.name, !parameter.member, &parameter.behind};
  }
  ParameterIndex given;
  for (Argument& argument : *arguments) {
    const std::uint32_t index = given.next(argument.member);
    const std::uint32_t offset = argument.member ? argument.member->offset : 0;
    const auto whole = names.find({index, 0});
    if (argument.member && whole != names.end() && whole->second.is_whole) {
      argument.name = fmt::format("{}+{}", whole->second.name, offset);  // not laid out in the text
    } else if (const auto name = names.find({index, offset}); name != names.end()) {
      argument.name = name->second.name;
      name_behind(*name->second.behind, &argument);
    }
  }
}

// NAME, NAME=VALUE or NAME(PARAMETERS)=VALUE.
Status check_define(std::string_view define) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::string_view name = define.substr(0, define.find_first_of("=("));
  const bool good = !name.empty() && is_letter(name.front()) &&
                    std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c); });
  if (good) return ok_status();
  return usage(fmt::format("the macro '{}': '{}' is no name of a macro", define, name),
               "Write NAME=VALUE, with a name of letters, digits and _");
}

// One number of an extent; 0 for what is none.
Result<std::uint32_t> parse_axis(std::string_view field, std::string_view text,
                                 const ParameterSet& names) {
  if (const auto number = parse_number<std::uint32_t>(text)) return *number;
  if (!is_expression(text)) return 0u;
  const auto value = evaluate_expression(text, names);
  if (!value) return usage(fmt::format("{}: {}", field, value.error().message));
  if (*value < 1 || *value > kLargestGrid.x) {
    return usage(
        fmt::format("{} {} is {}, and must be from 1 to {}", field, text, *value, kLargestGrid.x));
  }
  return static_cast<std::uint32_t>(*value);
}

}  // namespace

bool is_cuda_source(std::string_view path) {
  return path.ends_with(".cu") || path.ends_with(".cuh") || path.ends_with(".hip") ||
         path.ends_with(".hip.cpp");
}

bool is_kernel_file(std::string_view path) {
  return is_cuda_source(path) || path.ends_with(".ptx");
}

Result<KernelFile> read_kernel_file(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) return unreadable(path, ": it is a folder");
  const std::uintmax_t bytes = std::filesystem::file_size(path, failed);
  if (failed) return unreadable(path, ": " + failed.message(), "Check its name");
  if (bytes > kMostSourceBytes) {
    return unreadable(
        path, fmt::format(": it has {}", format(static_cast<double>(bytes), Unit::kBytes)),
        "A kernel's source may have 4 MiB: cut the kernel out into a file of its own");
  }
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) {
    return unreadable(path, fmt::format(": {}", std::generic_category().message(errno)),
                      "Check who may read it");
  }
  KernelFile file{path, valid_utf8(text.str())};
  if (file.source.starts_with(kByteOrderMark)) file.source.erase(0, kByteOrderMark.size());
  if (is_fenced(file.source)) file.source = without_fences(file.source);
  file.source = with_forward_slashes(file.source);
  if (file.source.find('\0') != std::string::npos) {
    return unreadable(path, ": it is no text",
                      "Give the kernel's source, or its PTX, saved as UTF-8");
  }
  return file;
}

Result<Dim3> parse_extent(std::string_view field, std::string_view text,
                          const ParameterSet& names) {
  if (trimmed(text).empty()) {
    return usage(fmt::format("{} is missing", field), "Give it as X[,Y[,Z]], for example 32,8");
  }
  Dim3 extent;
  std::string_view rest = text;
  for (std::uint32_t* axis : {&extent.x, &extent.y, &extent.z}) {
    const std::size_t comma = comma_outside(rest);
    const auto value = parse_axis(field, trimmed(rest.substr(0, comma)), names);
    if (!value) return value.error();
    *axis = *value;
    if (*axis == 0) break;
    if (comma == std::string_view::npos) return extent;
    rest.remove_prefix(comma + 1);
  }
  return usage(fmt::format("{} {} is not X[,Y[,Z]] with whole numbers from 1", field, text));
}

Result<KernelInstance> launch_file(const KernelFile& file, const LaunchText& launch,
                                   std::string_view prefix) {
  auto kernel = chosen_kernel(file, launch.kernel, prefix);
  if (!kernel) return std::move(kernel).error();
  const std::string grid_field = fmt::format("{}grid", prefix);
  const std::string block_field = fmt::format("{}block", prefix);
  for (const std::string& define : launch.defines) {
    if (Status named = check_define(define); !named) return named.error();
  }

  std::vector<Argument> arguments;
  for (std::uint32_t i = 0; i < launch.arguments.size(); ++i) {
    auto made = file_arguments(launch.arguments[i], i);
    if (!made) return std::move(made).error();
    std::ranges::move(*made, std::back_inserter(arguments));
  }
  name_arguments(file, *kernel, &arguments);
  const ParameterSet names = launch_names(file, launch, arguments);
  auto grid = parse_extent(grid_field, launch.grid, names);
  if (!grid) return std::move(grid).error();
  auto block = parse_extent(block_field, launch.block, names);
  if (!block) return std::move(block).error();
  if (Status fits = check_extent(grid_field, *grid, kLargestGrid); !fits) return fits.error();
  if (Status fits = check_extent(block_field, *block, kLargestBlock); !fits) return fits.error();
  if (block->count() > kMostThreadsOfBlock) {
    return usage(fmt::format("{} {} has {} threads; a block has at most {}", block_field,
                             launch.block, format_count(block->count()),
                             format_count(kMostThreadsOfBlock)));
  }

  const auto shared = shared_bytes(launch, names, prefix);
  if (!shared) return shared.error();

  const std::filesystem::path path(file.path);
  KernelInstance instance;
  instance.id = path.filename().string();
  instance.title = instance.id;
  instance.file_name = file.path;
  instance.kernel = *std::move(kernel);
  set_parameters(file, launch, &instance);
  const auto folder = path.parent_path();
  instance.include_directories = {folder.empty() ? "." : folder.string()};
  instance.grid = *grid;
  instance.block = *block;
  instance.dynamic_shared_bytes = *shared;
  instance.arguments = std::move(arguments);
  return instance;
}

namespace {

// "f32[1024 x 512]=zero" has a shape; its recipe is that of "f32[524288]=zero".
struct Extents {
  std::uint64_t rows = 0;  // 0: not said
  std::uint64_t cols = 0;
  std::string text;
};

bool parse_extents(std::string_view text, Extents* extents) {
  constexpr std::string_view kTimes = "\u00d7";
  std::size_t sign = text.find(kTimes);
  const std::size_t wide = sign != std::string_view::npos ? kTimes.size() : 1;
  if (sign == std::string_view::npos) sign = text.find('x');
  if (sign == std::string_view::npos) return false;
  const auto whole = [](std::string_view part, std::uint64_t* value) {
    *value = parse_number<std::uint64_t>(trimmed(part)).value_or(0);
    return *value != 0;
  };
  return whole(text.substr(0, sign), &extents->rows) &&
         whole(text.substr(sign + wide), &extents->cols);
}

Extents split_extents(std::string_view text) {
  Extents extents{0, 0, std::string(text)};
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', std::min(open, text.size()));
  std::uint64_t count = 0;
  if (close == std::string_view::npos) return extents;
  if (!parse_extents(text.substr(open + 1, close - open - 1), &extents) ||
      __builtin_mul_overflow(extents.rows, extents.cols, &count)) {
    return {0, 0, std::string(text)};
  }
  extents.text = fmt::format("{}{}{}", text.substr(0, open + 1), count, text.substr(close));
  return extents;
}

// "f32[64]=random:1" in this many rows, for a kernel that gets an object of it and no pointer.
Result<Argument> object_argument(const std::string& buffer, std::uint64_t rows) {
  const auto spec = parse_argument_spec(buffer);
  if (!spec) return spec.error();
  Argument argument;
  argument.is_pointer = true;
  argument.type = spec->buffer.type;
  argument.buffer = spec->buffer;
  argument.rows = rows;
  argument.cols = argument.leading = spec->buffer.count / rows;
  return argument;
}

Result<Argument> texture_argument(std::string_view text) {
  std::string buffer;
  const auto shape = parse_texture(text, &buffer);
  if (!shape) return shape.error();
  auto argument = object_argument(buffer, std::uint64_t{shape->height} * shape->depth);
  if (!argument) return argument.error();
  argument->texture = *shape;
  argument->written = shape->is_surface;
  return argument;
}

Result<Argument> tensor_argument(std::string_view text) {
  std::string buffer;
  const auto shape = parse_tensor(text, &buffer);
  if (!shape) return shape.error();
  auto argument = object_argument(buffer, shape->elements() / shape->extent[0]);
  if (!argument) return argument.error();
  argument->tensor = *shape;
  argument->written = true;  // a tensor store may
  return argument;
}

Result<Argument> single_argument(std::string_view text) {
  if (is_tensor_text(text)) return tensor_argument(text);
  if (is_texture_text(text)) return texture_argument(text);
  const Extents extents = split_extents(text);
  auto spec = parse_argument_spec(extents.text);
  if (!spec) return std::move(spec).error();
  Argument argument;
  argument.is_pointer = spec->is_buffer;
  if (!spec->is_buffer) {
    argument.type = spec->type;
    argument.bits = spec->bits;
    return argument;
  }
  argument.type = spec->buffer.type;
  argument.buffer = spec->buffer;
  argument.written = true;  // not known: every buffer gets a copy of its own
  argument.rows = extents.rows;
  argument.cols = extents.cols;
  argument.leading = extents.cols;
  return argument;
}

// Of a member of a structure, in bytes.
std::uint32_t alignment_of(const Argument& member) {
  return member.tensor ? kTensorMapAlignment : parameter_bytes(member);
}

// A member's size in a structure.
std::uint32_t bytes_within(const Argument& member) {
  return member.tensor ? kTensorMapBytes : parameter_bytes(member);
}

constexpr int kDeepest = 16;  // braces in braces

// "{f32[64]=zero, i32:5}[16]": from its first brace to behind the bracket; npos: no count follows
// the brace that closes it, or the braces are too deep.
std::size_t end_of_structures(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (depth > kDeepest) break;
    if (depth > 0) continue;
    const bool counted = text[i] == '}' && i + 1 < text.size() && text[i + 1] == '[';
    const std::size_t close = counted ? text.find(']', i) : std::string_view::npos;
    return close == std::string_view::npos ? close : close + 1;
  }
  return std::string_view::npos;
}

Result<Argument> structures_argument(std::string_view text);

// A structure's text, member by member.
class StructureReader {
 public:
  explicit StructureReader(std::string_view text) : text_(text) {}

  Result<std::vector<Argument>> read(std::uint32_t parameter) {
    std::string_view rest = text_;
    const std::uint32_t alignment = read_braces(&rest, 0);
    if (!error_ && !trimmed(rest).empty()) fail("text behind its '}'");
    if (!error_ && members_.empty()) fail("no member");
    if (error_) return *std::move(error_);
    const std::uint32_t bytes = rounded_up(offset_, alignment);
    for (Argument& member : members_) {
      member.member->parameter = parameter;
      member.member->structure_bytes = bytes;
    }
    return std::move(members_);
  }

 private:
  void fail(std::string_view why) {
    if (error_) return;
    error_ = Error{ErrorCode::kUsage,
                   fmt::format("the structure '{}': {}", text_, why),
                   "Write its members in order: {i32:4, f32[16]=zero}, pad:N for N bytes that none "
                   "takes",
                   {}};
  }

  // From '{' to behind its '}'; the alignment of what it holds. A structure begins and ends where
  // its own widest member may.
  std::uint32_t read_braces(std::string_view* rest, int depth) {
    *rest = trimmed(*rest);
    if (depth > kDeepest) fail("too many braces in braces");
    if (error_) return 1;
    rest->remove_prefix(1);
    offset_ = rounded_up(offset_, alignment_within(*rest));
    std::uint32_t alignment = 1;
    while (!error_) {
      *rest = trimmed(*rest);
      const std::size_t structures = end_of_structures(*rest);
      if (structures != std::string_view::npos) {
        alignment = std::max(alignment, add(structures_argument(rest->substr(0, structures))));
        rest->remove_prefix(structures);
      } else if (rest->starts_with('{')) {
        alignment = std::max(alignment, read_braces(rest, depth + 1));
      } else {
        const std::size_t end = std::min(rest->find_first_of(",}"), rest->size());
        alignment = std::max(alignment, read_member(trimmed(rest->substr(0, end))));
        rest->remove_prefix(end);
      }
      *rest = trimmed(*rest);
      if (rest->starts_with(',')) {
        rest->remove_prefix(1);
      } else if (rest->starts_with('}')) {
        rest->remove_prefix(1);
        if (depth > 0) offset_ = rounded_up(offset_, alignment);
        return alignment;
      } else {
        fail("a '}' is missing");
      }
    }
    return alignment;
  }

  // Of the members from behind a '{' to its '}'.
  static std::uint32_t alignment_within(std::string_view text) {
    std::uint32_t alignment = 1;
    int depth = 1;
    while (!text.empty() && depth > 0) {
      const std::size_t end = std::min(text.find_first_of(",{}"), text.size());
      if (const auto member = single_argument(trimmed(text.substr(0, end)))) {
        alignment = std::max(alignment, alignment_of(*member));
      }
      if (end == text.size()) break;
      if (text.substr(end).starts_with("}[")) alignment = std::max<std::uint32_t>(alignment, 8);
      depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
      text.remove_prefix(end + 1);
    }
    return alignment;
  }

  // Its alignment.
  std::uint32_t read_member(std::string_view text) {
    if (text.starts_with("pad:")) {
      const auto bytes = parse_number<std::uint32_t>(text.substr(4));
      if (!bytes || *bytes > kMostParameterBytes) fail("pad: has no length");
      offset_ += bytes.value_or(0);
      if (offset_ > kMostParameterBytes) fail("more than a kernel's parameters may hold");
      return 1;
    }
    return add(single_argument(text));
  }

  // Its alignment.
  std::uint32_t add(Result<Argument> member) {
    if (!member) {
      if (!error_) error_ = std::move(member).error();
      return 1;
    }
    const std::uint32_t alignment = alignment_of(*member);
    offset_ = rounded_up(offset_, alignment);
    member->member = StructureMember{0, offset_, 0};
    offset_ += bytes_within(*member);
    if (offset_ > kMostParameterBytes) fail("more than a kernel's parameters may hold");
    members_.push_back(*std::move(member));
    return alignment;
  }

  std::string_view text_;
  std::vector<Argument> members_;
  std::uint32_t offset_ = 0;  // behind what was read
  std::optional<Error> error_;
};

// The last bracket of what end_of_structures() ends.
Result<Argument> structures_argument(std::string_view text) {
  const std::size_t open = text.rfind('[');
  const auto count =
      parse_number<std::uint64_t>(text.substr(open + 1, text.size() - open - 2)).value_or(0);
  auto members = StructureReader(text.substr(0, open)).read(0);
  if (!members) return std::move(members).error();
  const std::uint32_t bytes = members->front().member->structure_bytes;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;  // bytes
  if (count == 0 || count > kMost / bytes) {
    return usage(fmt::format("the structures '{}': their number must be from 1 to {}", text,
                             format_count(kMost / bytes)));
  }
  const bool is_object = std::ranges::any_of(
      *members, [](const Argument& member) { return member.texture || member.tensor; });
  if (is_object) {
    return usage(fmt::format("the structures '{}': none of them can hold a texture", text));
  }
  Argument argument;
  argument.is_pointer = argument.written = true;
  argument.type = bytes % 8 == 0 ? ElementType::kU64 : ElementType::kU8;
  argument.buffer.type = argument.type;
  argument.buffer.count = count * bytes / size_of(argument.type);
  argument.behind = *std::move(members);
  return argument;
}

}  // namespace

namespace {

// "f32[4]" of "image=f32[4]"; the whole where no name stands before it.
std::string_view without_name(std::string_view text) {
  const std::size_t sign = text.find_first_of("=:[{");
  if (sign == std::string_view::npos || sign == 0 || text[sign] != '=') return text;
  const std::string_view name = text.substr(0, sign);
  const bool is_name = std::ranges::all_of(
      name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == ' '; });
  return is_name && !parse_element_type(name) ? text.substr(sign + 1) : text;
}

}  // namespace

Result<std::vector<Argument>> file_arguments(std::string_view text, std::uint32_t parameter) {
  std::vector<Argument> arguments;
  if (const std::string_view named = without_name(text); named.size() < text.size()) {
    const std::string_view name = text.substr(0, text.size() - named.size());
    return usage(
        fmt::format("'{}' names an argument; these go by the order of the parameters", name),
        fmt::format("Leave '{}' out", name));
  }
  const std::string_view whole = trimmed(text);
  if (end_of_structures(whole) == whole.size()) {
    auto structures = structures_argument(whole);
    if (!structures) return std::move(structures).error();
    arguments.push_back(*std::move(structures));
  } else if (whole.starts_with('{')) {
    auto members = StructureReader(text).read(parameter);
    if (!members) return std::move(members).error();
    arguments = *std::move(members);
  } else {
    auto argument = single_argument(text);
    if (!argument) return std::move(argument).error();
    arguments.push_back(*std::move(argument));
  }
  for (Argument& argument : arguments) {
    argument.name = fmt::format("arg{}", parameter);
    if (argument.member) argument.name += fmt::format("+{}", argument.member->offset);
  }
  return arguments;
}

namespace {

std::string words_of(const Dim3& extent) {
  return fmt::format("{},{},{}", extent.x, extent.y, extent.z);
}

std::string words_of(const TextureShape& shape) {
  return fmt::format(" texture {} {} {} {} {} of {} x {} x {} x {}", shape.is_surface,
                     shape.is_buffer, shape.is_linear, shape.has_normalised_coordinates,
                     shape.reads_normalised, shape.width, shape.height, shape.depth,
                     shape.channels);
}

std::string words_of(const TensorShape& shape) {
  return fmt::format(" tensor of {}, {} in {}, {} {} {}", shape.rank, fmt::join(shape.box, " x "),
                     fmt::join(shape.extent, " x "), shape.swizzle_bytes, shape.fills_with_nan,
                     shape.rounds_to_tf32);
}

std::string words_of(const Argument& argument) {
  std::string words;
  if (argument.member) {
    words = fmt::format("{}+{} of {}: ", argument.member->parameter, argument.member->offset,
                        argument.member->structure_bytes);
  }
  if (!argument.is_pointer) {
    return words + fmt::format("{} {:#x}", name_of(argument.type), argument.bits);
  }
  const BufferRecipe& buffer = argument.buffer;
  words += fmt::format("{}[{}] fill {} {} {}{}", name_of(buffer.type), buffer.count,
                       static_cast<int>(buffer.fill), buffer.seed, buffer.path, buffer.expression);
  if (argument.texture) words += words_of(*argument.texture);
  if (argument.tensor) words += words_of(*argument.tensor);
  for (const Argument& member : argument.behind) words += " {" + words_of(member) + "}";
  return words;
}

}  // namespace

std::string launch_words(const KernelInstance& instance) {
  if (instance.problem) return {};
  std::string words = fmt::format("{}\n{}\n{}\n{}\n", instance.kernel, words_of(instance.grid),
                                  words_of(instance.block), instance.dynamic_shared_bytes);
  for (const std::string& define : instance.defines) words += "-D" + define + "\n";
  for (const Argument& argument : instance.arguments) words += words_of(argument) + "\n";
  return words;
}

}  // namespace tilescope
