#include "probe_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <utility>

#include "kernel/source/kernel_name.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostLaunches = 48;  // in a module
constexpr const char* kArguments = "<0>";  // of each probe's template

std::string plain_name(const CorpusLaunch& launch) {
  const std::string& kernel = launch.instance.kernel;
  return kernel.substr(0, kernel.size() - std::string_view(kArguments).size());
}

// The parameters of a kernel template that the text defines itself, or by a macro of it whose first
// argument is the kernel's name and whose definition calls it `name`.
std::string parameters_of(const std::string& text, const std::string& kernel) {
  const std::regex itself("__global__ void " + kernel + "\\(([^)]*)\\)");
  std::smatch match;
  if (std::regex_search(text, match, itself)) return match[1];
  const std::regex use("\n(\\w+)\\(" + kernel + "[,)]");
  if (!std::regex_search(text, match, use)) return "";
  const std::size_t macro = text.find("#define " + match[1].str() + "(");
  if (macro == std::string::npos) return "";
  const std::string definition = text.substr(macro, 1000);
  const std::regex name("__global__ void name\\(([^)]*)\\)");
  return std::regex_search(definition, match, name) ? match[1].str() : "";
}

// Macros that the text gives a value unless a launch does.
std::set<std::string> open_macros(const std::string& text) {
  static const std::regex kOpen("#ifndef (\\w+)");
  std::set<std::string> names;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), kOpen);
       at != std::sregex_iterator(); ++at) {
    names.insert((*at)[1]);
  }
  return names;
}

std::string space_name(std::size_t index) { return fmt::format("probe{}", index); }

// The text once for each launch, and a kernel by which the module is asked for.
std::string module_text(const std::vector<const CorpusLaunch*>& launches) {
  const std::string& text = launches.front()->instance.source;
  const std::set<std::string> macros = open_macros(text);
  std::string module = "extern \"C\" __global__ void whole_module() {}\n";
  for (std::size_t i = 0; i < launches.size(); ++i) {
    for (const std::string& define : launches[i]->instance.defines) {
      const std::size_t at = define.find('=');
      module += fmt::format("#define {} {}\n", define.substr(0, at), define.substr(at + 1));
    }
    const std::string kernel = plain_name(*launches[i]);
    module += fmt::format("namespace {} {{\n{}\ntemplate __global__ void {}{}({});\n}}\n",
                          space_name(i), text, kernel, kArguments, parameters_of(text, kernel));
    for (const std::string& macro : macros) module += fmt::format("#undef {}\n", macro);
  }
  return module;
}

// "_ZN6probe78load_u32ILi0EEEvPjPKj": of the only instance of that name in that namespace.
Result<std::string> entry_of(const CompiledKernel& compiled, std::size_t index,
                             const std::string& kernel) {
  const std::string space = space_name(index);
  const std::string begin = fmt::format("_ZN{}{}{}{}I", space.size(), space, kernel.size(), kernel);
  for (std::string& entry : find_entries(compiled.ptx)) {
    if (entry.starts_with(begin)) return std::move(entry);
  }
  return Error{ErrorCode::kKernel, fmt::format("no entry begins with {}", begin), "", {}};
}

}  // namespace

bool ProbeModules::holds(const CorpusLaunch& launch) {
  return launch.instance.file_name.starts_with("probe_") &&
         launch.instance.kernel.ends_with(kArguments);
}

ProbeModules::ProbeModules(const std::vector<CorpusLaunch>& launches) {
  std::map<std::string, std::size_t> open;  // the module that is being filled, by file and kernel
  for (const CorpusLaunch& launch : launches) {
    if (!holds(launch)) continue;
    const auto [at, is_new] =
        open.emplace(launch.instance.file_name + launch.instance.kernel, modules_.size());
    if (!is_new && modules_[at->second].size() == kMostLaunches) at->second = modules_.size();
    if (at->second == modules_.size()) modules_.emplace_back();
    places_[launch.name] = {at->second, modules_[at->second].size()};
    modules_[at->second].push_back(&launch);
  }
}

Result<CompiledKernel> ProbeModules::compile(const CorpusLaunch& launch, int compute_capability) {
  const Place place = places_.at(launch.name);
  auto module = compiled_.find(place.module);
  if (module == compiled_.end()) {
    KernelInstance whole;
    whole.file_name = launch.instance.file_name;
    whole.source = module_text(modules_[place.module]);
    whole.kernel = "whole_module";
    module = compiled_
                 .emplace(place.module,
                          tilescope::compile({std::move(whole), compute_capability, true}, {}))
                 .first;
  }
  if (!module->second) return module->second.error();
  CompiledKernel compiled = *module->second;
  auto entry = entry_of(compiled, place.index, plain_name(launch));
  if (!entry) return std::move(entry).error();
  compiled.kernel = *std::move(entry);
  return compiled;
}

}  // namespace tilescope
