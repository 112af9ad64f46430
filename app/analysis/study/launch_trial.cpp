#include "analysis/study/launch_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/memory/launch_memory.h"
#include "analysis/study/block_steps.h"
#include "analysis/study/kernel_study.h"
#include "analysis/study/launch_corrections.h"
#include "analysis/study/trial_run.h"
#include "kernel/compile/compile.h"
#include "kernel/launch/address_buffers.h"
#include "kernel/launch/host_launch.h"
#include "kernel/source/device_source.h"
#include "kernel/source/ptx_signature.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kMostBufferBytes = std::uint64_t{64} << 20;
const TrialLimits kLate{.begin_seconds = 0.3};  // of one after the others took their time
constexpr std::uint64_t kSlowPart = 4;          // of their sizes is looked at
constexpr int kMostTrials = 24;
constexpr std::chrono::seconds kQuickRefusal{3};  // of a compiler, which may be asked again
constexpr double kAllSeconds = 6;           // of all trials of a launch: a picture is waited for
constexpr std::uint64_t kSmallEdge = 1024;  // a size that was too large becomes this, then less
constexpr std::uint64_t kLeastSize = 64;
constexpr std::uint64_t kOneArgument = 4;  // what a single size becomes that makes a loop endless
constexpr std::uint64_t kStaticShared = 1024;
constexpr std::uint64_t kFirstShared = 1024 * 8;  // a double for each thread of the largest block
// 48 MiB lie between buffers: further on, the start of the next one is meant.
constexpr std::uint64_t kNear = std::uint64_t{44} << 20;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Of the kernel as it is compiled, whatever block it is compiled for.
Result<KernelSignature> compiled_signature(const CompileRequest& request,
                                           const std::stop_token& stop) {
  auto compiled = compile(request, stop);
  if (!compiled) return std::move(compiled).error();
  auto signatures = find_ptx_signatures(compiled->ptx, PtxReading::kBodies);
  const auto found = std::ranges::find(signatures, compiled->kernel, &KernelSignature::name);
  if (found == signatures.end()) return KernelSignature{};
  return *std::move(found);
}

class Trial {
 public:
  Trial(const LaunchToTry& launch, const std::stop_token& stop)
      : launch_(launch), form_(launch.guess), stop_(stop) {
    if (!launch.file.path.ends_with(".ptx")) {
      host_ =
          find_host_launch(launch.file.source, guess_.kernel.substr(0, guess_.kernel.find('<')));
    }
  }

  Result<LaunchTrial> run() {
    const auto began = std::chrono::steady_clock::now();
    auto observed = observe();
    if (!observed && observed.error().code != ErrorCode::kCompile) {
      const auto taken = take_compiled_types();
      if (!taken) return taken.error();
      if (*taken) observed = observe();
    }
    const bool was_quick = std::chrono::steady_clock::now() - began < kQuickRefusal;
    if (!observed && was_quick) take_other_types(&observed);
    while (observed && observed->exceeds_shared() && grow_shared(*observed)) observed = observe();
    if (observed && observed->exceeds_shared()) shrink_block_that_exceeds(&*observed);
    if (observed && !host_.block) divide_grid(&*observed);
    if (observed && !observed->exceeds_shared()) trim_shared(&*observed);
    if (observed && has_unnamed_tiles()) multiply_grid(&*observed);
    if (observed && observed->meets_whole_grid && fit_grid(observed->grid)) observed = observe();
    if (observed && observed->stops_itself() && !observed->meets_whole_grid) {
      try_one_block(&*observed);
    }
    if (observed && observed->any_access && (!host_.block || observed->is_nearly_idle())) {
      raise_extents(&*observed);
    }
    for (int trial = 0; observed && trial < kMostTrials; ++trial) {
      const LaunchForm before = form_;
      if (!correct(*observed)) break;
      auto after = observe();
      if (after && after->stops_itself() && !observed->stops_itself()) {
        form_ = before;
        if (observed->faults() > 0) shrink_as_far_as_asserted(&*observed);
        break;
      }
      observed = std::move(after);
    }
    if (observed && observed->exceeds_shared()) {  // neither helped
      form_ = guess_;
      observed = observe();
    }
    if (!observed) return observed.error();
    if (observed->has(FindingKind::kOutOfBounds)) {
      forget_written_contents(&*observed);
      clear_what_exceeds(&*observed);
    }
    if (observed->has(FindingKind::kUninitialised)) resize_block_that_leaves_words(&*observed);
    for (const bool whole_numbers : {true, false}) {
      const LaunchForm before = form_;
      if (!fill(*observed, whole_numbers)) break;
      auto filled = observe();
      if (filled && filled->faults() <= observed->faults()) {
        observed = std::move(filled);
        break;
      }
      form_ = before;  // whole numbers may be indices
    }
    if (observed->has(FindingKind::kGlobalRace)) lower_limits(&*observed);
    if (is_astray(*observed)) {
      const std::string name = buffer_of_addresses(launch_.file, form_);
      if (!name.empty()) return only_the_host_knows(name);
    }
    follow_others(&form_);  // a number that was tried in vain is what it was
    return LaunchTrial{form_, corrections_of(guess_, form_), observed->warp_instructions};
  }

