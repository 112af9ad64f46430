// The part of the workbench that turns variants into documents and back, and that knows which of
// their texts may run.
#include <algorithm>
#include <set>
#include <utility>

#include "kernel/source_parameters.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

// Whether what was computed for one stands for the other.
bool same_request(const Variant& a, const Variant& b) {
  const bool same_own =
      a.own.has_value() == b.own.has_value() &&
      (!a.own || (a.own->file.path == b.own->file.path && a.own->name == b.own->name &&
                  a.own->launch == b.own->launch && a.source() == b.source()));
  return a.entry == b.entry && same_own && a.edited == b.edited && a.parameters == b.parameters &&
         a.extents == b.extents && a.factors == b.factors && a.selection.block == b.selection.block;
}

// All that is known of `from`, with the choices of `to`.
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

// Whether the instance's text is this one, which may run with these headers, with other whole
// numbers: a person allows the text that they see, and its sliders write numbers into it.
bool is_with_numbers(const KernelInstance& instance, const std::string& text,
                     const IncludedFiles* included, const TrustedTexts& trusted) {
  if (instance.parameters.empty() || !trusted.knows(program_text(text, included))) return false;
  const KernelFile file{instance.file_name, text};
  return with_parameters(file, instance.kernel, instance.parameters) == instance.source;
}

}  // namespace

VariantDocument Workbench::document_of(const Variant& variant, const VariantDocument* known) {
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
  document.selection = variant.selection;
  document.marks = variant.marks;
  document.camera = variant.camera;
  document.time_zoom = variant.time_zoom;
  document.unknown = variant.unknown;
  return document;
}

Variant Workbench::variant_of(const VariantDocument& document) {
  Variant variant;
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
    if (find_own_kernel(*own_kernels_, document.file) == own_kernels_->end()) keep(own);
    variant.own = std::move(own);
  } else if (const CatalogueEntry* entry = catalogue_.find(document.kernel)) {
    variant.entry = entry;
    variant.parameters = document.parameters;
    variant.extents = document.extents;
    variant.factors = document.factors;
    if (document.edited != nullptr) {
      variant.edited = *document.edited;
      edits_[entry->id] = *document.edited;
    } else {
      edits_.erase(entry->id);
    }
  }
  return variant;
}

void Workbench::restore(const std::vector<VariantDocument>& documents, int active,
                        SharedOwnKernels own_kernels) {
  own_kernels_ =
      own_kernels != nullptr ? std::move(own_kernels) : std::make_shared<const OwnKernels>();
  const bool same_count = documents.size() == variants_.size();
  if (!same_count) drop_requests();
  const std::vector<Variant> old = std::exchange(variants_, {});
  std::vector<int> to_ask;
  for (std::size_t i = 0; i < documents.size() && i < kMostDocumentVariants; ++i) {
    const Variant wanted = variant_of(documents[i]);
    const bool stays = same_count && same_request(old[i], wanted);
    const auto known = std::ranges::find_if(
        old, [&](const Variant& variant) { return same_request(variant, wanted); });
    if (stays) {
      variants_.push_back(with_results_of(old[i], wanted));
      variants_.back().placed = old[i].study_pending;
    } else if (known != old.end() && known->study != nullptr && !known->study_pending &&
               !known->grid_pending && !known->error) {
      variants_.push_back(with_results_of(*known, wanted));
      variants_.back().request = next_request_++;
      variants_.back().measure_pending = false;
      variants_.back().alternatives_asked = known->alternatives != nullptr;
    } else {
      variants_.push_back(wanted);
      // The old picture stays until there is a new one.
      const bool same = i < old.size() && same_file(old[i], wanted);
      if (same) {
        variants_.back().study = old[i].study;
        variants_.back().prepared = old[i].prepared;
        variants_.back().measured = old[i].measured;
      } else {
        live_.clear();
        changes_.clear();
      }
      to_ask.push_back(static_cast<int>(i));
    }
  }
  if (variants_.empty()) variants_.emplace_back();
  active_ = std::clamp(active, 0, static_cast<int>(variants_.size()) - 1);
  for (const int index : to_ask) request_study(index);
}

bool Workbench::may_run(const KernelInstance& instance, const CompiledKernel& compiled) const {
  const auto comes_with_the_program = [&](const CatalogueEntry& entry) {
    return entry.id == instance.id && entry.source == instance.source;
  };
  const IncludedFiles* included = compiled.included.get();
  return std::ranges::any_of(catalogue_.entries, comes_with_the_program) ||
         settings_.trusted->knows(program_text(instance.source, included)) ||
         std::ranges::any_of(variants_, [&](const Variant& v) {
           return v.own && is_with_numbers(instance, v.source(), included, *settings_.trusted);
         });
}

bool Workbench::may_run(const Variant& variant) const {
  if (variant.entry != nullptr && !variant.edited) return true;
  return !variant.has_kernel() ||
         settings_.trusted->knows(program_text(variant.source(), variant.included()));
}

// Where a macro says what is included, what runs is not known byte by byte: that is asked again in
// the next sitting.
void Workbench::allow_gpu() {
  std::set<int> allowed;
  for (const Variant& variant : variants_) {
    if (may_run(variant)) continue;
    allowed.insert(static_cast<int>(&variant - variants_.data()));
    const IncludedFiles* included = variant.included();
    const std::string text = program_text(variant.source(), included);
    if (included == nullptr || included->complete) {
      settings_.trusted->remember(text);
    } else {
      settings_.trusted->add(text);
    }
  }
  if (!settings_.measure) return;
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    const Variant& variant = variants_[static_cast<std::size_t>(i)];
    const bool wanted = !variant.measured && !variant.measure_pending;
    if (wanted || allowed.contains(i)) request_measurement(i);
  }
}

}  // namespace tilescope
