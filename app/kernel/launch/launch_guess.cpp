#include "kernel/launch/launch_guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/compiled_types.h"
#include "kernel/launch/host_contents.h"
#include "kernel/launch/host_launch.h"
#include "kernel/launch/near_sources.h"
#include "kernel/launch/project_text.h"
#include "kernel/launch/size_names.h"
#include "kernel/launch/source_parameters.h"
#include "kernel/launch/taken_launch.h"
#include "kernel/launch/tensor_guess.h"
#include "kernel/launch/tensor_shape.h"
#include "kernel/launch/texture_guess.h"
#include "kernel/launch/texture_shape.h"
#include "kernel/launch/written_launch.h"
#include "kernel/source/source_numbers.h"
#include "kernel/source/template_arguments.h"
#include "kernel/source/tensor_accessor.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kLine = 1u << 20;   // elements along one axis
constexpr std::uint32_t kPlaneEdge = 1024;  // and along each of two: as many together
constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kStride = 2;

std::string blocks_over(std::uint32_t elements, std::uint32_t threads) {
  return std::to_string((elements + threads - 1) / threads);
}

bool allows(const KernelSignature& signature, const Dim3& block) {
  if (signature.required_block) return block == *signature.required_block;
  return signature.most_threads == 0 || block.count() <= signature.most_threads;
}

Dim3 guessed_block(const KernelSignature& signature) {
  const std::uint32_t most = signature.most_threads;
  if (signature.required_block) return *signature.required_block;
  if (signature.most_block && (signature.most_block->y > 1 || signature.most_block->z > 1)) {
    return *signature.most_block;
  }
  if (!signature.is_plane) return {most != 0 ? most : kThreads, 1, 1};
  std::uint32_t x = 16;
  if (most >= 1024) x = 32;
  if (most != 0 && most < kThreads) x = std::min(most, 8U);
  return {x, most != 0 ? std::max(1U, std::min(x, most / x)) : x, 1};
}

std::string text_of(const Dim3& extent) {
  std::string text = std::to_string(extent.x);
  if (extent.y > 1 || extent.z > 1) text += fmt::format(",{}", extent.y);
  if (extent.z > 1) text += fmt::format(",{}", extent.z);
  return text;
}

ArgumentForm guessed_argument(const ParameterText& parameter, std::size_t index,
                              std::uint32_t size) {
  ArgumentForm form;
  form.name = parameter.name;
  form.declared = parameter.type;
  form.is_buffer = parameter.is_pointer;
  form.member = parameter.member;
  if (parameter.is_pointer) {
    const ElementType type = parameter.element.value_or(ElementType::kF32);
    form.type = name_of(type);
    // As many structures or vectors, where it holds these.
    const auto each = std::clamp<std::uint64_t>(parameter.pointee_bytes / size_of(type), 1, 64);
    form.count = std::to_string(kLine * each);
    form.fill = parameter.is_const ? usual_contents(form, index + 1) : "zero";
    return form;
  }
  if (!parameter.element) return form;
  form.type = name_of(*parameter.element);
  form.value = std::to_string(usual_extent(parameter).value_or(is_size(parameter) ? size : 1));
  return form;
}

// "{i32:4, pad:4, f32[16]=zero}": what stands between the members is said, so that no rule of
// alignment is needed to read it.
std::string structure_text(std::span<const ArgumentForm> members) {
  std::string text;
  std::uint32_t offset = 0;
  std::uint32_t widest = 1;
  const auto pad_to = [&](std::uint32_t next) {
    if (next > offset) text += fmt::format("{}pad:{}", text.empty() ? "" : ", ", next - offset);
    offset = next;
  };
  for (const ArgumentForm& argument : members) {
    const auto type = parse_element_type(argument.type);
    const std::uint32_t bytes =
        argument.is_buffer || !type ? 8 : static_cast<std::uint32_t>(size_of(*type));
    if (rounded_up(offset, bytes) != argument.member->offset) pad_to(argument.member->offset);
    widest = std::max(widest, bytes);
    text += (text.empty() ? "" : ", ") + argument.text();
    offset = argument.member->offset + bytes;
  }
  const std::uint32_t whole = members.front().member->structure_bytes;
  if (rounded_up(offset, widest) != whole) pad_to(whole);
  return "{" + text + "}";
}

