"""A process with a limit in processor seconds: of a busy machine its result knows nothing."""

import os
import pathlib
import signal
import subprocess
import tempfile
import time

LONGEST = 8  # wall seconds for each of the processor's
MOST_OUTPUT = 1 << 26  # bytes


class Ended:
    """`status`: None if it was stopped; `of_processors`: seconds of all its processes."""

    def __init__(self, status, out, err, seconds, of_processors):
        self.status, self.out, self.err = status, out, err
        self.seconds, self.of_processors = seconds, of_processors


def seconds_of_session(session):
    """Of its living processes, and of those that they have waited for."""
    ticks = 0
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def run(command, seconds, folder=None, joined=False):
    """Runs it to its end, or for so many seconds of processors. `joined`: stderr is in `out`."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.STDOUT if joined else err, start_new_session=True)
        used, next_look, status = 0.0, began, None
        while True:
            pid, ended, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                child.returncode = status = os.waitstatus_to_exitcode(ended)
                used = max(used, usage.ru_utime + usage.ru_stime)
                break
            now = time.monotonic()
            if now > next_look:
                next_look = now + 0.5
                used = max(used, seconds_of_session(child.pid))
            if used > seconds or now - began > LONGEST * seconds:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                break
            time.sleep(0.02)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read(MOST_OUTPUT).decode(errors="replace"))
    return Ended(status, *texts, time.monotonic() - began, used)
