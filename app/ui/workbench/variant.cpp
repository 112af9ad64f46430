#include "ui/workbench/variant.h"

#include <algorithm>
#include <utility>

#include "kernel/compile/compile.h"
#include "kernel/launch/file_launch.h"
#include "kernel/launch/source_parameters.h"

namespace tilescope {
namespace {

// What the form's extents may be written in, its numbers as far as they are ones.
ParameterSet names_of(const KernelFile& file, const LaunchForm& form) {
  LaunchText text;
  text.kernel = form.kernel;
  text.parameters = form.parameters;
  std::vector<Argument> arguments;
  for (const ArgumentForm& argument : form.arguments) {
    if (argument.is_buffer) continue;
    auto made = file_arguments(argument.text(), 0);
    if (!made) continue;
    made->front().name = argument.name;
    arguments.push_back(std::move(made->front()));
  }
  return launch_names(file, text, arguments);
}

}  // namespace

void OwnKernel::find_kernels() {
  const KernelFile now{file.path, edited.value_or(file.source)};
  kernels.clear();
  parameters = source_parameters(now, launch.kernel);
  shown = with_parameters(now, launch.kernel, launch.parameters);
  names = names_of(now, launch);
  for (KernelSignature& signature : find_signatures(now.path, now.source)) {
    if (std::ranges::find(kernels, signature.name) == kernels.end()) {
      kernels.push_back(std::move(signature.name));
    }
  }
}

const std::string& Variant::source() const {
  const std::optional<std::string>& text = own ? own->edited : edited;
  return text ? *text : original_source();
}

const IncludedFiles* Variant::included() const {
  return study != nullptr && study->compiled != nullptr ? study->compiled->included.get() : nullptr;
}

const std::string& Variant::original_source() const {
  return entry != nullptr ? entry->source : own->file.source;
}

const std::vector<ParameterSpec>& Variant::offered() const {
  static const std::vector<ParameterSpec> kNone;
  return entry != nullptr ? entry->parameters : own ? own->parameters : kNone;
}

std::int64_t Variant::value_of(const ParameterSpec& spec) const {
  const ParameterSet& values = own ? own->launch.parameters : parameters;
  const auto value = values.find(spec.name);
  return value != values.end() ? value->second : spec.default_value;
}

std::string Variant::file_name() const {
  if (entry != nullptr) return entry->source_file.filename().string();
  return own ? own->name : std::string();
}

}  // namespace tilescope
