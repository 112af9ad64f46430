#include "kernel/compile/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/paths.h"
#include "core/result.h"
#include "core/text.h"
#include "kernel/compile/compile_cache.h"
#include "kernel/compile/compile_log.h"
#include "kernel/compile/compile_options.h"
#include "kernel/compile/device_program.h"
#include "kernel/compile/linked_sources.h"
#include "kernel/compile/nvcc.h"
#include "kernel/compile/nvrtc_library.h"
#include "kernel/compile/nvrtc_process.h"
#include "kernel/compile/opened_ptx.h"
#include "kernel/launch/launch_fit.h"
#include "kernel/source/device_source.h"
#include "kernel/source/kernel_name.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"
#include "ptx/place.h"

namespace tilescope {
namespace {

// What NVRTC had against a program.
struct Refusal {
  Error error;                      // the first of it, with its remedy
  std::vector<CompileError> found;  // all of it
  bool crashed = false;             // instead of saying what is wrong
  bool is_of_ptxas = false;         // the PTX was made
  // Of files that the compiler reads itself, which may change: for who asks again at once.
  std::optional<std::chrono::steady_clock::time_point> until = std::nullopt;

  [[nodiscard]] bool still_holds() const {
    return !until || std::chrono::steady_clock::now() < *until;
  }
  bool nvcc_may_take_it = false;  // see nvcc_may_take(), or NVRTC crashed
};

// The newest of something in this process, by the digest of what decides it. Thread-safe.
template <typename T>
class Newest {
 public:
  [[nodiscard]] std::optional<T> find(const std::string& digest) const {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(kept_, digest, &std::pair<std::string, T>::first);
    if (found == kept_.end()) return std::nullopt;
    return found->second;
  }
  void keep(std::string digest, T value) {
    const std::lock_guard lock(mutex_);
    std::erase_if(kept_, [&](const auto& each) { return each.first == digest; });
    kept_.emplace_back(std::move(digest), std::move(value));
    if (kept_.size() > kMost) kept_.pop_front();
  }

 private:
  static constexpr std::size_t kMost = 32;
  mutable std::mutex mutex_;
  std::deque<std::pair<std::string, T>> kept_;  // the newest last
};

// Something that a compiler made of files that it reads itself, which may change.
template <typename T>
struct MadeOfFolders {
  T made;
  std::vector<std::string> folders;
  std::string state;  // of the folders, state_of_folders()

