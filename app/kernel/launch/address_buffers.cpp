#include "kernel/launch/address_buffers.h"

#include <algorithm>
#include <vector>

#include "kernel/launch/project_text.h"
#include "kernel/source/kernel_signature.h"
#include "kernel/source/structure_layout.h"
#include "kernel/source/template_arguments.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"

namespace tilescope {

namespace {

std::string without_const(const std::string& type) {
  constexpr std::string_view kConst = "const ";
  return type.starts_with(kConst) ? type.substr(kConst.size()) : type;
}

}  // namespace

std::string buffer_of_addresses(const KernelFile& file, const LaunchForm& launch) {
  if (!is_cuda_source(file.path)) return {};
  const std::string source = with_project_text(file).source;
  const std::vector<CudaToken> tokens = tokenize(source);
  const ParameterSet constants = find_constants(tokens);
  const TypeAliases aliases = find_aliases(tokens);
  const StructureTable structures(tokens, constants, aliases);
  const std::vector<TemplateParameter> parameters =
      template_parameters(source, launch.kernel.substr(0, launch.kernel.find('<')));
  std::string unknown;
  for (const ArgumentForm& argument : launch.arguments) {
    if (!argument.is_buffer) continue;
    const std::size_t star = argument.declared.find('*');
    if (argument.declared.find('*', std::min(star, argument.declared.size() - 1) + 1) !=
        std::string::npos) {
      return argument.name;
    }
    const auto behind = structures.find(argument.declared.substr(0, star));
    if (behind && std::ranges::any_of(behind->fields, &StructureField::is_pointer)) {
      return argument.name;
    }
    const std::string type = argument.declared.substr(0, star);
    const std::string plain = resolved_type(aliases, without_const(type));
    const bool is_given = std::ranges::find(parameters, plain, &TemplateParameter::name) !=
                          parameters.end();  // by the template's arguments
    const bool is_class = !behind && !element_type(plain) && !is_given;
    if (is_class && unknown.empty()) unknown = argument.name;
  }
  return unknown;
}

}  // namespace tilescope
