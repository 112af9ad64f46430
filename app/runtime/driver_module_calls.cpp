#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/driver_calls.h"
#include "runtime/launch_calls.h"
#include "runtime/program_state.h"

// Of the driver library: modules, their functions and variables, the linker, launches.
namespace tilescope::runtime::driver {
namespace {

// What CUlinkState points to.
struct Link {
  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::byte> image;  // complete; PTX texts with a zero behind each
};
// Images that cuLinkComplete has given out, which say nothing of their length themselves.
std::map<const void*, std::size_t>& linked_images() {
  static std::map<const void*, std::size_t> images;
  return images;
}

enum class LinkInput : int { kCubin, kPtx, kFatBinary, kObject, kLibrary };  // CUjitInputType

// Of the file format ELF, 64 bits: behind its last section and its two tables of headers.
std::size_t elf_bytes(const void* image) {
  const auto* bytes = static_cast<const std::byte*>(image);
  Elf64_Ehdr header{};
  std::memcpy(&header, bytes, sizeof header);
  std::uint64_t end = std::max(header.e_phoff + std::uint64_t{header.e_phentsize} * header.e_phnum,
                               header.e_shoff + std::uint64_t{header.e_shentsize} * header.e_shnum);
  for (std::uint16_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    std::memcpy(&section, bytes + header.e_shoff + std::uint64_t{header.e_shentsize} * i,
                sizeof section);
    if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
  }
  return end;
}

// A fat binary, a cubin or the text of PTX, as cuModuleLoadData takes them.
std::vector<std::byte> bytes_of_image(const void* image) {
  const auto* bytes = static_cast<const std::byte*>(image);
  if (const auto linked = linked_images().find(image); linked != linked_images().end())
    return {bytes, bytes + linked->second};
  if (is_fat_binary(image)) return all_bytes_of(image);
  const std::size_t length = std::memcmp(image, ELFMAG, SELFMAG) == 0
                                 ? elf_bytes(image)
                                 : std::strlen(static_cast<const char*>(image));
  return {bytes, bytes + length};
}

Error load(void** module, std::vector<std::byte> image) {
  if (module == nullptr) return kInvalidValue;
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  auto made = std::make_unique<Module>();
  const auto reply = Connection::get().ask(Call::kModule, ModuleRequest{1}, image);
  const auto answer = reply.head<ModuleReply>();
  if (answer.error != kSuccess) return answer.error;
  made->id = answer.module;
  made->is_loaded = true;
  *module = made.release();  // as long as the program: its functions name it
  return kSuccess;
}

Error load_file(void** module, const char* file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return kFileNotFound;
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return load(module, {bytes, bytes + text.size()});
}

Error load_data(void** module, const void* image) {
  return image == nullptr ? kInvalidValue : load(module, bytes_of_image(image));
}

// Each name of a module once.
Error find_function(void** function, void* module, const char* name) {
  if (function == nullptr || name == nullptr) return kInvalidValue;
  if (module == nullptr) return kInvalidResourceHandle;
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  for (auto& [key, known] : state.functions) {
    if (known.module == module && known.name == name) {
      *function = &known;
      return kSuccess;
    }
  }
  auto key = std::make_unique<char>();  // an address that is nobody else's
  Function& made = state.functions[key.get()];
  made.module = static_cast<Module*>(module);
  made.name = name;
  if (const Error error = state.resolve(made); error != kSuccess) {
    state.functions.erase(key.get());
    return error == kInvalidKernelImage ? kSymbolNotFound : error;
  }
  static_cast<void>(key.release());
  *function = &made;
  return kSuccess;
}

Error find_global(DeviceAddress* address, std::size_t* bytes, void* module, const char* name) {
  if (module == nullptr || name == nullptr) return kInvalidValue;
  Variable variable;
  variable.module = static_cast<Module*>(module);
  variable.name = name;
  if (const Error error = ProgramState::get().resolve(variable); error != kSuccess)
    return kSymbolNotFound;
  if (address != nullptr) *address = variable.range.begin;
  if (bytes != nullptr) *bytes = variable.range.bytes;
  return kSuccess;
}

Error function_attribute(int* value, int attribute, void* handle) {
  FunctionAttributes all;
  if (value == nullptr) return kInvalidValue;
  if (const Error error = function_attributes(&all, handle); error != kSuccess) return error;
  const int numbers[] = {all.most_threads,
                         static_cast<int>(all.shared),
                         static_cast<int>(all.constant),
                         static_cast<int>(all.local),
                         all.registers,
                         all.ptx_version,
                         all.binary_version,
                         all.cache_mode,
                         all.most_dynamic_shared,
                         all.shared_carveout,
                         all.cluster_must_be_set,
                         all.cluster_width,
                         all.cluster_height,
                         all.cluster_depth,
                         all.cluster_not_portable,
                         all.cluster_policy};
  if (attribute < 0 || attribute >= static_cast<int>(std::size(numbers))) return kInvalidValue;
  *value = numbers[attribute];
  return kSuccess;
}

// `extra`: pairs of a name and a value; the parameters packed by the program.
Error launch_packed(const KernelLaunch& wanted, void** arguments, void** extra) {
  constexpr std::uintptr_t kEnd = 0;
  constexpr std::uintptr_t kPointer = 1;
  constexpr std::uintptr_t kSize = 2;
  KernelLaunch launch = wanted;
  launch.arguments = arguments;
  if (arguments == nullptr && extra != nullptr) {
    for (; reinterpret_cast<std::uintptr_t>(*extra) != kEnd; extra += 2) {
      const auto name = reinterpret_cast<std::uintptr_t>(*extra);
      if (name == kPointer) launch.packed = static_cast<const std::byte*>(extra[1]);
      if (name == kSize) launch.packed_bytes = *static_cast<const std::size_t*>(extra[1]);
    }
  }
  return launch_kernel(launch);
}

std::vector<std::byte> image_of(const Link& link) {
  std::vector<std::byte> image;
  for (const std::vector<std::byte>& input : link.inputs) {
    image.insert(image.end(), input.begin(), input.end());
    if (link.inputs.size() > 1 || image.back() != std::byte{0}) image.push_back(std::byte{0});
  }
  return image;
}

Error add_input(Link* link, int type, const void* data, std::size_t bytes) {
  if (link == nullptr || data == nullptr) return kInvalidValue;
  const auto kind = static_cast<LinkInput>(type);
  // cudadevrt and its like: what a kernel launches, the emulator launches itself.
  if (kind == LinkInput::kLibrary) return kSuccess;
  // Only PTX is linked here; anything else must be alone.
  if (kind != LinkInput::kPtx && !link->inputs.empty()) return kNotSupported;
  const auto* begin = static_cast<const std::byte*>(data);
  std::vector<std::byte> input(begin, begin + bytes);
  while (kind == LinkInput::kPtx && !input.empty() && input.back() == std::byte{0})
    input.pop_back();
  if (input.empty()) return kInvalidValue;
  link->inputs.push_back(std::move(input));
  return kSuccess;
}

}  // namespace

Error cuModuleLoad(void** module, const char* file) {
  return told(load_file(module, file), __func__);
}
Error cuModuleLoadData(void** module, const void* image) {
  return told(load_data(module, image), __func__);
}
Error cuModuleLoadDataEx(void** module, const void* image, unsigned, int*, void**) {
  return told(load_data(module, image), __func__);
}
Error cuModuleLoadFatBinary(void** module, const void* image) {
  return told(load_data(module, image), __func__);
}
Error cuModuleUnload(void*) { return kSuccess; }  // launches of it are still shown
Error cuModuleGetFunction(void** function, void* module, const char* name) {
  return told(find_function(function, module, name), __func__);
}
Error cuModuleGetGlobal_v2(DeviceAddress* address, std::size_t* bytes, void* module,
                           const char* name) {
  return told(find_global(address, bytes, module, name), __func__);
}
Error cuModuleGetLoadingMode(int* mode) {
  *mode = 1;  // eager
  return kSuccess;
}
// A library is its module.
Error cuLibraryLoadData(void** library, const void* image, int*, void**, unsigned, int*, void**,
                        unsigned) {
  return told(load_data(library, image), __func__);
}
Error cuLibraryLoadFromFile(void** library, const char* file, int*, void**, unsigned, int*, void**,
                            unsigned) {
  return told(load_file(library, file), __func__);
}
Error cuLibraryUnload(void*) { return kSuccess; }
Error cuLibraryGetKernel(void** kernel, void* library, const char* name) {
  return told(find_function(kernel, library, name), __func__);
}
Error cuLibraryGetModule(void** module, void* library) {
  *module = library;
  return kSuccess;
}
Error cuLibraryGetGlobal(DeviceAddress* address, std::size_t* bytes, void* library,
                         const char* name) {
  return told(find_global(address, bytes, library, name), __func__);
}
Error cuKernelGetFunction(void** function, void* kernel) {
  *function = kernel;
  return kSuccess;
}
Error cuKernelGetAttribute(int* value, int attribute, void* kernel, int) {
  return told(function_attribute(value, attribute, kernel), __func__);
}
Error cuKernelSetAttribute(int attribute, int value, void* kernel, int) {
  return told(set_function_attribute(kernel, attribute, value), __func__);
}
Error cuKernelGetName(const char** name, void* kernel) { return cuFuncGetName(name, kernel); }

Error cuLinkCreate_v2(unsigned, int*, void**, void** link) {
  if (link == nullptr) return told(kInvalidValue, __func__);
  *link = new Link;
  return kSuccess;
}
Error cuLinkAddData_v2(void* link, int type, void* data, std::size_t bytes, const char*, unsigned,
                       int*, void**) {
  return told(add_input(static_cast<Link*>(link), type, data, bytes), __func__);
}
Error cuLinkAddFile_v2(void* link, int type, const char* file, unsigned, int*, void**) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return told(kFileNotFound, __func__);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return told(add_input(static_cast<Link*>(link), type, text.data(), text.size()), __func__);
}
Error cuLinkComplete(void* handle, void** image, std::size_t* bytes) {
  auto* link = static_cast<Link*>(handle);
  if (link == nullptr || image == nullptr) return told(kInvalidValue, __func__);
  if (link->inputs.empty()) return told(kInvalidPtx, __func__);
  link->image = image_of(*link);
  linked_images()[link->image.data()] = link->image.size();
  *image = link->image.data();
  if (bytes != nullptr) *bytes = link->image.size();
  return kSuccess;
}
Error cuLinkDestroy(void* handle) {
  auto* link = static_cast<Link*>(handle);
  if (link != nullptr) linked_images().erase(link->image.data());
  delete link;
  return kSuccess;
}

