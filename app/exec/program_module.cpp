#include "exec/program_module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "core/file.h"
#include "emulator/decode/variable_layout.h"
#include "emulator/machine_text.h"
#include "emulator/program_implementation.h"
#include "kernel/cubin/cubin.h"
#include "kernel/source/kernel_name.h"
#include "kernel/source/kernel_signature.h"
#include "ptx/link.h"

namespace tilescope {
namespace {

Error no_ptx(const FatBinary& fat, int compute_capability) {
  std::set<std::string> has;
  for (const FatBinary::Entry& entry : fat.entries)
    has.insert(fmt::format("{} for sm_{}{}", entry.is_ptx ? "PTX" : "machine code",
                           entry.compute_capability, entry.is_specific ? "a" : ""));
  for (const std::string& why : fat.left_out) has.insert(why);
  return Error{ErrorCode::kKernel,
               fmt::format("the program has no PTX that sm_{} takes, only {}", compute_capability,
                           has.empty() ? "nothing" : fmt::format("{}", fmt::join(has, ", "))),
               fmt::format("Compile it with -gencode arch=compute_{0},code=[compute_{0},sm_{0}]",
                           compute_capability),
               {}};
}

// The name without the arguments of templates: "ns::sgemm" of "void ns::sgemm<32>(float*)".
std::string plain_name(const std::string& name) {
  std::string plain = name_without_parameters(name);
  plain.erase(std::min(plain.find('<'), plain.size()));
  return plain;
}

// As the kernel's source file has them, where it is still there. PTX has no names.
std::vector<ProgramKernel::ParameterName> names_of_parameters(const Program& program,
                                                              const std::string& kernel,
                                                              std::string* source_file) {
  constexpr std::uintmax_t kMostSource = std::uintmax_t{16} << 20;
  std::vector<ProgramKernel::ParameterName> names(program.parameters().size());
  const auto& instructions = program.instructions();
  const auto first = std::ranges::find_if(
      instructions, [](const StaticInstruction& info) { return info.outermost.line != 0; });
  if (first == instructions.end() || first->outermost.file >= program.files().size()) return names;
  const std::string& path = program.files()[first->outermost.file];
  const auto text = read_file(path, kMostSource);
  if (!text) return names;
  *source_file = path;
  const std::string wanted = plain_name(kernel);
  for (const KernelSignature& signature : find_signatures(path, *text)) {
    const std::string found = plain_name(signature.name);
    const bool is_it = wanted == found || wanted.ends_with("::" + found);
    if (!is_it || signature.parameters.size() != names.size()) continue;
    for (std::size_t i = 0; i < names.size(); ++i) {
      names[i].name = signature.parameters[i].name;
      if (!signature.parameters[i].element) continue;
      (signature.parameters[i].is_pointer ? names[i].element : names[i].number) =
          *signature.parameters[i].element;
    }
    break;
  }
  return names;
}

// The device code of a module, for one device.
struct DeviceCodeOfModule {
  std::string ptx;  // empty: there is machine code alone
  int ptx_capability = 0;
  std::vector<std::byte> cubin;  // empty: there is none
};

Result<DeviceCodeOfModule> code_of_fat_binary(std::span<const std::byte> bytes,
                                              int compute_capability) {
  auto fat = read_fat_binary(bytes);
  if (!fat) return std::move(fat).error();
  const FatBinary::Entry* cubin = fat->cubin_for(compute_capability);
  const std::vector<const FatBinary::Entry*> parts = fat->ptx_of_parts(compute_capability);
  if (parts.empty()) {
    if (cubin == nullptr) return no_ptx(*fat, compute_capability);
    return DeviceCodeOfModule{"", compute_capability, cubin->bytes};
  }
  std::vector<std::string_view> units;
  for (const FatBinary::Entry* part : parts)
    units.emplace_back(reinterpret_cast<const char*>(part->bytes.data()), part->bytes.size());
  DeviceCodeOfModule code{link_ptx(units), parts.front()->compute_capability, {}};
  if (cubin != nullptr) code.cubin = cubin->bytes;
  return code;
}

// Texts with a zero between, as a program hands them to the driver.
Result<DeviceCodeOfModule> code_of_texts(std::span<const std::byte> bytes, int compute_capability) {
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<std::string_view> units;
  while (!rest.empty()) {
    const std::string_view text = rest.substr(0, rest.find('\0'));
    if (!text.empty()) units.push_back(text);
    rest.remove_prefix(std::min(rest.size(), text.size() + 1));
  }
  DeviceCodeOfModule code{link_ptx(units), 0, {}};
  code.ptx_capability = target_of_ptx(code.ptx).compute_capability;
  if (code.ptx_capability == 0) {
    return Error{ErrorCode::kKernel,
                 "the program gives the driver a text that is no PTX",
                 "Hand cuModuleLoadData PTX, a cubin or a fat binary",
                 {}};
  }
  if (code.ptx_capability > compute_capability) {
    return Error{ErrorCode::kKernel,
                 fmt::format("the program gives the driver PTX for sm_{}, and the device is sm_{}",
                             code.ptx_capability, compute_capability),
                 "Choose a later device with --device, or compile for this one",
                 {}};
  }
  return code;
}

Result<DeviceCodeOfModule> device_code_in(std::span<const std::byte> bytes,
                                          int compute_capability) {
  if (is_fat_binary(bytes)) return code_of_fat_binary(bytes, compute_capability);
  const int architecture = architecture_of_cubin(bytes);
  if (architecture == 0) return code_of_texts(bytes, compute_capability);
  if (architecture / 10 == compute_capability / 10 && architecture <= compute_capability)
    return DeviceCodeOfModule{"", compute_capability, {bytes.begin(), bytes.end()}};
  return Error{
      ErrorCode::kKernel,
      fmt::format("the program gives the driver machine code for sm_{}, and the device is sm_{}",
                  architecture, compute_capability),
      "Choose such a device with --device",
      {}};
}

}  // namespace

Result<std::unique_ptr<ProgramModule>> ProgramModule::load(std::span<const std::byte> bytes,
                                                           int compute_capability,
                                                           DeviceHeap& heap) {
  auto code = device_code_in(bytes, compute_capability);
  if (!code) return std::move(code).error();
  auto module = std::make_unique<ProgramModule>();
  module->ptx_ = std::move(code->ptx);
  module->ptx_capability_ = code->ptx_capability;
  module->cubin_ = std::move(code->cubin);
  if (Status placed = module->place_variables(heap); !placed) return std::move(placed).error();
  return module;
}

Status ProgramModule::place_variables(DeviceHeap& heap) {
  // Each kernel's text declares all .global variables of a cubin.
  auto text = find_text("");
  if (!text) return std::move(text).error();
  bool is_full = false;
  const auto place = [&](const ModuleVariable& variable) -> std::uint64_t {
    const Allocation* made = heap.allocate(
        {variable.is_managed ? Allocation::Kind::kManaged : Allocation::Kind::kVariable,
         variable.bytes, std::max<std::uint64_t>(variable.alignment, 256), 0, variable.name});
    is_full |= made == nullptr;
    return made == nullptr ? 0 : made->address;
  };
  const bool is_lifted = ptx_.empty();
  auto variables = module_variables(*text, [&](const ModuleVariable& variable) {
    return is_lifted && variable.is_constant ? 0 : place(variable);
  });
  if (!variables) return std::move(variables).error();
  variables_ = *std::move(variables);
  if (is_lifted) {
    // The text has one array for each constant bank; the cubin has the variables in bank 3.
    std::erase_if(variables_, &ModuleVariable::is_constant);
    for (const CubinConstant& constant : constants_of_cubin(cubin_)) {
      ModuleVariable variable{.symbol = constant.name,
                              .name = readable_name(constant.name),
                              .is_constant = true,
                              .bytes = constant.image.size(),
                              .image = {constant.image.begin(), constant.image.end()}};
      variable.address = place(variable);
      variables_.push_back(std::move(variable));
    }
  }
  if (is_full) {
    return Error{
        ErrorCode::kKernel, "the module's variables take more memory than the device has", "", {}};
  }
  for (const ModuleVariable& variable : variables_) {
    Allocation* allocation = heap.find(variable.address);
    std::memcpy(allocation->data, variable.image.data(), variable.image.size());
    if (!variable.is_constant) placement_.globals.emplace(variable.symbol, variable.address);
  }
  return ok_status();
}

Result<std::string_view> ProgramModule::find_text(const std::string& symbol) {
  if (!ptx_.empty()) return std::string_view(ptx_);
  if (const auto found = lifted_.find(symbol); found != lifted_.end())
    return std::string_view(found->second);
  std::optional<Error> problem;
  for (const CubinKernel& kernel : kernels_of_cubin(cubin_)) {
    if (!symbol.empty() && kernel.name != symbol) continue;
    auto text = machine_code_as_ptx(cubin_, kernel, "", {});
    if (text) return std::string_view(lifted_.emplace(kernel.name, *std::move(text)).first->second);
    if (!problem) problem = std::move(text).error();
  }
  return problem.value_or(Error{ErrorCode::kKernel,
                                symbol.empty() ? "the machine code has no kernel"
                                               : "the machine code has no kernel " + symbol,
                                "",
                                {}});
}

const std::string& ProgramModule::text_of(const std::string& symbol) const {
  return ptx_.empty() ? lifted_.at(symbol) : ptx_;
}

Result<const ProgramKernel*> ProgramModule::kernel(const std::string& symbol,
                                                   std::optional<Dim3> cluster) {
  const Dim3 blocks = cluster.value_or(Dim3{0, 0, 0});
  const Key key{symbol, blocks.x, blocks.y, blocks.z};
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return &found->second;
  ProgramPlacement placement = placement_;
  placement.cluster = cluster;
  const auto text = find_text(symbol);
  if (!text) return text.error();
  auto program = decode_placed_ptx(*text, symbol, "", placement);
  if (!program) return std::move(program).error();
  ProgramKernel made;
  made.symbol = symbol;
  made.name = demangle(symbol);
  made.program = *std::move(program);
  const CubinFacts facts = facts_of_cubin(cubin_, symbol);
  made.registers = facts.registers;
  made.constant_bytes = facts.constant_bytes;
  // The text of machine code also counts the shared memory that the system keeps for itself.
  made.static_shared_bytes =
      ptx_.empty() ? facts.static_shared_bytes : made.program->static_shared_bytes();
  const Program::Implementation& implementation = made.program->implementation();
  const PtxFunction& entry = implementation.module.functions[implementation.entry];
  if (entry.required_block) {
    made.most_threads = static_cast<std::uint32_t>(entry.required_block->count());
  } else if (entry.largest_block) {
    made.most_threads = static_cast<std::uint32_t>(entry.largest_block->count());
  }
  made.parameters = names_of_parameters(*made.program, made.name, &made.source_file);
  for (const PlacedVariable& constant : implementation.code().constant_variables) {
    if (const ModuleVariable* place = variable(constant.name))
      made.constants.emplace_back(place->address, constant.offset);
    if (!ptx_.empty() || constant.name != "bank3") continue;
    for (const CubinConstant& inside : constants_of_cubin(cubin_)) {
      if (const ModuleVariable* place = variable(inside.name))
        made.constants.emplace_back(place->address, constant.offset + inside.offset);
    }
  }
  // Strings of printf and assert are variables, too, but constant in all launches.
  made.uses_variables =
      !made.constants.empty() ||
      std::ranges::any_of(implementation.code().globals, [](const GlobalVariable& global) {
        return !global.name.starts_with('$') && !global.name.starts_with("__");
      });
  return &kernels_.emplace(key, std::move(made)).first->second;
}

void ProgramModule::describe(const std::string& symbol, const std::string& variant,
                             const std::vector<ProgramKernel::ParameterName>& parameters) {
  for (auto& [key, kernel] : kernels_) {
    if (std::get<0>(key) != symbol) continue;
    kernel.variant = variant;
    for (std::size_t i = 0; i < std::min(parameters.size(), kernel.parameters.size()); ++i) {
      if (!parameters[i].name.empty()) kernel.parameters[i] = parameters[i];
    }
  }
}

std::string ProgramModule::function_name(const ProgramKernel& kernel, std::uint32_t function) {
  const auto& functions = kernel.program->implementation().module.functions;
  return function < functions.size() ? functions[function].name : std::string();
}

const ModuleVariable* ProgramModule::variable(const std::string& symbol) const {
  const auto found = std::ranges::find(variables_, symbol, &ModuleVariable::symbol);
  return found == variables_.end() ? nullptr : &*found;
}

}  // namespace tilescope
