#include "ui/workbench/own_kernel_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "analysis/study/opened_file.h"
#include "kernel/guess/launch_guess.h"
#include "kernel/launch/launch_form.h"
#include "kernel/source/kernel_name.h"
#include "kernel/text/markdown.h"

namespace tilescope {
namespace {

std::string name_without_folder(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

bool is_ptx(std::string_view text) {
  return text.find(".version") != std::string_view::npos &&
         text.find(".entry") != std::string_view::npos;
}

// "scale" of "ns::scale<4>", and of how PTX calls it.
std::string plain_name(const std::string& kernel) {
  std::string name = name_without_parameters(kernel);
  name = name.substr(0, name.find('<'));
  const std::size_t qualifier = name.rfind("::");
  return qualifier == std::string::npos ? name : name.substr(qualifier + 2);
}

// "scale.cu", or where that is taken "scale_2.cu" and so on.
std::string free_file(const OwnKernels& all, const std::string& name, const char* ending) {
  std::string file = fmt::format("{}.{}", name, ending);
  for (int number = 2; find_own_kernel(all, file) != all.end(); ++number) {
    file = fmt::format("{}_{}.{}", name, number, ending);
  }
  return file;
}

// "mine.cu", and where another file is called so "mine.cu (its folder)".
std::string name_for_file(const OwnKernels& all, const std::filesystem::path& file) {
  std::string name = usable_name(file.filename().string());
  if (free_name(all, name, file.string()) != name) {
    name = usable_name(fmt::format("{} ({})", name, file.parent_path().filename().string()));
  }
  return free_name(all, name, file.string());
}

}  // namespace

std::string listed_name(const std::string& kernel) { return usable_name(plain_name(kernel)); }

Result<ReadFile> read_own_file(const std::string& path, int compute_capability) {
  if (!can_be_opened(path)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} is not a kernel", name_without_folder(path)),
                 "Use a .cu or .ptx file, or one with device code",
                 {}};
  }
  auto opened = open_kernel_file(path, compute_capability);
  if (!opened) return std::move(opened).error();
  KernelFile& file = opened->file;
  LaunchForm launch = guess_launch(file);
  if (launch.kernel.empty()) {
    return Error{ErrorCode::kKernel,
                 file.path.ends_with(".ptx") ? "the file has no .entry function"
                                             : "the file has no __global__ function",
                 "Open a file that has one",
                 {path, 0, 0}};
  }
  return ReadFile{std::move(file), std::move(launch)};
}

bool OwnKernelList::has(const std::string& file) const {
  return find_own_kernel(*kernels_, file) != kernels_->end();
}

std::optional<std::size_t> OwnKernelList::find_text(const std::string& text) const {
  const auto same = std::ranges::find_if(*kernels_, [&](const OwnKernelDocument& own) {
    return own.text() != nullptr && *own.text() == text;
  });
  if (same == kernels_->end()) return std::nullopt;
  return static_cast<std::size_t>(same - kernels_->begin());
}

OwnKernel OwnKernelList::at(std::size_t index) const {
  const OwnKernelDocument& own = (*kernels_)[index];
  OwnKernel kernel{{own.file, *own.original}, own.name, own.launch};
  if (own.edited != nullptr) kernel.edited = *own.edited;
  return kernel;
}

void OwnKernelList::replace(SharedOwnKernels kernels) {
  kernels_ = kernels != nullptr ? std::move(kernels) : std::make_shared<const OwnKernels>();
}

OwnKernels& OwnKernelList::change() {
  auto changed = std::make_shared<OwnKernels>(*kernels_);
  OwnKernels& all = *changed;
  kernels_ = std::move(changed);
  return all;
}

void OwnKernelList::keep(const OwnKernel& kernel) {
  OwnKernels& all = change();
  auto known = std::ranges::find(all, kernel.file.path, &OwnKernelDocument::file);
  if (known == all.end()) {
    known = all.insert(all.end(), OwnKernelDocument{});
    known->file = kernel.file.path;
  }
  known->name = kernel.name;
  known->original = share_text(kernel.file.source, known->original);
  known->edited = kernel.edited ? share_text(*kernel.edited, known->edited) : nullptr;
  known->launch = kernel.launch;
}

