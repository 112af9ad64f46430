#include "emulator/module_variables.h"

#include <bit>
#include <cstring>
#include <utility>

#include "emulator/decode/instruction_decoder.h"
#include "emulator/decode/variable_layout.h"
#include "ptx/parser.h"

namespace tilescope {

Result<std::vector<ModuleVariable>> module_variables(
    std::string_view ptx, const std::function<std::uint64_t(const ModuleVariable&)>& place) {
  const Result<PtxModule> parsed = parse_ptx(ptx);
  if (!parsed) return parsed.error();
  const PtxModule& module = *parsed;
  std::vector<ModuleVariable> variables;
  std::vector<std::uint64_t> addresses(module.variables.size(), 0);
  std::vector<std::size_t> sources;
  for (std::size_t v = 0; v < module.variables.size(); ++v) {
    const PtxVariable& variable = module.variables[v];
    const bool is_constant = variable.space == MemorySpace::kConstant;
    if ((!is_constant && variable.space != MemorySpace::kGlobal) || variable.bytes == 0) continue;
    ModuleVariable made{variable.name,       readable_name(variable.name),
                        variable.type,       is_constant,
                        variable.is_managed, variable.bytes,
                        variable.alignment,  0,
                        variable.image};
    made.image.resize(variable.bytes);
    made.address = place(made);
    addresses[v] = made.address;
    variables.push_back(std::move(made));
    sources.push_back(v);
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const PtxVariable& variable = module.variables[sources[i]];
    for (const PtxRelocation& relocation : variable.relocations) {
      std::uint64_t address = 0;
      if (relocation.variable != kNoIndex) {
        address = addresses[relocation.variable] + static_cast<std::uint64_t>(relocation.addend);
      } else if (const auto function = module.find_function(relocation.function)) {
        address = function_address(*function);
      }
      address = (address & relocation.mask) >> std::countr_zero(relocation.mask);
      const std::size_t bytes = std::min<std::size_t>(bytes_of(variable.type), sizeof address);
      if (relocation.offset + bytes <= variables[i].image.size())
        std::memcpy(variables[i].image.data() + relocation.offset, &address, bytes);
    }
  }
  return variables;
}

}  // namespace tilescope
