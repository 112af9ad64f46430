"""The package tilescope without any framework: a kernel of PTX is launched on arrays of this process.
TILESCOPE names the program."""

import ctypes
import json
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import tilescope  # noqa: E402
from tilescope import _program  # noqa: E402
from tilescope._arrays import Arrays, _arrays_named_in  # noqa: E402
from tilescope._device import Device  # noqa: E402
from tilescope._ptx import with_names  # noqa: E402

# out[i] = 2 in[i] for i < n
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 twice_param_0, .param .u64 twice_param_1, .param .u32 twice_param_2)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [twice_param_0];
  ld.param.u64 %rd2, [twice_param_1];
  ld.param.u32 %r1, [twice_param_2];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mad.lo.s32 %r4, %r3, 64, %r2;
  setp.ge.s32 %p1, %r4, %r1;
  @%p1 ret;
  mul.wide.s32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd5], %f2;
  ret;
}
"""
COUNT = 200


class Array:
    """Floats, as a framework's array shows them: their address is a multiple of 64, as torch's."""

    def __init__(self, values):
        self.memory = ctypes.create_string_buffer(4 * len(values) + 64)
        place = -ctypes.addressof(self.memory) % 64
        self.values = (ctypes.c_float * len(values)).from_buffer(self.memory, place)
        self.values[:] = values

    def data_ptr(self):
        return ctypes.addressof(self.values)

    def numel(self):
        return len(self.values)

    def element_size(self):
        return 4


def launch(source, target, count):
    """Of four blocks of 64 threads."""
    device = Device.get()
    device.use()
    names = ["in", "out", "n"]
    function = device.function(device.load(with_names(PTX, "twice", names).encode()), "twice")
    device.describe(function, "BLOCK=64", list(zip(names, ["f32", "f32", "=i32"])))
    arrays = Arrays(device)
    addresses = [arrays.lend(array).to_bytes(8, "little") for array in (source, target)]
    try:
        device.launch(function, (4, 1, 1), (64, 1, 1), 0, [*addresses, count.to_bytes(4, "little")])
    finally:
        arrays.take_back()


class CaptureTest(unittest.TestCase):
    def test_a_kernel_writes_arrays_of_this_process(self):
        source, target = Array(range(COUNT)), Array([0.0] * COUNT)
        with tilescope.capture() as c:
            launch(source, target, COUNT)
        self.assertEqual(list(target.values), [2.0 * i for i in range(COUNT)])
        (only,) = c.launches
        self.assertEqual((only.kernel, only.variant, only.grid), ("twice", "BLOCK=64", (4, 1, 1)))
        self.assertEqual(only.counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], 25)
        self.assertEqual([each["name"] for each in only.arguments], ["in", "out", "n"])
        self.assertEqual(only.findings, [])

    def test_counters_are_those_of_trace(self):
        source, target = Array(range(COUNT)), Array([0.0] * COUNT)
        with tilescope.capture() as c:
            launch(source, target, COUNT)
        ptx = c.folder / "twice.ptx"
        ptx.write_text(c.launches[0].ptx)
        words = ["trace", ptx, "--kernel", "twice", "--grid", "4", "--block", "64", "--json"]
        words += ["--arg", f"f32[{COUNT}]=iota", "--arg", f"f32[{COUNT}]=zero"]
        report = json.loads(_program.run(*words, "--arg", f"i32:{COUNT}"))
        self.assertEqual(c.launches[0].counters, report.get("as_written", report)["metrics"])

    def test_each_array_has_bounds_of_its_own(self):
        source, target = Array(range(COUNT)), Array([0.0] * (COUNT - 1))
        with tilescope.capture() as c:
            launch(source, target, COUNT)
        (finding,) = c.launches[0].findings
        self.assertEqual(finding["kind"], "out_of_bounds")
        self.assertIn("out[199]", finding["message"])

    def test_a_kernel_that_fails_says_why_and_ends_no_session(self):
        class Gone(Array):
            def data_ptr(self):
                return 0

        source, target = Array(range(COUNT)), Array([0.0] * COUNT)
        with self.assertRaisesRegex(tilescope.TilescopeError, "illegal memory access") as caught:
            with tilescope.capture():
                launch(Gone([]), target, COUNT)
        if sys.version_info >= (3, 11):
            self.assertIn("null pointer", "".join(caught.exception.__notes__))
        with tilescope.capture() as c:
            launch(source, target, COUNT)
        self.assertEqual((target.values[7], c.launches[0].findings), (14.0, []))

    def test_a_view_is_a_picture_that_a_notebook_shows(self):
        with tilescope.capture() as c:
            launch(Array(range(COUNT)), Array([0.0] * COUNT), COUNT)
        picture = c.launches[0].view("coalescing")
        self.assertTrue(picture._repr_svg_().lstrip().startswith("<svg"))
        self.assertIn("Coalesced", picture.svg)
        self.assertIn("twice", c._repr_html_())
        with self.assertRaisesRegex(tilescope.TilescopeError, "view"):
            c.launches[0].view("nothing")

    def test_captures_are_apart(self):
        launches = []
        for _ in range(2):  # the second does what the first did, and is counted all the same
            with tilescope.capture() as c:
                launch(Array([1.0] * COUNT), Array([0.0] * COUNT), COUNT)
            launches.append(c.launches)
        self.assertEqual([len(each) for each in launches], [1, 1])
        self.assertEqual(launches[0][0].counters, launches[1][0].counters)

    def test_the_libraries_of_two_versions_of_cuda_have_one_device(self):
        with tilescope.capture():
            pass
        for name in ("libcudart.so.12", "libcudart.so.13"):
            count = ctypes.c_int()
            self.assertEqual(ctypes.CDLL(name).cudaGetDeviceCount(ctypes.byref(count)), 0)
            self.assertEqual(count.value, 1)

    def test_a_capture_in_a_capture_is_refused(self):
        with tilescope.capture() as c:
            with self.assertRaisesRegex(tilescope.TilescopeError, "nested"):
                tilescope.capture().__enter__()
            with self.assertRaisesRegex(tilescope.TilescopeError, "has ended"):
                _ = c.launches
        with self.assertRaisesRegex(tilescope.TilescopeError, "nothing was launched"):
            c.open()

    def test_capture_runs_a_whole_program(self):
        script = (
            "import capture_test as t\n"
            "source, target = t.Array(range(t.COUNT)), t.Array([0.0] * t.COUNT)\n"
            "t.launch(source, target, t.COUNT)\n"
            "with t.tilescope.capture() as c:\n"
            "    t.launch(source, target, t.COUNT)\n"
            "print(target.values[3], len(c.launches))\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            words = [_program.program(), "capture", "--emulate", "--json", "-o", report]
            done = subprocess.run(
                [*words, sys.executable, "--", "-c", script],
                capture_output=True, text=True, check=False, cwd=Path(__file__).parent,
            )  # fmt: skip
            self.assertEqual(done.stdout, "6.0 1\n", done.stderr)
            rows = json.loads(report.read_text())["launches"]
        # What a capture has taken is here, too.
        self.assertEqual([row["variant"] for row in rows], ["BLOCK=64", "BLOCK=64"])

    def test_torch_finds_the_stand_in_for_cublas(self):
        with tempfile.TemporaryDirectory() as folder:
            # Its own search path, in the real torch, comes before LD_LIBRARY_PATH.
            wanted = str(_program.libraries() / "libcublas.so.13")
            (Path(folder) / "torch.py").write_text(
                f"print(any({wanted!r} in each for each in open('/proc/self/maps')))\n"
            )
            done = subprocess.run(
                [_program.program(), "capture", "--emulate", sys.executable, "--", "-c", "import torch"],
                capture_output=True, text=True, check=False, cwd=folder,
            )  # fmt: skip
        self.assertEqual(done.stdout, "True\n", done.stderr)


class NamedArraysTest(unittest.TestCase):
    def test_an_address_may_be_below_4_gib(self):
        class Tensor:
            dtype = "int64"

            def __init__(self, address, *values):
                self.data_ptr = lambda: address
                self.numel = lambda: len(values)
                self.flatten = lambda: self
                self.tolist = lambda: list(values)

        torch = types.SimpleNamespace(Tensor=Tensor, int64="int64", uint64="uint64")
        low, high, other = Tensor(0x2F4C5C40), Tensor(0x55550000C0C0), Tensor(0x2F4C6000)
        addresses = Tensor(0x2F4C7000, 0x2F4C5C40, 0x55550000C0C0, 3)
        with unittest.mock.patch.dict(sys.modules, {"torch": torch}):
            found = _arrays_named_in(addresses)
        self.assertCountEqual(found, [low, high])
        self.assertNotIn(other, found)


class PtxTest(unittest.TestCase):
    def test_parameters_get_the_names_of_python(self):
        ptx = with_names(PTX, "twice", ["in", "a.b", "n"])
        self.assertIn("[twice_in]", ptx)
        self.assertIn("[twice_param_1]", ptx)  # no name in PTX
        self.assertIn(".param .u32 twice_n)", ptx)

    def test_a_line_of_python_is_behind_its_loc(self):
        here = f'.file 1 "{__file__}"\n.loc 1 1 0 // old\nret;\n.loc\t1 1 5\n.loc 1 2 0\n'
        first, second = Path(__file__).read_text().splitlines()[:2]
        self.assertEqual(
            with_names(here, "none", []),
            f'.file 1 "{__file__}"\n.loc 1 1 0  // capture_test.py:1: {first}\nret;\n.loc\t1 1 5\n'
            f".loc 1 2 0  // capture_test.py:2: {second}\n",
        )

    def test_a_file_that_is_gone_is_the_one_that_there_is_now(self):
        gone = '.file 1 "/gone/cell.py"\n.loc 1 1 0\n'
        first = Path(__file__).read_text().splitlines()[0]
        self.assertEqual(
            with_names(gone, "none", [], __file__),
            f'.file 1 "{__file__}"\n.loc 1 1 0  // capture_test.py:1: {first}\n',
        )


if __name__ == "__main__":
    unittest.main()
