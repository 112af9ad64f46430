#include "ui/state/program_offer.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/paths.h"
#include "kernel/compile/device_code.h"
#include "kernel/launch/file_launch.h"
#include "kernel/text/declarations.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

bool is_pasted(const std::string& file) { return file.find('/') == std::string::npos; }

// The file of the program that this kernel was opened from; empty: there is none. Pasted text
// becomes a file when it is run.
std::string program_of(const Variant& variant) {
  if (!variant.own) return {};
  const std::string& file = variant.own->file.path;
  std::error_code ignored;
  if (is_cuda_source(file)) {
    const bool is_there = is_pasted(file) || fs::is_regular_file(file, ignored);
    if (!is_there || !has_main(variant.source())) return {};
    return is_pasted(file) ? (cache_directory() / "pasted" / file).string() : file;
  }
  // The text that was read from device code is named after its file.
  const std::string program = fs::path(file).replace_extension().string();
  return file.ends_with(".ptx") && is_host_program(program) ? program : std::string();
}

}  // namespace

void ProgramOffer::update(const Variant& active) {
  const std::string& of = active.own ? active.own->file.path : std::string();
  if (of == kernel && active.request == request_) return;
  kernel = of;
  request_ = active.request;
  std::string program = program_of(active);
  if (program == file) return;
  file = std::move(program);
  arguments.clear();
  nvcc.clear();
}

void run_program(WindowState& state) {
  ProgramOffer& offer = state.program_offer;
  if (offer.file.empty() || state.workbench.program().running()) return;
  if (is_pasted(offer.kernel)) {
    std::error_code ignored;
    fs::create_directories(fs::path(offer.file).parent_path(), ignored);
    const Status written = write_file(offer.file, state.workbench.active().source());
    if (!written) {
      state.session.notices().push_back({to_string(written.error()), true});
      return;
    }
  }
  offer.dismissed.erase(offer.file);
  offer.shows_output = true;
  state.workbench.program().start({offer.file, offer.kernel, offer.arguments, offer.nvcc},
                                  state.workbench.device_model().name);
}

void take_launches(WindowState& state) {
  std::optional<LoadedSession> loaded = state.workbench.program().take_launches();
  if (!loaded || loaded->document.variants.empty()) return;
  const std::string& kernel = state.workbench.program().shown()->program.kernel;
  const Document now = document_of(state, state.session.history().present());
  // What is compared with other kernels stays beside them, as far as there is room.
  std::vector<VariantDocument> others;
  if (now.variants.size() > 1) {
    std::ranges::copy_if(now.variants, std::back_inserter(others),
                         [&](const auto& variant) { return variant.file != kernel; });
  }
  const std::size_t most_others = kMostDocumentVariants - 1;
  if (others.size() > most_others) others.resize(most_others);
  const int first = static_cast<int>(others.size());
  for (VariantDocument& launch : loaded->document.variants) {
    if (others.size() < kMostDocumentVariants) others.push_back(std::move(launch));
  }
  auto kernels = std::make_shared<OwnKernels>(now.own_kernels ? *now.own_kernels : OwnKernels{});
  for (OwnKernelDocument own : *loaded->document.own_kernels) {
    const auto known = std::ranges::find(*kernels, own.file, &OwnKernelDocument::file);
    own.name = free_name(*kernels, own.name, own.file);
    if (known != kernels->end()) {
      *known = std::move(own);  // of a run before
    } else {
      kernels->push_back(std::move(own));
    }
  }
  Document document;
  document.variants = std::move(others);
  document.own_kernels = std::move(kernels);
  complete_own_kernels(&document);  // the names
  state.workbench.restore(document.variants, first, document.own_kernels);
  for (std::size_t i = static_cast<std::size_t>(first); i < state.workbench.variants().size();
       ++i) {
    Variant& launch = state.workbench.variants()[i];
    launch.placed = false;
    launch.put = launch.selection;  // nobody's choice: the study says where to look
  }
}

}  // namespace tilescope
