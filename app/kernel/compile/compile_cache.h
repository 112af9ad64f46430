#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/compile/compile.h"

namespace tilescope {

// What one run of the compiler gives: the kernels of some files, or, of a template, also the
// instance that was asked for.
struct CompiledModule {
  std::string ptx;
  std::vector<std::byte> cubin;                      // when asked for
  std::string instance;                              // mangled name of what was asked for by name
  std::map<std::string, KernelResources> resources;  // by mangled name, with the cubin
  std::string log;                                   // warnings
  std::string notes;                                 // CompiledKernel::notes
  std::string listing;  // instead of all that: what nvdisasm printed (kernel/compile/assemble.h)
};

// 128 bits over all that decides what a compilation gives. Order and lengths count.
class CacheKey {
 public:
  CacheKey();
  ~CacheKey();
  CacheKey(const CacheKey&) = delete;
  CacheKey& operator=(const CacheKey&) = delete;

  void add(std::string_view part);
  [[nodiscard]] std::string digest() const;  // 32 hexadecimal digits

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Compiled modules on disk. Processes and threads may share a folder: files appear whole, by being
// renamed; one that is damaged counts as absent. Nothing here fails: a folder that cannot be
// written only makes things slower.
class CompileCache {
 public:
  static constexpr std::uint64_t kDefaultMostBytes = std::uint64_t{512} << 20;

  explicit CompileCache(std::filesystem::path folder, std::uint64_t most_bytes = kDefaultMostBytes);

  [[nodiscard]] std::optional<CompiledModule> find(const std::string& digest) const;
  void store(const std::string& digest, const CompiledModule& module) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& digest) const;
  void remove_oldest() const;  // until three quarters of most_bytes_ are left

  std::filesystem::path folder_;
  std::uint64_t most_bytes_;
};

// Of all files below the folders: their names, sizes and times. As long as it is the same, a
// compiler reads the same there. nullopt: too many files to look at, or one was changed after
// `latest`.
[[nodiscard]] std::optional<std::string> state_of_folders(const std::vector<std::string>& folders,
                                                          std::filesystem::file_time_type latest);

// What is being compiled right now in this process, by its digest: who wants the same a moment
// later waits and finds it in the cache, instead of compiling it a second time.
class CompileFlights {
 public:
  // Holds the digest; the constructor waits while another one holds it.
  class Turn {
   public:
    Turn(CompileFlights& flights, std::string digest);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    CompileFlights& flights_;
    std::string digest_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable landed_;
  std::set<std::string> under_way_;
};

}  // namespace tilescope