 private:
  // An access far from all buffers: its address was read from one.
  static bool is_astray(const TrialRun& observed) {
    return std::ranges::any_of(observed.findings, [&](const Finding& finding) {
      if (finding.kind != FindingKind::kOutOfBounds || !finding.address) return false;
      for (std::size_t i = 0; i < observed.begin.size(); ++i) {
        if (*finding.address >= observed.begin[i] &&
            *finding.address < observed.begin[i] + observed.bytes[i] + kNear) {
          return false;
        }
      }
      return true;
    });
  }

  [[nodiscard]] Error only_the_host_knows(const std::string& name) const {
    return {
        ErrorCode::kUsage,
        fmt::format("{} holds structures with pointers, and only host code knows where they lead",
                    name),
        "Give it with --arg as a file that holds them, or choose another kernel",
        {launch_.file.path, 0, 0}};
  }

  // Where the text does not tell what the arguments are, as the compiled kernel has them. False:
  // that changes nothing. Errors: as of compile().
  Result<bool> take_compiled_types() {
    LaunchText text;
    text.kernel = guess_.kernel;
    text.grid = text.block = "1";
    text.defines = launch_.defines;
    text.parameters = guess_.parameters;
    auto instance = launch_file(launch_.file, text);
    if (!instance || launch_.file.path.ends_with(".ptx")) return false;
    const auto signature =
        compiled_signature({*std::move(instance), launch_.device.compute_capability, false}, stop_);
    if (!signature) {
      const bool lacks_header =
          signature.error().message.find("was not found") != std::string::npos;
      return lacks_header ? Result<bool>(signature.error()) : Result<bool>(false);
    }
    LaunchForm form = guess_launch(launch_.file, guess_.kernel, &*signature);
    form.parameters = guess_.parameters;
    if (form == guess_) return false;
    guess_ = std::move(form);
    form_ = guess_;
    return true;
  }

  // A template that cannot be had for float, which was made up: it may be one of other types
  // alone.
  void take_other_types(Result<TrialRun>* observed) {
    const std::size_t open = guess_.kernel.find('<');
    if (open == std::string::npos || host_.template_arguments.find("float") != std::string::npos)
      return;
    for (const std::string_view type : {"__half", "__nv_bfloat16", "int", "unsigned char"}) {
      const std::string kernel =
          guess_.kernel.substr(0, open) + renamed(guess_.kernel.substr(open), "float", type);
      if (kernel == guess_.kernel) return;
      LaunchForm form = guess_launch(launch_.file, kernel);
      form.parameters = guess_.parameters;
      const LaunchForm before = std::exchange(guess_, form);
      form_ = guess_;
      auto taken = observe();
      if (taken) {
        *observed = std::move(taken);
        return;
      }
      form_ = guess_ = before;
    }
  }

  [[nodiscard]] bool is_late() const { return emulated_seconds_ > kAllSeconds; }

