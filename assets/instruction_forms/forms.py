"""The forms of instructions that a table holds: their text with holes, and how a line of the table says it."""

import collections
import re
import struct

SCHEDULING = range(105, 122)  # bits that are never printed
GUARD = range(12, 16)  # a predicate and whether it is negated: printed before any form
ALL_BITS = (1 << 128) - 1

TOKEN = re.compile(
    r"""(?P<register>\b(?P<file>UR|R|UP|P|SB|B)(?P<index>\d+|Z\b|T\b))
      |(?P<modifier>\.[A-Za-z_0-9]+)
      |(?P<integer>-?0x[0-9a-f]+)
      |(?P<number>[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?\b|INF\b|QNAN\b|SNAN\b))
      |(?P<word>[A-Za-z_]\w*) | \s+ | .""",
    re.X,
)
LAST_REGISTER = {"R": (255, "Z"), "UR": (63, "Z"), "P": (7, "T"), "UP": (7, "T")}

Token = collections.namedtuple("Token", "kind text file value")


def tokens(text):
    found = []
    for match in TOKEN.finditer(text):
        file, index = match["file"], match["index"]
        if match["register"] and (index.isdigit() or file in LAST_REGISTER):
            value = int(index) if index.isdigit() else LAST_REGISTER[file][0]
            found.append(Token("register", match[0], file, value))
        elif match["integer"]:
            found.append(Token("integer", match[0], "", int(match[0], 16)))
        elif match["number"]:
            found.append(Token("number", match[0], "", match[0]))
        else:
            found.append(Token("word", match[0], "", None))
    return found


def shape(of):
    """What two texts of one form have in common: their words, and what kind of value stands where."""
    return tuple((t.kind, t.text if t.kind == "word" else t.file) for t in of)


def bits_at(word, bits):
    return sum((word >> bit & 1) << i for i, bit in enumerate(bits))


def with_bits(word, bits, value):
    for i, bit in enumerate(bits):
        word = word & ~(1 << bit) | (value >> i & 1) << bit
    return word


# Of a format: bits that an instruction has, of the exponent, of the fraction, and what to add below them.
NumberFormat = collections.namedtuple("NumberFormat", "bits exponent fraction shift code")
NUMBERS = {
    "single": NumberFormat(32, 8, 23, 0, "<If"),
    "half": NumberFormat(16, 5, 10, 0, "<He"),
    "bfloat": NumberFormat(16, 8, 23, 16, "<If"),
    "double": NumberFormat(32, 11, 52, 32, "<Qd"),
}


def number_text(name, bits):
    form = NUMBERS[name]
    raw = bits << form.shift
    order, stored, shown = form.code
    value = struct.unpack(order + shown, struct.pack(order + stored, raw))[0]
    sign = "-" if raw >> (form.exponent + form.fraction) else "+"
    if raw >> form.fraction & (1 << form.exponent) - 1 == (1 << form.exponent) - 1:
        rest = raw & (1 << form.fraction) - 1
        return sign + ("INF" if rest == 0 else "QNAN" if rest >> (form.fraction - 1) else "SNAN")
    if value == 0:
        return "-0.0" if sign == "-" else "0"
    return "%.20e" % value if abs(value) >= 1e9 else "%.20g" % value


