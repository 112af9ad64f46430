#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "analysis/time/pipeline.h"
#include "core/device_table.h"
#include "core/job_pool.h"
#include "gpu/worker_link.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/gemm_factors.h"
#include "kernel/launch/launch_form.h"
#include "scene/model/prepared.h"
#include "scene/model/selection.h"
#include "scene/view/view.h"
#include "session/document.h"
#include "session/measurements.h"
#include "session/trusted_texts.h"
#include "store/history.h"
#include "ui/workbench/compile_ahead.h"
#include "ui/workbench/gpu_models.h"
#include "ui/workbench/gpu_runs.h"
#include "ui/workbench/own_kernel_list.h"
#include "ui/workbench/program_run.h"
#include "ui/workbench/ready_studies.h"
#include "ui/workbench/variant.h"

namespace tilescope {

struct StudyMailbox;

// The document and its engine: owned by the UI thread, which never compiles, emulates, measures or
// waits. Requests go to the job pool and the worker; results are swapped in by tick().
class Workbench {
 public:
  struct Settings {
    // The numbers of threads as they suit the processors that there are.
    [[nodiscard]] static Settings of_this_machine();

    unsigned job_threads = 2;
    unsigned ahead_threads = 1;                   // that compile ahead; 0: nothing is
    unsigned around_threads = 0;                  // that look_around() may use; 0: it does nothing
    int compute_capability = 90;                  // of the GPU present, else of the recorded one
    bool measure = true;                          // measure live when there is a device
    bool makes_ready = true;                      // otherwise make_ready() does nothing
    std::shared_ptr<HistoryWriter> history = {};  // keeps what is measured; nullptr: nobody does
    std::shared_ptr<TrustedTexts> trusted = {};   // nullptr: those of this run of the program alone
    View view = View::kTiling;                    // as set_view() later
    std::filesystem::path tilescope = {};  // that runs whole programs; empty: this program itself
  };
  Workbench(Catalogue catalogue, std::vector<DeviceModel> devices, std::unique_ptr<WorkerLink> gpu,
            Settings settings);
  ~Workbench();

  // At frame start: takes finished results. True when anything visible changed.
  bool tick();
  [[nodiscard]] bool busy() const;  // something is being computed or measured

  [[nodiscard]] const Catalogue& catalogue() const { return catalogue_; }
  // What is computed for: the GPU that is there, else the one that was recorded.
  [[nodiscard]] const DeviceModel& device_model() const { return gpus_.usual(); }
  // What the variant is computed for.
  [[nodiscard]] const DeviceModel& device_model(const Variant& variant) const {
    return variant.not_here.empty() ? gpus_.find(variant.gpu) : gpus_.recorded();
  }
  // Those that a variant can be computed for.
  [[nodiscard]] const GpuModels& gpus() const { return gpus_; }
  // What measurements of this source were taken on.
  [[nodiscard]] const DeviceModel& device_model(Source source) const {
    return source == Source::kRecorded ? gpus_.recorded() : gpus_.usual();
  }
  [[nodiscard]] const std::shared_ptr<const std::vector<DeviceModel>>& devices() const {
    return gpus_.table();
  }
  [[nodiscard]] const WorkerLink& gpu() const { return *gpu_; }

  [[nodiscard]] std::vector<Variant>& variants() { return variants_; }
  [[nodiscard]] int active_index() const { return active_; }
  [[nodiscard]] const Variant& active() const {
    return variants_[static_cast<std::size_t>(active_)];
  }
  [[nodiscard]] Variant& active() { return variants_[static_cast<std::size_t>(active_)]; }
  // The picture in front: a kernel that is opened stands where this one shows most, and so does the
  // active one from now on, as long as nobody has chosen another moment.
  void set_view(View view);
  void activate(int index);
  void add_variant();  // a copy of the active one, at most four
  // What the active variant is computed for and, where a worker has one, measured on; a name of
  // GpuModels::choices().
  void set_gpu(const std::string& name);
  void close_variant(int index);

