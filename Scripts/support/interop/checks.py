"""Runs the `apus` command, and counts passed and failed checks."""

import json
import subprocess
import time


class Result:
    """The result of a run of `apus`."""

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
        """Returns a field of a printed head, or None."""
        for line in self.text.replace("\r\n", "\n").split("\n\n")[0].split("\n")[1:]:
            key, _, value = line.partition(":")
            if key.lower() == name.lower():
                return value.strip()
        return None


class Failure(Exception):
    pass


class Checks:
    def __init__(self, apus, directory, httpbin, nginx, nginx_tls, verbose):
        self.apus, self.directory, self.verbose = apus, directory, verbose
        self.httpbin, self.nginx, self.nginx_tls = httpbin, nginx, nginx_tls
        self.requested = set()
        self.passed, self.failures = 0, []

    def run(self, *arguments, code=0, content=None, cwd=None, variables=None):
        """Runs `apus`, with more variables of the environment. A URL that begins with / is a path of httpbin."""
        resolved = []
        for argument in arguments:
            if argument.startswith("/") and not argument.startswith(self.directory):
                self.requested.add(argument.partition("?")[0])
                argument = self.httpbin + argument
            resolved.append(argument)
        run = subprocess.run(
            [self.apus, *resolved], input=content, stdin=subprocess.DEVNULL if content is None else None,
            capture_output=True, timeout=60, cwd=cwd or self.directory, env={**self.environment, **(variables or {})},
            # Without a terminal, which `apus` would ask for passwords.
            start_new_session=True,
        )
        result = Result(run)
        if result.code != code:
            raise Failure(f"apus {' '.join(resolved)}\nexited with {result.code} instead of {code}\n{result.err}"
                          f"{result.out[:500].decode(errors='replace')}")
        return result

    @property
    def environment(self):
        return {"PATH": "", "HOME": self.directory, "LANG": "C.UTF-8"}

    def start(self, *arguments):
        """Starts `apus` and returns its process, whose output is a pipe."""
        return subprocess.Popen(
            [self.apus, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=self.directory,
            env=self.environment)

    def head(self, *arguments, **options):
        return self.run("-h", *arguments, **options)

    def expect(self, name, found, wanted):
        if found != wanted:
            raise Failure(f"{name} is {found!r}, not {wanted!r}")

    def check(self, name, body):
        begin = time.monotonic()
        try:
            body()
            self.passed += 1
            if self.verbose:
                print(f"  ok    {name}  {(time.monotonic() - begin) * 1000:.0f} ms")
        except (Failure, ValueError, KeyError, IndexError, TypeError, OSError, subprocess.TimeoutExpired) as error:
            self.failures.append(name)
            message = str(error) if isinstance(error, Failure) else f"{type(error).__name__}: {error}"
            print(f"  FAIL  {name}\n        " + message.strip().replace("\n", "\n        "))

    def all(self, groups):
        for group in groups:
            for name, body in group(self):
                self.check(f"{group.__name__.replace('_', ' ')}: {name}", body)
