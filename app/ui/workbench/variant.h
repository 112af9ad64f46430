#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/counter_check.h"
#include "analysis/study/kernel_study.h"
#include "gpu/worker_link.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/gemm_factors.h"
#include "kernel/launch/launch_form.h"
#include "scene/model/prepared.h"
#include "scene/model/selection.h"
#include "scene/view/launch_picture.h"
#include "scene/view/view.h"
#include "session/document.h"

namespace tilescope {

// The hardware's counters of one variant's launch, as far as they have been read.
struct CounterReading {
  // Some counters change from one reading to the next: only several tell which.
  static constexpr std::size_t kReadings = 3;

  std::shared_ptr<const KernelStudy> study;         // whose machine code is run
  std::vector<CounterValues> values;                // of the readings so far
  std::optional<WorkerLink::RequestId> request_id;  // of the one under way
  std::optional<Error> error;                       // of the newest attempt

  [[nodiscard]] bool pending() const { return request_id.has_value(); }
  [[nodiscard]] bool complete() const { return values.size() == kReadings; }
};

// A kernel of the user's own: a file, or text that was pasted.
struct OwnKernel {
  KernelFile file;   // as it was opened
  std::string name;  // as the user sees it
  LaunchForm launch;
  std::string corrections = {};  // of a guessed launch, after its trial (LaunchTrial::corrections)
  bool is_made_up = false;       // this launch is LaunchTrial::is_made_up
  std::optional<std::string> edited = {};      // the text since; as Variant::edited
  std::vector<std::string> kernels = {};       // of the text as it stands
  std::vector<ParameterSpec> parameters = {};  // numbers of the text that can be set
  ParameterSet names = {};                     // what the launch may be written in, launch_names()
  std::string shown = {};                      // the text with the parameters as they are set

  void find_kernels();  // and all that follows, in the text and for the launch as they stand
};

// One kernel at one set of parameters, and all that is known about it so far. What is shown may
// belong to older parameters while a new picture is computed: `study` says which it was made from.
struct Variant {
  const CatalogueEntry* entry = nullptr;  // nullptr: a kernel of the user's own
  std::optional<OwnKernel> own;           // then this
  std::optional<std::string> edited;  // of a catalogue's kernel: the text as a person changed it
  ParameterSet parameters;            // as the sliders stand
  ParameterSet extents;
  GemmFactors factors;  // of a catalogue's product: those that are not 1 and 0
  std::string gpu;      // as VariantDocument::gpu
  Selection selection;
  TimeMarks marks;  // of the trace that `study` holds
  MatrixCamera camera;
  float time_zoom = 1;  // of the pipeline view

  std::shared_ptr<const KernelStudy> study;  // the newest finished one; nullptr before the first
  std::shared_ptr<const PreparedStudy> prepared;  // of study: what the views draw from
  // Of the newest request: known before anything of it is computed; nullopt: nothing was asked.
  std::optional<LaunchShape> asked;
  bool phases_asked = false;
  bool study_pending = false;  // a newer one is being computed
  bool grid_pending = false;   // whole-grid counts are being computed
  std::optional<Error> error;  // of the newest request
  std::vector<Error> errors;   // all that the compiler finds wrong, where error is one of them
  std::vector<RuleViolation> violations;  // of the sliders as they stand; nothing is computed then
  // Why the GPU that is there can run none of it: it is computed for the recorded one then.
  std::string not_here;

  std::optional<RunResult> measured;  // of exactly study's parameters, else absent
  std::optional<Error> measure_error;
  bool measure_pending = false;

  CounterReading reading;  // of the hardware's counters, of study's parameters

  std::uint64_t request = 0;          // number of the newest study request
  std::uint64_t measure_request = 0;  // that of the newest measurement
  std::optional<double> due_seconds;  // typed text or launch: when it will be compiled
  bool placed = false;  // selection and marks are a document's: the next study takes them over
  // Where the selection was put because nobody had chosen; absent before, and of a document's.
  std::optional<Selection> put;
  UnknownFields unknown;  // of that document

  // Whether the numbers of its pictures stay: the machine code is counted, or cannot be.
  [[nodiscard]] bool is_final() const;
  [[nodiscard]] bool has_kernel() const { return entry != nullptr || own.has_value(); }
  [[nodiscard]] bool is_edited() const {
    return own ? own->edited.has_value() : edited.has_value();
  }
  // The text as a person left it, and as it was; preconditions: has_kernel().
  [[nodiscard]] const std::string& source() const;
  [[nodiscard]] const std::string& original_source() const;
  // The headers that went in with the text, as it was compiled last; nullptr: none.
  [[nodiscard]] const IncludedFiles* included() const;
  // The text with the numbers that a person set in it: what is compiled.
  [[nodiscard]] const std::string& shown_source() const { return own ? own->shown : source(); }
  // The parameters that have a slider, and how one stands.
  [[nodiscard]] const std::vector<ParameterSpec>& offered() const;
  [[nodiscard]] std::int64_t value_of(const ParameterSpec& spec) const;
  // The file's without its folder, or the name of an own kernel; empty: no kernel.
  [[nodiscard]] std::string file_name() const;
  // Takes selection and marks along to `study`, which took the place of `before` (nullptr: of
  // none). `first`: where to look in a study that nobody has looked at.
  void move_to_study(const KernelStudy* before, const Selection& first);
};

// As a person left it. `known`, if any, shares texts.
[[nodiscard]] VariantDocument document_of(const Variant& variant,
                                          const VariantDocument* known = nullptr);

// The same way back: what the document says, nothing computed. Without a kernel where the catalogue
// does not have it.
[[nodiscard]] Variant variant_of(const VariantDocument& document, const Catalogue& catalogue);

// Whether what was computed for one is true for the other.
[[nodiscard]] bool same_request(const Variant& a, const Variant& b);
// Whether both are of one kernel of the catalogue, or of one file.
[[nodiscard]] bool same_file(const Variant& a, const Variant& b);
// All that is known of `from`, with the choices of `to`.
[[nodiscard]] Variant with_results_of(const Variant& from, const Variant& to);

}  // namespace tilescope