// What the file's macros and constants and the numbers of the kernel's template stand for.
ParameterSet constants_of(const KernelFile& file, const std::string& kernel) {
  ParameterSet numbers;
  for (const SourceNumber& number : template_numbers(file.source, kernel)) {
    numbers[number.name] = number.value;
  }
  return find_constants(tokenize(file.source), numbers);
}

// Whether the text has names, and each can be set.
bool follows_numbers(const std::string& text, const std::vector<ParameterSpec>& settable) {
  const auto expression = Expression::parse(text);
  if (!expression || expression->variables().empty()) return false;
  return std::ranges::all_of(expression->variables(), [&](const std::string& name) {
    return std::ranges::find(settable, name, &ParameterSpec::name) != settable.end();
  });
}

// Where the file has no launch of the kernel, the block that the kernel itself is written for.
WrittenLaunch read_launch(const KernelFile& file, const KernelSignature& signature,
                          const std::string& kernel, const std::vector<ParameterSpec>& settable,
                          HostLaunch* launched) {
  if (file.path.ends_with(".ptx")) return {};
  ParameterSet constants = constants_of(file, kernel);
  std::vector<std::string> parameters;
  for (const ParameterText& parameter : signature.parameters) {
    constants.erase(parameter.name);
    if (is_size(parameter)) parameters.push_back(parameter.name);
  }
  const WrittenLaunch written = written_launch(file.source, signature.name, constants, parameters);
  // In a grid that has a y.
  const bool line = written.is_line && signature.is_plane && !signature.is_plane_where_called;
  if (launched->block || (written.threads[0].empty() && !line)) return written;
  if (written.threads[0].empty()) {
    const Dim3 all{signature.most_threads != 0 ? signature.most_threads : kThreads, 1, 1};
    launched->block = allows(signature, all) ? all : guessed_block(signature);
    return written;
  }
  const bool plane = !written.is_line;
  Dim3 block{static_cast<std::uint32_t>(*evaluate_expression(written.threads[0], constants)), 1, 1};
  std::vector<std::string> texts{written.threads[0]};
  if (plane) {
    texts.push_back(written.threads[1].empty() ? std::to_string(guessed_block(signature).y)
                                               : written.threads[1]);
    block.y = static_cast<std::uint32_t>(*evaluate_expression(texts.back(), constants));
  }
  if (block.count() > 1024 || !allows(signature, block)) return written;
  launched->block = block;
  const bool named = std::ranges::any_of(
      texts, [&](const std::string& text) { return follows_numbers(text, settable); });
  if (named) launched->block_text = std::move(texts);
  return written;
}

// Whether the kernel of the file has this word: one that names gridDim goes on where its threads
// end, whatever the size.
bool names_in_kernel(const KernelFile& file, const KernelSignature& signature,
                     std::string_view word) {
  const std::vector<CudaToken> tokens = tokenize(file.source);
  return std::ranges::any_of(find_declarations(tokens), [&](const Declaration& declaration) {
    if (!declaration.is_kernel || !signature.name.ends_with(declaration.name)) return false;
    return std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(declaration.first),
                       tokens.begin() + static_cast<std::ptrdiff_t>(declaration.last),
                       [&](const CudaToken& token) { return token.is(word); });
  });
}

// The extents of a grid: "ceil_div(n, 256), 4".
std::vector<std::string> axes_of(const std::string& grid) {
  std::vector<std::string> axes{""};
  int depth = 0;
  for (const char c : grid) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      axes.emplace_back();
    } else if (c != ' ' || !axes.back().empty()) {
      axes.back() += c;
    }
  }
  return axes;
}

// As many blocks along y and z as a device launches.
std::string launchable(const LaunchForm& form, const ParameterSet& constants) {
  constexpr std::int64_t kMost = 65535;  // CUDA C++ Programming Guide, "Technical Specifications"
  ParameterSet numbers = constants;
  for (const ArgumentForm& argument : form.arguments) {
    const auto value = evaluate_expression(argument.value, {});
    if (!argument.is_buffer && value) numbers[argument.name] = *value;
  }
  std::vector<std::string> axes = axes_of(form.grid);
  bool changed = false;
  for (std::size_t axis = 1; axis < axes.size(); ++axis) {
    const auto value = evaluate_expression(axes[axis], numbers);
    if (!value || *value <= kMost) continue;
    const bool is_number = evaluate_expression(axes[axis], {}).ok();
    axes[axis] = is_number ? std::to_string(kMost) : fmt::format("min({}, {})", axes[axis], kMost);
    changed = true;
  }
  return changed ? fmt::format("{}", fmt::join(axes, ", ")) : form.grid;
}

