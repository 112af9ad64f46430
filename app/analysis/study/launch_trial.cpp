#include "analysis/study/launch_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/memory/launch_memory.h"
#include "analysis/study/kernel_study.h"
#include "analysis/study/launch_corrections.h"
#include "analysis/study/trial_run.h"
#include "analysis/study/tried_contents.h"
#include "analysis/study/tried_launch.h"
#include "analysis/study/tried_shared.h"
#include "core/number_text.h"
#include "kernel/compile/compile.h"
#include "kernel/guess/launch_guess.h"
#include "kernel/host/launch_site.h"
#include "kernel/launch/address_buffers.h"
#include "kernel/launch/launch_form.h"
#include "kernel/source/device_source.h"
#include "kernel/source/ptx_signature.h"
#include "kernel/source/size_names.h"
#include "kernel/source/type_names.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kMostBufferBytes = std::uint64_t{128} << 20;
constexpr std::uint64_t kSlowPart = 4;   // of their sizes is looked at
constexpr std::uint64_t kLineParts = 4;  // of a line of blocks that cover too much
constexpr int kMostTrials = 24;
constexpr std::chrono::seconds kPatience{30};  // with a compiler, which may be asked again
constexpr std::uint64_t kSmallEdge = 1024;     // a size that was too large becomes this, then less
constexpr std::uint64_t kLeastSize = 16;
constexpr std::uint32_t kLeastBlock = 32;  // threads
constexpr std::uint64_t kOneArgument = 4;  // what a single size becomes that makes a loop endless
// 48 MiB lie between buffers: further on, the start of the next one is meant.
constexpr std::uint64_t kNear = std::uint64_t{44} << 20;

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
      : launch_(launch), stop_(stop), tried_(launch, stop) {}

  Result<LaunchTrial> run() {
    const auto began = std::chrono::steady_clock::now();
    auto observed = tried_.observe();
    if (!observed && observed.error().code != ErrorCode::kCompile) {
      const auto taken = take_compiled_types();
      if (!taken) return taken.error();
      if (*taken) observed = tried_.observe();
    }
    const bool is_late = std::chrono::steady_clock::now() - began > kPatience;
    if (!observed && !is_late && may_be_of_type(observed.error())) take_other_types(&observed);
    while (observed && observed->exceeds_shared() && shared_.grow(*observed))
      observed = tried_.observe();
    if (observed && observed->exceeds_shared()) shared_.shrink_block_that_exceeds(&*observed);
    if (observed && !host_.block) divide_grid(&*observed);
    if (observed && !host_.block && !observed->asks_for_block) try_one_block(&*observed);
    if (observed && !observed->exceeds_shared()) shared_.trim(&*observed);
    if (observed) fit_registers(&*observed);
    if (observed && has_unnamed_tiles()) multiply_grid(&*observed);
    if (observed && observed->meets_whole_grid && fit_grid(observed->grid))
      observed = tried_.observe();
    if (observed && observed->stops_itself() && !observed->meets_whole_grid) {
      try_one_block(&*observed);
    }
    if (observed && observed->any_access && (!host_.block || observed->is_nearly_idle())) {
      raise_extents(&*observed);
    }
    const LaunchForm before_corrections = form_;
    for (int trial = 0; observed && trial < kMostTrials; ++trial) {
      const LaunchForm before = form_;
      if (!correct(*observed)) break;
      auto after = tried_.observe();
      if (after && after->stops_itself() && !observed->stops_itself()) {
        form_ = before;
        if (observed->faults() > 0) shrink_as_far_as_asserted(&*observed);
        break;
      }
      observed = std::move(after);
    }
    if (observed && observed->exceeds_shared()) {  // neither helped
      form_ = guess_;
      observed = tried_.observe();
    }
    if (!observed) return observed.error();
    if (form_ != before_corrections && !observed->exceeds_shared()) shared_.trim(&*observed, true);
    if (observed->has(FindingKind::kOutOfBounds)) clear_what_exceeds(tried_, &*observed);
    if (observed->has(FindingKind::kUninitialised))
      shared_.resize_block_that_leaves_words(&*observed);
    fill_what_is_read(tried_, &*observed);
    if (observed->has(FindingKind::kGlobalRace)) spread_places(tried_, &*observed);
    if (observed->has(FindingKind::kGlobalRace)) lower_limits(tried_, &*observed);
    if (is_astray(*observed)) {
      const std::string name = buffer_of_addresses(launch_.file, form_);
      if (!name.empty()) return only_the_host_knows(name);
    }
    follow_others(&form_);  // a number that was tried in vain is what it was
    // A kernel that only prints is no picture, however much it does.
    constexpr double kWithoutAccess = 1e-6;
    const double part = observed->any_access ? 1 : kWithoutAccess;
    return LaunchTrial{form_, corrections_of(guess_, form_), observed->warp_instructions * part,
                       is_made_up(guess_, form_)};
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
    return {ErrorCode::kUsage,
            fmt::format("{} holds pointers, and only host code knows where they lead", name),
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

  // Whether another type may let a template compile: none lacks a header, and none can be called.
  static bool may_be_of_type(const Error& error) {
    return error.message.find("was not found") == std::string::npos &&
           error.message.find("apparent call") == std::string::npos;
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
      auto taken = tried_.observe();
      if (taken) {
        *observed = std::move(taken);
        return;
      }
      form_ = guess_ = before;
    }
  }

  // A block of which none fits on an SM, for its threads have too many registers: no device
  // launches it, whatever the file says. Half as many threads, in twice as many blocks.
  void fit_registers(TrialRun* observed) {
    const LaunchForm before = form_;
    Dim3 grid = observed->grid;
    for (Dim3 block = tried_.block(); tried_.exceeds_registers(block);) {
      const bool along_y = block.y > 1;
      if (block.z > 1 || (!along_y && block.x <= kLeastBlock)) break;
      (along_y ? block.y : block.x) /= 2;
      (along_y ? grid.y : grid.x) *= 2;
      form_.block = along_y ? fmt::format("{},{}", block.x, block.y) : std::to_string(block.x);
      form_.grid = along_y ? fmt::format("{},{}", grid.x, grid.y) : std::to_string(grid.x);
    }
    if (form_ == before) return;
    auto after = tried_.observe();
    if (after && after->faults() <= observed->faults()) {
      *observed = *std::move(after);
    } else {
      form_ = before;
    }
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
      auto after = tried_.observe();
      if (after && after->busy_threads >= kManyTimes * observed->busy_threads) {
        *observed = *std::move(after);
      } else {
        argument.value = "1";
      }
    }
  }

  // A plane whose blocks cover more elements than they have threads, and store beyond the end: the
  // grid of as many fewer blocks with which nothing is exceeded.
  void divide_grid(TrialRun* observed) {
    constexpr std::uint32_t kMostTimes = 16;
    const Dim3 whole = observed->grid;
    if (whole.x < 2 || whole.y < 2 || whole.z > 1 || observed->exceeds_shared() ||
        !observed->stores_beyond) {
      return;
    }
    const std::string before = form_.grid;
    for (std::uint32_t times = 2; times <= kMostTimes; times *= 2) {
      if (whole.x < times || whole.y < times) break;
      form_.grid = fmt::format("{},{}", whole.x / times, whole.y / times);
      auto after = tried_.observe();
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
    return launch_.file.path.ends_with(".ptx") && sizes > 1 &&
           parse_number<std::uint64_t>(form_.grid).has_value();
  }

  // Twice as many blocks as long as the last one stores and nothing is exceeded.
  void multiply_grid(TrialRun* observed) {
    constexpr std::uint64_t kMostBlocks = 1U << 16;
    while (!tried_.is_late() && observed->faults() == 0 && observed->last_block_stores &&
           observed->grid.count() < kMostBlocks) {
      const std::string before =
          std::exchange(form_.grid, std::to_string(observed->grid.count() * 2));
      auto after = tried_.observe();
      if (!after || after->faults() > 0 || !after->last_block_stores) {
        form_.grid = before;
        return;
      }
      *observed = *std::move(after);
    }
  }

  // False: there is nothing to correct, or nothing that helps.
  bool correct(const TrialRun& observed) {
    if (tried_.is_over()) return false;
    if (observed.is_slow) return !tried_.is_late() && shrink_sizes(kSlowPart);
    if (observed.has(FindingKind::kEndless)) {
      if (tried_.is_late()) return shrink_sizes();
      is_endless_ = true;
      return shrink_one_size(observed) || enlarge_sizes() || shrink_sizes();
    }
    const std::optional<bool> grown = grow_buffers(observed);
    if (!grown) return shrink_sizes() || shrink_line(observed);
    if (*grown) return true;
    if (observed.exceeds_shared()) {
      return shared_.grow(observed) || shared_.shrink_block() || shrink_sizes();
    }
    if (observed.any_access) return shrink_grid(observed);
    return observed.findings.empty() && give_work();
  }

  // All buffers that were exceeded; as grow_buffer().
  std::optional<bool> grow_buffers(const TrialRun& observed) {
    bool grown = false;
    bool leads_nowhere = false;
    for (const Finding& finding : observed.findings) {
      if (finding.kind != FindingKind::kOutOfBounds || !finding.address) continue;
      if (observed.begin.empty() || *finding.address < observed.begin.front()) {
        leads_nowhere = true;
        continue;
      }
      const std::optional<bool> fits = grow_buffer(observed, finding);
      if (!fits) return std::nullopt;
      grown |= *fits;
    }
    if (leads_nowhere && !grown) return add_structures();
    return grown;
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

  // Whether the kernel is told how wide the rim is that its buffers have around the elements.
  [[nodiscard]] bool has_rim() const {
    return std::ranges::any_of(form_.arguments, [](const ArgumentForm& argument) {
      return !argument.is_buffer && (argument.name.find("halo") != std::string::npos ||
                                     argument.name.find("ghost") != std::string::npos);
    });
  }

  // The buffer that was exceeded so far; false: it was none's end, nullopt: it would be too large.
  std::optional<bool> grow_buffer(const TrialRun& observed, const Finding& finding) {
    const std::uint64_t address = *finding.address;
    const auto after = std::ranges::upper_bound(observed.begin, address);
    if (after == observed.begin.begin()) return false;
    const auto index = static_cast<std::size_t>(after - observed.begin.begin()) - 1;
    const std::vector<ArgumentForm*> all = tried_.buffers();
    if (index >= all.size()) return false;
    ArgumentForm& buffer = *all[index];
    if (form_.is_written && buffer.is_allocated) return false;
    const std::uint64_t each = element_bytes(buffer);
    const auto count = parse_number<std::uint64_t>(buffer.count);
    if (each == 0 || !count) return false;
    const std::uint64_t offset = address - observed.begin[index];
    if (offset < observed.bytes[index]) return false;
    if (offset - observed.bytes[index] > kNear) return std::nullopt;
    constexpr std::uint64_t kWidest = 16;  // bytes of an access
    const std::uint64_t needed = (offset + kWidest + each - 1) / each;
    // A little past the end in the last block is the kernel's fault, not the guess's.
    // A buffer that has grown had a guessed size: it goes on growing up to the last block.
    const bool last = flatten(finding.block, observed.grid) + 1 == observed.grid.count();
    if (last && !has_grown(buffer) && !has_rim() && needed <= *count + *count / 16) {
      const auto type = parse_element_type(buffer.type);
      const bool one_more = offset == observed.bytes[index] && !observed.touched[index].stored;
      return one_more && type && is_whole_number(*type) && may_be_offsets(buffer.name) &&
             widen_offsets(&buffer, *count);
    }
    std::uint64_t larger = *count;
    while (larger < needed) larger *= 2;
    if (larger == *count) return false;
    const std::string before = std::exchange(buffer.count, std::to_string(larger));
    if (is_small_enough()) return true;
    buffer.count = before;
    return std::nullopt;
  }

  // The kernel followed a pointer behind the last structure. Makes more structures, and more of
  // those that their pointers lead to. Returns as grow_buffer() does.
  std::optional<bool> add_structures() {
    const LaunchForm before = form_;
    for (ArgumentForm& argument : form_.arguments) multiply_structures(&argument);
    if (form_ == before) return false;
    if (is_small_enough()) return true;
    form_ = before;
    return std::nullopt;
  }

  // Makes four times as many; half as many again where they lead to others, which multiply too.
  static void multiply_structures(ArgumentForm* buffer) {
    const auto is_row = [](const ArgumentForm& member) { return member.behind.size() == 1; };
    const bool leads_on = std::ranges::any_of(buffer->behind, is_row);
    const auto more = [&](const std::string& text) {
      const auto count = parse_number<std::uint64_t>(text).value_or(1);
      return std::to_string(leads_on ? count + (count + 1) / 2 : count * 4);
    };
    if (buffer->behind.empty() || buffer->is_allocated) return;
    buffer->count = more(buffer->count);
    for (ArgumentForm& member : buffer->behind) {
      if (is_row(member)) member.count = more(member.count);
    }
  }

  [[nodiscard]] bool is_small_enough() const {
    std::uint64_t behind = 0;
    for (const ArgumentForm& argument : form_.arguments) {
      behind += buffers_behind(argument);
      if (bytes_of(argument) > kMostBufferBytes) return false;
    }
    return behind <= kMostLinkedBuffers;
  }

  // Whether the trial found how long it is: one that a pointer in another buffer leads to is made
  // short.
  [[nodiscard]] bool has_grown(const ArgumentForm& buffer) const {
    for (std::size_t i = 0; i < form_.arguments.size(); ++i) {
      if (&form_.arguments[i] == &buffer) return buffer.count != guess_.arguments[i].count;
    }
    return true;
  }

  [[nodiscard]] bool may_be_offsets(const std::string& buffer) const {
    const std::string plain = form_.kernel.substr(0, form_.kernel.find('<'));
    return names_offsets(buffer) || reads_next(kernel_text(launch_.file.source, plain), buffer);
  }

  // Where each of the rows begins, and where the last one ends: one more than there are rows, which
  // are of a few elements each.
  static bool widen_offsets(ArgumentForm* buffer, std::uint64_t rows) {
    buffer->count = std::to_string(rows + 1);
    if (is_usual(buffer->fill)) buffer->fill = kOffsets;
    return true;
  }

  // Whole numbers that may say how much there is. What the file itself gives goes down to 1,024
  // only, unless there are three, of a volume, or a loop does not end.
  [[nodiscard]] std::vector<std::size_t> sizes() const {
    constexpr int kAxes = 3;
    const bool is_volume =
        std::ranges::count_if(guess_.arguments, [](const ArgumentForm& argument) {
          return !argument.is_buffer &&
                 parse_number<std::uint64_t>(argument.value).value_or(0) > kLeastSize;
        }) >= kAxes;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < form_.arguments.size(); ++i) {
      const auto now = parse_number<std::uint64_t>(form_.arguments[i].value);
      const auto then = parse_number<std::uint64_t>(guess_.arguments[i].value);
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
      const auto after = tried_.observe();
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
      largest =
          std::max(largest, parse_number<std::uint64_t>(form_.arguments[i].value).value_or(0));
    }
    if (candidates.empty()) return false;
    const bool is_line = largest >= 1U << 20;
    const std::uint64_t smaller = part != 0 && !is_line  ? largest / part
                                  : largest > kSmallEdge ? kSmallEdge
                                                         : largest / 4;
    for (const std::size_t i : candidates) {
      ArgumentForm& argument = form_.arguments[i];
      if (parse_number<std::uint64_t>(argument.value) == largest)
        argument.value = std::to_string(smaller);
    }
    // As many threads fewer along x, where the grid is not an expression.
    const std::size_t comma = form_.grid.find(',');
    if (const auto blocks =
            parse_number<std::uint64_t>(std::string_view(form_.grid).substr(0, comma))) {
      const std::uint64_t fewer = std::max<std::uint64_t>(*blocks * smaller / largest, 1);
      form_.grid = std::to_string(fewer) +
                   (comma == std::string::npos ? std::string() : form_.grid.substr(comma));
    }
    return true;
  }

  // A quarter of a line of blocks, where each covers so much that nothing holds it all, and nothing
  // says how many there are.
  bool shrink_line(const TrialRun& observed) {
    const bool made_up = form_.grid.find(std::to_string(1U << 20)) != std::string::npos ||
                         parse_number<std::uint64_t>(form_.grid).has_value();
    if (!made_up || observed.grid.count() != observed.grid.x || observed.grid.x < kLineParts)
      return false;
    form_.grid = std::to_string(observed.grid.x / kLineParts);
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
    if (const auto blocks = parse_number<std::uint64_t>(form_.grid)) {
      form_.grid = std::to_string(std::max<std::uint64_t>(*blocks / kTimes, 1));
    }
    auto after = tried_.observe();
    if (after && after->any_access && after->faults() == 0) return true;
    for (auto i = made_up.rbegin(); i != made_up.rend() && !tried_.is_late(); ++i) {
      form_ = guess_;
      form_.arguments[*i].value = longer;
      after = tried_.observe();
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
    for (auto index = candidates.rbegin(); index != candidates.rend() && !tried_.is_late();
         ++index) {
      if (observed->faults() == 0) return;
      std::string& value = form_.arguments[*index].value;
      const std::string before = value;
      value = std::to_string(parse_number<std::uint64_t>(value).value_or(0) / kSlowPart);
      if (!takes(observed)) value = before;
    }
  }

  // The launch as it is now, unless the kernel stops itself.
  bool takes(TrialRun* observed) {
    auto after = tried_.observe();
    if (!after || after->stops_itself()) return false;
    *observed = *std::move(after);
    return true;
  }

  // A kernel that asserts how it is launched may be one for a single block.
  void try_one_block(TrialRun* observed) {
    const std::string before = std::exchange(form_.grid, "1");
    if (before == "1" || !takes(observed)) form_.grid = before;
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

  const LaunchToTry& launch_;
  const std::stop_token& stop_;
  TriedLaunch tried_;
  LaunchForm& guess_ = tried_.guess;
  LaunchForm& form_ = tried_.form;
  const LaunchSite& host_ = tried_.host;
  TriedShared shared_{tried_};
  bool is_endless_ = false;  // some loop was, at some time
  bool was_enlarged_ = false;
};

}  // namespace

Result<LaunchTrial> try_launch(const LaunchToTry& launch, const std::stop_token& stop) {
  return Trial(launch, stop).run();
}

}  // namespace tilescope
