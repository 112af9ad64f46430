#include "emulator/machine_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

#include "core/text.h"
#include "emulator/machine/lifter.h"
#include "emulator/machine/listing.h"
#include "kernel/compile/assemble.h"
#include "kernel/compile/device_code.h"
#include "kernel/compile/fat_binary.h"
#include "kernel/cubin/cubin.h"

namespace tilescope {
namespace {

constexpr std::string_view kMark = "  // 0x";

std::uint32_t aligned(std::uint32_t at, std::uint32_t alignment) {
  return (at + alignment - 1) / alignment * alignment;
}

// As PTX places them. `base`: of bank 0, where the machine's parameters begin.
std::vector<KernelParameter> parameters_of(const CubinKernel& kernel, std::uint32_t base) {
  std::vector<KernelParameter> parameters;
  std::uint32_t end = base;
  std::uint32_t ptx_end = 0;
  for (const CubinKernel::Parameter& each : kernel.parameters) {
    // Its own alignment is not known: the largest that its place and size allow.
    std::uint32_t alignment = 128;
    while (alignment > 1 &&
           (aligned(end, alignment) != base + each.offset || each.bytes % alignment != 0))
      alignment /= 2;
    end = base + each.offset + each.bytes;
    const std::uint32_t offset = aligned(ptx_end, alignment);
    ptx_end = offset + each.bytes;
    parameters.push_back({fmt::format("p{}", parameters.size()), offset, each.bytes, alignment});
  }
  return parameters;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// Numbers as such: ".param .align 8 .b8 p0[8]" says nothing of what p0 is.
std::string with_types(std::string text, const std::vector<KernelParameter>& parameters) {
  for (const KernelParameter& each : parameters) {
    if (!std::has_single_bit(each.bytes) || each.bytes > 8) continue;
    text =
        replaced(std::move(text),
                 fmt::format(".param .align {} .b8 {}[{}]", each.alignment, each.name, each.bytes),
                 fmt::format(".param .b{} {}", 8 * each.bytes, each.name));
  }
  return text;
}

// "[p0+8]" is the whole of p1 where p1 lies there.
std::string with_names(std::string line, const std::vector<KernelParameter>& parameters) {
  const bool wide = line.find("ld.param.b64") != std::string::npos;
  const std::size_t at = line.find("[p0+");
  if (line.find("ld.param.b") == std::string::npos || at == std::string::npos) return line;
  std::uint32_t offset = 0;
  const char* number = line.data() + at + 4;
  const auto [end, problem] = std::from_chars(number, line.data() + line.size(), offset);
  if (problem != std::errc{} || end == line.data() + line.size() || *end != ']') return line;
  for (const KernelParameter& each : parameters) {
    const std::uint32_t inside = offset - each.offset;
    if (offset < each.offset || inside + (wide ? 8u : 4u) > each.bytes) continue;
    const auto length = static_cast<std::size_t>(end - number) + 5;
    line.replace(
        at, length,
        inside == 0 ? fmt::format("[{}]", each.name) : fmt::format("[{}+{}]", each.name, inside));
    break;
  }
  return line;
}

// The name that a line of the module's head declares; empty: none.
std::string_view variable_of(std::string_view line) {
  const bool is_variable = line.starts_with(".visible .global") ||
                           line.starts_with(".visible .const") ||
                           line.starts_with(".extern .shared");
  if (!is_variable) return {};
  const std::size_t bracket = line.find('[');
  const std::size_t space = line.rfind(' ', bracket);
  return line.substr(space + 1, bracket - space - 1);
}

Result<std::vector<std::string>> kernel_lines(const std::vector<std::byte>& cubin,
                                              const CubinKernel& kernel, int compute_capability,
                                              const std::stop_token& stop) {
  const auto listed = disassemble(cubin, kernel.name, ListedLines::kSource, stop);
  if (!listed) return listed.error();
  auto listing = machine::read_listing(*listed, kernel.name);
  if (!listing) return std::move(listing).error();
  for (machine::Instruction& instruction : listing->instructions) instruction.place = 0;
  const std::vector<KernelParameter> parameters = parameters_of(kernel, listing->parameter_base);
  const auto lifted =
      machine::lift(*listing, kernel.name, fmt::format("sm_{}", compute_capability), parameters);
  if (!lifted) return lifted.error();
  std::vector<std::string> lines = lines_of(with_types(lifted->ptx, parameters));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i] = with_names(std::move(lines[i]), parameters);
    const std::uint32_t stands_for = i + 1 < lifted->instruction_of_line.size()
                                         ? lifted->instruction_of_line[i + 1]
                                         : machine::LiftedKernel::kNoInstruction;
    if (stands_for == machine::LiftedKernel::kNoInstruction) continue;
    const machine::Instruction& instruction = listing->instructions[stands_for];
    lines[i] += fmt::format("{}{:04x} {}", kMark, instruction.address, instruction.text);
  }
  return lines;
}

// Adds a kernel's module to those before it: one head, each variable once.
void append(std::vector<std::string> lines, std::map<std::string, std::string>* declared,
            std::string* text) {
  const bool is_first = text->find(".version") == std::string::npos;
  const std::string suffix = fmt::format("_{}", declared->size());
  for (const std::string& line : std::vector<std::string>(lines)) {
    // Constants that only this kernel has, under a name that another has too.
    const std::string name(variable_of(line));
    const auto known = declared->find(name);
    if (name.empty() || known == declared->end() || known->second == line) continue;
    for (std::string& each : lines) each = replaced(std::move(each), name, name + suffix);
  }
  for (const std::string& line : lines) {
    const bool is_head = line.starts_with(".version") || line.starts_with(".target") ||
                         line.starts_with(".address_size");
    if (is_head && !is_first) continue;
    const std::string name(variable_of(line));
    if (!name.empty() && !declared->emplace(name, line).second) continue;
    *text += line + '\n';
  }
}

}  // namespace

