#include "kernel/compile/device_code.h"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <span>
#include <utility>

#include "core/file.h"
#include "core/paths.h"
#include "core/quantity.h"
#include "kernel/compile/compile_cache.h"
#include "kernel/compile/fat_binary.h"
#include "kernel/cubin/cubin.h"
#include "kernel/source/kernel_name.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{1} << 30;
constexpr int kOldest = 75;  // sm_75
constexpr std::string_view kBeforeCapability = "// machine code for sm_";
constexpr std::string_view kBeforeDigest = ", cubin ";
constexpr std::string_view kBeforePath = " of ";

Error unusable(const std::string& path, std::string message, std::string remedy = "") {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {path, 0, 0}};
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t kernels_in(const FatBinary::Entry& entry) {
  return entry.is_ptx ? find_entries(text_of(entry.bytes)).size()
                      : kernels_of_cubin(entry.bytes).size();
}

// The best of a module: PTX or a cubin. nullptr: it has no such entry.
const FatBinary::Entry* best_of(const FatBinary& fat, bool ptx, int compute_capability) {
  if (const auto* fits = ptx ? fat.ptx_for(compute_capability) : fat.cubin_for(compute_capability))
    return fits;
  const FatBinary::Entry* best = nullptr;
  for (const FatBinary::Entry& entry : fat.entries) {
    const bool is_known = entry.is_ptx || entry.compute_capability >= kOldest;
    if (entry.is_ptx == ptx && is_known &&
        (best == nullptr || entry.compute_capability > best->compute_capability))
      best = &entry;
  }
  return best;
}

struct Best {
  const FatBinary::Entry* entry = nullptr;
  std::size_t kernels = 0;
  std::size_t modules = 0;  // with kernels
};
Best best_of(const std::vector<FatBinary>& all, bool ptx, int compute_capability) {
  Best best;
  for (const FatBinary& fat : all) {
    const FatBinary::Entry* entry = best_of(fat, ptx, compute_capability);
    const std::size_t kernels = entry == nullptr ? 0 : kernels_in(*entry);
    if (kernels == 0) continue;
    ++best.modules;
    if (kernels > best.kernels) std::tie(best.entry, best.kernels) = std::pair(entry, kernels);
  }
  return best;
}

Error nothing_usable(const std::string& path, const std::vector<FatBinary>& all) {
  std::string there;
  for (const FatBinary& fat : all) {
    for (const std::string& why : fat.left_out) return unusable(path, why);
    for (const FatBinary::Entry& entry : fat.entries) {
      const std::string name = fmt::format("sm_{}", entry.compute_capability);
      if (there.find(name) == std::string::npos) there += (there.empty() ? "" : ", ") + name;
    }
  }
  if (there.empty()) {
    return unusable(path, "the file has no device code",
                    "Give a program that nvcc has made, a cubin, PTX or a .cu file");
  }
  return unusable(path,
                  fmt::format("its machine code is for {} alone, and there is no PTX: machine code "
                              "is executed from sm_{} on",
                              there, kOldest),
                  "Compile it with -gencode arch=compute_75,code=compute_75, or give the .cu file");
}

Result<DeviceCode> code_in(const std::string& path, std::span<const std::byte> bytes,
                           int compute_capability) {
  DeviceCode code;
  if (const int architecture = architecture_of_cubin(bytes); architecture != 0) {
    if (architecture < kOldest) {
      return unusable(path,
                      fmt::format("the cubin is for sm_{}: machine code is executed from sm_{} on",
                                  architecture, kOldest),
                      "Compile it for a later architecture, or give its PTX");
    }
    code.cubin.assign(bytes.begin(), bytes.end());
    code.compute_capability = architecture;
    return code;
  }
  const auto all = find_fat_binaries(bytes);
  if (!all) return unusable(path, all.error().message);
  Best best = best_of(*all, true, compute_capability);
  if (best.entry == nullptr) best = best_of(*all, false, compute_capability);
  if (best.entry == nullptr) return nothing_usable(path, *all);
  code.compute_capability = best.entry->compute_capability;
  if (best.entry->is_ptx) {
    code.ptx = text_of(best.entry->bytes);
  } else {
    code.cubin = best.entry->bytes;
  }
  if (best.modules > 1) {
    code.notes = fmt::format("the file has {}; this is the one with the most kernels ({})\n",
                             counted(best.modules, "module"), best.kernels);
  }
  return code;
}

}  // namespace

