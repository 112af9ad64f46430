#include "kernel/guess/launch_guess.h"

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
#include "core/launch_limits.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/guess/compiled_types.h"
#include "kernel/guess/handed_numbers.h"
#include "kernel/guess/kernel_hints.h"
#include "kernel/guess/launch_as_written.h"
#include "kernel/guess/size_degree.h"
#include "kernel/guess/tensor_guess.h"
#include "kernel/guess/texture_guess.h"
#include "kernel/host/host_contents.h"
#include "kernel/host/launch_site.h"
#include "kernel/launch/launch_form.h"
#include "kernel/launch/project_text.h"
#include "kernel/launch/source_parameters.h"
#include "kernel/launch/tensor_shape.h"
#include "kernel/launch/texture_shape.h"
#include "kernel/source/near_sources.h"
#include "kernel/source/size_names.h"
#include "kernel/source/source_numbers.h"
#include "kernel/source/template_arguments.h"
#include "kernel/source/tensor_accessor.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

constexpr int kMostAxes = 5;
constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kStride = 2;
constexpr std::uint32_t kLayers = 4;  // blocks along z, as of channels or a batch

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
                              std::uint32_t size);

// A few structures, whose pointers lead to buffers that are short as yet: a trial lets them grow.
void lead_on(const std::vector<ParameterText>& members, std::uint32_t size, ArgumentForm* form) {
  constexpr std::uint32_t kLongSide = 1024;
  constexpr std::uint32_t kSide = 64;  // of several
  constexpr std::string_view kFew = "16";
  constexpr std::string_view kShort = "4096";
  constexpr std::string_view kShorter = "256";  // of so many more
  form->type = "structure";
  form->count = kFew;
  form->fill.clear();
  const std::uint32_t side =
      std::ranges::count_if(members, [](const ParameterText& one) { return is_size(one); }) > 1
          ? kSide
          : kLongSide;
  for (const ParameterText& member : members) {
    ArgumentForm made = guessed_argument(member, form->behind.size(), std::min(size, side));
    if (made.type.empty()) continue;
    const bool ends = !made.is_buffer && member.type.ends_with('*');  // the last one's next
    if (ends) made.value = "0";
    const bool leads_to_pointers = made.behind.size() == 1;
    if (made.is_buffer) made.count = made.behind.empty() ? kShort : leads_to_pointers ? kFew : "1";
    for (ArgumentForm& further : made.behind) {
      if (further.is_buffer && further.behind.empty()) further.count = kShorter;
    }
    form->behind.push_back(std::move(made));
  }
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
    if (!parameter.behind.empty()) lead_on(parameter.behind, size, &form);
    return form;
  }
  if (!parameter.element) return form;
  form.type = name_of(*parameter.element);
  form.value = std::to_string(usual_extent(parameter).value_or(is_size(parameter) ? size : 1));
  return form;
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
KernelHints kernel_hints(const KernelFile& file, const KernelSignature& signature,
                         const std::string& kernel, const std::vector<ParameterSpec>& settable,
                         LaunchSite* launched) {
  if (file.path.ends_with(".ptx")) return {};
  ParameterSet constants = constants_of(file, kernel);
  std::vector<std::string> parameters;
  for (const ParameterText& parameter : signature.parameters) {
    constants.erase(parameter.name);
    if (is_size(parameter)) parameters.push_back(parameter.name);
  }
  const KernelHints written = read_kernel_hints(file.source, signature.name, constants, parameters);
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
  if (!can_be_block(block) || !allows(signature, block)) return written;
  launched->block = block;
  const bool named = std::ranges::any_of(
      texts, [&](const std::string& text) { return follows_numbers(text, settable); });
  if (named) launched->block_text = std::move(texts);
  return written;
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
  constexpr std::int64_t kMost = kLargestGrid.y;
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
LaunchSite nearest_launch(const KernelFile& file, const KernelFile& whole,
                          const KernelSignature& signature) {
  ParameterSet constants = find_constants(tokenize(whole.source));
  for (const ParameterText& parameter : signature.parameters) constants.erase(parameter.name);
  LaunchSite launched = find_launch_site(whole.source, signature.name, &constants);
  if (!launched.grid_text.empty()) {
    const std::string launcher = uncalled_launcher(whole.source, signature.name);
    const std::string caller = launcher.empty() ? "" : caller_near(file.path, launcher);
    if (caller.empty()) return launched;
    return find_launch_site(whole.source + "\n" + caller, signature.name, &constants);
  }
  for (const std::string& source : sources_near(file.path, signature.name)) {
    const std::vector<std::string> own = find_kernels(source);  // one of the same name is another
    if (std::ranges::find(own, signature.name) != own.end()) continue;
    LaunchSite near = find_launch_site(source, signature.name, &constants);
    if (!near.grid_text.empty()) return near;
  }
  return launched;
}

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

// Of overloaded kernels the first that takes as many arguments as the one that was compiled, where
// that is known, else as the launch hands over.
const KernelSignature& launched_one(const std::vector<KernelSignature>& overloads,
                                    const LaunchSite& launched, const KernelSignature* compiled) {
  const std::size_t arguments =
      compiled != nullptr ? parameters_of(*compiled) : launched.arguments.size();
  const auto found = std::ranges::find_if(
      overloads, [&](const KernelSignature& one) { return parameters_of(one) == arguments; });
  return found != overloads.end() ? *found : overloads.front();
}

// What the host computes the grid of says how much there is, whatever it is called; where none of
// these is called so.
void note_sizes_of_grid(const LaunchSite& launched, KernelSignature* signature) {
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
    if (!is_number) continue;
    const std::vector<std::string> handed = words_and_paths(launched.argument(position).written);
    const bool is_named = handed.size() == 1 && words.contains(handed[0]);
    if (is_named) named.push_back(&parameter);
  }
  const bool known = std::ranges::any_of(
      named, [](const ParameterText* parameter) { return is_size(*parameter); });
  for (ParameterText* parameter : named) parameter->is_bound |= !known;
}

