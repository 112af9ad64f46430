#include "emulator/decode/variable_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/memory_map.h"
#include "emulator/module_variables.h"
#include "kernel/source/kernel_name.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kMostShared = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostLocal = std::uint64_t{1} << 19;    // 512 KiB per thread
constexpr std::uint64_t kStackBytes = std::uint64_t{32} << 10;  // for recursion, per thread
constexpr std::uint64_t kMostConstant = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostGlobal = std::uint64_t{1} << 32;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

class Layout {
 public:
  Layout(DecodeState& state, const std::vector<std::uint32_t>& functions)
      : state_(state), module_(*state.module), functions_(functions) {}

  Status run(std::vector<KernelParameter>* parameters) {
    state_.places.assign(module_.variables.size(), {});
    used_.assign(module_.variables.size(), false);
    find_used();
    place_entry_parameters(parameters);
    measure_kernels();
    place_function_parameters();
    for (std::uint32_t v = 0; v < module_.variables.size(); ++v) {
      if (!used_[v] || state_.places[v].space != MemorySpace::kNone) continue;
      const Status placed = place(v);
      if (!placed) return placed;
    }
    return finish();
  }

 private:
  void use(std::uint32_t variable) {
    if (variable == kNoIndex || used_[variable]) return;
    std::vector<std::uint32_t> work{variable};
    used_[variable] = true;
    while (!work.empty()) {
      const std::uint32_t v = work.back();
      work.pop_back();
      for (const PtxRelocation& relocation : module_.variables[v].relocations) {
        if (relocation.variable == kNoIndex || used_[relocation.variable]) continue;
        used_[relocation.variable] = true;
        work.push_back(relocation.variable);
      }
    }
  }

  void find_used() {
    for (const std::uint32_t f : functions_) {
      const PtxFunction& function = module_.functions[f];
      const auto see = [&](const PtxOperand& operand) {
        const bool names =
            operand.kind == OperandKind::kVariable ||
            (operand.kind == OperandKind::kAddress && operand.base_kind == OperandKind::kVariable);
        if (names) use(operand.index);
        if (operand.kind == OperandKind::kSymbol && uses_device_heap(operand.text))
          use(module_.find_variable(kDeviceHeap).value_or(kNoIndex));
      };
      for (const PtxOperand& operand : function.operands) see(operand);
      for (const PtxOperand& operand : function.elements) see(operand);
      for (const std::uint32_t v : function.variables) {
        if (module_.variables[v].space == MemorySpace::kShared) use(v);
      }
    }
  }

  void place_entry_parameters(std::vector<KernelParameter>* parameters) {
    std::uint64_t offset = 0;
    for (const std::uint32_t v : module_.functions[functions_[0]].parameters) {
      const PtxVariable& variable = module_.variables[v];
      offset = round_up(offset, variable.alignment);
      state_.places[v] = {MemorySpace::kParameter, offset};
      parameters->push_back({variable.name, static_cast<std::uint32_t>(offset),
                             static_cast<std::uint32_t>(variable.bytes), variable.alignment});
      offset += variable.bytes;
    }
    state_.code->parameter_bytes = static_cast<std::uint32_t>(round_up(offset, 16));
  }

  // Of kernels that kernels may launch.
  void measure_kernels() {
    if (!module_.find_function("__cudaCDP2GetParameterBufferV2") &&
        !module_.find_function("cudaGetParameterBufferV2"))
      return;
    for (const PtxFunction& function : module_.functions) {
      std::uint64_t bytes = 0;
      for (const std::uint32_t v : function.parameters) {
        const PtxVariable& variable = module_.variables[v];
        bytes = round_up(bytes, variable.alignment) + variable.bytes;
      }
      state_.code->kernel_parameter_bytes.push_back(
          function.is_entry ? static_cast<std::uint32_t>(bytes) : 0);
    }
  }

  void place_function_parameters() {
    for (const std::uint32_t f : functions_) {
      const PtxFunction& function = module_.functions[f];
      if (state_.framed[f]) {
        place_frame(function);
        continue;
      }
      if (!function.is_entry) {
        for (const std::uint32_t v : function.parameters) place_local(v);
        for (const std::uint32_t v : function.results) place_local(v);
      }
      for (const std::uint32_t v : function.variables) {
        const MemorySpace space = module_.variables[v].space;
        if (space == MemorySpace::kParameter || space == MemorySpace::kLocal) place_local(v);
      }
    }
  }

