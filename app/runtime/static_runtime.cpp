#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runtime/protocol.h"

// nvcc links programs with its runtime library inside, unless it is told otherwise. Where such a
// program still has its symbol table, each of these functions gets a jump to ours as its first
// instruction, before any of the program's own code runs. Libraries that are loaded later are taken
// over where somebody says so (Python's extension modules).
namespace tilescope::runtime {
namespace {

#if TILESCOPE_RUNTIME_MAJOR == 13  // the libraries of all releases are loaded; one does it

struct Jump {
#if defined(__x86_64__)
  unsigned char code[6] = {0xff, 0x25, 0, 0, 0, 0};  // jmp *0(%rip)
#elif defined(__aarch64__)
  std::uint32_t code[2] = {0x58000050, 0xd61f0200};  // ldr x16, 8; br x16
#endif
  std::uint64_t target = 0;
} __attribute__((packed));

// A file of code, mapped to be read.
class File {
 public:
  explicit File(const char* path) {
    const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (descriptor >= 0 && ::fstat(descriptor, &status) == 0 && status.st_size > 0) {
      const auto size = static_cast<std::size_t>(status.st_size);
      void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (mapped != MAP_FAILED) {
        data_ = static_cast<const char*>(mapped);
        bytes_ = size;
      }
    }
    if (descriptor >= 0) ::close(descriptor);
  }
  ~File() {
    if (data_ != nullptr) ::munmap(const_cast<char*>(data_), bytes_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  template <class T>
  const T* at(std::uint64_t offset, std::size_t count = 1) const {
    if (offset > bytes_ || (bytes_ - offset) / sizeof(T) < count) return nullptr;
    return reinterpret_cast<const T*>(data_ + offset);
  }

 private:
  const char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

int find_base(dl_phdr_info* info, std::size_t, void* base) {
  *static_cast<std::uint64_t*>(base) = info->dlpi_addr;
  return 1;  // the first is the program itself
}

struct LoadedFile {
  const char* path = nullptr;
  std::uint64_t base = 0;
  bool is_found = false;
};
int find_loaded(dl_phdr_info* info, std::size_t, void* wanted) {
  auto& file = *static_cast<LoadedFile*>(wanted);
  file.is_found = std::strcmp(info->dlpi_name, file.path) == 0;
  file.base = info->dlpi_addr;
  return file.is_found ? 1 : 0;
}

void redirect(std::uint64_t function, const void* to) {
  Jump jump;
  jump.target = reinterpret_cast<std::uint64_t>(to);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t first = function / page * page;
  const std::uint64_t bytes = function + sizeof jump - first;
  if (::mprotect(reinterpret_cast<void*>(first), bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return;
  std::memcpy(reinterpret_cast<void*>(function), &jump, sizeof jump);
  ::mprotect(reinterpret_cast<void*>(first), bytes, PROT_READ | PROT_EXEC);
  __builtin___clear_cache(reinterpret_cast<char*>(function),
                          reinterpret_cast<char*>(function) + sizeof jump);
}

// What nvcc writes for a translation unit: tells the runtime library the unit's kernels.
constexpr std::string_view kRegistration = "_ZL24__sti____cudaRegisterAllv";

// Returns the registration of the file's kernels; 0: there is none.
std::uint64_t redirect_all(const File& file, const Elf64_Shdr& symbols, const Elf64_Shdr& names,
                           std::uint64_t base) {
  // By its path: CUDA's own library may be loaded under the same name.
  Dl_info here{};
  ::dladdr(reinterpret_cast<const void*>(&find_base), &here);
  void* own = ::dlopen(here.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
  const std::size_t count = symbols.sh_size / sizeof(Elf64_Sym);
  const auto* all = file.at<Elf64_Sym>(symbols.sh_offset, count);
  const char* texts = file.at<char>(names.sh_offset, names.sh_size);
  std::uint64_t registration = 0;
  if (own == nullptr || all == nullptr || texts == nullptr) return registration;
  for (std::size_t i = 0; i < count; ++i) {
    const Elf64_Sym& symbol = all[i];
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value == 0 ||
        symbol.st_size < sizeof(Jump) || symbol.st_name >= names.sh_size)
      continue;
    const std::string_view name(texts + symbol.st_name);
    if (name == kRegistration) registration = base + symbol.st_value;
    if (!name.starts_with("cuda") && !name.starts_with("__cuda")) continue;
    if (const void* to = ::dlsym(own, name.data())) redirect(base + symbol.st_value, to);
  }
  return registration;
}

std::uint64_t take_over(const File& file, std::uint64_t base) {
  std::uint64_t registration = 0;
  const auto* header = file.at<Elf64_Ehdr>(0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return registration;
  const auto* sections = file.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return registration;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < header->e_shnum)
      registration = redirect_all(file, sections[i], sections[sections[i].sh_link], base);
  }
  return registration;
}

__attribute__((constructor)) void take_over_static_runtime() {
  if (std::getenv(kEnvironmentName) == nullptr) return;
  std::uint64_t base = 0;
  ::dl_iterate_phdr(find_base, &base);
  take_over(File("/proc/self/exe"), base);
}

#endif

}  // namespace
}  // namespace tilescope::runtime

#if TILESCOPE_RUNTIME_MAJOR == 13
// A library that is loaded, by its path: its own runtime library's functions become ours, and its
// kernels, which its constructors have told the other one, are told again. 0: it is not loaded.
extern "C" __attribute__((visibility("default"))) int __cudaTilescopeTakeOver(const char* path) {
  using namespace tilescope::runtime;
  LoadedFile loaded{path};
  ::dl_iterate_phdr(find_loaded, &loaded);
  if (!loaded.is_found) return 0;
  const std::uint64_t registration = take_over(File(path), loaded.base);
  if (registration != 0) reinterpret_cast<void (*)()>(registration)();  // NOLINT: its own address
  return 1;
}
#endif