// Whether several parameters by value are of types that were made up, for the launch deduces them:
// shapes and layouts that host code builds. The compiler would take long to refuse them.
bool has_made_up_values(const std::string& source, const KernelSignature& signature,
                        const LaunchSite& launched, const std::string& arguments) {
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

// What is guessed of one kernel, step by step.
class Guess {
 public:
  Guess(const KernelFile& file, KernelFile whole, KernelSignature signature, LaunchSite launched)
      : file_(file),
        whole_(std::move(whole)),
        signature_(std::move(signature)),
        launched_(std::move(launched)) {}

  LaunchForm make(const std::string& kernel, const KernelSignature* compiled) {
    note_sizes_of_grid(launched_, &signature_);
    name_kernel(kernel);
    if (compiled != nullptr) take_compiled(*compiled, &signature_);
    read_numbers();
    choose_block();
    choose_size();
    make_grid();
    choose_shared();
    make_arguments();
    derive_arguments(file_, signature_, launched_, &form_);
    if (has_rows_) {
      form_.grid = std::to_string(std::max<std::int64_t>(kLine / size_ / hints_.row_times, 1));
    }
    follow_host();
    form_.grid = whole_clusters(form_.grid, signature_.cluster);
    form_.grid = launchable(form_, constants_);
    return std::move(form_);
  }

 private:
  // With the arguments of its template, as far as they are known or can be made up.
  void name_kernel(const std::string& kernel) {
    form_.kernel = kernel.substr(0, kernel.find('<')) == signature_.name ? kernel : signature_.name;
    if (form_.kernel.find('<') == std::string::npos && signature_.is_template) {
      const std::string arguments = guessed_template_arguments(
          whole_.source, signature_, {launched_.template_arguments, launched_.written_arguments()},
          find_constants(tokenize(whole_.source)));
      const bool refused =
          !arguments.empty() && has_made_up_values(whole_.source, signature_, launched_, arguments);
      if (!refused) form_.kernel += arguments;
    }
    if (const std::size_t open = form_.kernel.find('<'); open != std::string::npos) {
      set_template_types(whole_.source, form_.kernel.substr(open), &signature_);
    }
  }

  void read_numbers() {
    settable_ = source_parameters(file_, form_.kernel);
    constants_ = constants_of(whole_, form_.kernel);
    for (const ParameterSpec& spec : settable_) {
      if (spec.meaning == kFilledByHost) form_.parameters[spec.name] = spec.default_value;
    }
    const auto bound = evaluate_expression(signature_.most_threads_text, constants_);
    if (bound && *bound > 0 && *bound <= kMostThreadsOfBlock) {
      signature_.most_threads = static_cast<std::uint32_t>(*bound);
    }
    // What the host launches may be of another version of the kernel, and no device takes it.
    if (launched_.block && !allows(signature_, *launched_.block)) {
      launched_.block.reset();
      launched_.block_text.clear();
    }
    hints_ = kernel_hints(whole_, signature_, form_.kernel, settable_, &launched_);
  }

  void choose_block() {
    block_ = launched_.block.value_or(guessed_block(signature_));
    is_plane_ = signature_.is_plane || block_.y > 1;
    // What the file writes with numbers that can be set follows them.
    follows_ = !launched_.block_text.empty() && !settable_.empty();
    form_.block =
        follows_ ? fmt::format("{}", fmt::join(launched_.block_text, ", ")) : text_of(block_);
  }

  // As many elements along each axis that sizes multiply: a line, a plane, a volume ...
  void choose_size() {
    const auto sizes = std::ranges::count_if(signature_.parameters, [&](const ParameterText& p) {
      return counts_elements(p) && !is_stride(p, is_plane_);
    });
    const bool has_row = std::ranges::any_of(signature_.parameters, &ParameterText::is_row);
    has_rows_ = (has_row || !hints_.row.empty()) && !is_plane_;  // of a block each
    const bool edges = is_plane_ || sizes > 1 || has_rows_;
    const std::string text =
        file_.path.ends_with(".ptx") ? "" : kernel_text(whole_.source, signature_.name);
    is_volume_ = is_plane_ && text.find("threadIdx.z") != std::string::npos;
    has_layers_ = is_plane_ && text.find("blockIdx.z") != std::string::npos;
    const int axes = std::max(axes_multiplied(text), is_volume_ ? 3 : edges ? 2 : 1);
    size_ = std::uint32_t{1} << kLineBits / static_cast<std::uint32_t>(std::min(axes, kMostAxes));
  }

  // In the kernel, in its grid and in what is allocated for it.
  [[nodiscard]] int axes_multiplied(const std::string& kernel) const {
    if (kernel.empty()) return 1;
    std::set<std::string> names;
    std::set<std::string> handed;  // what the host calls them
    ParameterIndex index;
    for (const ParameterText& parameter : signature_.parameters) {
      const std::uint32_t position = index.next(parameter.member);
      if (!counts_elements(parameter) || is_stride(parameter, is_plane_)) continue;
      names.insert(parameter.name);
      const bool is_handed = !parameter.member && position < launched_.arguments.size();
      if (is_handed) handed.insert(launched_.arguments[position].written);
    }
    int axes = size_degree(kernel, names);
    for (const std::string& text : launched_.grid_text) {
      axes = std::max(axes, size_degree(text, handed));
    }
    for (const HandedArgument& argument : launched_.arguments) {
      axes = std::max(axes, size_degree(argument.bytes_text, handed));
    }
    return axes;
  }

  void make_grid() {
    form_.grid = blocks_along(0);
    const std::string comma = follows_ ? ", " : ",";
    if (is_plane_) form_.grid += comma + blocks_along(1);
    if (has_layers_) {
      form_.grid += comma + (is_volume_ ? blocks_over(size_, block_.z) : std::to_string(kLayers));
    }
  }

  [[nodiscard]] std::string blocks_along(std::size_t axis) const {
    const std::string& tile = hints_.tile[axis];
    const auto covered = evaluate_expression(tile, constants_);
    if (follows_numbers(tile, settable_)) return fmt::format("ceil_div({}, {})", size_, tile);
    if (follows_ && tile.empty() && axis < launched_.block_text.size()) {
      return fmt::format("ceil_div({}, {})", size_, launched_.block_text[axis]);
    }
    const std::uint32_t threads = axis == 0 ? block_.x : block_.y;
    return blocks_over(size_, covered ? static_cast<std::uint32_t>(*covered) : threads);
  }

  void choose_shared() {
    std::uint64_t shared = launched_.dynamic_shared_bytes.value_or(0);
    if (signature_.dynamic_shared && shared == 0) {
      shared = block_.count() * size_of(*signature_.dynamic_shared);
    }
    form_.dynamic_shared = std::to_string(shared);
    if (!launched_.dynamic_shared_text.empty() && !settable_.empty()) {
      form_.dynamic_shared = launched_.dynamic_shared_text;
    }
  }

  void make_arguments() {
    const std::vector<std::string> contents =
        written_contents(whole_.source, launched_.written_arguments());
    ParameterIndex index;
    for (std::size_t i = 0; i < signature_.parameters.size(); ++i) {
      const ParameterText& parameter = signature_.parameters[i];
      const std::uint32_t position = index.next(parameter.member);
      ArgumentForm argument = guessed_argument(parameter, i, size_);
      const auto accessor = accessor_value(parameter);
      if (accessor) {
        argument.value = std::to_string(*accessor);
      } else if (is_tensor_map(parameter)) {
        take_tensor(parameter, position, i + 1, &argument);
      } else {
        const bool is_known = argument.is_buffer && !parameter.member &&
                              position < contents.size() && !contents[position].empty();
        if (is_known) argument.fill = contents[position];
        if (auto texture = guessed_texture(whole_.source, parameter, i + 1)) {
          argument.type = std::move(texture->kind);
          argument.value = std::move(texture->value);
        }
        take_handed(parameter, position, &argument);
      }
      form_.arguments.push_back(std::move(argument));
    }
  }

  void take_tensor(const ParameterText& parameter, std::uint32_t position, std::size_t seed,
                   ArgumentForm* argument) const {
    const std::string& named = launched_.argument(position).written;
    argument->is_buffer = false;
    argument->type = "tensormap";
    // Another file of the project may make maps for another kernel.
    const bool own = file_.source.find("CU_TENSOR_MAP_DATA_TYPE_") != std::string::npos;
    argument->value =
        guessed_tensor(own ? file_.source : whole_.source, parameter, named, seed).value_or("");
  }

  // The number that the host hands over, where the buffers are large enough for it.
  void take_handed(const ParameterText& parameter, std::uint32_t position, ArgumentForm* argument) {
    const bool apart = is_stride(parameter, is_plane_);
    const std::string known = handed_value(parameter, position, launched_);
    const auto given = evaluate_expression(known, {});
    const bool counts = launched_.argument(position).counts;
    const bool fits = given && *given >= (counts ? 0 : 1) && *given <= std::int64_t{size_};
    const bool stays = is_size(parameter) && !apart && !fits;  // the buffers are as large
    if (apart) argument->value = std::to_string(kStride);
    if (!stays && !known.empty()) argument->value = known;
    // The last of its elements is still one of the buffer's.
    const auto stride = apart ? std::stoll(argument->value) : 1;
    if (stride > 1 && stride <= size_) {
      form_.grid = blocks_over(static_cast<std::uint32_t>(size_ / stride), block_.x);
    }
  }

  // The launch as the host writes it, or its grid alone.
  void follow_host() {
    if (launched_.grid_text.empty() ||
        take_launch_as_written(file_, signature_, launched_, block_, &form_)) {
      return;
    }
    const bool goes_on =
        kernel_text(file_.source, signature_.name).find("gridDim") != std::string::npos;
    const std::string grid =
        launched_grid(file_, signature_, launched_, form_, {block_.count(), kLine, goes_on});
    if (!grid.empty()) form_.grid = grid;
  }

  const KernelFile& file_;
  KernelFile whole_;  // with its project's text
  KernelSignature signature_;
  LaunchSite launched_;
  std::vector<ParameterSpec> settable_;
  ParameterSet constants_;
  KernelHints hints_;
  Dim3 block_;
  bool is_plane_ = false;
  bool follows_ = false;     // the block follows numbers that can be set
  bool has_rows_ = false;    // a block has a row to itself
  bool is_volume_ = false;   // its threads have a z
  bool has_layers_ = false;  // its blocks have one
  std::uint32_t size_ = kLine;
  LaunchForm form_;
};

}  // namespace

LaunchForm guess_launch(const KernelFile& file, const std::string& kernel,
                        const KernelSignature* compiled) {
  KernelFile whole = with_project_text(file);
  const auto meant = signatures_meant(whole, file, kernel.substr(0, kernel.find('<')));
  if (meant.empty()) return {};
  LaunchSite launched =
      file.path.ends_with(".ptx") ? LaunchSite{} : nearest_launch(file, whole, meant.front());
  KernelSignature signature = launched_one(meant, launched, compiled);
  return Guess(file, std::move(whole), std::move(signature), std::move(launched))
      .make(kernel, compiled);
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