class Hole:
    """kind: register, integer, target (an address), number, flag. bits: [(bit, weight)], the lowest first."""

    def __init__(self, kind, bits, base=0, name="", when=1):
        self.kind, self.bits, self.base, self.name, self.when = kind, bits, base, name, when
        self.others = set()  # values that are written in another way

    def own_bits(self):
        return [bit for bit, _ in self.bits]

    def value(self, word):
        return self.base + sum(weight for bit, weight in self.bits if word >> bit & 1)

    def text(self, word, address):
        """None: the value is written in another way."""
        if self.kind == "flag":
            return self.name if (word >> self.bits[0][0] & 1) == self.when else ""
        if self.kind == "number":
            return number_text(self.name, bits_at(word, self.own_bits()))
        value = self.value(word)
        if value in self.others:
            return None
        if self.kind == "register":
            last, letter = LAST_REGISTER.get(self.name, (None, ""))
            return self.name + (letter if value == last else str(value))
        value += address if self.kind == "target" else 0
        return ("-" if value < 0 else "") + hex(abs(value))

    def in_table(self):
        if self.kind == "flag":
            return "<%d%s%s>" % (self.bits[0][0], "?" if self.when else "!", self.name)
        if self.kind == "number":
            return "<%s:%d>" % (self.name, self.bits[0][0])
        weights = [weight for _, weight in self.bits]
        inverted = self.base > 0 and self.base == -sum(weights) and max(weights) < 0
        bits = [(bit, -weight) for bit, weight in self.bits] if inverted else self.bits
        base = 0 if inverted else self.base
        return "<%s:%s%s%s%s>" % (
            {"integer": "x", "target": "@"}.get(self.kind, self.name),
            "~" if inverted else "",
            runs(bits),
            "%+d" % base if base else "",
            "".join(" not %d" % value for value in sorted(self.others)),
        )


def runs(bits):
    """"16-23<<2,34-81<<10s": runs of bits whose weights double, and whether the last bit is a sign."""
    found = []
    for bit, weight in bits:
        if found and bit == found[-1][1] + 1 and abs(weight) == 2 * found[-1][3]:
            found[-1][1], found[-1][3] = bit, weight
        else:
            found.append([bit, bit, weight, weight])
    text = []
    for first, last, low, high in found:
        if low <= 0 or low & low - 1:
            raise ValueError("weights that a table cannot say: %s" % bits)
        shift = low.bit_length() - 1
        text.append("%d-%d%s%s" % (first, last, "<<%d" % shift if shift else "", "s" if high < 0 else ""))
    return ",".join(text)


class Form:
    """word: one that is written so. parts: text and holes in turn."""

    def __init__(self, word, parts):
        self.word, self.parts = word, []
        for part in parts:
            if isinstance(part, str) and self.parts and isinstance(self.parts[-1], str):
                self.parts[-1] += part
            elif part != "":
                self.parts.append(part)
        free = {bit for hole in self.holes() for bit in hole.own_bits()} | set(SCHEDULING) | set(GUARD)
        self.mask = ALL_BITS & ~sum(1 << bit for bit in free)
        self.value = word & self.mask

    def holes(self):
        return [part for part in self.parts if isinstance(part, Hole)]

    def text(self, word, address):
        texts = [part if isinstance(part, str) else part.text(word, address) for part in self.parts]
        return None if None in texts else "".join(texts)

    def frozen(self, which):
        """The same form, but the holes of `which` are as in its word; targets stay. None: its word is not written so."""
        parts = [p.text(self.word, 0) if p in which and p.kind != "target" else p for p in self.parts]
        return None if None in parts else Form(self.word, parts)

    def in_table(self):
        return "".join(part if isinstance(part, str) else part.in_table() for part in self.parts)


class Table:
    def __init__(self):
        self.by_opcode = collections.defaultdict(dict)  # opcode -> mask -> value -> forms, each for other values

    def add(self, form):
        forms = self.by_opcode[form.word & 0xFFF].setdefault(form.mask, {}).setdefault(form.value, [])
        if form.in_table() not in [other.in_table() for other in forms]:
            forms.append(form)

    def remove(self, form):
        self.by_opcode[form.word & 0xFFF][form.mask][form.value].remove(form)

    def find(self, word, address=0):
        """The form that writes a word, those with most fixed bits first; None: there is none."""
        by_mask = self.by_opcode[word & 0xFFF]
        for mask in sorted(by_mask, key=lambda mask: -mask.bit_count()):
            for form in by_mask[mask].get(word & mask, []):
                if form.text(word, address) is not None:
                    return form
        return None

    def text(self, word, address):
        form = self.find(word, address)
        return form.text(word, address) if form else None

    def forms(self):
        return [form for masks in self.by_opcode.values() for values in masks.values() for forms in values.values() for form in forms]
