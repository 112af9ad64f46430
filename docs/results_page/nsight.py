"""What the documents read in Nsight Compute, beside the counters recorded here."""

from .recorded import change, holds, milliseconds, percent, plain, times

STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
ISSUE = "smsp__issue_active.avg.pct_of_peak_sustained_active"
FMA = "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active"
WARPS = "sm__warps_active.avg.pct_of_peak_sustained_active"
SM = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
SHORT_NAMES = {"smsp__inst_executed_op_global_ld.sum": "LDG instructions",
               "smsp__inst_executed_op_shared_st.sum": "STS instructions",
               "smsp__inst_executed_op_shared_ld.sum": "LDS instructions",
               "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "conflicts of shared stores",
               "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": "conflicts of shared loads",
               WARPS: "warps resident, %", FMA: "FMA pipe, %", SM: "SM throughput, %",
               STALL.format("wait"): "wait, cycles an instruction",
               STALL.format("dispatch_stall"): "dispatch stall, cycles an instruction",
               STALL.format("lg_throttle"): "LG throttle, cycles an instruction",
               STALL.format("short_scoreboard"): "short scoreboard, cycles an instruction",
               STALL.format("long_scoreboard"): "long scoreboard, cycles an instruction"}


def efficiency(run, direction):
    """Bytes that the lanes wanted, of those in the sectors that were moved."""
    wanted = run["extents"]["ROWS"] * run["extents"]["COLS"] * 4
    return wanted / (32 * run["counters"][f"l1tex__t_sectors_pipe_lsu_mem_global_op_{direction}.sum"])


def amount(value):
    """A count or a ratio; what is below a thousandth is none."""
    return plain(value, 4) if value >= 0.001 else "0"


def side(recorded, claim, which):
    """The run that stands before or after the claimed step; None where its counters were not read."""
    return recorded.counted(claim[which], claim.get(f"{which}_parameters"))


def counters(recorded, claim, which):
    """Of the run on that side, or of the library's kernels beside it."""
    run = side(recorded, claim, which)
    return (run or {}).get("reference_counters" if claim.get(f"{which}_is_reference") else "counters")


def measured(recorded, claim):
    """What was counted here, and its change."""
    counter = claim["counter"]
    if counter in ("load efficiency", "store efficiency"):
        run = side(recorded, claim, "after")
        return f"{counter} {percent(efficiency(run, 'ld' if counter.startswith('load') else 'st'))}", "–"
    sides = [counters(recorded, claim, which) for which in ("before", "after")]
    values = [read.get(counter) if read else None for read in sides]
    shown = " → ".join("not recorded" if value is None else amount(value) for value in values)
    known = None not in values and amount(values[0]) != "0"
    return f"{SHORT_NAMES[counter]}: {shown}", change(*values) if known else "–"


def nsight_table(recorded):
    lines = ["| document | step | published | here, as recorded | change |",
             "| --- | --- | --- | --- | ---: |"]
    for claim in recorded.published["counters"]:
        here, moved = measured(recorded, claim)
        lines.append(f"| {claim['source']} | {claim['step']} | {claim['claim']} | {here} | {moved} |")
    return lines


class Pair:
    """Counters of two kernels beside one another."""

    def __init__(self, recorded, before, after):
        self.runs = [recorded.counted(f"gemm/{name}") for name in (before, after)]

    def __call__(self, counter):
        return tuple(run["counters"][counter] for run in self.runs)

    def gain(self):
        before, after = (run["seconds"]["median"] for run in self.runs)
        return before / after

    def words(self, counter, unit=""):
        before, after = self(counter)
        return f"{plain(before, 3)} → {plain(after, 3)}{unit}"


def about_float4(pair):
    before, after = pair("smsp__inst_executed_op_global_ld.sum")
    return holds(
        before == 16 * after and pair(STALL.format("lg_throttle"))[1] < 0.001,
        "**float4.** The document's kernel reads a float4 of B and four single floats of A in each step of k, 5 loads "
        "for 32 of the naive one: −84 %. gemm/float4 reads A as float4s too, 8 loads in four steps of k: a sixteenth. "
        "What is left no longer fills the queue to global memory. The counters of gemm/naive are those of its default "
        "block, 32×8 with the lanes along a row; it executes the same loads in any block of whole warps.")


def about_shared(pair):
    instructions = pair("smsp__inst_executed.sum")
    issue, warps = pair(ISSUE), pair(WARPS)
    return holds(
        pair.gain() < 1.5 and instructions[1] < instructions[0] and issue[1] < issue[0] and warps[1] < warps[0] and
        pair(SM)[1] < pair(SM)[0],
        f"**Shared memory** gains {times(pair.gain())} here and 5.17 × there. The loads from global memory go as "
        "published, but here they were not what the kernel before waited for alone: "
        f"{plain(pair('l1tex__t_sector_hit_rate.pct')[0], 2)} % of its sectors are found in L1 and "
        f"{plain(pair('lts__t_sector_hit_rate.pct')[0], 2)} % of what reaches the L2 there. The new kernel executes "
        f"{change(*instructions)[1:]} fewer instructions, and issues in fewer cycles ({pair.words(ISSUE, ' %')}; FMA pipe "
        f"{pair.words(FMA, ' %')}), because its 169 registers a thread leave room for one block of 256 threads on an SM "
        f"(warps resident {pair.words(WARPS, ' %')}). So SM throughput, that of the SM's busiest part, falls "
        f"({pair.words(SM, ' %')}) where the document saw it grow.")