Error cuFuncGetAttribute(int* value, int attribute, void* function) {
  return told(function_attribute(value, attribute, function), __func__);
}
Error cuFuncSetAttribute(void* function, int attribute, int value) {
  return told(set_function_attribute(function, attribute, value), __func__);
}
Error cuFuncSetCacheConfig(void*, int) { return kSuccess; }
Error cuFuncSetSharedMemConfig(void*, int) { return kSuccess; }
Error cuFuncGetName(const char** name, void* function) {
  const Function* known = ProgramState::get().find(function);
  if (name == nullptr || known == nullptr) return told(kInvalidResourceHandle, __func__);
  *name = known->name.c_str();
  return kSuccess;
}
Error cuFuncGetModule(void** module, void* function) {
  const Function* known = ProgramState::get().find(function);
  if (module == nullptr || known == nullptr) return told(kInvalidResourceHandle, __func__);
  *module = known->module;
  return kSuccess;
}
Error cuFuncGetParamInfo(void* function, std::size_t index, std::size_t* offset,
                         std::size_t* bytes) {
  const Function* known = ProgramState::get().find(function);
  if (known == nullptr) return kInvalidResourceHandle;
  if (index >= known->parameters.size()) return kInvalidValue;
  if (offset != nullptr) *offset = known->parameters[index].offset;
  if (bytes != nullptr) *bytes = known->parameters[index].bytes;
  return kSuccess;
}

