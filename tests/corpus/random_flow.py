#!/usr/bin/env python3
"""Writes kernels/random_flow.cu: kernels of random branches and loops, whose lanes part and meet.

    tests/corpus/random_flow.py 24 | clang-format-14 --style=file > kernels/random_flow.cu

Each is made from a number, the seed of its choices, so the file can be made again. A kernel keeps two
words a thread, decides by their bits, and writes them to places of its own.
"""

import random
import sys

HEAD = """// Made by random_flow.py: lanes part by their data, in if, switch, for and while, with break, continue
// and return, and meet again as the compiler has it.
"""


class Kernel:
    def __init__(self, seed):
        self.choices = random.Random(seed)
        self.name = f"flow_{seed}"
        self.loops = 0

    def condition(self):
        c = self.choices
        bit = c.randrange(12)
        return c.choice([
            f"(x >> {bit}) & 1",
            f"((x >> {bit}) & 7) < {c.randrange(1, 8)}",
            f"((x ^ lane) >> {c.randrange(4)}) & 1",
            f"(lane & {c.choice([1, 2, 3, 4, 7, 8, 15, 16, 24])}) == {c.choice([0, 1, 2, 8])}",
            f"x % {c.randrange(2, 9)} == 0",
            f"((y >> {bit}) & 3) != {c.randrange(4)}",
        ])

    def step(self):
        c = self.choices
        place = f"out[{128 * c.randrange(16)} + t]"
        return c.choice([
            f"x = x * {c.randrange(3, 99) | 1}u + {c.randrange(1, 999)};",
            f"y ^= x >> {c.randrange(1, 9)};",
            f"{place} = x;",
            "x += y;",
            f"{place} = y;",
            f"x ^= x << {c.randrange(1, 7)};",
            "y = y * 5 + x;",
            f"{place} ^= x;",
        ])

    def loop(self, letter):
        self.loops += 1
        return f"{letter}{self.loops}"

    def block(self, depth, in_loop, statements=None):
        count = statements or self.choices.choice([1, 1, 2, 2, 3])
        return " ".join(self.statement(depth, in_loop) for _ in range(count))

    def statement(self, depth, in_loop):
        c = self.choices
        kind = c.random()
        if depth <= 0 or kind < 0.25:
            return self.step()
        if kind < 0.5:
            text = f"if ({self.condition()}) {{ {self.step()} {self.block(depth - 1, in_loop)} }}"
            if c.random() < 0.5:
                text += f" else {{ {self.step()} {self.block(depth - 1, in_loop)} }}"
            return text
        if kind < 0.72:
            i = self.loop("i")
            turns = c.choice([str(c.randrange(2, 6)), f"(int)((x >> {c.randrange(8)}) & 7)",
                              f"(int)(lane & {c.choice([3, 7])})", "n"])
            return (f"for (int {i} = 0, end_{i} = {turns}; {i} < end_{i}; ++{i}) "
                    f"{{ {self.step()} {self.block(depth - 1, True)} }}")
        if kind < 0.8 and in_loop:
            return f"if ({self.condition()}) {c.choice(['break', 'continue', 'break'])};"
        if kind < 0.9:
            ways = c.choice([2, 4, 4, 8])
            cases = " ".join(
                f"case {i}: {self.step()} {self.block(depth - 2, False, 1)} "
                f"{'break;' if c.random() < 0.85 else ''}" for i in range(ways))
            return f"switch ((x >> {c.randrange(8)}) & {ways - 1}) {{ {cases} }}"
        if kind < 0.93:
            return f"if ({self.condition()}) {{ {self.step()} return; }}"
        i = self.loop("w")
        return (f"for (int {i} = 0; ({self.condition()}) && {i} < {c.randrange(2, 7)}; ++{i}) "
                f"{{ {self.step()} {self.block(depth - 1, True)} }}")

    def text(self):
        depth = self.choices.choice([2, 3, 3, 4])
        body = " ".join(self.statement(depth, False) for _ in range(self.choices.randrange(2, 5)))
        return (f'extern "C" __global__ void {self.name}(const unsigned* in, unsigned* out, int n) {{\n'
                f"const unsigned lane = threadIdx.x & 31, t = threadIdx.x;\n"
                f"unsigned x = in[t], y = in[t + 128];\n{body}\nout[2048 + t] = x + y;\n}}\n")


print(HEAD + "\n".join(Kernel(seed).text() for seed in range(int((sys.argv + ["24"])[1]))))
