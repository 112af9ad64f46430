#!/usr/bin/env python3
"""Learns from nvdisasm how the instructions of one architecture are written: docs/instruction_forms.md.

    learn.py SM90a sm_90.txt FOLDER...    the cubins below the folders say which instructions there are
"""

import argparse
import collections
import pathlib
import random
import re
import struct
import subprocess
import tempfile

from forms import ALL_BITS, GUARD, SCHEDULING, Form, Hole, NUMBERS, LAST_REGISTER, Table
from forms import bits_at, number_text, shape, tokens, with_bits

PROBED = [bit for bit in range(16, 128) if bit not in SCHEDULING]
NOTHING = 0x000FC00000000000_0000000000007918  # NOP
AT_ONCE = 400  # words that are probed by one nvdisasm
FLAG_ORDER = {"-": 0, "~": 0, "!": 0, "|": 1, ".reuse": 2}  # of flags at one place


class Disassembler:
    def __init__(self, program, architecture):
        self.program, self.architecture = program, architecture

    def texts(self, words):
        """The text of each word at address 16 * its index; None where nvdisasm refuses it."""
        words, refused = list(words), set()
        while words:
            with tempfile.NamedTemporaryFile(suffix=".bin") as file:
                file.write(b"".join(word.to_bytes(16, "little") for word in words))
                file.flush()
                run = subprocess.run([self.program, "-b", self.architecture, file.name], capture_output=True, text=True)
            if run.returncode == 0:
                break
            bad = {int(at, 16) // 16 for at in re.findall(r"at address (0x[0-9a-f]+)", run.stderr)} - refused
            if not bad:
                raise SystemExit(run.stderr[:500])
            refused |= bad
            for i in bad:
                words[i] = NOTHING
        texts = [None] * len(words)
        for line in re.finditer(r"/\*([0-9a-f]{4,})\*/\s+(.*?);", run.stdout if words else ""):
            i = int(line[1], 16) // 16
            if i not in refused:
                texts[i] = re.sub(r"(INF|NAN|-0\.0) (?=,|$)", r"\1", " ".join(line[2].split()))
        return texts


def words_in_flags(short, long):
    """[(place in short, text)] that make `long` of `short`: one run of words, or two bars. None: nothing does."""
    more = len(long) - len(short)
    before, after = [t[:2] for t in short], [t[:2] for t in long]
    at = 0
    while at < len(before) and before[at] == after[at]:
        at += 1
    if before[at:] == after[at + more :] and all(t.kind == "word" for t in long[at : at + more]):
        return [(at, "".join(t.text for t in long[at : at + more]))]
    if more == 2 and after[at][1] == "|":
        end = at
        while end < len(before) and before[end] == after[end + 1]:
            end += 1
        if end > at and after[end + 1][1] == "|" and before[end:] == after[end + 2 :]:
            return [(at, "|"), (end, "|")]
    return None


class Probe:
    """What flipping each bit of a word does to its text. texts: [(text, address)], the first two of the word itself."""

    def __init__(self, word, texts):
        self.word, (text, self.address) = word, texts[0]
        self.tokens = tokens(text)
        self.weights = collections.defaultdict(dict)  # token -> {bit: how much it adds to the value}
        self.numbers = collections.defaultdict(dict)  # token -> {word: text}
        self.flags = {}  # bit -> (written when it is, [(place, text)], whether the word has it)
        again = tokens(texts[1][0])
        self.targets = {i for i, (x, y) in enumerate(zip(self.tokens, again)) if x.text != y.text}
        for bit, (text, address) in zip(PROBED, texts[2:]):
            if text is not None:
                self.take(bit, tokens(text), address)

    def take(self, bit, now, address):
        is_set = self.word >> bit & 1
        if len(now) > len(self.tokens):
            found = words_in_flags(self.tokens, now)
            if found:
                self.flags[bit] = (1 - is_set, found, False)
        elif len(now) < len(self.tokens):
            found = words_in_flags(now, self.tokens)
            if found:
                self.flags[bit] = (is_set, found, True)
        elif shape(now) == shape(self.tokens):
            for i, (x, y) in enumerate(zip(self.tokens, now)):
                if x.kind == "number" and x.text != y.text:
                    self.numbers[i][self.word ^ 1 << bit] = y.text
                elif x.kind in ("register", "integer"):
                    by = y.value - x.value - (address - self.address if i in self.targets else 0)
                    if by:
                        self.weights[i][bit] = -by if is_set else by

    def number_bits(self, token):
        return {(word ^ self.word).bit_length() - 1 for word in self.numbers[token]}

    def value_bits(self):
        bits = {bit for weights in self.weights.values() for bit in weights}
        return sorted(bits.union(*(self.number_bits(i) for i in list(self.numbers))))


def number_hole(samples, bits):
    """The number that `bits` are a part of, as every sample (word: text) says it; None: in no known format."""
    for name, form in NUMBERS.items():
        for first in range(max(0, max(bits) - form.bits + 1), min(bits) + 1):
            run = range(first, first + form.bits)
            if all(number_text(name, bits_at(word, run)) == text for word, text in samples.items()):
                return Hole("number", [(bit, 1) for bit in run], name=name)
    return None


def form_of(first, second):
    """The form of a word by its probe and that of the same word with other values. None: flags overlap."""
    word = first.word
    same = second is not None and shape(second.tokens) == shape(first.tokens)
    probes = [first, second] if same else [first]
    weights = {i: {bit: by for p in probes[::-1] for bit, by in p.weights[i].items()} for i in range(len(first.tokens))}
    taken = {bit for of in weights.values() for bit in of}
    inserted, present, covered = collections.defaultdict(list), {}, set()
    for bit, (when, places, has) in first.flags.items():
        if bit in taken:
            continue
        gone = 0  # tokens of this flag that came before, which the shorter text lacks
        for at, text in places:
            hole = Hole("flag", [(bit, 1)], name=text, when=when)
            if not has:
                inserted[at].append(hole)
                continue
            run = range(at + gone, at + gone + len(tokens(text)))
            if covered.intersection(run):
                return None
            covered.update(run)
            present[run.start] = hole
            gone += len(run)
    parts = []
    for i, token in enumerate(first.tokens):
        parts += sorted(inserted[i], key=lambda hole: FLAG_ORDER.get(hole.name, 3))
        if i in covered:
            parts += [present[i]] if i in present else []
            continue
        bits = sorted(weights[i].items())
        base = token.value - sum(by for bit, by in bits if word >> bit & 1) if bits or i in first.targets else 0
        if i in first.targets:
            parts.append(Hole("target", bits, base - first.address))
        elif bits:
            parts.append(Hole(token.kind, bits, base, token.file))
        elif token.kind == "number" and first.numbers[i]:
            samples = {p.word: p.tokens[i].text for p in probes} | {w: t for p in probes for w, t in p.numbers[i].items()}
            parts.append(number_hole(samples, set().union(*(p.number_bits(i) for p in probes))))
        else:
            parts.append(token.text)
    parts += sorted(inserted[len(first.tokens)], key=lambda hole: FLAG_ORDER.get(hole.name, 3))
    return None if None in parts else Form(word, parts)


def tried_words(form, count):
    """Words of a form: each hole alone at its ends and around powers of two, and all at random. (hole or None, word)"""
    for hole in form.holes():
        bits = hole.own_bits()
        values = {0, 1, (1 << len(bits)) - 1, 1 << len(bits) >> 1, random.getrandbits(len(bits))} if bits else set()
        if hole.kind == "integer":
            values |= {(1 << i) - less for i in range(len(bits)) for less in (0, 1)}
        for value in values:
            yield hole, with_bits(form.word, bits, value)
    for _ in range(count):
        word = form.word
        for hole in form.holes():
            word = with_bits(word, hole.own_bits(), random.getrandbits(len(hole.bits)))
        yield None, word


def unusual_word(form):
    """A word of the form in which each hole may have a value that is often written in another way."""
    word = form.word
    for hole in form.holes():
        bits = hole.own_bits()
        usual = [random.getrandbits(len(bits)), bits_at(word, bits)]
        word = with_bits(word, bits, random.choice([*usual, 0, (1 << len(bits)) - 1, 1 << random.randrange(len(bits))]))
    return word


class Learner:
    def __init__(self, disassembler):
        self.disassembler, self.table = disassembler, Table()

    def probes(self, words):
        texts = self.disassembler.texts([w for word in words for w in (word, word, *(word ^ 1 << b for b in PROBED))])
        step = len(PROBED) + 2
        parts = [[(texts[i], 16 * i) for i in range(at, at + step)] for at in range(0, len(texts), step)]
        return [Probe(word, part) if part[0][0] and part[1][0] else None for word, part in zip(words, parts)]

    def learn(self, words):
        first = self.probes(words)
        bits = [probe.value_bits() if probe else [] for probe in first]
        second = self.probes([with_bits(w, b, random.getrandbits(len(b)) if b else 0) for w, b in zip(words, bits)])
        forms = [form_of(*pair) for pair in zip(first, second) if pair[0]]
        pending = [form for form in forms if form]
        for attempt in range(6):  # the fifth leaves no hole but targets
            wrong = self.wrong_holes(pending, 24 + 16 * attempt)
            for form in pending:
                if form not in wrong:
                    self.table.add(form)
            fixed = [form.frozen(holes_to_fix(form, alone, attempt)) for form, alone in wrong.items()]
            pending = [form for form in fixed if form]

    def wrong_holes(self, forms, count):
        """Forms that write a tried word wrong, with the holes that do so alone. Single values are left out of holes."""
        tried = [(form, hole, word) for form in forms for hole, word in tried_words(form, count)]
        texts = self.disassembler.texts([word for _, _, word in tried])
        wrong, mixed = {}, []
        for i, ((form, hole, word), text) in enumerate(zip(tried, texts)):
            said = form.text(word, 16 * i)
            if text is None or said is None or said == text:
                continue
            if hole is None:
                mixed.append((form, word, 16 * i, text))
            elif hole.kind in ("register", "integer"):
                hole.others.add(hole.value(word))
            else:
                wrong.setdefault(form, set()).add(hole)
        for form, word, address, text in mixed:
            if form.text(word, address) not in (None, text):
                wrong.setdefault(form, set())
        return wrong

    def mend(self, rounds, count):
        """Learns the exceptions of forms; what stays wrong in the last two rounds is left out."""
        for left in reversed(range(rounds)):
            asked = [unusual_word(form) for form in self.table.forms() for _ in range(count)]
            wrong = collections.defaultdict(list)
            for at in range(0, len(asked), 50000):
                part = asked[at : at + 50000]
                for i, (word, text) in enumerate(zip(part, self.disassembler.texts(part))):
                    form = self.table.find(word, 16 * i)
                    if form and text is not None and form.text(word, 16 * i) != text:
                        wrong[form].append(word)
            print(f"{len(asked)} words of {len(self.table.forms())} forms: {sum(map(len, wrong.values()))} are wrong", flush=True)
            if not wrong:
                return
            if left < 2:
                for form in wrong:
                    self.table.remove(form)
            else:
                words = [word for of in wrong.values() for word in of[:4]]
                for at in range(0, len(words), AT_ONCE):
                    self.learn(words[at : at + AT_ONCE])


def holes_to_fix(form, alone, attempt):
    """What a form that is wrong fixes next: holes that are wrong alone, else more with each attempt."""
    flags = [hole for hole in form.holes() if hole.kind == "flag"]
    if alone:
        bits = {hole.bits[0] for hole in alone}
        return [hole for hole in form.holes() if hole in alone or (hole.kind == "flag" and hole.bits[0] in bits)]
    last = {hole: LAST_REGISTER.get(hole.name, (0, ""))[0] for hole in form.holes() if hole.kind in ("register", "integer")}
    special = [hole for hole, value in last.items() if hole.value(form.word) == value]
    of_name = [hole for hole in flags if hole.name not in FLAG_ORDER]
    signs = [hole for hole in flags if hole.name != ".reuse"]
    steps = [of_name, of_name + special, signs + special, flags + special, form.holes()]
    return next((step for step in steps[attempt:] if step), form.holes())


def words_of(folders, disassembler):
    """The instructions of all cubins, guarded by PT, with their texts: {word: (text, address)}."""
    free = sum(1 << bit for bit in (*SCHEDULING, *GUARD))
    words = {}
    for path in sorted(path for folder in folders for path in pathlib.Path(folder).rglob("*") if path.is_file()):
        data = path.read_bytes()
        if data[:4] != b"\x7fELF":
            continue
        (start,), (count, names) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<HH", data, 60)
        headers = [struct.unpack_from("<IIQQQQ", data, start + 64 * i) for i in range(count)]
        for header in headers:
            if data[headers[names][4] + header[0] :].startswith(b".text."):
                code = data[header[4] : header[4] + header[5]]
                for at in range(0, len(code), 16):
                    word = int.from_bytes(code[at : at + 16], "little")
                    words.setdefault(word & ~free & ALL_BITS, word & ~(0xF << 12) | 7 << 12)
    found = list(words.values())
    random.shuffle(found)
    texts = {}
    for at in range(0, len(found), 100000):
        part = found[at : at + 100000]
        texts |= {w: (t, 16 * i) for i, (w, t) in enumerate(zip(part, disassembler.texts(part))) if t}
    return texts


def table_text(forms, disassembler):
    guarded = disassembler.texts([form.word & ~(0xF << 12) for form in forms])
    lines = set()
    for form, text in zip(forms, guarded):
        guard = re.match(r"@(U?P)0 ", text or "")
        lines.add("%032x %s %s" % (form.value, guard[1] if guard else "P", form.in_table()))
    return "".join(line + "\n" for line in sorted(lines, key=lambda line: (line[29:32], line)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("architecture", help="as nvdisasm's -b names it: SM90a")
    parser.add_argument("table", type=pathlib.Path, help="the file that is written")
    parser.add_argument("folders", nargs="+", help="cubins are looked for below these")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    parser.add_argument("--tries", type=int, default=200, help="unusual words of each form in the last check")
    options = parser.parse_args()
    random.seed(1)
    if int(re.search(r"\d+", options.architecture)[0]) >= 100:  # Blackwell has more uniform registers
        LAST_REGISTER["UR"] = (255, "Z")
    learner = Learner(Disassembler(options.nvdisasm, options.architecture))
    texts = words_of(options.folders, learner.disassembler)
    print(f"{len(texts)} instructions", flush=True)
    by_opcode = collections.defaultdict(list)
    for word in texts:
        by_opcode[word & 0xFFF].append(word)
    given_up = set()
    while True:
        batch = {}
        for opcode, words in by_opcode.items():
            later = []
            for _ in range(min(len(words), 1500)):
                word = words.pop()
                text, address = texts[word]
                if learner.table.text(word, address) == text or word in given_up:
                    continue
                kind = (opcode, tuple(t.text if t.kind == "word" or t.text in ("RZ", "PT", "0x0") else t.file for t in tokens(text)))
                if kind in batch:
                    later.append(word)
                batch.setdefault(kind, word)
            words += later
        if not batch and not any(by_opcode.values()):
            break
        words = list(batch.values())
        random.shuffle(words)
        for word in words[AT_ONCE:]:
            by_opcode[word & 0xFFF].append(word)
        learner.learn(words[:AT_ONCE])
        given_up |= {word for word in words[:AT_ONCE] if learner.table.text(word, texts[word][1]) != texts[word][0]}
        left = sum(map(len, by_opcode.values()))
        print(f"{len(learner.table.forms())} forms, {left} instructions left, {len(given_up)} in no form", flush=True)
    learner.mend(9, options.tries)
    options.table.write_text(table_text(learner.table.forms(), learner.disassembler))


if __name__ == "__main__":
    main()