bool is_device_code(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 16> first{};
  file.read(first.data(), first.size());
  const auto bytes = std::as_bytes(std::span(first));
  return file.gcount() == 16 && (is_fat_binary(bytes) || std::string_view(first.data(), SELFMAG) ==
                                                             std::string_view(ELFMAG));
}

bool is_host_program(const std::string& path) {
  if (::access(path.c_str(), X_OK) != 0) return false;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
#ifdef __aarch64__
  constexpr Elf64_Half kMachine = EM_AARCH64;
#else
  constexpr Elf64_Half kMachine = EM_X86_64;
#endif
  const bool is_elf = file.gcount() == sizeof header &&
                      std::string_view(reinterpret_cast<const char*>(header.e_ident), SELFMAG) ==
                          std::string_view(ELFMAG);
  return is_elf && header.e_machine == kMachine && header.e_entry != 0;
}

Result<DeviceCode> read_device_code(const std::string& path, int compute_capability) {
  const auto text = read_file(path, kMostFileBytes);
  if (!text) return unusable(path, "the file cannot be read", "Check its name");
  return code_in(path, std::as_bytes(std::span(*text)), compute_capability);
}

std::string digest_of_cubin(const std::vector<std::byte>& cubin) {
  CacheKey key;
  key.add(text_of(cubin));
  return key.digest();
}

std::string origin_line(const MachineCodeOrigin& origin) {
  return fmt::format("{}{}{}{}{}{}\n", kBeforeCapability, origin.compute_capability, kBeforeDigest,
                     origin.digest, kBeforePath, origin.path);
}

std::optional<MachineCodeOrigin> machine_code_origin(std::string_view ptx) {
  if (!ptx.starts_with(kBeforeCapability)) return std::nullopt;
  const std::string_view line = ptx.substr(0, ptx.find('\n'));
  const std::size_t digest = line.find(kBeforeDigest);
  const std::size_t path = line.find(kBeforePath, digest);
  if (digest == std::string_view::npos || path == std::string_view::npos) return std::nullopt;
  MachineCodeOrigin origin;
  const char* number = line.data() + kBeforeCapability.size();
  std::from_chars(number, line.data() + digest, origin.compute_capability);
  const std::size_t begin = digest + kBeforeDigest.size();
  origin.digest = line.substr(begin, path - begin);
  origin.path = line.substr(path + kBeforePath.size());
  return origin;
}

namespace {
CompileCache kept_cubins() { return CompileCache(cache_directory() / "compiled"); }
}  // namespace

void keep_cubin(const std::vector<std::byte>& cubin) {
  const std::string digest = digest_of_cubin(cubin);
  if (kept_cubins().find(digest)) return;
  CompiledModule kept;
  kept.cubin = cubin;
  kept_cubins().store(digest, kept);
}

Result<std::vector<std::byte>> cubin_of(const MachineCodeOrigin& origin) {
  if (origin.path.empty()) {
    if (auto kept = kept_cubins().find(origin.digest)) return std::move(kept->cubin);
    return Error{ErrorCode::kMachine,
                 "the program's machine code is not kept on this machine any more",
                 "Run the program again with tilescope exec",
                 {}};
  }
  auto code = read_device_code(origin.path, origin.compute_capability);
  if (!code || digest_of_cubin(code->cubin) != origin.digest) {
    return Error{ErrorCode::kMachine,
                 fmt::format("{} does not hold this machine code any more", origin.path),
                 "Open the file again",
                 {}};
  }
  return std::move(code->cubin);
}

}  // namespace tilescope
