#include "ptx/modifiers.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>

namespace tilescope {
namespace {

// Of wgmma: m64n8k16 ... m64n256k256, which its decoder reads.
constexpr std::string_view kWarpgroupShape = "m64nNkK";

constexpr std::array kWords{
    std::string_view("rn"),
    std::string_view("rz"),
    std::string_view("rm"),
    std::string_view("rp"),
    std::string_view("rna"),
    std::string_view("rni"),
    std::string_view("rzi"),
    std::string_view("rmi"),
    std::string_view("rpi"),
    // arithmetic
    std::string_view("ftz"),
    std::string_view("sat"),
    std::string_view("satfinite"),
    std::string_view("relu"),
    std::string_view("approx"),
    std::string_view("full"),
    std::string_view("NaN"),
    std::string_view("xorsign"),
    std::string_view("abs"),
    std::string_view("noftz"),
    std::string_view("oob"),
    std::string_view("cc"),
    std::string_view("lo"),
    std::string_view("hi"),
    std::string_view("wide"),
    std::string_view("shiftamt"),
    std::string_view("clamp"),
    std::string_view("wrap"),
    // comparison
    std::string_view("eq"),
    std::string_view("ne"),
    std::string_view("lt"),
    std::string_view("le"),
    std::string_view("gt"),
    std::string_view("ge"),
    std::string_view("ls"),
    std::string_view("hs"),
    std::string_view("equ"),
    std::string_view("neu"),
    std::string_view("ltu"),
    std::string_view("leu"),
    std::string_view("gtu"),
    std::string_view("geu"),
    std::string_view("num"),
    std::string_view("nan"),
    std::string_view("and"),
    std::string_view("or"),
    std::string_view("xor"),
    std::string_view("not"),
    // testp
    std::string_view("finite"),
    std::string_view("infinite"),
    std::string_view("number"),
    std::string_view("notanumber"),
    std::string_view("normal"),
    std::string_view("subnormal"),
    // prmt
    std::string_view("f4e"),
    std::string_view("b4e"),
    std::string_view("rc8"),
    std::string_view("ecl"),
    std::string_view("ecr"),
    std::string_view("rc16"),
    // spaces
    std::string_view("global"),
    std::string_view("shared"),
    std::string_view("shared::cta"),
    std::string_view("shared::cluster"),
    std::string_view("local"),
    std::string_view("const"),
    std::string_view("param"),
    std::string_view("param::entry"),
    std::string_view("param::func"),
    // memory
    std::string_view("v2"),
    std::string_view("v4"),
    std::string_view("v8"),
    std::string_view("nc"),
    std::string_view("volatile"),
    std::string_view("weak"),
    std::string_view("relaxed"),
    std::string_view("acquire"),
    std::string_view("release"),
    std::string_view("acq_rel"),
    std::string_view("sc"),
    std::string_view("mmio"),
    std::string_view("cta"),
    std::string_view("cluster"),
    std::string_view("gpu"),
    std::string_view("sys"),
    std::string_view("ca"),
    std::string_view("cg"),
    std::string_view("cs"),
    std::string_view("cv"),
    std::string_view("lu"),
    std::string_view("wb"),
    std::string_view("wt"),
    std::string_view("L1::evict_normal"),
    std::string_view("L1::evict_unchanged"),
    std::string_view("L1::evict_first"),
    std::string_view("L1::evict_last"),
    std::string_view("L1::no_allocate"),
    std::string_view("L2::evict_normal"),
    std::string_view("L2::evict_first"),
    std::string_view("L2::evict_last"),
    std::string_view("L2::cache_hint"),
    std::string_view("L2::64B"),
    std::string_view("L2::128B"),
    std::string_view("L2::256B"),
    std::string_view("unified"),
    std::string_view("L1"),
    std::string_view("L2"),
    std::string_view("to"),
    // atomics
    std::string_view("add"),
    std::string_view("min"),
    std::string_view("max"),
    std::string_view("inc"),
    std::string_view("dec"),
    std::string_view("exch"),
    std::string_view("cas"),
    // control, synchronisation
    std::string_view("uni"),
    std::string_view("sync"),
    std::string_view("aligned"),
    std::string_view("arrive"),
    std::string_view("red"),
    std::string_view("warp"),
    std::string_view("gl"),
    std::string_view("popc"),
    std::string_view("idx"),
    // warp
    std::string_view("up"),
    std::string_view("down"),
    std::string_view("bfly"),
    std::string_view("all"),
    std::string_view("any"),
    std::string_view("ballot"),
    std::string_view("match"),
    // asynchronous copies, mbarrier
    std::string_view("async"),
    std::string_view("commit_group"),
    std::string_view("wait_group"),
    std::string_view("wait_all"),
    std::string_view("bulk"),
    std::string_view("tensor"),
    std::string_view("mbarrier"),
    std::string_view("init"),
    std::string_view("inval"),
    std::string_view("expect_tx"),
    std::string_view("arrive_drop"),
    std::string_view("test_wait"),
    std::string_view("try_wait"),
    std::string_view("parity"),
    std::string_view("noComplete"),
    std::string_view("noinc"),
    std::string_view("complete_tx"),
    std::string_view("pending_count"),
    std::string_view("state"),
    // matrices
    std::string_view("m8n8k4"),
    std::string_view("m8n8k16"),
    std::string_view("m8n8k32"),
    std::string_view("m16n8k4"),
    std::string_view("m16n8k8"),
    std::string_view("m16n8k16"),
    std::string_view("m16n8k32"),
    std::string_view("m8n8"),
    std::string_view("m16n16k16"),
    std::string_view("m32n8k16"),
    std::string_view("m8n32k16"),
    std::string_view("m16n16k8"),
    std::string_view("x1"),
    std::string_view("x2"),
    std::string_view("x4"),
    std::string_view("trans"),
    std::string_view("row"),
    std::string_view("col"),
    std::string_view("load"),
    std::string_view("store"),
    std::string_view("mma"),
    std::string_view("a"),
    std::string_view("b"),
    std::string_view("c"),
    std::string_view("d"),
    std::string_view("proxy"),
    std::string_view("alias"),
    std::string_view("l"),
    std::string_view("r"),
    std::string_view("po"),
    std::string_view("shr7"),
    std::string_view("shr15"),
    std::string_view("wait"),
    std::string_view("launch_dependents"),
    std::string_view("mbarrier_init"),
    std::string_view("async::generic"),
    std::string_view("tensormap::generic"),
    std::string_view("tensormap"),
    std::string_view("mbarrier::complete_tx::bytes"),
    std::string_view("mbarrier::arrive::one"),
    std::string_view("bulk_group"),
    std::string_view("read"),
    std::string_view("multicast::cluster"),
    std::string_view("cp_mask"),
    std::string_view("m8n8k128"),
    std::string_view("m16n8k64"),
    std::string_view("m16n8k128"),
    std::string_view("m16n8k256"),
    std::string_view("kind::f8f6f4"),
    std::string_view("fractional"),
    std::string_view("L2::evict_unchanged"),
    std::string_view("sync_restrict::shared::cta"),
    std::string_view("sync_restrict::shared::cluster"),
    std::string_view("pack"),
    std::string_view("prefetch"),
    kWarpgroupShape,
    std::string_view("fence"),
    std::string_view("mma_async"),
};
static_assert(kWords.size() == static_cast<std::size_t>(Modifier::kCount));

const std::unordered_map<std::string_view, Modifier>& words() {
  static const std::unordered_map<std::string_view, Modifier> map = [] {
    std::unordered_map<std::string_view, Modifier> built;
    for (std::size_t i = 0; i < kWords.size(); ++i) built[kWords[i]] = static_cast<Modifier>(i);
    return built;
  }();
  return map;
}

}  // namespace

std::string_view name_of(Modifier modifier) { return kWords[static_cast<std::size_t>(modifier)]; }

std::optional<Modifier> parse_modifier(std::string_view word) {
  if (word.starts_with("m64n")) word = kWarpgroupShape;
  const auto found = words().find(word);
  if (found == words().end()) return std::nullopt;
  return found->second;
}

std::optional<Modifiers> parse_modifiers(std::string_view suffix, std::string_view* unknown) {
  Modifiers modifiers;
  while (!suffix.empty()) {
    suffix.remove_prefix(1);  // the dot
    const std::size_t end = std::min(suffix.find('.'), suffix.size());
    const std::string_view word = suffix.substr(0, end);
    suffix.remove_prefix(end);
    if (const auto type = parse_data_type(word)) {
      if (modifiers.type_count == modifiers.types.size()) {
        *unknown = word;
        return std::nullopt;
      }
      modifiers.types[modifiers.type_count++] = *type;
    } else if (const auto modifier = parse_modifier(word)) {
      modifiers.set.set(static_cast<std::size_t>(*modifier));
    } else {
      *unknown = word;
      return std::nullopt;
    }
  }
  return modifiers;
}

ModifierSet modifier_set(std::string_view words_text) {
  ModifierSet set;
  while (!words_text.empty()) {
    const std::size_t end = std::min(words_text.find(' '), words_text.size());
    const auto modifier = parse_modifier(words_text.substr(0, end));
    assert(modifier.has_value());
    if (modifier) set.set(static_cast<std::size_t>(*modifier));
    words_text.remove_prefix(std::min(end + 1, words_text.size()));
  }
  return set;
}

}  // namespace tilescope