  Result<TrialRun> observe() {
    follow_others(&form_);
    auto text = launch_text(form_);
    if (!text) return text.error();
    text->defines = launch_.defines;
    StudyRequest request;
    auto instance = launch_file(launch_.file, *text);
    if (!instance) return std::move(instance).error();
    request.instance = *std::move(instance);
    request.compute_capability = launch_.device.compute_capability;
    request.inputs = &inputs_;
    if (std::exchange(compiles_machine_code_, false)) {
      static_cast<void>(compile({request.instance, request.compute_capability, true}, stop_));
    }
    const auto study = prepare_study(request, stop_);
    if (!study) return study.error();
    auto observed = run_trial(**study, is_late() ? kLate : TrialLimits{}, stop_);
    if (observed) emulated_seconds_ += observed->seconds;
    return observed;
  }

  // A block for each SM, where all have to be on the GPU at once.
  bool fit_grid(const Dim3& grid) {
    const auto most = static_cast<std::uint64_t>(launch_.device.multiprocessors);
    if (most == 0 || grid.count() <= most) return false;
    form_.grid = std::to_string(most);
    return true;
  }

  // Whole numbers that nothing is known of, and that let many times as many threads work if they
  // are 1,024: extents.
  void raise_extents(TrialRun* observed) {
    constexpr std::uint64_t kManyTimes = 4;
    for (ArgumentForm& argument : form_.arguments) {
      const auto type = parse_element_type(argument.type);
      if (argument.is_buffer || !type || !is_whole_number(*type) || argument.value != "1") continue;
      argument.value = std::to_string(kSmallEdge);
      auto after = observe();
      if (after && after->busy_threads >= kManyTimes * observed->busy_threads) {
        *observed = *std::move(after);
      } else {
        argument.value = "1";
      }
    }
  }

  // A plane whose blocks cover more elements than they have threads: the grid of as many fewer
  // blocks with which nothing is exceeded.
  void divide_grid(TrialRun* observed) {
    constexpr std::uint32_t kMostTimes = 16;
    const Dim3 whole = observed->grid;
    if (whole.x < 2 || whole.y < 2 || whole.z > 1 || observed->exceeds_shared() ||
        !observed->has(FindingKind::kOutOfBounds)) {
      return;
    }
    const std::string before = form_.grid;
    for (std::uint32_t times = 2; times <= kMostTimes; times *= 2) {
      if (whole.x < times || whole.y < times) break;
      form_.grid = fmt::format("{},{}", whole.x / times, whole.y / times);
      auto after = observe();
      if (!after || after->faults() > 0 || !after->any_access) continue;
      *observed = *std::move(after);
      return;
    }
    form_.grid = before;
  }

  // PTX of several sizes whose blocks stand in a line: nothing says how much each of them covers.
  [[nodiscard]] bool has_unnamed_tiles() const {
    const auto sizes = std::ranges::count_if(form_.arguments, [](const ArgumentForm& argument) {
      return !argument.is_buffer && argument.value == std::to_string(kSmallEdge);
    });
    return launch_.file.path.ends_with(".ptx") && sizes > 1 && number(form_.grid).has_value();
  }

  // Twice as many blocks as long as the last one stores and nothing is exceeded.
  void multiply_grid(TrialRun* observed) {
    constexpr std::uint64_t kMostBlocks = 1U << 16;
    while (!is_late() && observed->faults() == 0 && observed->last_block_stores &&
           observed->grid.count() < kMostBlocks) {
      const std::string before =
          std::exchange(form_.grid, std::to_string(observed->grid.count() * 2));
      auto after = observe();
      if (!after || after->faults() > 0 || !after->last_block_stores) {
        form_.grid = before;
        return;
      }
      *observed = *std::move(after);
    }
  }

