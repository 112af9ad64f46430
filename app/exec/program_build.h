#pragma once
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"

namespace tilescope {

// "main.cpp": host code alone, which may launch kernels of the driver library.
[[nodiscard]] bool is_host_source(const std::filesystem::path& file);

// Whether a word of nvcc's command line is a source to compile: "main.cu", "tools.cpp".
[[nodiscard]] bool is_source_word(const std::string& word);

// A CUDA file, or one of host code, with a main(), to be compiled.
struct HostSource {
  std::filesystem::path file;
  std::vector<std::string> nvcc_options;  // further files, -I, -D, -l ..., as nvcc takes them
  int compute_capability = 90;            // 0: of this machine's GPU
};

// Has nvcc make a program of it whose launches the emulator can execute, too: with the shared
// runtime library, PTX for the device, and line information. Several sources are compiled at once,
// and each again only if it has changed. Kept in the cache as long as none of the files that went
// into it changes. Errors: kMachine when there is no nvcc; kCompile when it refuses the file, with
// what it says; kCancelled.
[[nodiscard]] Result<std::filesystem::path> build_program(const HostSource& source,
                                                          const std::stop_token& stop);

}  // namespace tilescope
