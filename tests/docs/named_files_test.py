"""The files that pages and comments name are there."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
APP = ROOT / "app"
# What a path may begin with: a folder of the project, of app/ or of a layer.
LAYERS = [path for path in APP.iterdir() if path.is_dir()]
PARENTS = [ROOT, APP, *LAYERS]
FOLDERS = {child.name for parent in PARENTS for child in parent.iterdir()
           if child.is_dir() and child.name not in ("build", "kernels")}
# NAME and VERSION stand for any; fonts are put into assets/ by whoever installs the program.
NOT_FILES = re.compile(r"[A-Z]{3}|^assets/fonts$")


def stands(name, beside):
    """Whether it names a file or folder, with or without its ending."""
    for parent in (*PARENTS, beside):
        path = parent / name
        if path.exists() or any(path.parent.glob(path.name + ".*")):
            return True
    return (ROOT / "kernels" / name.split("/")[0]).is_dir()  # a kernel's id


def missing(path, pattern, text_of):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        for name in re.findall(pattern, text_of(line)):
            if name.split("/")[0] in FOLDERS and not NOT_FILES.search(name) and not stands(name, path.parent):
                yield f"{path.relative_to(ROOT)}:{number}: there is no {name}"


def comment_of(line):
    return line.partition("//")[2]


class NamedFiles(unittest.TestCase):
    def test_of_pages_are_there(self):
        pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
        self.assertEqual([], [fault for page in pages
                              for fault in missing(page, r"`((?:[\w-]+/)+[\w.-]+)`", lambda line: line)])

    def test_of_comments_are_there(self):
        sources = [path for folder in (APP, ROOT / "tests") for path in folder.rglob("*")
                   if path.suffix in (".h", ".cpp", ".inc")]
        self.assertGreater(len(sources), 500)
        name = r'(?<![\w./<"-])((?:\w+/)+\w+(?:\.(?:html|h|cpp|md|inc|json|py|isa)\b)?)'
        self.assertEqual([], [fault for source in sources for fault in missing(source, name, comment_of)])


if __name__ == "__main__":
    unittest.main()
