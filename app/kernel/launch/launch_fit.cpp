#include "kernel/launch/launch_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/quantity.h"
#include "kernel/source/kernel_signature.h"
#include "kernel/source/ptx_signature.h"

namespace tilescope {
namespace {

// How the PTX declares a parameter, and what a person writes for it.
struct DeclaredType {
  std::string_view ptx;
  std::size_t bytes;
  enum class Kind { kBits, kInteger, kFloat } kind;
  std::string_view remedy;
};
constexpr std::array<DeclaredType, 14> kDeclared{{
    {".f32", 4, DeclaredType::Kind::kFloat, "f32:VALUE"},
    {".f64", 8, DeclaredType::Kind::kFloat, "f64:VALUE"},
    {".u64", 8, DeclaredType::Kind::kInteger, "i64:VALUE, or a buffer such as f32[1024]"},
    {".s64", 8, DeclaredType::Kind::kInteger, "i64:VALUE"},
    {".b64", 8, DeclaredType::Kind::kBits, "i64:VALUE, or a buffer such as f32[1024]"},
    {".u32", 4, DeclaredType::Kind::kInteger, "i32:VALUE"},
    {".s32", 4, DeclaredType::Kind::kInteger, "i32:VALUE"},
    {".b32", 4, DeclaredType::Kind::kBits, "i32:VALUE"},
    {".u16", 2, DeclaredType::Kind::kInteger, "i16:VALUE"},
    {".s16", 2, DeclaredType::Kind::kInteger, "i16:VALUE"},
    {".b16", 2, DeclaredType::Kind::kBits, "i16:VALUE or f16:VALUE"},
    {".u8", 1, DeclaredType::Kind::kInteger, "i8:VALUE"},
    {".s8", 1, DeclaredType::Kind::kInteger, "i8:VALUE"},
    {".b8", 1, DeclaredType::Kind::kBits, "i8:VALUE"},
}};

Error misfit(const KernelInstance& instance, std::string message, std::string remedy) {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {instance.file_name, 0, 0}};
}

Status check_block(const std::string& kernel, const KernelSignature& signature,
                   const KernelInstance& instance) {
  const Dim3& block = instance.block;
  if (signature.required_block) {
    const Dim3& wanted = *signature.required_block;
    if (block == wanted) return ok_status();
    return misfit(instance,
                  fmt::format("{} is only launched with blocks of {},{},{} threads "
                              "(__block_size__ or .reqntid), not {},{},{}",
                              kernel, wanted.x, wanted.y, wanted.z, block.x, block.y, block.z),
                  fmt::format("Make the block {},{},{}", wanted.x, wanted.y, wanted.z));
  }
  if (signature.most_threads == 0 || block.count() <= signature.most_threads) return ok_status();
  return misfit(instance,
                fmt::format("{} allows blocks of at most {} threads (__launch_bounds__ or "
                            ".maxntid), and this one has {}",
                            kernel, signature.most_threads, block.count()),
                "Make the block smaller, or the bound larger");
}

bool is_real(ElementType type) { return type == ElementType::kF32 || type == ElementType::kF64; }

// What the PTX cannot tell of 64 bits: whether the source has a number there, and no pointer.
bool is_written_number(const ParameterText* source) {
  return source != nullptr && !source->is_pointer && source->element &&
         size_of(*source->element) == 8;
}

bool takes(const DeclaredType& declared, const Argument& argument, bool number) {
  if (argument.is_pointer) {
    return declared.bytes == 8 && declared.kind != DeclaredType::Kind::kFloat && !number;
  }
  if (size_of(argument.type) != declared.bytes) return false;
  if (declared.kind == DeclaredType::Kind::kFloat) return is_real(argument.type);
  return declared.kind == DeclaredType::Kind::kBits || !is_real(argument.type);
}

// Of the kernel in its CUDA source, structures left out, by their index; none where that is not
// clear.
std::map<std::uint32_t, ParameterText> written_parameters(const KernelInstance& instance) {
  std::map<std::uint32_t, ParameterText> found;
  if (instance.is_ptx()) return found;
  const std::string plain = instance.kernel.substr(0, instance.kernel.find('<'));
  int matches = 0;
  for (const KernelSignature& signature : find_signatures(instance.file_name, instance.source)) {
    if (signature.name != plain) continue;
    if (++matches > 1) return {};
    ParameterIndex index;
    for (const ParameterText& parameter : signature.parameters) {
      const std::uint32_t i = index.next(parameter.member);
      if (!parameter.member) found[i] = parameter;
    }
  }
  return found;
}

Status check_argument(const std::string& kernel, const ParameterText& parameter,
                      const ParameterText* source, const Argument& argument, std::uint32_t index,
                      const KernelInstance& instance) {
  const auto declared = std::ranges::find(kDeclared, parameter.type, &DeclaredType::ptx);
  // An array of bytes is a structure, which another message tells of.
  if (declared == kDeclared.end() || parameter.name.ends_with(']')) return ok_status();
  const bool number = declared->kind != DeclaredType::Kind::kFloat && is_written_number(source);
  if (takes(*declared, argument, number)) return ok_status();
  const std::string& as_written =
      source != nullptr && !source->type.empty() ? source->type : parameter.type;
  return misfit(instance,
                fmt::format("argument {} ({}) of {} is {} ({}), not {}{}", index, argument.name,
                            kernel, as_written, counted(declared->bytes, "byte"),
                            argument.is_pointer ? "a buffer of " : "", name_of(argument.type)),
                fmt::format("Give it as {}", number ? "i64:VALUE" : declared->remedy));
}

Status check_arguments(const std::string& kernel, const KernelSignature& signature,
                       const KernelInstance& instance) {
  if (instance.arguments.empty()) return ok_status();
  const std::map<std::uint32_t, ParameterText> source = written_parameters(instance);
  ParameterIndex given;
  for (const Argument& argument : instance.arguments) {
    const std::uint32_t i = given.next(argument.member);
    if (i >= signature.parameters.size()) break;
    if (argument.member) continue;
    const auto written = source.find(i);
    if (Status fit = check_argument(kernel, signature.parameters[i],
                                    written != source.end() ? &written->second : nullptr, argument,
                                    i, instance);
        !fit) {
      return fit;
    }
  }
  return ok_status();
}

}  // namespace

Status check_launch_fit(std::string_view ptx, const std::string& entry,
                        const KernelInstance& instance) {
  const std::vector<KernelSignature> signatures =
      find_ptx_signatures(ptx, PtxReading::kDeclarations);
  const auto found = std::ranges::find(signatures, entry, &KernelSignature::name);
  if (found == signatures.end()) return ok_status();
  const std::string& kernel = instance.kernel.empty() ? entry : instance.kernel;
  if (Status block = check_block(kernel, *found, instance); !block) return block;
  return check_arguments(kernel, *found, instance);
}

}  // namespace tilescope