  void choose_kernel(const CatalogueEntry& entry);  // defaults; keeps nothing of the old kernel
  // The kernel that is shown where nobody has chosen one; nullptr: the catalogue is empty.
  [[nodiscard]] const CatalogueEntry* usual_kernel() const;
  // A .cu or .ptx of the user's, or its text, with a launch that is guessed. A text that the list
  // has already is selected there. On an error nothing has changed.
  Status open_file(const std::string& path);
  // The same without waiting for what takes long: device code is read in the background. How it
  // went is told once, by take_opened().
  void open_file_soon(const std::string& path);
  [[nodiscard]] const std::string& opening() const { return opening_; }  // empty: nothing is read
  struct Opened {
    std::string path;
    Status status;
  };
  [[nodiscard]] std::optional<Opened> take_opened() { return std::exchange(opened_, {}); }
  Status open_text(std::string text);
  Status open_template();  // a small complete kernel to start from
  // All of the document's, in a tab or not, as they were left.
  [[nodiscard]] const OwnKernels& own_kernels() const { return own_kernels_.all(); }
  [[nodiscard]] const SharedOwnKernels& shared_own_kernels() const { return own_kernels_.shared(); }
  void open_own(std::size_t index);
  // By OwnKernelDocument::file. What cannot be a name, or is that of another kernel, is changed
  // (usable_name(), free_name()); where nothing is left of it, the old name stays.
  void rename_own(std::string file, const std::string& wanted);
  // Closes the tabs that show it; the last one goes on to its neighbour, or to the usual kernel.
  void remove_own(std::string file);
  void set_launch(LaunchForm form);  // of the active variant's own kernel, compiled soon
  // Another function of its text, with the launch that is guessed for it and tried.
  void choose_function(const std::string& name);
  // The active variant's text. Compiled when nothing was typed for a while; the catalogue and the
  // file stay as they are, and an edited text comes back with its kernel.
  void edit_source(std::string text);
  void revert_source();
  // Selects where a finding was made.
  void go_to(const Finding& finding);
  void set_parameter(const std::string& name, std::int64_t value);
  void set_extent(const std::string& name, std::int64_t value);
  // alpha or beta of a product of the catalogue; what is no finite f32, or another name, is left.
  void set_factor(const std::string& name, double value);
  void reset_parameters();
  void apply(const ParameterSet& parameters);     // several at once, e.g. the nearest legal set
  void select_block(std::uint64_t linear_block);  // traces that block instead
  void measure_again();

  // The variants that a document describes: what is computed already is kept where kernel,
  // parameters and block are the same.
  void restore(const std::vector<VariantDocument>& variants, int active,
               SharedOwnKernels own_kernels = nullptr);
  // Has these computed in the background, the first of them first, so that restore() shows them at
  // once; what was made ready before and is not among them is forgotten.
  struct Next {
    VariantDocument variant;
    View view = View::kTiling;
  };
  void make_ready(const std::vector<Next>& next);
  // It as restore() would show it at once; nullptr: it would have to be computed.
  [[nodiscard]] const Variant* ready(const VariantDocument& variant) const;
  // What a person wrote over the catalogue's kernels, by id, shown or not: restore() forgets it of
  // a kernel that its document has unedited.
  [[nodiscard]] const std::map<std::string, std::string>& edits() const { return edits_; }
  void keep_edits(std::map<std::string, std::string> edits) { edits_ = std::move(edits); }
  // What of a variant has moved by itself, because another study arrived.
  struct Move {
    std::size_t variant = 0;
    VariantDocument from;  // the whole variant before
    Selection to;
    TimeMarks marks_to;
  };
  [[nodiscard]] std::vector<Move> take_moves() { return std::exchange(moves_, {}); }
  // Gives a variant this selection, as a move by itself.
  void move_by_itself(std::size_t variant, const Selection& to);

  // Whether a kernel may run on the GPU: one that comes with the program or was typed or pasted
  // here may; a text out of a file only when the user has allowed it (docs/sessions.md). The link
  // to the worker asks this about everything that is sent (ui/workbench/guarded_link.h). What is
  // asked about is the text with the headers that went into the compiled code.
  [[nodiscard]] bool may_run(const KernelInstance& instance, const CompiledKernel& compiled) const;
  [[nodiscard]] bool may_run(const Variant& variant) const;
  // Allows the texts of all variants, for good, and measures them.
  void allow_gpu();
  [[nodiscard]] TrustedTexts& trusted() { return *settings_.trusted; }
  // What the pipeline model assumes; nullopt: the usual (analysis/time/instruction_cost.h).
  void set_latencies(const std::optional<LatencyModel>& latencies);
  [[nodiscard]] const std::optional<LatencyModel>& latencies() const { return latencies_; }
  // Whether variants are timed with a cold L2, else with a warm one; a change measures them again.
  void set_cold(bool cold);
  // Compiles in the background what this parameter's slider may reach next, from where the active
  // variant stands.
  void look_ahead(const std::string& parameter);
  [[nodiscard]] const CompileAhead& ahead() const { return look_ahead_.ahead(); }
  // Compiles the next values of all sliders of the active variant once nothing else is to be done
  // and nothing was changed for a while: so the first step of a drag finds them. By tick().
  void look_around();
  [[nodiscard]] const CompileAhead& around() const { return look_ahead_.around(); }
  // Whether the active variant with another value of this parameter was compiled ahead.
  [[nodiscard]] bool compiled_ahead(const std::string& parameter, std::int64_t value) const;
  // Has the hardware's counters of the active variant's launch read, several times; how far that is
  // and what went wrong stands in Variant::reading.
  void read_counters();
  [[nodiscard]] std::optional<Error> why_no_counters() const;  // nullopt: they can be read
  // Called by each tick(); true: something visible changed. One at a time; nullptr: none.
  void on_tick(std::function<bool()> listener) { listener_ = std::move(listener); }
  // Asks for the active variant's measured phases, once per picture, where there is a GPU.
  void want_phases() { runs_.want_phases(active_, device_model(), pool_); }
  // Something that can wait; the workbench is busy until it is done. It delivers by itself; tick()
  // then says that something changed.
  void submit(std::string tag, JobPool::Work work,
              JobPool::Priority priority = JobPool::Priority::kBackground);

