"""What docs/results_page/ makes of recorded runs."""

import copy
import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs"))

from results_page import ladders, recorded, sizes  # noqa: E402

PUBLISHED = json.loads((ROOT / "assets" / "published" / "seeds.json").read_text())
DOCUMENT = json.loads((ROOT / "assets" / "recorded" / "h200.json").read_text())


def a_run(**changed):
    extents = {"M": 512, "N": 512, "K": 512}
    run = {"kernel": "gemm/float4", "parameters": {"BLOCK_X": 16, "BLOCK_Y": 16}, "extents": extents, "cold": True,
           "samples": 20, "seconds": {"median": 1e-3, "p5": 0.9e-3, "p95": 1.1e-3},
           "reference": {"median": 0.5e-3, "p5": 0.5e-3, "p95": 0.5e-3}, "reference_name": "cuBLAS SGEMM, FP32",
           "max_error": 0.0, "tolerance": 1e-4, "flop": 2.0 * 512 ** 3, "bytes": 3e6, "sm_clock_before_hz": 1.98e9,
           "sm_clock_hz": 1.98e9, "relative_error": 0.001}
    return {**run, **changed}


def of(*runs):
    return recorded.Recorded({**DOCUMENT, "runs": list(runs)}, PUBLISHED)


class Numbers(unittest.TestCase):
    def test_have_no_exponent_and_no_false_zero(self):
        self.assertEqual(recorded.plain(12554.3), "12,554")
        self.assertEqual(recorded.plain(0.000123456), "0.0001235")
        self.assertEqual(recorded.plain(0.17039), "0.1704")
        self.assertEqual(recorded.plain(0), "0")
        self.assertEqual(recorded.percent(0.00004), "0.004 %")
        self.assertEqual(recorded.percent(0.4296), "43.0 %")

    def test_changes_are_in_per_cent_of_what_was(self):
        self.assertEqual(recorded.change(100, 6), "−94 %")
        self.assertEqual(recorded.change(2, 5), "+150 %")


class ARun(unittest.TestCase):
    def test_with_few_samples_has_no_percentiles_and_an_unknown_error(self):
        row = sizes.row(of(a_run()), a_run(samples=7, relative_error=1.0))
        self.assertIn("| 7 | 1 | – | unknown |", row)

    def test_with_enough_samples_has_both(self):
        self.assertIn("| 20 | 1 | 0.9 – 1.1 | 0.1 % |", sizes.row(of(a_run()), a_run()))

    def test_whose_samples_were_all_throttled_is_marked(self):
        self.assertEqual(recorded.marks(a_run(throttled_samples=20)), recorded.CAPPED)
        self.assertEqual(recorded.marks(a_run(throttled_samples=53)), "")  # these were left out
        self.assertEqual(recorded.marks(a_run(sm_clock_hz=1.635e9)), recorded.MOVED)

    def test_beside_a_slow_reference_is_marked(self):
        usual = [a_run() for _ in range(5)]
        slow = a_run(reference={"median": 0.6e-3})
        self.assertEqual(of(slow, *usual).of_reference(slow), "60.0 %" + recorded.UNSETTLED)
        self.assertEqual(of(slow, *usual).of_reference(usual[0]), "50.0 %")

    def test_with_a_wrong_result_is_refused(self):
        for error in (2e-4, float("nan")):
            with self.assertRaises(recorded.Contradiction):
                of(a_run(max_error=error))


class ALadder(unittest.TestCase):
    LADDER = {"title": "t", "source": "s", "gpu": "g", "unit": "GFLOP/s", "extents": {"M": 512, "N": 512, "K": 512},
              "steps": [{"name": "one", "kernel": "gemm/float4", "parameters": {}, "value": 10},
                        {"name": "aside", "kernel": "gemm/float4", "parameters": {}},
                        {"name": "two", "kernel": "gemm/float4", "parameters": {"BLOCK_X": 8}, "value": 40},
                        {"name": "best", "kernel": "gemm/float4", "parameters": {"BLOCK_X": 4}, "value": 50,
                         "reference": True}]}

    def rows(self):
        faster = a_run(parameters={"BLOCK_X": 8, "BLOCK_Y": 16}, seconds={"median": 0.5e-3})
        return ladders.Ladder(of(a_run(), faster), self.LADDER).rows()

    def test_a_step_without_a_published_figure_stands_beside_the_order(self):
        one, aside, two, _ = self.rows()
        self.assertEqual((one[2], one[3], one[-1]), ("10", "–", "–"))
        self.assertEqual((aside[2], aside[3], aside[-1]), ("–", "–", "1.00 ×, 1.00 ×"))
        self.assertEqual((two[3], two[-1]), ("4.00 ×, 4.00 ×", "2.00 ×, 2.00 ×"))

    def test_a_reference_is_no_step_and_what_is_not_recorded_says_so(self):
        best = self.rows()[-1]
        self.assertEqual((best[0], best[3], best[4], best[-1]), ("*best*", "–", "not recorded", "–"))


class Sentences(unittest.TestCase):
    def test_are_refused_when_the_runs_say_otherwise(self):
        document = copy.deepcopy(DOCUMENT)
        for run in document["runs"]:
            if run["kernel"] == "gemm/register_buffer":
                run["seconds"]["median"] /= 2
        with self.assertRaises(recorded.Contradiction):
            ladders.ladders(recorded.Recorded(document, PUBLISHED))


if __name__ == "__main__":
    unittest.main()
