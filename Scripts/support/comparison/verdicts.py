"""The verdicts on a response from the parsers of the Swift driver and from Python's http.client."""

import dataclasses
import http.client
import io
import json
import re
import subprocess

from .cases import SECOND


@dataclasses.dataclass
class Verdict:
    """A response as one parser reads it."""

    error: str = None
    status: int = None
    # Name and value of each field of the final head, or None if the parser does not report them.
    fields: list = None
    body: bytes = b""
    # The number of bytes of the response in the stream, or None if the parser does not report it.
    end: int = None
    keeps_alive: bool = None
    framing: str = None
    # The status codes of all heads, including informational ones.
    codes: list = dataclasses.field(default_factory=list)

    @property
    def is_accepted(self):
        return self.error is None


def normal(name, value):
    """Returns a field with normalized folds and non-ASCII bytes, which parsers decode differently."""
    value = re.sub(rb"[\x80-\xff]+", b"?", value)
    value = re.sub(rb"[ \t]*(\r?\n[ \t]*)+", b" ", value)
    return name.lower(), value.strip(b" \t")


def of_driver(driver, cases):
    """Yields the verdicts of Apus (lenient and strict) and of SwiftNIO for each case."""
    text = "".join(f"{method} {(data + SECOND).hex()}\n" for method, data in cases)
    run = subprocess.run([driver, "verdicts"], input=text.encode(), stdout=subprocess.PIPE, check=True)
    lines = run.stdout.splitlines()
    assert len(lines) == len(cases), f"{len(lines)} verdicts for {len(cases)} responses"
    for line in lines:
        yield {name: of_json(value) for name, value in json.loads(line).items()}


def of_json(value):
    return Verdict(
        error=value["error"],
        status=value["codes"][-1] if value["codes"] else None,
        fields=[normal(name, bytes.fromhex(data)) for name, data in value["fields"]],
        body=bytes.fromhex(value["body"]),
        end=value["end"],
        keeps_alive=value["keepsAlive"],
        framing=value["framing"],
        codes=value["codes"],
    )


class Stream(io.BytesIO):
    """A stream that still reports its position after it was closed."""

    def close(self):
        pass


class Connection:
    def __init__(self, stream):
        self.stream = stream

    def makefile(self, *_):
        return self.stream


def of_python(method, data):
    """Returns the verdict of http.client."""
    stream = Stream(data + SECOND)
    response = http.client.HTTPResponse(Connection(stream), method=method)
    try:
        response.begin()
        body = response.read()
    except Exception as error:  # noqa: BLE001: http.client also raises ValueError, IndexError and others
        return Verdict(error=f"{type(error).__name__}: {error}")
    fields = [normal(n, v.encode("latin-1", "replace")) for n, v in response.headers.items()]
    return Verdict(
        status=response.status, fields=fields, body=body, end=stream.tell(), keeps_alive=not response.will_close
    )
