#include "ui/workbench/variant.h"

#include <algorithm>
#include <utility>

#include "analysis/study/moment.h"
#include "kernel/compile/compile.h"
#include "kernel/launch/file_launch.h"
#include "kernel/launch/source_parameters.h"
#include "session/document.h"

namespace tilescope {
namespace {

// What the form's extents may be written in, its numbers as far as they are ones.
ParameterSet names_of(const KernelFile& file, const LaunchForm& form) {
  LaunchText text;
  text.kernel = form.kernel;
  text.parameters = form.parameters;
  std::vector<Argument> arguments;
  for (const ArgumentForm& argument : form.arguments) {
    if (argument.is_buffer) continue;
    auto made = file_arguments(argument.text(), 0);
    if (!made) continue;
    made->front().name = argument.name;
    arguments.push_back(std::move(made->front()));
  }
  return launch_names(file, text, arguments);
}

// What a person marked, in the trace of changed parameters.
TimeMarks same_moments(const KernelStudy& from, TimeMarks marks, const KernelStudy& to,
                       std::uint32_t warp) {
  const auto move = [&](std::optional<std::uint32_t>& event) {
    if (event) event = same_moment(from, *event, to, warp);
  };
  move(marks.loop_in);
  move(marks.loop_out);
  for (std::optional<std::uint32_t>& bookmark : marks.bookmarks) move(bookmark);
  return marks;
}

// However it is edited.
bool same_kernel(const KernelInstance& a, const KernelInstance& b) {
  return a.file_name == b.file_name && a.kernel == b.kernel;
}

}  // namespace

void OwnKernel::find_kernels() {
  const KernelFile now{file.path, edited.value_or(file.source)};
  kernels.clear();
  parameters = source_parameters(now, launch.kernel);
  shown = with_parameters(now, launch.kernel, launch.parameters);
  names = names_of(now, launch);
  for (KernelSignature& signature : find_signatures(now.path, now.source)) {
    if (std::ranges::find(kernels, signature.name) == kernels.end()) {
      kernels.push_back(std::move(signature.name));
    }
  }
}

bool Variant::is_final() const {
  if (study_pending || study == nullptr) return false;
  return !grid_pending || study->issued_counters != nullptr || !study->why_not_issued.empty();
}

const std::string& Variant::source() const {
  const std::optional<std::string>& text = own ? own->edited : edited;
  return text ? *text : original_source();
}

const IncludedFiles* Variant::included() const {
  return study != nullptr && study->compiled != nullptr ? study->compiled->included.get() : nullptr;
}

const std::string& Variant::original_source() const {
  return entry != nullptr ? entry->source : own->file.source;
}

const std::vector<ParameterSpec>& Variant::offered() const {
  static const std::vector<ParameterSpec> kNone;
  return entry != nullptr ? entry->parameters : own ? own->parameters : kNone;
}

std::int64_t Variant::value_of(const ParameterSpec& spec) const {
  const ParameterSet& values = own ? own->launch.parameters : parameters;
  const auto value = values.find(spec.name);
  return value != values.end() ? value->second : spec.default_value;
}

std::string Variant::file_name() const {
  if (entry != nullptr) return entry->source_file.filename().string();
  return own ? own->name : std::string();
}

void Variant::move_to_study(const KernelStudy* before, const Selection& first) {
  const KernelStudy& now = *study;
  if (placed) {
    keep_inside(now, &selection, &marks);
    placed = false;
  } else if (before == nullptr || !same_kernel(before->instance, now.instance)) {
    put = selection = first;
    marks = {};
  } else if (before->trace != now.trace) {
    // Where nobody has moved, the place with most to see is selected again.
    if (put == selection) {
      put = selection = first;
    } else {
      selection.event = same_moment(*before, selection.event, now, selection.warp);
    }
    marks = same_moments(*before, marks, now, selection.warp);
  }
}

VariantDocument document_of(const Variant& variant, const VariantDocument* known) {
  const SharedText none;
  VariantDocument document;
  if (variant.entry != nullptr) document.kernel = variant.entry->id;
  if (variant.own) {
    document.file = variant.own->file.path;
    document.name = variant.own->name;
    document.launch = variant.own->launch;
  }
  if (variant.has_kernel()) {
    document.original =
        share_text(variant.original_source(), known != nullptr ? known->original : none);
  }
  if (variant.is_edited()) {
    document.edited = share_text(variant.source(), known != nullptr ? known->edited : none);
  }
  document.parameters = variant.parameters;
  document.extents = variant.extents;
  document.factors = variant.factors;
  document.gpu = variant.gpu;
  document.selection = variant.selection;
  document.marks = variant.marks;
  document.camera = variant.camera;
  document.time_zoom = variant.time_zoom;
  document.unknown = variant.unknown;
  return document;
}

Variant variant_of(const VariantDocument& document, const Catalogue& catalogue) {
  Variant variant;
  variant.gpu = document.gpu;
  variant.selection = document.selection;
  variant.marks = document.marks;
  variant.camera = document.camera;
  variant.time_zoom = document.time_zoom;
  variant.unknown = document.unknown;
  variant.placed = true;
  if (document.is_own()) {
    OwnKernel own{{document.file, *document.original}, title_of(document), document.launch};
    if (document.edited != nullptr) own.edited = *document.edited;
    own.find_kernels();
    variant.own = std::move(own);
  } else if (const CatalogueEntry* entry = catalogue.find(document.kernel)) {
    variant.entry = entry;
    variant.parameters = document.parameters;
    variant.extents = document.extents;
    variant.factors = document.factors;
    if (document.edited != nullptr) variant.edited = *document.edited;
  }
  return variant;
}

bool same_request(const Variant& a, const Variant& b) {
  const bool same_own =
      a.own.has_value() == b.own.has_value() &&
      (!a.own || (a.own->file.path == b.own->file.path && a.own->name == b.own->name &&
                  a.own->launch == b.own->launch && a.source() == b.source()));
  return a.entry == b.entry && same_own && a.edited == b.edited && a.parameters == b.parameters &&
         a.extents == b.extents && a.factors == b.factors && a.gpu == b.gpu &&
         a.selection.block == b.selection.block;
}

Variant with_results_of(const Variant& from, const Variant& to) {
  Variant variant = from;
  variant.own = to.own;
  variant.selection = to.selection;
  variant.marks = to.marks;
  variant.camera = to.camera;
  variant.time_zoom = to.time_zoom;
  variant.unknown = to.unknown;
  return variant;
}

bool same_file(const Variant& a, const Variant& b) {
  return a.entry == b.entry && a.own.has_value() == b.own.has_value() &&
         (!a.own || a.own->file.path == b.own->file.path);
}

}  // namespace tilescope