Error cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                     void* stream, void** arguments, void** extra) {
  KernelLaunch launch{.function = function,
                      .grid = {grid_x, grid_y, grid_z},
                      .block = {block_x, block_y, block_z},
                      .shared_bytes = shared_bytes,
                      .stream = stream,
                      .caller = TILESCOPE_CALLER};
  return told(launch_packed(launch, arguments, extra), __func__);
}
Error cuLaunchCooperativeKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                unsigned block_x, unsigned block_y, unsigned block_z,
                                unsigned shared_bytes, void* stream, void** arguments) {
  KernelLaunch launch{.function = function,
                      .grid = {grid_x, grid_y, grid_z},
                      .block = {block_x, block_y, block_z},
                      .shared_bytes = shared_bytes,
                      .stream = stream,
                      .is_cooperative = true,
                      .caller = TILESCOPE_CALLER};
  return told(launch_packed(launch, arguments, nullptr), __func__);
}
Error cuLaunchKernelEx(const DriverLaunch* wanted, void* function, void** arguments, void** extra) {
  if (wanted == nullptr) return told(kInvalidValue, __func__);
  KernelLaunch launch{.function = function,
                      .grid = {wanted->grid[0], wanted->grid[1], wanted->grid[2]},
                      .block = {wanted->block[0], wanted->block[1], wanted->block[2]},
                      .shared_bytes = wanted->shared_bytes,
                      .stream = wanted->stream,
                      .caller = TILESCOPE_CALLER};
  launch.take({wanted->attributes, wanted->attribute_count});
  return told(launch_packed(launch, arguments, extra), __func__);
}

Error cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads,
                                                  std::size_t shared_bytes) {
  return told(active_blocks(blocks, function, threads, shared_bytes), __func__);
}
Error cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void* function, int threads,
                                                           std::size_t shared_bytes, unsigned) {
  return told(active_blocks(blocks, function, threads, shared_bytes), __func__);
}
Error cuOccupancyMaxPotentialBlockSize(int* grid, int* block, void* function,
                                       std::size_t (*shared_of)(int), std::size_t shared_bytes,
                                       int most) {
  const Function* known = ProgramState::get().find(function);
  if (grid == nullptr || block == nullptr || known == nullptr) return told(kInvalidValue, __func__);
  const int limit =
      most > 0 ? std::min(most, known->facts.most_threads) : known->facts.most_threads;
  int best = 0;
  for (int threads = limit / 32 * 32; threads >= 32; threads -= 32) {
    int blocks = 0;
    const std::size_t shared = shared_of != nullptr ? shared_of(threads) : shared_bytes;
    if (const Error error = active_blocks(&blocks, function, threads, shared); error != kSuccess)
      return told(error, __func__);
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * Connection::get().device().multiprocessors;
  }
  return kSuccess;
}

}  // namespace tilescope::runtime::driver
