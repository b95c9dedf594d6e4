"""Runs the `apus` command, and keeps count of what was as it should be."""

import json
import subprocess
import time


class Answer:
    """What a run of `apus` left behind."""

    def __init__(self, run):
        self.code = run.returncode
        self.out = run.stdout
        self.err = run.stderr.decode(errors="replace")

    @property
    def text(self):
        return self.out.decode()

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def status(self):
        return int(self.text.split(None, 2)[1])

    def field(self, name):
        """A field of a head that was printed."""
        for line in self.text.replace("\r\n", "\n").split("\n\n")[0].split("\n")[1:]:
            key, _, value = line.partition(":")
            if key.lower() == name.lower():
                return value.strip()
        return None


class Failure(Exception):
    pass


class Checks:
    def __init__(self, apus, room, httpbin, nginx, nginx_tls, verbose):
        self.apus, self.room, self.verbose = apus, room, verbose
        self.httpbin, self.nginx, self.nginx_tls = httpbin, nginx, nginx_tls
        self.asked = set()
        self.passed, self.failures = 0, []

    def run(self, *arguments, code=0, content=None, cwd=None):
        """Runs `apus`; a URL that begins with / is httpbin's."""
        words = []
        for word in arguments:
            if word.startswith("/") and not word.startswith(self.room):
                self.asked.add(word.partition("?")[0])
                word = self.httpbin + word
            words.append(word)
        run = subprocess.run(
            [self.apus, *words], input=content, stdin=subprocess.DEVNULL if content is None else None,
            capture_output=True, timeout=60, cwd=cwd or self.room, env={"PATH": "", "HOME": self.room, "LANG": "C.UTF-8"},
        )
        answer = Answer(run)
        if answer.code != code:
            raise Failure(f"apus {' '.join(words)}\nended with {answer.code} instead of {code}\n{answer.err}"
                          f"{answer.out[:500].decode(errors='replace')}")
        return answer

    def head(self, *arguments, **options):
        return self.run("-h", *arguments, **options)

    def expect(self, what, found, wanted):
        if found != wanted:
            raise Failure(f"{what} is {found!r}, not {wanted!r}")

    def check(self, name, body):
        begin = time.monotonic()
        try:
            body()
            self.passed += 1
            if self.verbose:
                print(f"  good  {name}  {(time.monotonic() - begin) * 1000:.0f} ms")
        except (Failure, ValueError, KeyError, IndexError, TypeError, OSError, subprocess.TimeoutExpired) as error:
            self.failures.append(name)
            words = str(error) if isinstance(error, Failure) else f"{type(error).__name__}: {error}"
            print(f"  no    {name}\n        " + words.strip().replace("\n", "\n        "))

    def all(self, groups):
        for group in groups:
            for name, body in group(self):
                self.check(f"{group.__name__.replace('_', ' ')}: {name}", body)
