#!/usr/bin/env python3
"""Opens an exported page in Chromium and uses it as a reader would.

    drive_page.py PAGE.html [PICTURE_PREFIX]

Sliders, arrow keys, a prediction, dark colours, a phone, print, the tree that screen readers get.
With a prefix it also writes pictures: PREFIX_light.png, _dark.png, _phone.png. Prints what is
wrong, a line each; 1 where something is, 77 where there is no Chromium.
"""
import base64
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile


class Socket:
    """A client of WebSocket (RFC 6455), as far as DevTools need it."""

    def __init__(self, port, path):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        self.stream = self.socket.makefile("rb")
        while self.stream.readline().strip():
            pass

    def send(self, text):
        data = text.encode()
        mask = os.urandom(4)
        head = b"\x81" + (struct.pack("!B", 0x80 | len(data)) if len(data) < 126 else
                          struct.pack("!BH", 0x80 | 126, len(data)) if len(data) < 65536 else
                          struct.pack("!BQ", 0x80 | 127, len(data)))
        self.socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def receive(self):
        whole = b""
        while True:
            first, second = self.stream.read(2)
            length = second & 0x7F
            if length == 126:
                length = struct.unpack("!H", self.stream.read(2))[0]
            elif length == 127:
                length = struct.unpack("!Q", self.stream.read(8))[0]
            whole += self.stream.read(length)
            if first & 0x80:
                return whole.decode()


class Browser:
    def __init__(self, program, page):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             "--remote-allow-origins=*", f"--user-data-dir={self.folder.name}",
             "--window-size=1200,900", "about:blank"], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "DevTools listening on" in line:
                address = line.split("ws://")[1].strip()
                break
        port = int(address.split(":")[1].split("/")[0])
        self.number = 0
        self.session = None
        self.socket = Socket(port, address[address.index("/"):])
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.requests = []
        self.call("Network.enable")
        self.call("Page.navigate", url=pathlib.Path(page).absolute().as_uri())
        while self.run("document.readyState") != "complete" or self.run(
                "document.querySelector('figure:has(.sliders):not(.ready)') !== null"):
            pass

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.receive())
            if answer.get("method") == "Network.requestWillBeSent":
                self.requests.append(answer["params"]["request"]["url"])
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=code)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)

    def colours(self, scheme):
        self.call("Emulation.setEmulatedMedia", media="screen",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, file):
        bytes_ = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        pathlib.Path(file).write_bytes(bytes_)

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


SHOWN = ("(f => f.querySelector('.drawing').innerHTML + f.querySelector('figcaption').innerHTML)"
         "(document.querySelector('figure:has(.sliders)'))")


def check_sliders(browser, wrong):
    count = browser.run("document.querySelectorAll('figure:has(.sliders)').length")
    if count == 0:
        return
    browser.run("[...document.querySelectorAll('details')].forEach(d => d.open = true)")
    sliders = browser.run("document.querySelector('figure:has(.sliders)')"
                          ".querySelectorAll('.sliders input').length")
    for i in range(sliders):
        slider = f"document.querySelector('figure:has(.sliders)').querySelectorAll('.sliders input')[{i}]"
        browser.run(slider + ".focus()")
        before = browser.run(SHOWN)
        words = browser.run(slider + ".getAttribute('aria-valuetext')")
        at_end = browser.run(f"{slider}.value === {slider}.max")
        browser.press(*(("ArrowLeft", 37) if at_end else ("ArrowRight", 39)))
        if browser.run(SHOWN) == before:
            wrong(f"slider {i} changes nothing")
        if browser.run(slider + ".getAttribute('aria-valuetext')") == words:
            wrong(f"slider {i} reads the same words as before")
        browser.press(*(("ArrowRight", 39) if at_end else ("ArrowLeft", 37)))
        if browser.run(SHOWN) != before:
            wrong(f"slider {i} does not come back to the same picture")
    browser.run("document.querySelector('figure:has(.sliders) .picture').focus()")
    before = browser.run(SHOWN)
    browser.press("ArrowLeft", 37)
    moved = browser.run(SHOWN)
    browser.press("ArrowRight", 39)
    browser.press("ArrowRight", 39)
    if moved == before and browser.run(SHOWN) == before:
        wrong("the arrow keys on the picture change nothing")
    if browser.run("getComputedStyle(document.activeElement).outlineStyle") == "none":
        wrong("the focus is not visible")


def check_following(browser, wrong):
    value = "document.querySelector('[data-follows]')"
    if not browser.run(f"{value} !== null"):
        return
    before = browser.run(value + ".textContent")
    browser.run(f"document.getElementById({value}.dataset.follows)"
                ".querySelector('.sliders input').focus()")
    browser.press("End", 35)
    if browser.run(value + ".textContent") == before:
        wrong("the text does not follow its slider")


def check_questions(browser, wrong):
    if not browser.run("document.querySelectorAll('form.question').length"):
        return
    browser.run("[...document.querySelectorAll('details')].forEach(d => d.open = false)")
    opened = browser.run("""(() => {
      for (const form of document.querySelectorAll('form.question')) {
        if (form.closest('[hidden]')) continue;
        const answer = form.closest('.step').querySelector('.answer');
        if (answer.open) return 'an answer is open before it was asked for';
        const right = form.querySelector('input[value=right]');
        const number = form.querySelector('input[type=text]');
        if (right) right.checked = true; else number.value = number.dataset.answer;
        form.querySelector('button').click();
        if (!answer.open) return 'an answer does not open';
        if (!form.querySelector('.verdict.right')) return 'the right answer is not called right';
      }
      return '';
    })()""")
    if opened:
        wrong(opened)


def check_reading(browser, wrong):
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = {}
    for node in nodes:
        if not node.get("ignored"):
            roles.setdefault(node["role"]["value"], []).append(node)
    pictures = roles.get("image", []) + roles.get("img", [])
    if not pictures:
        wrong("screen readers get no picture")
    for role in ("slider", "image", "img", "radio", "textbox", "button", "combobox"):
        for node in roles.get(role, []):
            if not node.get("name", {}).get("value", "").strip():
                wrong(f"a {role} has no name for screen readers")


def check_looks(browser, wrong, prefix):
    ground = "getComputedStyle(document.body).backgroundColor"
    browser.size(1200, 900)
    browser.colours("light")
    light = browser.run(ground)
    if prefix:
        browser.run("scrollTo(0, 0)")
        browser.picture(prefix + "_light.png")
    browser.colours("dark")
    if browser.run(ground) == light:
        wrong("dark is as light")
    if prefix:
        browser.picture(prefix + "_dark.png")
    browser.size(375, 800)
    if browser.run("document.scrollingElement.scrollWidth > innerWidth"):
        wrong("on a phone the page is wider than the screen")
    if prefix:
        browser.picture(prefix + "_phone.png")
    browser.call("Emulation.setEmulatedMedia", media="print",
                 features=[{"name": "prefers-color-scheme", "value": "dark"}])
    if browser.run(ground) != "rgb(255, 255, 255)":
        wrong("it is printed on a coloured ground")


def main():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        sys.exit(77)
    problems = []
    browser = Browser(program, sys.argv[1])
    try:
        check_sliders(browser, problems.append)
        check_following(browser, problems.append)
        check_questions(browser, problems.append)
        check_reading(browser, problems.append)
        check_looks(browser, problems.append, sys.argv[2] if len(sys.argv) > 2 else None)
        outside = [each for each in browser.requests if not each.startswith(("file:", "data:"))]
        if outside:
            problems.append(f"it asks for {outside}")
    finally:
        browser.close()
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()