  // Results first, then parameters, as a caller through a pointer finds them too.
  void place_frame(const PtxFunction& function) {
    std::uint64_t offset = 0;
    const auto place_all = [&](const std::vector<std::uint32_t>& variables) {
      for (const std::uint32_t v : variables) {
        const PtxVariable& variable = module_.variables[v];
        const bool own =
            variable.space == MemorySpace::kParameter || variable.space == MemorySpace::kLocal;
        if (!own) continue;
        offset = round_up(offset, variable.alignment);
        state_.places[v] = {MemorySpace::kLocal, offset, true};
        offset += variable.bytes;
        too_large_ |= offset > kMostLocal;
        if (too_large_) offset = 0;
      }
    };
    place_all(function.results);
    place_all(function.parameters);
    place_all(function.variables);
    frame_ = std::max(frame_, round_up(offset, 16));
    ++frames_;
  }

  // The compiler puts a function's arrays into one, "__local_depot0", and keeps no names.
  [[nodiscard]] std::string name_of_local(std::uint32_t v) const {
    for (const std::uint32_t f : functions_) {
      const std::vector<std::uint32_t>& own = module_.functions[f].variables;
      if (std::find(own.begin(), own.end(), v) == own.end()) continue;
      return "a local array of " + name_without_parameters(demangle(module_.functions[f].name));
    }
    return readable_name(module_.variables[v].name);
  }

  void place_local(std::uint32_t v) {
    const PtxVariable& variable = module_.variables[v];
    local_ = round_up(local_, variable.alignment);
    state_.places[v] = {MemorySpace::kLocal, local_};
    if (variable.space == MemorySpace::kLocal) {
      state_.code->local_variables.push_back({name_of_local(v),
                                              static_cast<std::uint32_t>(local_),
                                              variable.bytes,
                                              variable.type,
                                              v,
                                              {},
                                              0});
    }
    local_ += variable.bytes;
    too_large_ |= local_ > kMostLocal;
    if (too_large_) local_ = 0;
  }

  Status place(std::uint32_t v) {
    const PtxVariable& variable = module_.variables[v];
    switch (variable.space) {
      case MemorySpace::kShared:
        if (variable.is_extern) {
          dynamic_alignment_ = std::max<std::uint64_t>(dynamic_alignment_, variable.alignment);
          state_.places[v] = {MemorySpace::kShared, 0};  // finish() knows where
          dynamic_.push_back(v);
          return ok_status();
        }
        shared_ = round_up(shared_, variable.alignment);
        state_.places[v] = {MemorySpace::kShared, shared_};
        state_.code->shared_variables.push_back({readable_name(variable.name),
                                                 static_cast<std::uint32_t>(shared_),
                                                 variable.bytes,
                                                 variable.type,
                                                 v,
                                                 {},
                                                 0});
        shared_ += variable.bytes;
        if (shared_ > kMostShared) return too_much("shared", variable);
        return ok_status();
      case MemorySpace::kConstant:
        constant_ = round_up(constant_, variable.alignment);
        state_.places[v] = {MemorySpace::kConstant, constant_};
        state_.code->constant_variables.push_back({variable.name,
                                                   static_cast<std::uint32_t>(constant_),
                                                   variable.bytes,
                                                   variable.type,
                                                   v,
                                                   {},
                                                   0});
        constant_ += variable.bytes;
        if (constant_ > kMostConstant) return too_much("constant", variable);
        return ok_status();
      case MemorySpace::kGlobal:
        if (state_.placement != nullptr) {
          const auto given = state_.placement->globals.find(variable.name);
          if (given != state_.placement->globals.end()) {
            state_.places[v] = {MemorySpace::kGlobal, given->second};
            return ok_status();
          }
        }
        state_.places[v] = {MemorySpace::kGlobal, kModuleGlobals + global_};
        global_ += round_up(variable.bytes + 1, 4096) + 4096;
        if (variable.bytes > kMostGlobal || global_ > kMostGlobal)
          return too_much("global", variable);
        return ok_status();
      default:
        return ok_status();
    }
  }

  Status too_much(std::string_view space, const PtxVariable& variable) {
    Error error;
    error.code = ErrorCode::kKernel;
    error.message = fmt::format("'{}' takes more {} memory than there is", variable.name, space);
    error.place.line = static_cast<int>(variable.line);
    return error;
  }

