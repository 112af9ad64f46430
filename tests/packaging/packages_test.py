"""How packages are made: linking against an older C library, what is checked of a tree, the wheel."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
OLDEST = "2.28"

# Uses what changed its version since then, constructors and exceptions among them.
PROGRAM = """
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <random>
#include <thread>
struct Before { int value = 0; Before() : value(7) {} };
Before before;
int main() {
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  const auto begin = std::chrono::steady_clock::now();
  condition.wait_for(lock, std::chrono::milliseconds(20));
  const bool waited = std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(20);
  int caught = 0;
  std::thread([&caught] { try { throw 5; } catch (int each) { caught = each; } }).join();
  const bool random = std::random_device()() != std::random_device()();
  std::printf("%d %d %d %d %d\\n", before.value, caught, waited, random,
              std::filesystem::is_directory("/"));
}
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Packages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, tree):
        return subprocess.run([sys.executable, SOURCE / "packaging/check_tree.py", tree, OLDEST],
                              capture_output=True, text=True)

    @unittest.skipUnless(shutil.which("g++"), "g++ is not installed")
    def test_a_program_linked_for_an_older_library_needs_no_newer_one(self):
        run(sys.executable, SOURCE / "third_party/old_glibc.py", OLDEST, self.folder / "old", "gcc")
        source, added = self.folder / "program.cpp", self.folder / "old_glibc.o"
        source.write_text(PROGRAM)
        run("gcc", "-O1", "-fPIC", "-Wall", "-Wextra", "-Werror", "-DTILESCOPE_OLD_GLIBC_START",
            "-c", SOURCE / "third_party/old_glibc.c", "-o", added)
        tree = self.folder / "tree"
        (tree / "bin").mkdir(parents=True)
        program = tree / "bin/program"
        run("g++", "-std=c++20", source, added, "-o", program, "-static-libstdc++",
            "-static-libgcc", f"-L{self.folder / 'old'}", "-Wl,--no-as-needed",
            "-l:libpthread.so.0", "-l:libdl.so.2")
        self.assertEqual(run(program), "7 5 1 1 1\n")
        self.assertEqual(self.check(tree).stderr, "")

        run("g++", "-std=c++20", source, "-o", program)  # as usual: libstdc++.so.6 is no part of glibc
        self.assertIn("bin/program needs libstdc++.so.6", self.check(tree).stderr)

    def test_the_wheel_is_what_pip_installs(self):
        tree = self.folder / "tree"
        for name in ("bin/tilescope", "lib/tilescope/kernels/one.cu", "share/man/man1/tilescope.1"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text("#!/bin/sh\necho started \"$@\"\n")
        first = run(sys.executable, SOURCE / "packaging/wheel.py", tree, "1.2.3", OLDEST,
                    self.folder).strip()
        self.assertIn("tilescope-1.2.3-py3-none-manylinux_2_28_", first)
        bytes_before = pathlib.Path(first).read_bytes()
        run(sys.executable, SOURCE / "packaging/wheel.py", tree, "1.2.3", OLDEST, self.folder)
        self.assertEqual(pathlib.Path(first).read_bytes(), bytes_before)
        with zipfile.ZipFile(first) as wheel:
            self.assertTrue(wheel.getinfo("tilescope/bin/tilescope").external_attr >> 16 & 0o100)
            metadata = wheel.read("tilescope-1.2.3.dist-info/METADATA").decode()
        self.assertIn('Requires-Dist: nvidia-cuda-nvrtc==13.0.*; extra == "cuda"', metadata)

        environment = self.folder / "environment"
        if subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], capture_output=True).returncode:
            self.skipTest("environments cannot be made here (python3-venv)")
        run(sys.executable, "-m", "pip", "--python", environment / "bin/python",
            "--disable-pip-version-check", "install", "--no-index", "--no-deps", first)
        self.assertEqual(run(environment / "bin/tilescope", "a b"), "started a b\n")
        self.assertTrue((environment / "share/man/man1/tilescope.1").is_file())


if __name__ == "__main__":
    unittest.main()
