#!/usr/bin/env python3
"""Checks an exported page: well-formed HTML, no address outside of it, frames that can be shown.

    check_page.py PAGE.html

Prints what is wrong, a line each; 1 where something is.
"""
import base64
import html.parser
import json
import re
import sys
import zlib

VOID = {"meta", "input", "br", "link", "hr", "img", "path", "rect", "circle", "polyline", "polygon",
        "image", "line"}
PAIRS = {"path", "rect", "circle", "polyline", "polygon", "line"}  # of SVG: may hold a title


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []
        self.ids = {}
        self.wanted = []
        self.problems = []
        self.data = []
        self.in_script = False

    def wrong(self, words):
        self.problems.append(f"line {self.getpos()[0]}: {words}")

    def look_at(self, tag, attributes):
        names = [name for name, _ in attributes]
        for name in set(names):
            if names.count(name) > 1:
                self.wrong(f"<{tag}> has {name} twice")
        for name, value in attributes:
            value = value or ""
            if name == "id":
                if value in self.ids:
                    self.wrong(f"the id {value} is there twice")
                self.ids[value] = tag
            elif name in ("for", "aria-labelledby", "aria-describedby"):
                self.wanted += [(self.getpos()[0], each) for each in value.split()]
            elif name in ("href", "src", "action", "xlink:href"):
                if value.startswith("#"):
                    self.wanted.append((self.getpos()[0], value[1:]))
                elif not value.startswith("data:"):
                    self.wrong(f"<{tag} {name}={value[:60]}> points outside of the page")

    def handle_starttag(self, tag, attributes):
        self.look_at(tag, attributes)
        if tag not in VOID or tag in PAIRS:
            self.open.append(tag)
        self.in_script = tag == "script" and ("type", "text/plain") in attributes

    def handle_startendtag(self, tag, attributes):
        self.look_at(tag, attributes)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong(f"</{tag}> closes {self.open[-1:] or 'nothing'}")
        else:
            self.open.pop()
        self.in_script = False

    def handle_data(self, data):
        if self.in_script:
            self.data.append(json.loads(zlib.decompress(base64.b64decode(data))))


def check_frames(page):
    for data in page.data:
        places = 1
        for size in data["sizes"]:
            places *= size
        if places != len(data["places"]):
            page.problems.append(f"{places} places, but {len(data['places'])} frames for them")
        for frame, _ in data["places"]:
            if frame >= len(data["frames"]):
                page.problems.append(f"there is no frame {frame}")
        for element in data["elements"]:
            inner = Page()
            inner.feed(element)
            fragment = element.startswith(("<g clip", "</g>", "<clipPath"))
            if not fragment and (inner.open or inner.problems):
                page.problems.append(f"a frame has {element[:80]}")


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    page = Page()
    page.feed(text)
    page.close()
    if page.open:
        page.problems.append(f"not closed: {', '.join(page.open)}")
    for line, name in page.wanted:
        if name not in page.ids:
            page.problems.append(f"line {line}: there is no id {name}")
    if re.search(r"[a-z]://|@import|url\((?!#)", text):
        page.problems.append("it has an outside address")
    if "{{" in text or not text.startswith("<!DOCTYPE html>"):
        page.problems.append("a gap of the template is not filled")
    check_frames(page)
    for problem in page.problems[:20]:
        print(problem)
    sys.exit(1 if page.problems else 0)


main()
