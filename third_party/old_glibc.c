// What the program, g++'s own libraries and Debian's use of a C library that is newer than the oldest
// one we run on: see old_glibc.py. Linked into the program and each shared library of a package, seen by nothing else.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#pragma GCC visibility push(hidden)

// 2.32: true would let std::shared_ptr count without atomics.
char __libc_single_threaded = 0;

// 2.33: before, stat() was a macro of sys/stat.h over these.
enum { kStatVersion = 1 };
extern __attribute__((visibility("default"))) int __xstat(int, const char*, struct stat*);
extern __attribute__((visibility("default"))) int __lxstat(int, const char*, struct stat*);
extern __attribute__((visibility("default"))) int __fxstat(int, int, struct stat*);
extern __attribute__((visibility("default"))) int __fxstatat(int, int, const char*, struct stat*,
                                                             int);
int stat(const char* path, struct stat* to) { return __xstat(kStatVersion, path, to); }
int lstat(const char* path, struct stat* to) { return __lxstat(kStatVersion, path, to); }
int fstat(int file, struct stat* to) { return __fxstat(kStatVersion, file, to); }
int fstatat(int folder, const char* path, struct stat* to, int flags) {
  return __fxstatat(kStatVersion, folder, path, to, flags);
}
int stat64(const char*, struct stat64*) __attribute__((alias("stat")));
int lstat64(const char*, struct stat64*) __attribute__((alias("lstat")));
int fstat64(int, struct stat64*) __attribute__((alias("fstat")));

// 2.36
void arc4random_buf(void* to, size_t size) {
  for (char* at = to; size > 0;) {
    const ssize_t got = getrandom(at, size, 0);
    if (got < 0 && errno != EINTR) abort();
    if (got < 0) continue;
    at += got;
    size -= (size_t)got;
  }
}
uint32_t arc4random(void) {
  uint32_t number = 0;
  arc4random_buf(&number, sizeof number);
  return number;
}

// 2.34: closes those that are open now. One that another thread opens before the child starts stays
// open in it, which is why the system's own is called where there is one.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions, int first) {
  typedef int function(posix_spawn_file_actions_t*, int);
  function* own = (function*)dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addclosefrom_np");
  if (own != NULL) return own(actions, first);
  DIR* open_files = opendir("/proc/self/fd");
  if (open_files == NULL) return errno;
  int problem = 0;
  for (struct dirent* each; problem == 0 && (each = readdir(open_files)) != NULL;) {
    const int file = atoi(each->d_name);
    if (file >= first) problem = posix_spawn_file_actions_addclose(actions, file);
  }
  closedir(open_files);
  return problem;
}

// 2.30: waits by the other clock from here on. If that is set meanwhile, the wait is as much wrong;
// whoever waits for a condition looks at it again anyway.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* end) {
  if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, end);
  enum { kSecond = 1000000000 };
  struct timespec now, other;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &other);
  other.tv_sec += end->tv_sec - now.tv_sec;
  other.tv_nsec += end->tv_nsec - now.tv_nsec;
  if (other.tv_nsec < 0) {
    other.tv_nsec += kSecond;
    --other.tv_sec;
  } else if (other.tv_nsec >= kSecond) {
    other.tv_nsec -= kSecond;
    ++other.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &other);
}

// 2.35: where the library that holds `address` keeps what an exception needs to pass through it.
struct search {
  uintptr_t address;
  struct dl_find_object* found;
};

static int look_into(struct dl_phdr_info* library, size_t size, void* data) {
  (void)size;
  struct search* search = data;
  int holds = 0;
  const ElfW(Phdr)* frames = NULL;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &library->dlpi_phdr[i];
    const uintptr_t start = library->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) frames = part;
    if (part->p_type != PT_LOAD || search->address < start ||
        search->address >= start + part->p_memsz) {
      continue;
    }
    holds = 1;
    search->found->dlfo_map_start = (void*)start;
    search->found->dlfo_map_end = (void*)(start + part->p_memsz);
  }
  if (!holds || frames == NULL) return 0;
  search->found->dlfo_flags = 0;
  search->found->dlfo_link_map = NULL;
  search->found->dlfo_eh_frame = (void*)(library->dlpi_addr + frames->p_vaddr);
  return 1;
}

int _dl_find_object(void* address, struct dl_find_object* found) {
  struct search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}

#ifdef TILESCOPE_OLD_GLIBC_START
// 2.34: before, a program brought the code that runs its constructors; crt1.o has it no more.
typedef void initialiser(int, char**, char**);
extern initialiser* __preinit_array_start[];
extern initialiser* __preinit_array_end[];
extern initialiser* __init_array_start[];
extern initialiser* __init_array_end[];
extern void _init(void);

static void run_constructors(int count, char** words, char** environment) {
  for (initialiser** each = __preinit_array_start; each < __preinit_array_end; ++each) {
    (*each)(count, words, environment);
  }
  _init();
  for (initialiser** each = __init_array_start; each < __init_array_end; ++each) {
    (*each)(count, words, environment);
  }
}

extern __attribute__((visibility("default"))) int system_start(int (*)(int, char**, char**), int,
                                                               char**, initialiser*, void (*)(void),
                                                               void (*)(void), void*);
__asm__(".symver system_start, __libc_start_main@GLIBC_2.2.5");

int __libc_start_main(int (*program)(int, char**, char**), int count, char** words,
                      initialiser* none, void (*at_end)(void), void (*of_loader)(void),
                      void* stack) {
  (void)none;
  return system_start(program, count, words, run_constructors, at_end, of_loader, stack);
}
#endif

#pragma GCC visibility pop