def about_transposed(pair):
    warps, stores = pair(WARPS), pair("smsp__inst_executed_op_shared_st.sum")
    return holds(
        warps[1] > 1.8 * warps[0] and stores[1] > stores[0],
        f"**A transposed** gains {times(pair.gain())} here and 1.01 × there, for the reason that the document gives: "
        "registers. Here ptxas takes 169 before and 127 after (`tilescope trace`, sm_90), so that two blocks are "
        f"resident and not one; 128 and 111 changed the occupancy there by 1.3 %. The stores and their conflicts come "
        "as published, and cost less than the second block brings.")


def about_register_buffer(pair):
    same = all(before == after for before, after in (
        pair("smsp__inst_executed.sum"), pair("smsp__inst_executed_op_shared_ld.sum"),
        pair("smsp__inst_executed_op_shared_st.sum")))
    before, after = pair(STALL.format("short_scoreboard"))
    return holds(
        same and 0.9 < after / before < 1 and abs(pair.gain() - 1) < 0.02,
        f"**The register double buffer** brings {times(pair.gain())} here and 1.04 × there: the order of these two steps "
        "does not come out. Both kernels execute exactly as many instructions "
        f"({pair('smsp__inst_executed.sum')[0]:,.0f}), shared loads and shared stores, hold 127 registers a thread and "
        f"issue in as many cycles ({pair.words(ISSUE, ' %')}). Short scoreboard falls by {change(before, after)[1:]} "
        "and not by 67 %, for it is low before: in the machine code of the kernel *without* the buffer ptxas has already "
        "put the loads of the next step of k among the multiply-adds of this one. What the source asks for is done "
        "either way, and the step is empty on sm_90.")


def about_prefetch(pair):
    before, after = pair(STALL.format("long_scoreboard"))
    return holds(
        after < 0.1 * before and pair.gain() > 1.05,
        f"**Global prefetch** takes away what was left of the waits for global memory, {plain(before, 3)} → "
        f"{plain(after, 2)} cycles an instruction, more than published, and gains {times(pair.gain())} (there 1.08 ×).")


def about_transposes(recorded):
    tiled = recorded.find("transpose/tiled", {"PAD": 0}, {"ROWS": 4096, "COLS": 4096})
    padded = recorded.find("transpose/tiled", {"PAD": 1}, {"ROWS": 4096, "COLS": 4096})
    ratio = tiled["seconds"]["median"] / padded["seconds"]["median"]
    return holds(
        ratio > 1.5,
        "**Transposes.** The efficiencies come out to the digit. Document 004 found the removal of the bank conflicts "
        "marginal at 4096, where partition camping hid it; without camping it shows there too: "
        f"{milliseconds(tiled['seconds']['median'])} → {milliseconds(padded['seconds']['median'])} ms, {times(ratio)}. "
        "The padded kernel's conflicts are none of its addresses': emulated it has 0, and what the hardware counts "
        "changes from one reading to the next (*contended*, [accuracy](accuracy.md)).")


def about_cublas(recorded):
    run = recorded.counted("gemm/prefetch")
    ours, theirs = run["counters"], run["reference_counters"]

    wait, dispatch, asynchronous = STALL.format("wait"), STALL.format("dispatch_stall"), "smsp__inst_executed_op_ldgsts.sum"
    return holds(
        theirs[wait] < ours[wait] and theirs[dispatch] < ours[dispatch] and ours[asynchronous] == 0 and
        theirs[asynchronous] > 100 * theirs["smsp__inst_executed_op_global_ld.sum"] and
        theirs["smsp__inst_executed.sum"] < ours["smsp__inst_executed.sum"],
        "**cuBLAS.** The document's kernel was 13 % faster than its cuBLAS, and it names what that one did worse: more "
        "LDG and STS, and for them more waits to issue. Today's cuBLAS brings its tiles by cp.async "
        f"({theirs[asynchronous]:,.0f} LDGSTS; gemm/prefetch has none), so that LDG and STS are all but gone, and with "
        "them what was worse. Beside gemm/prefetch it issues in more cycles "
        f"({plain(ours[ISSUE], 3)} → {plain(theirs[ISSUE], 3)} %; FMA pipe {plain(ours[FMA], 3)} → {plain(theirs[FMA], 3)} %) "
        f"with half the warps resident ({plain(ours[WARPS], 3)} → {plain(theirs[WARPS], 3)} %) and executes "
        f"{change(ours['smsp__inst_executed.sum'], theirs['smsp__inst_executed.sum'])[1:]} fewer instructions: "
        f"gemm/prefetch reaches {recorded.of_reference(run)} of it. gemm/register_tile, which brings its tiles by cp.async "
        "too, comes closest (*Beside the libraries*).")


def about_the_rest(recorded):
    beyond = sorted({r["kernel"] for r in recorded.cold if r.get("counters")
                     and r["parameters"] != recorded.kernels[r["kernel"]]["defaults"]})
    read = f"at default parameters, and at others of {', '.join(beyond)}" if beyond else "at default parameters only"
    return (f"**Where counters were read:** {read}; the rest is to be had emulated, by `tilescope trace`. "
            "`tilescope run --counters` reads them of a kernel and of its reference.")


def nsight(recorded):
    steps = ["naive", "float4", "thread_tile", "shared_thread_tile", "transposed_a", "register_buffer", "prefetch"]
    pairs = {after: Pair(recorded, before, after) for before, after in zip(steps, steps[1:])}
    words = [about_float4(pairs["float4"]), about_shared(pairs["shared_thread_tile"]),
             about_transposed(pairs["transposed_a"]), about_register_buffer(pairs["register_buffer"]),
             about_prefetch(pairs["prefetch"]), about_cublas(recorded), about_transposes(recorded),
             about_the_rest(recorded)]
    out = ["### What the documents saw in Nsight, and here", "",
           "The counters were read through CUPTI in launches of their own, at the kernels' default sizes.",
           ""] + nsight_table(recorded) + [""]
    for paragraph in words:
        out += [paragraph, ""]
    return out