  // The image with the addresses of other variables filled in.
  std::vector<std::byte> image_of(const PtxVariable& variable) {
    std::vector<std::byte> image = variable.image;
    image.resize(variable.bytes);
    for (const PtxRelocation& relocation : variable.relocations) {
      if (relocation.variable == kNoIndex) {
        place_function(relocation, variable, &image);
        continue;
      }
      const VariablePlace& place = state_.places[relocation.variable];
      std::uint64_t address = place.address + static_cast<std::uint64_t>(relocation.addend);
      if (relocation.generic && place.space == MemorySpace::kShared) address += kSharedWindow;
      if (relocation.generic && place.space == MemorySpace::kConstant) address += kConstantWindow;
      address = (address & relocation.mask) >> std::countr_zero(relocation.mask);
      const std::size_t bytes = std::min<std::size_t>(bytes_of(variable.type), sizeof address);
      if (relocation.offset + bytes <= image.size()) {
        std::memcpy(image.data() + relocation.offset, &address, bytes);
      }
    }
    return image;
  }

  void place_function(const PtxRelocation& relocation, const PtxVariable& variable,
                      std::vector<std::byte>* image) {
    const auto function = module_.find_function(relocation.function);
    const std::size_t bytes = bytes_of(variable.type);
    if (!function || bytes != 8 || ~relocation.mask != 0 ||
        relocation.offset + bytes > image->size())
      return;
    const std::uint64_t address = function_address(*function);
    std::memcpy(image->data() + relocation.offset, &address, sizeof address);
  }

  static Error too_much_local() {
    return Error{ErrorCode::kKernel,
                 fmt::format("the kernel takes more local memory than the {} KiB of a thread",
                             kMostLocal >> 10),
                 "Make its arrays smaller, or keep them in global memory",
                 {}};
  }

  Status finish() {
    Code& code = *state_.code;
    if (too_large_) {
      return too_much_local();
    }
    code.static_shared_bytes = static_cast<std::uint32_t>(shared_);
    code.dynamic_shared_offset = static_cast<std::uint32_t>(
        round_up(shared_, std::max<std::uint64_t>(dynamic_alignment_, 16)));
    for (const std::uint32_t v : dynamic_) {
      state_.places[v].address = code.dynamic_shared_offset;
      code.shared_variables.push_back({readable_name(module_.variables[v].name),
                                       code.dynamic_shared_offset,
                                       0,
                                       module_.variables[v].type,
                                       v,
                                       {},
                                       0});
    }
    code.frame_start = static_cast<std::uint32_t>(round_up(local_, 16));
    code.frame_bytes =
        static_cast<std::uint32_t>(frames_ == 0 ? 0 : std::max<std::uint64_t>(frame_, 16));
    // Without recursion every function is under way once at most; the first frame is nobody's.
    const std::uint64_t depth =
        !state_.recursive
            ? frames_ + 1
            : std::max<std::uint64_t>(kStackBytes / std::max(code.frame_bytes, 1u), 4);
    code.local_bytes = static_cast<std::uint32_t>(code.frame_start + code.frame_bytes * depth);
    if (code.local_bytes > kMostLocal) {
      return too_much_local();
    }
    code.constant_image.assign(constant_, std::byte{0});
    for (std::uint32_t v = 0; v < module_.variables.size(); ++v) {
      const PtxVariable& variable = module_.variables[v];
      const VariablePlace& place = state_.places[v];
      if (place.space == MemorySpace::kConstant) {
        const std::vector<std::byte> image = image_of(variable);
        std::copy(image.begin(), image.end(),
                  code.constant_image.begin() + static_cast<std::ptrdiff_t>(place.address));
      } else if (place.space == MemorySpace::kGlobal) {
        code.globals.push_back({readable_name(variable.name), variable.type, place.address,
                                variable.bytes, image_of(variable)});
      }
    }
    return ok_status();
  }

  DecodeState& state_;
  const PtxModule& module_;
  const std::vector<std::uint32_t>& functions_;
  std::vector<bool> used_;
  std::vector<std::uint32_t> dynamic_;
  std::uint64_t dynamic_alignment_ = 16;
  std::uint64_t shared_ = 0;
  std::uint64_t local_ = 0;
  std::uint64_t frame_ = 0;  // the largest
  std::uint64_t frames_ = 0;
  std::uint64_t constant_ = 0;
  std::uint64_t global_ = 0;
  bool too_large_ = false;
};

}  // namespace

std::string readable_name(const std::string& symbol) {
  // Of an array or a structure of which little is used NVVM keeps parts: "_ZZ1kvE1s_$_0".
  const std::string whole = symbol.substr(0, symbol.rfind("_$_"));
  std::string name = whole.starts_with("_Z") ? demangle(whole) : whole;
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

Status place_variables(DecodeState& state, const std::vector<std::uint32_t>& functions,
                       std::vector<KernelParameter>* parameters) {
  return Layout(state, functions).run(parameters);
}

}  // namespace tilescope
