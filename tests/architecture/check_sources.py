#!/usr/bin/env python3
"""check_sources.py BUILD: every source of app/ sees a declaration of each name that it uses.

The sources of a folder are compiled together, so that the compiler takes what an earlier one includes
or defines for what a later one should have. Here a source is read alone: a word that it uses must be
declared in it or stand in a header that it includes, also through others; and what a neighbour
defines must be defined at the beginning of a line of such a header. Text is compared, so that a
header's word for something else may pass: a check that takes seconds, not the proof that
`./test --tidy` is, which compiles each source by itself. Exit status 1: a name is not declared.
"""
import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
APP = ROOT / "app"
# Comments, raw strings, strings and characters (an apostrophe within a number is none).
BLANK = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                   r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'", re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
WORD = re.compile(r"\b[A-Za-z_]\w*")
# A definition at the beginning of a line, as clang-format leaves those of a namespace and no others.
TYPE = re.compile(r"^(?:template <.*> )?(?:(?:struct|class|union|enum class|enum) (\w+)\b(?!;|:)"
                  r"|(?:concept|using) (\w+) =)", re.M)
CONSTANT = re.compile(r"^(?:inline )?(?:constexpr|const|constinit) [\w:<>, *&]*?(\w+)(?:\[\w*\])?"
                      r"(?: =|\{|;)", re.M)
FUNCTION = re.compile(r"^(?!using|return|namespace|struct|class|enum)[\w\[][\w:<>,\[\] *&]* [*&]?"
                      r"(\w+)\(", re.M)
MACRO = re.compile(r"^#define (\w+)", re.M)
ROW = re.compile(r"^[A-Z_]+\((\w+),", re.M)  # of a table that macros read, in a file of its own


def code_of(path):
    text = INCLUDE.sub("", path.read_text(errors="replace"))
    return BLANK.sub(lambda m: '""' if m[0][0] in "\"'R" else " ", text)


@functools.cache
def include_folders():
    """Where the build looks for what is included: its options' folders, then the compiler's."""
    commands = (pathlib.Path(sys.argv[1]) / "compile_commands.json").read_text()
    given = re.findall(r"-(?:I|isystem) ?([^\s\"]+)", commands)
    said = subprocess.run(["c++", "-E", "-v", "-x", "c++", "/dev/null"], capture_output=True,
                          text=True).stderr
    own = [line.strip() for line in said.splitlines() if line.startswith(" /")]
    return [pathlib.Path(folder) for folder in dict.fromkeys(given + own)]


@functools.cache
def find(name):
    return next((folder / name for folder in include_folders()
                 if (folder / name).is_file()), None)


@functools.cache
def read(path):
    """Words and included files of a header."""
    text = path.read_text(errors="replace")
    included = [find(name) for name in INCLUDE.findall(text)]
    if path.is_relative_to(APP):
        text = code_of(path)
    return frozenset(WORD.findall(text)), tuple(file for file in included if file is not None)


@functools.cache
def below(path):
    """A header and all that it includes, also through others."""
    seen, wait = set(), [path]
    while wait:
        file = wait.pop()
        if file not in seen:
            seen.add(file)
            wait += read(file)[1]
    return frozenset(seen)


# What stands before a name that is declared there: its type, a binding's bracket, another name.
DECLARED = re.compile(r"(?<!\breturn)(?<!\bcase)(?<!\belse)(?<!\bthrow)(?<!\bnew)(?<!\bnot)"
                      r"(?<=[\w>*&\]}.]) [*&]*(\w+)|[*&](\w+)")
LISTED = re.compile(r"\benum\b[^;{]*\{([^}]*)\}|\[([\w, &]*)\] ?[=:]|__attribute__\(\((\w+)\)\)"
                    r"|^#define \w+\(([^)]*)\)|(?<=, )(?!k[A-Z])(\w+)(?=[,;]| = )", re.M)


KEYWORDS = {"auto", "class", "const", "constexpr", "enum", "namespace", "reinterpret_cast", "static", "static_cast",
            "struct", "template", "thread_local", "typename", "union", "using"}


def defined_in(code):
    found = {first or second for first, second in TYPE.findall(code)}
    return found.union(*(kind.findall(code) for kind in (CONSTANT, FUNCTION, MACRO)))


def declared_in(code):
    """Names that the source may declare: of its own, of parameters, variables, bindings, values."""
    found = defined_in(code)
    for groups in DECLARED.findall(code):
        found.update(groups)
    for groups in LISTED.findall(code):
        found.update(WORD.findall(" ".join(groups)))
    return found


def main():
    sources = {path: code_of(path) for path in sorted(APP.rglob("*.cpp"))}
    headers = {path: code_of(path) for path in sorted(APP.rglob("*.h"))}
    defined = {path: defined_in(code) for path, code in {**sources, **headers}.items()}
    ours = set().union(*map(declared_in, headers.values()))
    beside = {}  # what the sources of a folder define
    for path in sources:
        beside.setdefault(path.parent, set()).update(defined[path])
    wrong = 0
    for path, code in sources.items():
        direct = [file for file in map(find, INCLUDE.findall(path.read_text())) if file is not None]
        seen = frozenset().union(*(below(file) for file in direct))
        words = frozenset().union(*(read(file)[0] for file in seen))
        own = declared_in(code)
        used = set(WORD.findall(code)) & ours | set(re.findall(r"\bstd::(\w+)", code))
        missing = used - words - own - KEYWORDS
        plain = set(re.findall(r"(?<![\w.>:])([A-Za-z_]\w*)", code))
        shown = set().union(*(defined[file] for file in seen if file in headers))
        shown.update(*(ROW.findall(file.read_text()) for file in seen if file.suffix == ".inc"))
        members = set().union(*(declared_in(headers[file]) for file in direct if file in headers))
        missing |= (plain & beside[path.parent]) - shown - members - own
        for name in sorted(missing):
            print(f"{path.relative_to(ROOT)} uses {name}, which neither it nor a header that it "
                  "includes declares", file=sys.stderr)
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