  // False: there is nothing to correct, or nothing that helps.
  bool correct(const TrialRun& observed) {
    if (is_late()) return false;
    if (observed.is_slow) return shrink_sizes(kSlowPart);
    if (observed.has(FindingKind::kEndless)) {
      is_endless_ = true;
      return shrink_one_size(observed) || enlarge_sizes() || shrink_sizes();
    }
    bool grown = false;
    for (const Finding& finding : observed.findings) {
      if (finding.kind != FindingKind::kOutOfBounds || !finding.address) continue;
      const std::optional<bool> fits = grow_buffer(observed, finding);
      if (!fits) return shrink_sizes();
      grown |= *fits;
    }
    if (grown) return true;
    if (observed.exceeds_shared()) {
      return grow_shared(observed) || shrink_block() || shrink_sizes();
    }
    if (!observed.findings.empty()) return false;
    return observed.any_access ? shrink_grid(observed) : give_work();
  }

  // Half of the blocks along x or y, of which the middle one and the last of the grid have nothing
  // to do.
  bool shrink_grid(const TrialRun& observed) {
    const auto idle = [&](std::uint64_t block) {
      return std::ranges::find(observed.busy, block) == observed.busy.end();
    };
    Dim3 grid = observed.grid;
    const std::uint64_t down = grid.count() / grid.x;
    if (idle(0) || !idle(grid.count() - 1)) return false;
    if (grid.x > 1 && idle(grid.x / 2)) {
      grid.x /= 2;
    } else if (grid.y > 1 && grid.z == 1 && idle(down / 2 * grid.x)) {
      grid.y /= 2;
    } else {
      return false;
    }
    form_.grid = std::to_string(grid.x);
    if (down > 1) form_.grid += "," + std::to_string(grid.y);
    if (grid.z > 1) form_.grid += "," + std::to_string(grid.z);
    return true;
  }

  [[nodiscard]] std::vector<ArgumentForm*> buffers() {
    std::vector<ArgumentForm*> all;
    for (ArgumentForm& argument : form_.arguments) {
      if (argument.is_buffer) all.push_back(&argument);
    }
    return all;
  }

  // The buffer that was exceeded so far; false: it was none's end, nullopt: it would be too large.
  std::optional<bool> grow_buffer(const TrialRun& observed, const Finding& finding) {
    const std::uint64_t address = *finding.address;
    const auto after = std::ranges::upper_bound(observed.begin, address);
    if (after == observed.begin.begin()) return false;
    const auto index = static_cast<std::size_t>(after - observed.begin.begin()) - 1;
    const std::vector<ArgumentForm*> all = buffers();
    if (index >= all.size()) return false;
    ArgumentForm& buffer = *all[index];
    const auto type = parse_element_type(buffer.type);
    const auto count = number(buffer.count);
    if (!type || !count) return false;
    const std::uint64_t offset = address - observed.begin[index];
    if (offset < observed.bytes[index]) return false;
    if (offset - observed.bytes[index] > kNear) return std::nullopt;
    constexpr std::uint64_t kWidest = 16;  // bytes of an access
    const std::uint64_t needed = (offset + kWidest + size_of(*type) - 1) / size_of(*type);
    // A little past the end in the last block is the kernel's fault, not the guess's.
    // A buffer that has grown had a guessed size: it goes on growing up to the last block.
    const bool last = flatten(finding.block, observed.grid) + 1 == observed.grid.count();
    const auto argument = static_cast<std::size_t>(&buffer - form_.arguments.data());
    const bool has_grown = buffer.count != guess_.arguments[argument].count;
    if (last && !has_grown && needed <= *count + *count / 16) return false;
    std::uint64_t larger = *count;
    while (larger < needed) larger *= 2;
    if (larger * size_of(*type) > kMostBufferBytes) return std::nullopt;
    if (larger == *count) return false;
    buffer.count = std::to_string(larger);
    return true;
  }

