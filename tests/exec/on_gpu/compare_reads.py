#!/usr/bin/env python3
"""compare_reads.py GPU EMULATED: how many values of each line of texture_reads differ, and by how much."""
import struct
import sys


def lines(path):
    for line in open(path):
        name, bits = line.split(":")
        yield name, [struct.unpack("!f", bytes.fromhex(word))[0] for word in bits.split()]


for (name, gpu), (_, emulated) in zip(lines(sys.argv[1]), lines(sys.argv[2])):
    apart = [abs(a - b) for a, b in zip(gpu, emulated)]
    print(f"{name:50} {len(gpu)} values, {sum(by > 0 for by in apart)} differ, by {max(apart):.5f}")