  // A whole program that runs for its launches.
  [[nodiscard]] ProgramRun& program() { return program_; }
  [[nodiscard]] const ProgramRun& program() const { return program_; }
  // What happened to workers in this window, the newest last; the oldest are forgotten.
  struct WorkerNews {
    double at_seconds = 0;  // now_seconds()
    std::string words;
  };
  [[nodiscard]] const std::vector<WorkerNews>& worker_news() const { return worker_news_; }
  // What the GPU runs and ran for the variants.
  [[nodiscard]] GpuRuns& runs() { return runs_; }
  [[nodiscard]] const GpuRuns& runs() const { return runs_; }
  [[nodiscard]] unsigned job_threads() const { return settings_.job_threads; }
  [[nodiscard]] unsigned threads_beside_jobs() const {  // that compile what may come next
    return settings_.ahead_threads + settings_.around_threads;
  }
  // Why what is measured is not kept, once that happened.
  [[nodiscard]] std::optional<Error> history_problem() const {
    return settings_.history ? settings_.history->problem() : std::nullopt;
  }
  [[nodiscard]] double now_seconds() const;

 private:
  // Tries the guessed launch of the active variant's kernel; tick() takes the corrected one unless
  // somebody has changed the launch.
  void try_guess();
  bool take_trials();
  bool take_files();
  Status open_read(Result<ReadFile> read);
  bool take_workers();
  void check_parameters(Variant* variant) const;
  [[nodiscard]] Result<StudyRequest> study_request(const Variant& variant) const;
  void cancel_requests(int variant);  // all that are under way for it
  // by_itself: it is not a person who asks.
  void request_study(int variant, bool by_itself = false);
  void put_in_block(int variant, const Dim3& grid, bool by_itself);
  void open(OwnKernel kernel);
  void give_name(const std::string& file, const std::string& name);
  void compile_soon();
  void compile_typed();
  void request_grid(int variant);
  void request_cubin(int variant, const KernelInstance& instance);
  void request_measurement(int variant);
  bool take_device();
  // Who waits for a result of this request; nullptr: it is gone, or its parameters changed since.
  [[nodiscard]] Variant* waiting_for(int variant, std::uint64_t request);
  bool take_studies();
  void adopt(int variant, std::shared_ptr<const KernelStudy> study,
             std::shared_ptr<const PreparedStudy> prepared, const Selection& first);
  void request_rest(int variant);
  void take_cubins();
  void keep_texts(const Variant& variant);
  void drop_requests();

  Catalogue catalogue_;
  GpuModels gpus_;
  std::vector<WorkerNews> worker_news_;
  std::unique_ptr<WorkerLink> gpu_;
  Settings settings_;
  bool device_taken_ = false;
  std::optional<LatencyModel> latencies_;
  std::shared_ptr<StudyMailbox> mailbox_;  // results on their way from the pool to tick()
  std::vector<Variant> variants_;
  OwnKernelList own_kernels_;
  std::string opening_;
  std::optional<Opened> opened_;
  std::map<std::string, std::string> edits_;  // of the catalogue's kernels, by id
  int active_ = 0;
  std::chrono::steady_clock::time_point start_;
  GpuRuns runs_;
  std::uint64_t next_request_ = 1;
  std::vector<Move> moves_;  // since they were taken
  std::function<bool()> listener_;
  std::shared_ptr<std::atomic<bool>> background_done_ = std::make_shared<std::atomic<bool>>(false);
  LookAhead look_ahead_;
  ReadyStudies ready_;
  ProgramRun program_;
  JobPool pool_;  // last: its jobs end before the rest goes
};

}  // namespace tilescope