Result<std::string> machine_code_as_ptx(const std::vector<std::byte>& cubin,
                                        const std::string& path, const std::stop_token& stop) {
  const int compute_capability = architecture_of_cubin(cubin);
  std::string text = origin_line({path, compute_capability, digest_of_cubin(cubin)});
  std::map<std::string, std::string> declared;
  std::optional<Error> problem;
  bool has_kernel = false;
  for (const CubinKernel& kernel : kernels_of_cubin(cubin)) {
    auto lines = kernel_lines(cubin, kernel, compute_capability, stop);
    if (lines) {
      append(*std::move(lines), &declared, &text);
      has_kernel = true;
    } else if (!problem) {
      problem = std::move(lines).error();
    }
  }
  if (has_kernel) return text;
  return problem.value_or(Error{ErrorCode::kUsage,
                                "the cubin has no kernel that can be read",
                                "Compile it again, if it was cut off or damaged",
                                {path, 0, 0}});
}

Result<std::string> machine_code_as_ptx(const std::vector<std::byte>& cubin,
                                        const CubinKernel& kernel, const std::string& path,
                                        const std::stop_token& stop) {
  const int compute_capability = architecture_of_cubin(cubin);
  const auto lines = kernel_lines(cubin, kernel, compute_capability, stop);
  if (!lines) return lines.error();
  std::string text = origin_line({path, compute_capability, digest_of_cubin(cubin)});
  for (const std::string& line : *lines) text.append(line).append("\n");
  return text;
}

std::map<std::uint32_t, std::uint32_t> machine_instructions(std::string_view text,
                                                            std::string_view kernel) {
  std::map<std::uint32_t, std::uint32_t> found;
  const std::string entry = fmt::format(".entry {}(", kernel);
  bool is_inside = false;
  std::uint32_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (line.find(".entry ") != std::string::npos)
      is_inside = line.find(entry) != std::string::npos;
    const std::size_t mark = line.find(kMark);
    if (!is_inside || mark == std::string::npos) continue;
    std::uint32_t address = 0;
    std::from_chars(line.data() + mark + kMark.size(), line.data() + line.size(), address, 16);
    found.emplace(number, address);
  }
  return found;
}

}  // namespace tilescope