Status OwnKernelList::check_room(std::size_t more_bytes) const {
  const std::size_t bytes = text_bytes(*kernels_) + more_bytes;
  if (kernels_->size() < kMostOwnKernels && bytes <= kMostOwnKernelBytes) return ok_status();
  return Error{ErrorCode::kUsage,
               fmt::format("a session has at most {} of your kernels, with {} MiB of text",
                           kMostOwnKernels, kMostOwnKernelBytes >> 20),
               "Remove one that you do not need, or start a new session",
               {}};
}

Result<OwnKernel> OwnKernelList::from_file(ReadFile read) const {
  auto& [file, launch] = read;
  // The same file however it was named, and never taken for pasted text.
  std::error_code failure;
  const std::filesystem::path whole =
      std::filesystem::absolute(file.path, failure).lexically_normal();
  if (!failure) file.path = whole.string();
  OwnKernel kernel{std::move(file), "", std::move(launch)};
  const auto known = find_own_kernel(*kernels_, kernel.file.path);
  if (known != kernels_->end()) {
    // Opened once more: what was typed and set stays, over the text as it is now.
    kernel.name = known->name;
    if (known->edited != nullptr && *known->edited != kernel.file.source) {
      kernel.edited = *known->edited;
    }
    kernel.launch = follow_signature(
        known->launch, {kernel.file.path, kernel.edited.value_or(kernel.file.source)});
  } else {
    if (Status room = check_room(kernel.file.source.size()); !room) return room.error();
    kernel.name = name_for_file(*kernels_, whole);
  }
  return kernel;
}

Result<OwnKernel> OwnKernelList::from_text(std::string text) const {
  const auto refuse = [](std::string message, std::string remedy) {
    return Error{ErrorCode::kKernel, std::move(message), std::move(remedy), {}};
  };
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return refuse("the clipboard has no text", "Copy the kernel's source first");
  }
  if (text.size() > kMostSourceBytes) {
    return refuse(fmt::format("the clipboard has {:.1f} MiB of text; a kernel has at most {}",
                              static_cast<double>(text.size()) / (1 << 20), kMostSourceBytes >> 20),
                  "Copy only the kernel");
  }
  if (is_fenced(text)) text = without_fences(text);
  KernelFile file{is_ptx(text) ? "pasted.ptx" : "pasted.cu", std::move(text)};
  LaunchForm launch = guess_launch(file);
  if (launch.kernel.empty()) {
    return refuse("the clipboard has no kernel: there is no __global__ function",
                  "Copy the kernel's source first");
  }
  if (Status room = check_room(file.source.size()); !room) return room.error();
  std::string plain = listed_name(launch.kernel);
  if (plain.empty()) plain = "kernel";
  file.path = free_file(*kernels_, plain, is_ptx(file.source) ? "ptx" : "cu");
  std::string name = free_name(*kernels_, plain, "");
  return OwnKernel{std::move(file), std::move(name), std::move(launch)};
}

std::optional<std::string> OwnKernelList::rename(const std::string& file,
                                                 const std::string& wanted) {
  const auto known = find_own_kernel(*kernels_, file);
  const std::string usable = usable_name(wanted);
  if (known == kernels_->end() || usable.empty()) return std::nullopt;
  std::string name = free_name(*kernels_, usable, file);
  if (name == known->name) return std::nullopt;
  std::ranges::find(change(), file, &OwnKernelDocument::file)->name = name;
  return name;
}

std::optional<std::string> OwnKernelList::follow_kernel(const OwnKernel& kernel,
                                                        const std::string& before) {
  const std::string now = listed_name(kernel.launch.kernel);
  const bool is_pasted = kernel.file.path.find('/') == std::string::npos;
  const bool by_itself = kernel.name == before || kernel.name.starts_with(before + " (");
  if (!is_pasted || !by_itself || now.empty() || now == before) return std::nullopt;
  return rename(kernel.file.path, now);
}

std::optional<std::size_t> OwnKernelList::remove(const std::string& file) {
  const auto known = find_own_kernel(*kernels_, file);
  if (known == kernels_->end()) return std::nullopt;
  const auto index = known - kernels_->begin();
  OwnKernels& all = change();
  all.erase(all.begin() + index);
  return static_cast<std::size_t>(index);
}

}  // namespace tilescope