// A grid that can be cut into clusters.
std::string whole_clusters(const std::string& grid, const Dim3& cluster) {
  if (cluster.count() <= 1) return grid;
  std::vector<std::string> axes = axes_of(grid);
  axes.resize(3, "1");
  std::size_t axis = 0;
  for (const std::uint32_t blocks : {cluster.x, cluster.y, cluster.z}) {
    std::string& text = axes[axis++];
    const auto value = evaluate_expression(text, {});
    if (value) {
      text = std::to_string((*value + blocks - 1) / blocks * blocks);
    } else if (blocks > 1) {
      text = fmt::format("ceil_div({}, {}) * {}", text, blocks, blocks);
    }
  }
  while (axes.size() > 1 && axes.back() == "1") axes.pop_back();
  return fmt::format("{}", fmt::join(axes, ", "));
}

// The launch of the file itself and its headers (`whole`); where they have none, as a header of
// kernels, that of a file beside it or above it.
HostLaunch host_launch(const KernelFile& file, const KernelFile& whole,
                       const KernelSignature& signature) {
  ParameterSet constants = find_constants(tokenize(whole.source));
  for (const ParameterText& parameter : signature.parameters) constants.erase(parameter.name);
  HostLaunch launched = find_host_launch(whole.source, signature.name, &constants);
  if (!launched.grid_text.empty()) {
    const std::string launcher = uncalled_launcher(whole.source, signature.name);
    const std::string caller = launcher.empty() ? "" : caller_near(file.path, launcher);
    if (caller.empty()) return launched;
    return find_host_launch(whole.source + "\n" + caller, signature.name, &constants);
  }
  for (const std::string& source : sources_near(file.path, signature.name)) {
    const std::vector<std::string> own = find_kernels(source);  // one of the same name is another
    if (std::ranges::find(own, signature.name) != own.end()) continue;
    HostLaunch near = find_host_launch(source, signature.name, &constants);
    if (!near.grid_text.empty()) return near;
  }
  return launched;
}

}  // namespace

std::string ArgumentForm::text() const {
  if (is_buffer) return fmt::format("{}[{}]={}", type, count, fill);
  return fmt::format("{}:{}", type, value);
}

bool may_be_text(const ArgumentForm& argument) {
  if (!argument.is_buffer) return false;
  for (const CudaToken& word : tokenize(argument.declared)) {
    if (word.is("char")) return argument.declared.find("signed") == std::string::npos;
  }
  return false;
}

// Whole numbers that may serve as indices stay small.
std::string usual_contents(const ArgumentForm& buffer, std::size_t seed) {
  const auto type = parse_element_type(buffer.type);
  if (may_be_text(buffer)) return std::string(kLetters);
  return type && is_whole_number(*type) ? "ramp" : fmt::format("random:{}", seed);
}

void follow_others(LaunchForm* form) {
  ParameterSet numbers;
  for (const ArgumentForm& argument : form->arguments) {
    if (const auto value = evaluate_expression(argument.value, {})) {
      numbers[argument.name] = *value;
    }
  }
  for (ArgumentForm& argument : form->arguments) {
    if (argument.follows.empty()) continue;
    const auto value = evaluate_expression(argument.follows, numbers);
    if (value && *value > 0) argument.value = std::to_string(*value);
  }
}

LaunchForm with_parameter(LaunchForm form, const KernelFile& file, const ParameterSpec& spec,
                          std::int64_t value) {
  std::string kernel = with_template_number(file, form.kernel, spec.name, value);
  form.parameters.erase(spec.name);
  if (kernel == form.kernel && value != spec.default_value) form.parameters[spec.name] = value;
  form.kernel = std::move(kernel);
  return form;
}