  // Whole numbers that may say how much there is. What the file itself gives goes down to 1,024
  // only, unless there are three, of a volume, or a loop does not end.
  [[nodiscard]] std::vector<std::size_t> sizes() const {
    constexpr int kAxes = 3;
    const bool is_volume =
        std::ranges::count_if(guess_.arguments, [](const ArgumentForm& argument) {
          return !argument.is_buffer && number(argument.value).value_or(0) > kLeastSize;
        }) >= kAxes;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < form_.arguments.size(); ++i) {
      const auto now = number(form_.arguments[i].value);
      const auto then = number(guess_.arguments[i].value);
      if (form_.arguments[i].is_buffer || !now || !then) continue;
      if (!form_.arguments[i].follows.empty()) continue;
      const bool made_up = *then == 1U << 20 || *then == kSmallEdge;
      if (*now > (made_up || is_volume || is_endless_ ? kLeastSize : kSmallEdge))
        found.push_back(i);
    }
    return found;
  }

  // Where several numbers are sizes and one alone makes the loop endless, as a radius does: that
  // one. The last is tried first.
  bool shrink_one_size(const TrialRun& observed) {
    const std::vector<std::size_t> candidates = sizes();
    if (candidates.size() < 2) return false;
    for (auto index = candidates.rbegin(); index != candidates.rend(); ++index) {
      std::string& value = form_.arguments[*index].value;
      const std::string before = std::exchange(value, std::to_string(kOneArgument));
      const auto after = observe();
      if (after && after->any_access && after->faults() < observed.faults()) return true;
      value = before;
    }
    return false;
  }

  // The largest of the sizes become a quarter, at the first time 1,024; `part`: that part of them.
  bool shrink_sizes(std::uint64_t part = 0) {
    std::uint64_t largest = 0;
    const std::vector<std::size_t> candidates = sizes();
    for (const std::size_t i : candidates) {
      largest = std::max(largest, number(form_.arguments[i].value).value_or(0));
    }
    if (candidates.empty()) return false;
    const bool is_line = largest >= 1U << 20;
    const std::uint64_t smaller = part != 0 && !is_line  ? largest / part
                                  : largest > kSmallEdge ? kSmallEdge
                                                         : largest / 4;
    for (const std::size_t i : candidates) {
      ArgumentForm& argument = form_.arguments[i];
      if (number(argument.value) == largest) argument.value = std::to_string(smaller);
    }
    // As many threads fewer along x, where the grid is not an expression.
    const std::size_t comma = form_.grid.find(',');
    if (const auto blocks = number(std::string_view(form_.grid).substr(0, comma))) {
      const std::uint64_t fewer = std::max<std::uint64_t>(*blocks * smaller / largest, 1);
      form_.grid = std::to_string(fewer) +
                   (comma == std::string::npos ? std::string() : form_.grid.substr(comma));
    }
    return true;
  }

  // A loop that steps back from the end of a row by a block's width, in unsigned numbers, ends
  // only where the row is longer than the block: longer rows, and as many fewer; else one longer
  // size. Tried once.
  bool enlarge_sizes() {
    constexpr std::uint64_t kTimes = 16;
    if (std::exchange(was_enlarged_, true)) return false;
    const LaunchForm before = std::exchange(form_, guess_);
    const std::string usual = std::to_string(kSmallEdge);
    const std::string longer = std::to_string(kTimes * kSmallEdge);
    std::vector<std::size_t> made_up;
    for (const std::size_t i : sizes()) {
      if (form_.arguments[i].value == usual) made_up.push_back(i);
    }
    if (made_up.empty()) {
      form_ = before;
      return false;
    }
    for (const std::size_t i : made_up) form_.arguments[i].value = longer;
    if (const auto blocks = number(form_.grid)) {
      form_.grid = std::to_string(std::max<std::uint64_t>(*blocks / kTimes, 1));
    }
    auto after = observe();
    if (after && after->any_access && after->faults() == 0) return true;
    for (auto i = made_up.rbegin(); i != made_up.rend() && !is_late(); ++i) {
      form_ = guess_;
      form_.arguments[*i].value = longer;
      after = observe();
      if (after && after->any_access && !after->has(FindingKind::kEndless)) return true;
    }
    form_ = before;
    return false;
  }

  // Sizes that are too slow, and of which the kernel asserts that they are no smaller than some: a
  // quarter of all, then of one alone. The last goes first, which is often a sum's length.
  void shrink_as_far_as_asserted(TrialRun* observed) {
    const LaunchForm whole = form_;
    if (shrink_sizes(kSlowPart) && !takes(observed)) form_ = whole;
    const std::vector<std::size_t> candidates = sizes();
    for (auto index = candidates.rbegin(); index != candidates.rend() && !is_late(); ++index) {
      if (observed->faults() == 0) return;
      std::string& value = form_.arguments[*index].value;
      const std::string before = value;
      value = std::to_string(number(value).value_or(0) / kSlowPart);
      if (!takes(observed)) value = before;
    }
  }

  // The launch as it is now, unless the kernel stops itself.
  bool takes(TrialRun* observed) {
    auto after = observe();
    if (!after || after->stops_itself()) return false;
    *observed = *std::move(after);
    return true;
  }

  bool grow_shared(const TrialRun& observed) {
    const auto most =  // beside a few barriers and flags that are static
        static_cast<std::uint64_t>(launch_.device.shared_bytes_per_block_optin) - kStaticShared;
    const auto bytes = number(form_.dynamic_shared);
    if (!observed.has_dynamic_shared || host_.dynamic_shared_bytes || !bytes || !shared_helps_) {
      return false;
    }
    if (*bytes >= most) {
      form_.dynamic_shared = guess_.dynamic_shared;  // it does not help
      shared_helps_ = false;
      return false;
    }
    form_.dynamic_shared = std::to_string(*bytes == 0 ? kFirstShared : std::min(*bytes * 2, most));
    return true;
  }

  // Doubling gave up to twice too much: it shrinks to what is accessed, within a thirty-second.
  void trim_shared(TrialRun* observed) {
    constexpr std::uint64_t kGrain = 1024;
    const auto guessed = number(guess_.dynamic_shared);
    const auto grown = number(form_.dynamic_shared);
    if (!guessed || !grown || *grown <= std::max(*guessed, kFirstShared)) return;
    std::uint64_t enough = *grown;
    std::uint64_t little = std::max(std::bit_floor(enough - 1), *guessed);
    while (!is_late() && enough - little > std::max(enough / 32, kGrain)) {
      const std::uint64_t middle = (little + enough) / 2 / kGrain * kGrain;
      form_.dynamic_shared = std::to_string(middle);
      auto after = observe();
      if (after && !after->exceeds_shared() && after->faults() <= observed->faults()) {
        *observed = *std::move(after);
        enough = middle;
      } else {
        little = middle;
      }
    }
    form_.dynamic_shared = std::to_string(enough);
  }

  // More threads than a tile has places for.
  void shrink_block_that_exceeds(TrialRun* observed) {
    const LaunchForm before = form_;
    while (!is_late() && shrink_block()) {
      auto after = observe();
      if (!after || !after->any_access) break;
      if (after->exceeds_shared()) continue;
      *observed = *std::move(after);
      return;
    }
    form_ = before;
  }

  bool shrink_block() { return !host_.block && halve_block(&form_.block); }
  bool enlarge_block() { return !host_.block && double_block(&form_.block); }

  // What the host writes may be indices of arrays that are larger than those here.
  void forget_written_contents(TrialRun* observed) {
    const LaunchForm before = form_;
    for (ArgumentForm* buffer : buffers()) {
      if (!is_usual(buffer->fill)) buffer->fill = "zero";
    }
    if (form_ == before) return;
    auto after = observe();
    const bool helps = after && after->any_access && after->faults() < observed->faults();
    if (helps) *observed = *std::move(after);
    if (!helps) form_ = before;
  }

  // A whole number that nothing is known of, an offset, or the contents of a buffer of these,
  // indices: nothing is exceeded where they are 0.
  void clear_what_exceeds(TrialRun* observed) {
    if (write_text(observed)) return;
    for (ArgumentForm& argument : form_.arguments) {
      const auto type = parse_element_type(argument.type);
      std::string& text = argument.is_buffer ? argument.fill : argument.value;
      if (!type || !is_whole_number(*type) || (text != "1" && text != "ramp")) continue;
      const std::string before = text;
      // Places that are counted from one are all the first.
      const std::vector<std::string> clear = argument.is_buffer
                                                 ? std::vector<std::string>{"zero", "1"}
                                                 : std::vector<std::string>{"0"};
      for (const std::string& contents : clear) {
        text = contents;
        auto after = observe();
        if (after && after->any_access && after->faults() == 0) {
          *observed = *std::move(after);
          return;
        }
      }
      text = before;
    }
  }

  // Letters in what may be text, with which nothing is exceeded.
  bool write_text(TrialRun* observed) {
    const LaunchForm before = form_;
    for (ArgumentForm* buffer : buffers()) {
      if (may_be_text(*buffer) && buffer->fill == "zero") buffer->fill = kLetters;
    }
    if (form_ == before) return false;
    auto after = observe();
    const bool helps = after && after->any_access && after->faults() == 0;
    if (helps) *observed = *std::move(after);
    if (!helps) form_ = before;
    return helps;
  }

  // A block that is longer than a row of shared memory uses words of it that nobody writes; one
  // that is smaller than a tile leaves some unwritten.
  void resize_block_that_leaves_words(TrialRun* observed) {
    constexpr int kMostTimes = 3;
    const LaunchForm before = form_;
    for (bool (Trial::*resize)() : {&Trial::shrink_block, &Trial::enlarge_block}) {
      for (int times = 0; times < kMostTimes && !is_late() && (this->*resize)(); ++times) {
        auto after = observe();
        if (!after || !after->any_access || after->exceeds_shared()) break;
        if (after->has(FindingKind::kUninitialised)) continue;
        *observed = *std::move(after);
        return;
      }
      form_ = before;
    }
  }

  // A kernel that asserts how it is launched may be one for a single block.
  void try_one_block(TrialRun* observed) {
    const std::string before = std::exchange(form_.grid, "1");
    if (before == "1" || !takes(observed)) form_.grid = before;
  }

  // A number that nothing is known of may be a limit, a cutoff, and let more pass than a list has
  // places for: threads whose lists run into each other seem to race. With a hundredth of it, or
  // less, they do not; what else is computed with it still differs.
  void lower_limits(TrialRun* observed) {
    for (ArgumentForm& argument : form_.arguments) {
      const auto type = parse_element_type(argument.type);
      if (argument.is_buffer || !type || is_whole_number(*type) || argument.value != "1") continue;
      for (const char* lower : {"0.01", "0.0001"}) {
        argument.value = lower;
        auto after = observe();
        if (after && after->any_access && after->faults() == 0 &&
            !after->has(FindingKind::kGlobalRace)) {
          *observed = *std::move(after);
          return;
        }
      }
      argument.value = "1";
    }
  }

  // Whole numbers that nothing is known of.
  bool give_work() {
    bool changed = false;
    for (ArgumentForm& argument : form_.arguments) {
      const auto type = parse_element_type(argument.type);
      if (argument.is_buffer || !type || !is_whole_number(*type) || argument.value != "1") continue;
      argument.value = std::to_string(kSmallEdge);
      changed = true;
    }
    return changed;
  }

  // Random numbers, or a ramp of whole ones, for what is read and would be zero.
  bool fill(const TrialRun& observed, bool whole_numbers) {
    bool changed = false;
    const std::vector<ArgumentForm*> all = buffers();
    for (std::size_t i = 0; i < all.size() && i < observed.touched.size(); ++i) {
      const auto type = parse_element_type(all[i]->type);
      if (all[i]->fill != "zero" || !type || !observed.touched[i].loaded) continue;
      const bool whole = is_whole_number(*type);
      if (whole && (!whole_numbers || observed.touched[i].stored)) continue;
      all[i]->fill = usual_contents(*all[i], i + 1);
      changed = true;
    }
    return changed;
  }

  const LaunchToTry& launch_;
  LaunchForm guess_ = launch_.guess;
  LaunchForm form_;
  HostLaunch host_;          // what the file's own launch says stays
  bool is_endless_ = false;  // some loop was, at some time
  bool was_enlarged_ = false;
  bool shared_helps_ = true;
  double emulated_seconds_ = 0;  // all trials together
  bool compiles_machine_code_ = launch_.with_machine_code;
  const std::stop_token& stop_;
  InputCache inputs_;
};

}  // namespace

Result<LaunchTrial> try_launch(const LaunchToTry& launch, const std::stop_token& stop) {
  return Trial(launch, stop).run();
}

}  // namespace tilescope
