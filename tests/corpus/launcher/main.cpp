// corpus_launcher LAUNCHES.json... [--list] [--only NAME]... [--seconds S]: launches every kernel
// of the lists once, in order, for a profiler to watch, and starts none after S seconds. Prints a
// line for each. --list compiles them without a GPU.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "corpus.h"
#include "gpu/gpu_device.h"
#include "gpu/kernel_module.h"
#include "gpu/launch_buffers.h"
#include "kernel/compile/compile.h"
#include "kernel/compile/nvrtc_process.h"
#include "kernel_text.h"

namespace tilescope {
namespace {

constexpr int kUsual = 90;  // --list compiles for no GPU in particular

struct Options {
  std::vector<std::string> lists;
  std::vector<std::string> only;
  bool list = false;
  double seconds = std::numeric_limits<double>::infinity();
};

Result<Options> parse(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--list") {
      options.list = true;
    } else if (word == "--only" && i + 1 < count) {
      options.only.emplace_back(words[++i]);
    } else if (word == "--seconds" && i + 1 < count) {
      options.seconds = std::atof(words[++i]);
    } else if (word.starts_with("-")) {
      return Error{ErrorCode::kUsage, fmt::format("unknown option {}", word), "", {}};
    } else {
      options.lists.push_back(word);
    }
  }
  if (options.lists.empty()) {
    return Error{ErrorCode::kUsage,
                 "corpus_launcher LAUNCHES.json... [--list] [--only NAME] [--seconds S]",
                 "",
                 {}};
  }
  return options;
}

Result<std::vector<CorpusLaunch>> chosen_launches(const Options& options) {
  std::vector<CorpusLaunch> chosen;
  for (const std::string& list : options.lists) {
    auto launches = read_corpus(list);
    if (!launches) return launches;
    for (CorpusLaunch& launch : *launches) {
      const bool wanted = options.only.empty() ||
                          std::ranges::find(options.only, launch.name) != options.only.end();
      if (wanted) chosen.push_back(std::move(launch));
    }
  }
  if (chosen.empty()) return Error{ErrorCode::kUsage, "there is no such launch", "", {}};
  return chosen;
}

Status launch_once(const GpuDevice& gpu, const RunRequest& request) {
  RunMessage run{.request_id = 0, .request = request, .files = {}};
  BufferCache cache(gpu);
  ScratchBuffers scratch;
  const auto buffers = LaunchBuffers::make(gpu, run, cache, scratch);
  if (!buffers) return buffers.error();
  const auto kernel = KernelModule::load(gpu, run.request, buffers->pointers());
  if (!kernel) return kernel.error();
  if (Status s = buffers->queue_preparation(); !s) return s;
  if (Status s = kernel->launch(); !s) return s;
  if (Status s = gpu.finish(request.instance.id); !s) return s;
  return buffers->check_guards(request.instance.id);
}

Result<int> compute_capability(const Options& options, std::unique_ptr<GpuDevice>* gpu) {
  if (options.list) return kUsual;
  auto opened = GpuDevice::open();
  if (!opened) return opened.error();
  *gpu = *std::move(opened);
  std::printf("GPU %s, driver %s\n", (*gpu)->info().name.c_str(), (*gpu)->info().driver.c_str());
  return (*gpu)->info().compute_capability;
}

Status run(const Options& options) {
  const auto launches = chosen_launches(options);
  if (!launches) return launches.error();
  std::unique_ptr<GpuDevice> gpu;
  const auto capability = compute_capability(options, &gpu);
  if (!capability) return capability.error();
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < launches->size(); ++i) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (passed.count() > options.seconds) break;
    const CorpusLaunch& launch = (*launches)[i];
    auto compiled = compile({launch.instance, *capability, true}, {});
    if (!compiled) return compiled.error();
    const std::string text = hash_of_text(compiled->cubin, compiled->kernel);
    std::printf("%zu %s %s %s %s", i, launch.name.c_str(), compiled->kernel.c_str(), text.c_str(),
                compiled->architecture.c_str());
    if (gpu) {
      const RunRequest request{
          launch.instance, std::make_shared<const CompiledKernel>(*std::move(compiled)), {}};
      if (Status s = launch_once(*gpu, request); !s) {
        std::printf("\n");
        return s;
      }
      std::printf(" ok");
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  const auto compiler = compiler_info();
  if (compiler) std::printf("compiler %s\n", compiler->version.c_str());
  return ok_status();
}

}  // namespace
}  // namespace tilescope

int main(int count, char** words) {
  if (const auto status = tilescope::serve_as_compile_worker(count, words)) return *status;
  using namespace tilescope;
  const auto options = parse(count, words);
  const Status status = options ? run(*options) : Status(options.error());
  if (status) return 0;
  std::fprintf(stderr, "corpus_launcher: %s\n", to_string(status.error()).c_str());
  return 1 + static_cast<int>(status.error().code);
}