Result<LaunchText> launch_text(const LaunchForm& form) {
  LaunchText launch;
  launch.kernel = form.kernel;
  launch.grid = form.grid;
  launch.block = form.block;
  launch.dynamic_shared = form.dynamic_shared;
  launch.parameters = form.parameters;
  for (auto argument = form.arguments.begin(); argument != form.arguments.end();) {
    if (argument->type.empty()) {
      return Error{
          ErrorCode::kUsage,
          fmt::format("{} is a {}, and what that holds is not known", argument->name,
                      argument->declared),
          "Define it in the file as a structure of numbers, pointers, arrays and structures, "
          "or hand its members over one by one",
          {}};
    }
    if (!argument->member) {
      launch.arguments.push_back((argument++)->text());
      continue;
    }
    const auto next = std::find_if(argument, form.arguments.end(), [&](const ArgumentForm& other) {
      return !other.member || other.member->parameter != argument->member->parameter;
    });
    launch.arguments.push_back(structure_text({argument, next}));
    argument = next;
  }
  return launch;
}

namespace {

std::uint32_t parameters_of(const KernelSignature& signature) {
  ParameterIndex index;
  for (const ParameterText& parameter : signature.parameters) {
    static_cast<void>(index.next(parameter.member));
  }
  return index.count();
}

// The kernels of this name, of which there are several where it is overloaded, else the file's own
// first; none: the file has none. `whole`: with its project's text.
std::vector<KernelSignature> signatures_meant(const KernelFile& whole, const KernelFile& file,
                                              const std::string& name) {
  std::vector<KernelSignature> signatures = find_signatures(whole.path, whole.source);
  auto found = std::ranges::find(signatures, name, &KernelSignature::name);
  if (found == signatures.end() && !file.path.ends_with(".ptx")) {
    const std::vector<std::string> own = find_kernels(file.source);
    if (own.empty()) return {};
    found = std::ranges::find(signatures, own.front(), &KernelSignature::name);
    if (found == signatures.end()) {  // what stands in other files is in its way
      signatures = find_signatures(file.path, file.source);
      found = std::ranges::find(signatures, own.front(), &KernelSignature::name);
    }
  }
  if (found == signatures.end()) found = signatures.begin();
  if (found == signatures.end()) return {};
  std::vector<KernelSignature> meant{*found};
  std::copy_if(found + 1, signatures.end(), std::back_inserter(meant),
               [&](const KernelSignature& other) { return other.name == meant.front().name; });
  return meant;
}

// Of overloaded kernels the first that takes as many arguments as the launch hands over.
const KernelSignature& launched_one(const std::vector<KernelSignature>& overloads,
                                    const HostLaunch& launched) {
  const auto found = std::ranges::find_if(overloads, [&](const KernelSignature& one) {
    return parameters_of(one) == launched.arguments.size();
  });
  return found != overloads.end() ? *found : overloads.front();
}

// What the host computes the grid of says how much there is, whatever it is called; where none of
// these is called so.
void note_sizes_of_grid(const HostLaunch& launched, KernelSignature* signature) {
  std::set<std::string> words;
  for (const std::string& text : launched.grid_text) {
    for (std::string& word : words_and_paths(text)) words.insert(std::move(word));
  }
  std::vector<ParameterText*> named;
  ParameterIndex index;
  for (ParameterText& parameter : signature->parameters) {
    const std::uint32_t position = index.next(parameter.member);
    const bool is_number = !parameter.member && !parameter.is_pointer && parameter.element &&
                           is_whole_number(*parameter.element);
    if (!is_number || position >= launched.arguments.size()) continue;
    const std::vector<std::string> handed = words_and_paths(launched.arguments[position]);
    const bool is_named = handed.size() == 1 && words.contains(handed[0]);
    if (is_named) named.push_back(&parameter);
  }
  const bool known = std::ranges::any_of(
      named, [](const ParameterText* parameter) { return is_size(*parameter); });
  for (ParameterText* parameter : named) parameter->is_bound |= !known;
}

}  // namespace

namespace {

// Whether several parameters by value are of types that were made up, for the launch deduces them:
// shapes and layouts that host code builds. The compiler would take long to refuse them.
bool has_made_up_values(const std::string& source, const KernelSignature& signature,
                        const HostLaunch& launched, const std::string& arguments) {
  constexpr int kSeveral = 3;
  if (!launched.template_arguments.empty()) return false;
  const std::vector<TemplateParameter> parameters = template_parameters(source, signature.name);
  const std::vector<std::string> given = template_list(arguments);
  int made_up = 0;
  for (std::size_t i = 0; i < std::min(parameters.size(), given.size()); ++i) {
    if (!parameters[i].is_type || !parameters[i].argument.empty() || given[i] != "float") continue;
    made_up += std::ranges::any_of(signature.parameters, [&](const ParameterText& parameter) {
      const bool is_const = parameter.type.starts_with("const ");
      return !parameter.is_pointer && parameter.type.substr(is_const ? 6 : 0) == parameters[i].name;
    });
  }
  return made_up >= kSeveral;
}

}  // namespace