  [[nodiscard]] bool still_holds() const {
    return state_of_folders(folders, std::filesystem::file_time_type::max()) == state;
  }
};
struct ModuleEntry {
  CompiledModule module;
  std::string entry;
};

struct InRounds {
  NvrtcLibrary::Output output;
  int rounds = 1;
};

// The program's files under their own names.
[[nodiscard]] std::string with_given_names(std::string ptx, const DeviceProgram& program);

// Of looking for the line at which NVRTC crashes.
constexpr std::chrono::milliseconds kMostSearch{3000};
constexpr std::chrono::milliseconds kMostTry{1000};

constexpr std::chrono::seconds kMoment{2};

constexpr int kMostTries = 16;  // each but the last sets some host code aside

// NVRTC could not name the kernel: it is not there, or its template arguments do not fit.
Error no_such_kernel(const DeviceProgram& program, const KernelChoice& choice,
                     const std::string& reason) {
  const std::vector<std::string> names = kernel_names(program.files());
  const std::string name = choice.expression.substr(0, choice.expression.find('<'));
  const bool known = std::ranges::find(names, name) != names.end();
  return {ErrorCode::kUsage,
          known ? fmt::format("{} cannot be instantiated: {}", choice.expression, reason)
                : fmt::format("there is no kernel {}", choice.expression),
          known ? "" : did_you_mean(name, names),
          {program.files().front().name(), 0, 0}};
}

// Of the file that NVRTC knows by its plain name.
std::string given_name(const DeviceProgram& program, std::string plain) {
  const auto file = std::ranges::find_if(program.files(), [&](const DeviceSource& source) {
    return plain_name(source.name()) == plain;
  });
  return file != program.files().end() ? file->name() : plain;
}

// What follows the compiler: the assembler names lines of the PTX, or nothing at all.
std::optional<Error> assembler_error(const NvrtcLibrary::Output& output,
                                     const std::vector<CompileError>& errors,
                                     const DeviceProgram& program) {
  const std::string& file = program.files().front().name();
  if (errors.empty()) {
    const auto overflow = find_shared_overflow(output.log, kMostStaticSharedBytes);
    if (!overflow) return std::nullopt;
    return Error{ErrorCode::kKernel,
                 fmt::format("{} has {} bytes of static shared memory; a block has at most {}",
                             demangle(overflow->entry), overflow->bytes, kMostStaticSharedBytes),
                 "Declare the array extern __shared__ and give its bytes at the launch",
                 {file, 0, 0}};
  }
  const CompileError& first = errors.front();
  if (first.ptx_line == 0) return std::nullopt;
  Place place = source_place(with_given_names(output.ptx, program), first.ptx_line);
  if (place.line == 0) place = {file, 0, 0};
  return Error{
      ErrorCode::kKernel,
      fmt::format("{} (the assembler, of line {} of the PTX)", first.message, first.ptx_line), "",
      std::move(place)};
}

// "scale" of "ns::scale<4>"; empty where it is not known.
std::string plain_kernel_name(const KernelChoice& choice) {
  std::string name = choice.expression.empty() ? name_without_parameters(demangle(choice.entry))
                                               : choice.expression;
  name.resize(std::min(name.find('<'), name.size()));
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

// Where the kernel that is meant is declared; the whole file where that is not known.
Place place_of(const DeviceProgram& program, const KernelChoice& choice) {
  const std::string name = choice.expression.substr(0, choice.expression.find('<'));
  for (const DeviceSource& file : program.files()) {
    for (const Declaration& declaration : file.declarations()) {
      if (!declaration.is_kernel) continue;
      const std::string qualified = declaration.scope.empty()
                                        ? declaration.name
                                        : declaration.scope + "::" + declaration.name;
      if (name.empty() || name == qualified) {
        return {file.name(), static_cast<int>(declaration.first_line), 0};
      }
    }
  }
  return {program.files().front().name(), 0, 0};
}

// The last line of the shortest beginning of the source that makes NVRTC crash. 0: not found.
int crashing_line(NvrtcProcesses& nvrtc, NvrtcLibrary::Input input, const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + kMostSearch;
  const std::string whole = std::exchange(input.source, {});
  std::vector<std::size_t> ends;  // of its lines, as offsets
  for (std::size_t at = whole.find('\n'); at != std::string::npos; at = whole.find('\n', at + 1)) {
    ends.push_back(at + 1);
  }
  if (!whole.ends_with('\n')) ends.push_back(whole.size());
  std::size_t good = 0;  // lines
  std::size_t bad = ends.size();
  while (bad > good + 1 && !stop.stop_requested() && std::chrono::steady_clock::now() < end) {
    const std::size_t middle = good + (bad - good) / 2;
    input.source = whole.substr(0, ends[middle - 1]);
    const auto answer = nvrtc.compile(input, kMostTry, stop);
    if (!answer) return 0;
    (answer->death ? bad : good) = middle;
  }
  return bad == good + 1 ? static_cast<int>(bad) : 0;
}

// NVRTC ended without an answer. `input`: what it was given.
Error death_error(NvrtcProcesses& nvrtc, const NvrtcDeath& death, NvrtcLibrary::Input input,
                  const DeviceProgram& program, const KernelChoice& choice,
                  const std::stop_token& stop) {
  Place place = place_of(program, choice);
  if (death.cause != NvrtcDeath::Cause::kCrash) {
    return {ErrorCode::kKernel,
            fmt::format("NVRTC, the CUDA compiler, {} for this file and was stopped", death.how),
            "Look for a template that instantiates itself without end, a huge array or a long "
            "unrolled loop",
            std::move(place)};
  }
  const std::string with = input.kernel.empty() ? "" : fmt::format(" for {}", choice.expression);
  if (input.kernel.empty()) {
    const int line = crashing_line(nvrtc, std::move(input), stop);
    if (line > 0) place = {program.files().front().name(), line, 0};
  }
  return {ErrorCode::kKernel,
          fmt::format("NVRTC, the CUDA compiler, crashed when it compiled this file{}: it {}", with,
                      death.how),
          "Change the text near this line; it may hold a mistake that NVRTC does not survive",
          std::move(place)};
}

// A text with mistakes can crash NVRTC where it looks up the kernel's name. Without one it says
// what the mistakes are. `input`: what the answer is to.
Result<NvrtcProcesses::Answer> compile_once(NvrtcProcesses& nvrtc, NvrtcLibrary::Input* input,
                                            const std::stop_token& stop) {
  const auto crashed = [](const Result<NvrtcProcesses::Answer>& answer) {
    return answer.ok() && answer->death && answer->death->cause == NvrtcDeath::Cause::kCrash;
  };
  auto answer = nvrtc.compile(*input, stop);
  if (!crashed(answer) || input->kernel.empty()) return answer;
  NvrtcLibrary::Input nameless = *input;
  nameless.kernel.clear();
  auto without = nvrtc.compile(nameless, stop);
  if (without.ok() && !without->death && without->output.compiled) return answer;
  *input = std::move(nameless);
  return without;
}

std::string with_given_names(std::string ptx, const DeviceProgram& program) {
  for (const DeviceSource& file : program.files()) {
    ptx = with_given_name(std::move(ptx), file.name());
  }
  return ptx;
}

// Has NVRTC compile a program again and again, each time with what it complained of set aside,
// until it takes it or nothing is left to set aside. `refusal`: gets its last complaints then, and
// whether it crashed. Errors: kKernel with the place in the source, also where NVRTC crashes, takes
// too long or needs too much memory; kUsage where the kernel cannot be had.
Result<InRounds> compile_in_rounds(NvrtcProcesses& nvrtc, DeviceProgram& program,
                                   const std::vector<std::string>& options,
                                   const KernelChoice& choice, Refusal* refusal,
                                   const std::stop_token& stop) {
  Error last{ErrorCode::kKernel, "the file does not compile", "", {}};
  for (int round = 0; round < kMostTries; ++round) {
    NvrtcLibrary::Input input{.name = plain_name(program.files().front().name()),
                              .source = program.text(),
                              .headers = program.headers(),
                              .options = options,
                              .kernel = choice.expression,
                              .is_closed = program.is_closed()};
    const std::vector<std::string> folders = program.include_options();
    input.options.insert(input.options.end(), folders.begin(), folders.end());
    auto answer = compile_once(nvrtc, &input, stop);
    if (!answer) return std::move(answer).error();
    if (answer->death) {
      refusal->crashed = answer->death->cause == NvrtcDeath::Cause::kCrash;
      return death_error(nvrtc, *answer->death, std::move(input), program, choice, stop);
    }
    NvrtcLibrary::Output& output = answer->output;
    if (output.compiled) return InRounds{std::move(output), round + 1};

    std::vector<CompileError> errors = find_errors(output.log);
    if (std::optional<Error> failed = assembler_error(output, errors, program)) {
      refusal->is_of_ptxas = true;
      return *std::move(failed);
    }
    for (CompileError& error : errors) error.file = given_name(program, std::move(error.file));
    const bool only_name = !errors.empty() && std::ranges::all_of(errors, [](const auto& error) {
      return error.file.starts_with("__nv_name_map");
    });
    if (only_name) {
      const bool lacks_it = errors.front().message.find("is undefined") != std::string::npos;
      if (lacks_it && program.define_around(plain_kernel_name(choice))) continue;
      return program.after_missing_header(no_such_kernel(program, choice, errors.front().message));
    }
    std::optional<Error> final = program.learn_from(errors, plain_kernel_name(choice));
    if (final) refusal->found = program.all_errors();
    if (final) return *std::move(final);
    last = {ErrorCode::kKernel,
            errors.front().message,
            "",
            {errors.front().file, errors.front().line, errors.front().column}};
  }
  return last;
}

// Compiled modules of a request on disk: one for all kernels that are compiled with their files,
// and one for each instance of a template.
class RequestCache {
 public:
  // Digests of the files and options alone, and with the choice; the choice must outlive this.
  RequestCache(const KernelChoice& choice, std::string of_files, std::string of_choice)
      : choice_(choice), of_files_(std::move(of_files)), of_choice_(std::move(of_choice)) {}

  // What nobody else should compile meanwhile.
  [[nodiscard]] const std::string& digest() const {
    return choice_.is_in_module ? of_files_ : of_choice_;
  }

  // What alone decides whether this kernel compiles.
  [[nodiscard]] const std::string& choice_digest() const { return of_choice_; }

  struct Found {
    CompiledModule module;
    std::string entry;
  };
  [[nodiscard]] std::optional<Found> find() const;

  // A kernel whose name the compiler decorates (an unnamed namespace's) is found by that name
  // alone.
  void store(CompiledModule module) const;

 private:
  [[nodiscard]] std::optional<std::string> entry_of(const CompiledModule& module) const;

  const KernelChoice& choice_;
  std::string of_files_;
  std::string of_choice_;
  CompileCache cache_{cache_directory() / "compiled"};
};

// All that decides what a compilation gives: over the files as they are, not as they end up, for
// what is set aside follows from them.
std::string cache_digest(const NvrtcFacts& nvrtc, const DeviceProgram& program,
                         const std::vector<std::string>& options,
                         const std::vector<std::string>& cuda_folders, const std::string& kernel) {
  CacheKey key;
  key.add(nvrtc.version());
  key.add(kernel);
  for (const std::string& option : options) key.add(option);
  key.add("folders");
  for (const std::string& folder : cuda_folders) key.add(folder);
  for (const auto* files : {&program.files(), &program.includer_files()}) {
    key.add("files");
    for (const DeviceSource& file : *files) {
      key.add(file.name());
      if (const std::string plain = plain_name(file.name()); plain != file.name()) key.add(plain);
      key.add(file.original());
    }
  }
  for (const auto& [name, text] : program.headers()) {
    key.add(name);
    key.add(text);
  }
  return key.digest();
}

std::optional<RequestCache::Found> RequestCache::find() const {
  if (choice_.is_in_module) {
    if (auto module = cache_.find(of_files_)) {
      if (auto entry = entry_of(*module)) return Found{*std::move(module), *std::move(entry)};
    }
  }
  auto module = cache_.find(of_choice_);
  if (!module || module->instance.empty()) return std::nullopt;
  std::string entry = module->instance;
  return Found{*std::move(module), std::move(entry)};
}

void RequestCache::store(CompiledModule module) const {
  if (!choice_.is_in_module || !entry_of(module)) return cache_.store(of_choice_, module);
  module.instance.clear();
  cache_.store(of_files_, module);
}

std::optional<std::string> RequestCache::entry_of(const CompiledModule& module) const {
  const std::vector<std::string> entries = find_entries(module.ptx);
  if (!choice_.expression.empty()) return exact_entry(entries, choice_.expression);
  const Result<std::string> entry = choose_entry(entries, choice_.entry, choice_.arguments);
  return entry ? std::optional(*entry) : std::nullopt;
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Status check_architecture(const NvrtcFacts& facts, int compute_capability) {
  const std::vector<int>& known = facts.architectures;
  if (std::ranges::find(known, compute_capability) != known.end()) return ok_status();
  std::vector<std::string> names;
  names.reserve(known.size());
  for (int architecture : known) names.push_back(fmt::format("sm_{}", architecture));
  return Error{ErrorCode::kUsage,
               fmt::format("NVRTC {} does not know sm_{}", facts.version(), compute_capability),
               fmt::format("It knows {}", fmt::join(names, ", ")),
               {}};
}

CompiledModule module_of(NvrtcLibrary::Output output, const DeviceProgram& program) {
  CompiledModule module;
  module.ptx = with_given_names(std::move(output.ptx), program);
  module.cubin = std::move(output.cubin);
  module.instance = std::move(output.lowered_name);
  for (const std::string& entry : find_entries(module.ptx)) {
    if (const auto resources = find_resources(output.log, entry)) {
      module.resources.emplace(entry, *resources);
    }
  }
  module.log = find_warnings(output.log);
  for (const std::string& sentence : program.notes()) module.notes += sentence + '\n';
  for (const DeviceSource& file : program.files()) {
    module.log = renamed(std::move(module.log), plain_name(file.name()), file.name());
  }
  return module;
}

CompiledKernel kernel_of(CompiledModule module, std::string entry, const CompileRequest& request,
                         const NvrtcFacts& facts) {
  CompiledKernel compiled;
  compiled.kernel = std::move(entry);
  compiled.ptx = std::move(module.ptx);
  compiled.cubin = std::move(module.cubin);
  if (const auto needs = module.resources.find(compiled.kernel); needs != module.resources.end()) {
    compiled.resources = needs->second;
    compiled.has_resources = true;
  }
  compiled.architecture = fmt::format("sm_{}", request.compute_capability);
  compiled.compiler = fmt::format("NVRTC {}", facts.version());
  compiled.log = std::move(module.log);
  compiled.notes = std::move(module.notes);
  return compiled;
}

std::shared_ptr<const IncludedFiles> included_by(const DeviceProgram& program) {
  IncludedFiles included = program.included();
  return included.empty() ? nullptr : std::make_shared<const IncludedFiles>(std::move(included));
}

// Whether nvcc may take what NVRTC refuses: it reads host headers and host code, but has the same
// front end for the rest. Asking it takes its time, which a slip of the pen is not worth, and it
// finds no header that is nowhere.
bool nvcc_may_take(const DeviceProgram& program, const Error& error) {
  const bool is_of_text = error.code == ErrorCode::kKernel ||
                          error.message.find("cannot be instantiated") != std::string::npos;
  // Both have the same rules for templates.
  if (error.message.find("cannot determine which instance") != std::string::npos) return false;
  if (misses_a_function(error.message)) return false;
  return program.has_host_code() && !program.misses_a_header() && is_of_text &&
         !is_slip_of_the_pen(error.message) && !DeviceProgram::is_of_older_cuda(error);
}

// Whether kernels launch kernels.
bool launches_in_device_code(const DeviceProgram& program) {
  return std::ranges::any_of(program.files(), [](const DeviceSource& file) {
    const std::vector<CudaToken> tokens = tokenize(file.original());
    return std::ranges::any_of(find_declarations(tokens), [&](const Declaration& declaration) {
      if (!declaration.is_device || declaration.kind != Declaration::Kind::kFunction) return false;
      for (std::size_t i = declaration.first; i + 2 < declaration.last; ++i) {
        if (tokens[i].is("<") && tokens[i + 1].is("<") && tokens[i + 2].is("<")) return true;
      }
      return false;
    });
  });
}

// What nvcc is asked after NVRTC's complaint. What it makes is the same for a cubin.
NvccRequest nvcc_request(const CompileRequest& request, const DeviceProgram& program,
                         const KernelChoice& choice, const NvrtcFacts& facts,
                         const std::vector<std::string>& cuda_folders) {
  NvccRequest wanted{request, program, "", false, ""};
  if (choice.expression.ends_with('>')) wanted.kernel = choice.expression;
  wanted.launches_kernels = launches_in_device_code(program);
  CompileRequest ptx_alone = request;
  ptx_alone.want_cubin = false;
  wanted.digest = cache_digest(facts, program, nvrtc_options(ptx_alone, program, facts),
                               cuda_folders, fmt::format("nvcc {}", wanted.kernel));
  return wanted;
}

// "f32*", "i32"; empty for a structure.
std::vector<std::string> argument_types(const KernelInstance& instance) {
  std::vector<std::string> types;
  ParameterIndex index;
  for (const Argument& argument : instance.arguments) {
    const std::uint32_t at = index.next(argument.member);
    types.resize(at + 1);
    const bool is_object = argument.texture || argument.tensor || !argument.behind.empty();
    if (argument.member || is_object) continue;
    types[at] = std::string(name_of(argument.type)) + (argument.is_pointer ? "*" : "");
  }
  return types;
}

// nvcc's answer where it has one; else NVRTC's complaint stands.
Result<CompiledKernel> try_nvcc(const NvccRequest& wanted, const Error& complaint,
                                const std::stop_token& stop) {
  Result<CompiledKernel> compiled = compile_with_nvcc(wanted, stop);
  if (!compiled) {
    const bool host_names = complaint.message.find("class or namespace name") != std::string::npos;
    if (compiled.error().code == ErrorCode::kMachine && complaint.remedy.empty() &&
        (host_names || wanted.launches_kernels)) {
      Error without = complaint;
      without.remedy = "nvcc may compile it: install CUDA's nvcc, or name it in TILESCOPE_NVCC";
      return without;
    }
    const bool matters = compiled.error().code == ErrorCode::kCancelled ||
                         compiled.error().code == ErrorCode::kUsage;  // which kernel is meant
    return matters ? compiled.error() : complaint;
  }
  compiled->why_nvcc = to_string(complaint);
  return compiled;
}

// NVRTC's errors where the text is wrong, and whether nvcc is asked then and takes its time.
struct Noted {
  std::vector<CompileError> found;
  bool waits_for_nvcc = false;
};

// What compilations leave for later ones of this process. Thread-safe.
struct CompileMemory {
  CompileFlights flights;
  // Of programs whose text does not tell all that they are made of.
  Newest<MadeOfFolders<ModuleEntry>> made_by_nvrtc;
  Newest<MadeOfFolders<CompiledKernel>> made_by_nvcc;  // which takes seconds each time
  Newest<Refusal> refusals;
  Newest<DeviceProgram> taken;              // as NVRTC took them in the end
  Newest<std::vector<std::string>> linked;  // by file and kernel, the sources that it needed
};

CompileMemory& memory() {
  static CompileMemory memory;
  return memory;
}

// One request: looks for what was made or refused before, asks NVRTC, then nvcc.
class Compilation {
 public:
  struct Input {
    const CompileRequest& request;
    const NvrtcFacts& facts;
    std::vector<std::string> cuda_folders;
    DeviceProgram program;
    KernelChoice choice;
    Clock::time_point start;  // before anything was read
    std::filesystem::file_time_type began;
  };
  // `noted`: NVRTC alone is asked, and this gets what it says; nullptr: nvcc too, where that may
  // help.
  Compilation(Input input, Noted* noted, const std::stop_token& stop)
      : request_(input.request),
        facts_(input.facts),
        cuda_folders_(std::move(input.cuda_folders)),
        program_(std::move(input.program)),
        choice_(std::move(input.choice)),
        included_(included_by(program_)),
        is_closed_(program_.is_closed()),
        cache_(cache_for(request_.want_cubin)),
        ptx_cache_(request_.want_cubin ? cache_for(false) : cache_),
        noted_(noted),
        stop_(stop),
        start_(input.start),
        began_(input.began) {}
  Compilation(const Compilation&) = delete;  // its caches refer to its choice
  Compilation& operator=(const Compilation&) = delete;

  Result<CompiledKernel> run() {
    const CompileFlights::Turn turn(memory().flights, cache_.digest());
    if (stop_.stop_requested()) return Error{ErrorCode::kCancelled, "it was cancelled", "", {}};
    if (auto made = made_before()) return *std::move(made);
    std::optional<Refusal> refusal = refused_before();
    if (is_closed_) {
      if (auto known = memory().taken.find(ptx_cache_.choice_digest()))
        program_ = *std::move(known);
    }
    if (!refusal) {
      Refusal why;
      Result<InRounds> made = compile_in_rounds(nvrtc(), program_, options_for(request_.want_cubin),
                                                choice_, &why, stop_);
      if (made) return take(*std::move(made));
      why.error = std::move(made).error();
      keep(why);
      refusal = std::move(why);
    }
    return ask_nvcc(*std::move(refusal));
  }

 private:
  [[nodiscard]] std::vector<std::string> options_for(bool cubin) const {
    return nvrtc_options(
        {request_.instance, request_.compute_capability, cubin, request_.is_relocatable}, program_,
        facts_);
  }

  [[nodiscard]] RequestCache cache_for(bool cubin) const {
    const std::vector<std::string> options = options_for(cubin);
    const auto digest = [&](const std::string& kernel) {
      return cache_digest(facts_, program_, options, cuda_folders_, kernel);
    };
    return {choice_, digest(""), digest(choice_.expression + "|" + choice_.entry)};
  }

  [[nodiscard]] CompiledKernel known_kernel(CompiledModule module, std::string entry) const {
    CompiledKernel kernel = kernel_of(std::move(module), std::move(entry), request_, facts_);
    kernel.from_cache = true;
    kernel.included = included_;
    return kernel;
  }

  [[nodiscard]] std::optional<CompiledKernel> made_before() const {
    if (is_closed_) {
      auto kept = cache_.find();
      if (!kept && !request_.want_cubin) {  // with its cubin the PTX is the same
        kept = cache_for(true).find();
        if (kept) kept->module.cubin.clear();
        if (kept) kept->module.resources.clear();
      }
      if (kept) return known_kernel(std::move(kept->module), std::move(kept->entry));
    }
    auto by_nvrtc = memory().made_by_nvrtc.find(cache_.choice_digest());
    if (by_nvrtc && by_nvrtc->still_holds())
      return known_kernel(std::move(by_nvrtc->made.module), std::move(by_nvrtc->made.entry));
    if (noted_ != nullptr) return std::nullopt;
    for (const bool cubin : {request_.want_cubin, true}) {
      auto by_nvcc = memory().made_by_nvcc.find(cache_for(cubin).choice_digest());
      if (!by_nvcc || !by_nvcc->still_holds()) continue;
      CompiledKernel kernel = std::move(by_nvcc->made);
      if (!request_.want_cubin) {
        kernel.cubin.clear();
        kernel.resources = {};
        kernel.has_resources = false;
      }
      kernel.from_cache = true;
      return kernel;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Refusal> refused_before() const {
    if (!is_closed_) return std::nullopt;  // its own text does not tell which one it is
    for (const RequestCache* asked : {&ptx_cache_, &cache_}) {
      auto refusal = memory().refusals.find(asked->choice_digest());
      if (refusal && refusal->still_holds()) return refusal;
    }
    return std::nullopt;
  }

  void keep(Refusal& why) const {
    why.nvcc_may_take_it = why.crashed || nvcc_may_take(program_, why.error);
    if (!program_.is_closed()) why.until = Clock::now() + kMoment;
    const bool is_of_text =
        why.error.code == ErrorCode::kKernel || why.error.code == ErrorCode::kUsage;
    if (is_of_text && is_closed_)
      memory().refusals.keep((why.is_of_ptxas ? cache_ : ptx_cache_).choice_digest(), why);
  }

  // What NVRTC has made.
  Result<CompiledKernel> take(InRounds made) {
    if (made.rounds > 1 && is_closed_) memory().taken.keep(ptx_cache_.choice_digest(), program_);
    CompiledModule module = module_of(std::move(made.output), program_);
    std::string entry = module.instance;
    if (entry.empty()) {
      Result<std::string> chosen =
          choose_entry(find_entries(module.ptx), choice_.entry, choice_.arguments);
      if (!chosen) {
        Error error = std::move(chosen).error();
        error.place.file = request_.instance.file_name;
        return error;
      }
      entry = *std::move(chosen);
    }
    if (program_.is_closed()) {
      cache_.store(module);
    } else if (const auto state = state_of_folders(program_.folders_read(), began_)) {
      memory().made_by_nvrtc.keep(cache_.choice_digest(),
                                  {{module, entry}, program_.folders_read(), *state});
    }
    CompiledKernel compiled = kernel_of(std::move(module), std::move(entry), request_, facts_);
    compiled.included = included_;
    compiled.seconds = seconds_since(start_);
    return compiled;
  }

  Result<CompiledKernel> ask_nvcc(Refusal refusal) {
    const NvccRequest wanted = nvcc_request(request_, program_, choice_, facts_, cuda_folders_);
    if (noted_ != nullptr) {
      noted_->waits_for_nvcc = refusal.nvcc_may_take_it && !nvcc_answers_at_once(wanted);
      noted_->found = std::move(refusal.found);
    }
    if (noted_ != nullptr || !refusal.nvcc_may_take_it) return std::move(refusal.error);
    Result<CompiledKernel> compiled = try_nvcc(wanted, refusal.error, stop_);
    if (!compiled) return compiled;
    compiled->included = included_;
    compiled->seconds = seconds_since(start_);
    const std::vector<std::string> folders = program_.folders_read();
    const auto state = program_.is_closed() ? std::nullopt : state_of_folders(folders, began_);
    if (state) memory().made_by_nvcc.keep(cache_.choice_digest(), {*compiled, folders, *state});
    return compiled;
  }

  const CompileRequest& request_;
  const NvrtcFacts& facts_;
  std::vector<std::string> cuda_folders_;
  DeviceProgram program_;
  KernelChoice choice_;
  std::shared_ptr<const IncludedFiles> included_;
  bool is_closed_;  // as it was opened
  RequestCache cache_;
  RequestCache ptx_cache_;
  Noted* noted_;
  const std::stop_token& stop_;
  Clock::time_point start_;
  std::filesystem::file_time_type began_;
};

// `noted`: as Compilation's.
Result<CompiledKernel> compile_noting(const CompileRequest& request, Noted* noted,
                                      const std::stop_token& stop) {
  const auto start = Clock::now();
  const auto began = std::filesystem::file_time_type::clock::now();
  if (request.instance.is_ptx()) return open_ptx(request, stop);
  const Result<NvrtcFacts> facts = nvrtc().facts(stop);
  if (!facts) return facts.error();
  if (Status known = check_architecture(*facts, request.compute_capability); !known) {
    return std::move(known).error();
  }
  std::vector<std::string> cuda_folders = cuda_include_directories(facts->file);
  Result<DeviceProgram> program = DeviceProgram::open(request.instance, cuda_folders);
  if (!program) return std::move(program).error();
  Result<KernelChoice> choice = choose_kernel(program->files(), request.instance.kernel);
  if (!choice) return choice.error();
  choice->arguments = argument_types(request.instance);
  return Compilation({request, *facts, std::move(cuda_folders), *std::move(program),
                      *std::move(choice), start, began},
                     noted, stop)
      .run();
}

}  // namespace

namespace {

Error as_compile_error(Error error) {
  if (error.code == ErrorCode::kKernel) error.code = ErrorCode::kCompile;
  return error;
}

// The functions that the kernel calls and that no text has which was compiled.
std::vector<std::string> missed_functions(const CompileRequest& request,
                                          const Result<CompiledKernel>& compiled,
                                          const std::stop_token& stop) {
  if (compiled) return functions_without_body(compiled->ptx);
  if (!misses_a_function(compiled.error().message)) return {};
  CompileRequest ptx_alone = request;  // which names all of them
  ptx_alone.want_cubin = false;
  ptx_alone.is_relocatable = true;
  const auto ptx = compile_noting(ptx_alone, nullptr, stop);
  return ptx ? functions_without_body(ptx->ptx) : std::vector<std::string>();
}

CompileRequest with_sources(CompileRequest request, const std::vector<std::string>& sources) {
  for (const std::string& source : sources)
    request.instance.source += fmt::format("\n#include \"{}\"\n", source);
  return request;
}

// With the sources of the project behind the text that have the device functions which it lacks, as
// nvcc -rdc=true links them. Those of the last time are tried first: the project is not searched
// for each value of a slider.
Result<CompiledKernel> compile_linked(const CompileRequest& request, const std::stop_token& stop) {
  constexpr int kMostRounds = 8;  // what one of them calls may be in another
  const std::string key = request.instance.file_name + "|" + request.instance.kernel;
  if (const auto known = memory().linked.find(key)) {
    auto again = compile_noting(with_sources(request, *known), nullptr, stop);
    if (again && functions_without_body(again->ptx).empty()) return again;
  }
  Result<CompiledKernel> compiled = compile_noting(request, nullptr, stop);
  CompileRequest linked = request;
  std::vector<std::string> paths{request.instance.file_name};
  for (int round = 0; round < kMostRounds && !request.instance.is_ptx(); ++round) {
    const std::vector<std::string> missed = missed_functions(linked, compiled, stop);
    const std::vector<std::string> sources = sources_that_define(paths, missed);
    if (sources.empty()) break;
    linked = with_sources(std::move(linked), sources);
    paths.insert(paths.end(), sources.begin(), sources.end());
    auto whole = compile_noting(linked, nullptr, stop);
    if (!whole && !misses_a_function(whole.error().message)) break;
    compiled = std::move(whole);
  }
  if (compiled && paths.size() > 1) memory().linked.keep(key, {paths.begin() + 1, paths.end()});
  if (compiled || !misses_a_function(compiled.error().message)) return compiled;
  const std::vector<std::string> missed = missed_functions(linked, compiled, stop);
  if (missed.empty()) return compiled;
  return Error{
      ErrorCode::kKernel,
      fmt::format("{}() is declared, and no source of the project has its body", missed.front()),
      "Put the source that has it beside the file",
      {request.instance.file_name, 0, 0}};
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): a token is a handle, passed as std does
Result<CompiledKernel> compile(const CompileRequest& request, std::stop_token stop) {
  Result<CompiledKernel> compiled = compile_linked(request, stop);
  if (!compiled) return as_compile_error(std::move(compiled).error());
  if (Status fit = check_launch_fit(compiled->ptx, compiled->kernel, request.instance); !fit)
    return fit.error();
  return compiled;
}

namespace {

std::vector<Error> errors_of(const Result<CompiledKernel>& compiled, const Noted& noted) {
  std::vector<Error> errors;
  if (compiled || compiled.error().place.line == 0) return errors;
  errors.push_back(as_compile_error(compiled.error()));  // as compile() says it, with its remedy
  for (const CompileError& each : noted.found) {
    const Place& place = errors.front().place;
    if (each.line == 0 || (each.line == place.line && each.file == place.file)) continue;
    errors.push_back({ErrorCode::kCompile, each.message, "", {each.file, each.line, each.column}});
  }
  return errors;
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): as above
std::vector<Error> compile_errors(const CompileRequest& request, std::stop_token stop) {
  Noted noted;
  const Result<CompiledKernel> compiled = compile_noting(request, &noted, stop);
  return errors_of(compiled, noted);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): as above
std::vector<Error> complaints_before_nvcc(const CompileRequest& request, std::stop_token stop) {
  Noted noted;
  const Result<CompiledKernel> compiled = compile_noting(request, &noted, stop);
  return noted.waits_for_nvcc ? errors_of(compiled, noted) : std::vector<Error>();
}

int compute_capability_of(const CompiledKernel& compiled) {
  const std::string& name = compiled.architecture;
  const std::size_t digits = name.find_first_of("0123456789");
  int number = 0;
  if (digits != std::string::npos) {
    std::from_chars(name.data() + digits, name.data() + name.size(), number);
  }
  return number;
}

std::string note_on_compiler(const CompiledKernel& compiled) {
  std::string note;
  if (!compiled.why_nvcc.empty()) {
    note = fmt::format(
        "NVRTC refuses the file ({}): {} compiled it, whose code is not always the same\n",
        compiled.why_nvcc, compiled.compiler);
  }
  note += compiled.notes;
  if (!note.empty()) note.pop_back();  // the last end of a line
  return note;
}

Result<CompilerInfo> compiler_info() {
  const Result<NvrtcFacts> facts = nvrtc().facts({});
  if (!facts) return facts.error();
  CompilerInfo info;
  info.version = fmt::format("NVRTC {} ({})", facts->version(), facts->file);
  info.library = facts->file;
  const std::vector<std::string> folders = cuda_include_directories(info.library);
  if (!folders.empty()) info.cuda_include_directory = folders.front();
  info.architectures = facts->architectures;
  return info;
}

}  // namespace tilescope