LaunchForm guess_launch(const KernelFile& file, const std::string& kernel,
                        const KernelSignature* compiled) {
  const KernelFile whole = with_project_text(file);
  const auto meant = signatures_meant(whole, file, kernel.substr(0, kernel.find('<')));
  if (meant.empty()) return {};
  HostLaunch launched =
      file.path.ends_with(".ptx") ? HostLaunch{} : host_launch(file, whole, meant.front());
  KernelSignature signature = launched_one(meant, launched);
  note_sizes_of_grid(launched, &signature);
  LaunchForm form;
  form.kernel = kernel.substr(0, kernel.find('<')) == signature.name ? kernel : signature.name;
  if (form.kernel.find('<') == std::string::npos && signature.is_template) {
    form.kernel = signature.name +
                  guessed_template_arguments(whole.source, signature,
                                             {launched.template_arguments, launched.arguments},
                                             find_constants(tokenize(whole.source)));
  }
  if (const std::size_t open = form.kernel.find('<');
      open != std::string::npos && kernel.find('<') == std::string::npos &&
      has_made_up_values(whole.source, signature, launched, form.kernel.substr(open))) {
    form.kernel.resize(open);
  }
  if (const std::size_t open = form.kernel.find('<'); open != std::string::npos) {
    set_template_types(whole.source, form.kernel.substr(open), &signature);
  }
  if (compiled != nullptr) take_compiled(*compiled, &signature);
  const std::vector<ParameterSpec> settable = source_parameters(file, form.kernel);
  const ParameterSet constants = constants_of(whole, form.kernel);
  const auto bound = evaluate_expression(signature.most_threads_text, constants);
  if (bound && *bound > 0 && *bound <= 1024) {
    signature.most_threads = static_cast<std::uint32_t>(*bound);
  }
  // What the host launches may be of another version of the kernel, and no device takes it.
  if (launched.block && !allows(signature, *launched.block)) {
    launched.block.reset();
    launched.block_text.clear();
  }
  const WrittenLaunch written = read_launch(whole, signature, form.kernel, settable, &launched);
  const Dim3 block = launched.block.value_or(guessed_block(signature));
  const bool plane = signature.is_plane || block.y > 1;
  const auto sizes = std::ranges::count_if(signature.parameters, [&](const ParameterText& p) {
    return counts_elements(p) && !is_stride(p, plane);
  });
  const bool has_row = std::ranges::any_of(signature.parameters, &ParameterText::is_row);
  const bool rows = (has_row || !written.row.empty()) && !plane;  // of a block each
  const bool edges = plane || sizes > 1 || rows;
  const std::uint32_t size = edges ? kPlaneEdge : kLine;
  form.block = text_of(block);
  // What the file writes with numbers that can be set follows them.
  const bool follows = !launched.block_text.empty() && !settable.empty();
  if (follows) form.block = fmt::format("{}", fmt::join(launched.block_text, ", "));
  const auto blocks = [&](std::size_t axis) {
    const std::string& tile = written.tile[axis];
    const auto covered = evaluate_expression(tile, constants);
    if (follows_numbers(tile, settable)) return fmt::format("ceil_div({}, {})", size, tile);
    if (follows && tile.empty() && axis < launched.block_text.size()) {
      return fmt::format("ceil_div({}, {})", size, launched.block_text[axis]);
    }
    return blocks_over(size, covered     ? static_cast<std::uint32_t>(*covered)
                             : axis == 0 ? block.x
                                         : block.y);
  };
  form.grid = blocks(0);
  if (plane) form.grid += (follows ? ", " : ",") + blocks(1);
  std::uint64_t shared = launched.dynamic_shared_bytes.value_or(0);
  if (signature.dynamic_shared && shared == 0) {
    shared = block.count() * size_of(*signature.dynamic_shared);
  }
  form.dynamic_shared = std::to_string(shared);
  if (!launched.dynamic_shared_text.empty() && !settable.empty()) {
    form.dynamic_shared = launched.dynamic_shared_text;
  }
  const std::vector<std::string> contents = written_contents(whole.source, launched.arguments);
  ParameterIndex index;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const ParameterText& parameter = signature.parameters[i];
    const std::uint32_t position = index.next(parameter.member);
    form.arguments.push_back(guessed_argument(parameter, i, size));
    if (const auto extent = accessor_value(parameter)) {
      form.arguments.back().value = std::to_string(*extent);
      continue;
    }
    const bool is_known = form.arguments.back().is_buffer && !parameter.member &&
                          position < contents.size() && !contents[position].empty();
    if (is_known) form.arguments.back().fill = contents[position];
    if (auto texture = guessed_texture(whole.source, parameter, i + 1)) {
      form.arguments.back().type = std::move(texture->kind);
      form.arguments.back().value = std::move(texture->value);
    }
    if (is_tensor_map(parameter)) {
      const std::string named =
          position < launched.arguments.size() ? launched.arguments[position] : std::string();
      ArgumentForm& argument = form.arguments.back();
      argument.is_buffer = false;
      argument.type = "tensormap";
      // Another file of the project may make maps for another kernel.
      const bool own = file.source.find("CU_TENSOR_MAP_DATA_TYPE_") != std::string::npos;
      argument.value =
          guessed_tensor(own ? file.source : whole.source, parameter, named, i + 1).value_or("");
      continue;
    }
    const bool apart = is_stride(parameter, plane);
    const std::string known = handed_value(parameter, position, launched);
    const auto given = evaluate_expression(known, {});
    const bool counts =
        position < launched.argument_counts.size() && launched.argument_counts[position];
    const bool fits = given && *given >= (counts ? 0 : 1) && *given <= std::int64_t{size};
    const bool stays = is_size(parameter) && !apart && !fits;  // the buffers are as large
    const std::string handed = stays ? "" : known;
    if (apart) form.arguments.back().value = std::to_string(kStride);
    if (!handed.empty()) form.arguments.back().value = handed;
    // The last of its elements is still one of the buffer's.
    const auto stride = apart ? std::stoll(form.arguments.back().value) : 1;
    if (stride > 1 && stride <= size) {
      form.grid = blocks_over(static_cast<std::uint32_t>(size / stride), block.x);
    }
  }
  derive_arguments(file, signature, launched, &form);
  if (rows) {
    form.grid = std::to_string(std::max<std::int64_t>(kLine / size / written.row_times, 1));
  }
  if (!launched.grid_text.empty() &&
      !take_written_launch(file, signature, launched, block, &form)) {
    const GridBound most{block.count(), kLine, names_in_kernel(file, signature, "gridDim")};
    const std::string grid = launched_grid(file, signature, launched, form, most);
    if (!grid.empty()) form.grid = grid;
  }
  form.grid = whole_clusters(form.grid, signature.cluster);
  form.grid = launchable(form, constants);
  return form;
}

LaunchForm follow_signature(const LaunchForm& form, const KernelFile& file) {
  const LaunchForm fresh = guess_launch(file, form.kernel);
  const auto plain = [](const std::string& kernel) { return kernel.substr(0, kernel.find('<')); };
  if (plain(fresh.kernel) != plain(form.kernel)) return fresh.kernel.empty() ? form : fresh;
  LaunchForm followed = form;
  followed.arguments.clear();
  for (const ArgumentForm& argument : fresh.arguments) {
    if (argument.type.empty()) {  // what only the compiler knew
      const std::size_t known = followed.arguments.size();
      std::ranges::copy_if(
          form.arguments, std::back_inserter(followed.arguments), [&](const ArgumentForm& old) {
            return old.name.starts_with(argument.name + "+") && old.declared == argument.declared;
          });
      if (followed.arguments.size() > known) continue;
    }
    const auto before = std::ranges::find_if(form.arguments, [&](const ArgumentForm& old) {
      return old.name == argument.name && old.declared == argument.declared;
    });
    followed.arguments.push_back(before != form.arguments.end() ? *before : argument);
    followed.arguments.back().member = argument.member;
  }
  return followed;
}

}  // namespace tilescope
