"""What the parsers make of a response: those of the Swift driver, and Python's http.client."""

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
    # Name and value of each field of the final head; None where the parser does not tell.
    fields: list = None
    body: bytes = b""
    # How many bytes of the stream belong to the response; None where the parser does not tell.
    end: int = None
    keeps_alive: bool = None
    framing: str = None
    # The status codes of all heads, informational ones too.
    codes: list = dataclasses.field(default_factory=list)

    @property
    def is_accepted(self):
        return self.error is None


def normal(name, value):
    """A field with its folds and its bytes outside of ASCII made alike: parsers decode those differently."""
    value = re.sub(rb"[\x80-\xff]+", b"?", value)
    value = re.sub(rb"[ \t]*(\r?\n[ \t]*)+", b" ", value)
    return name.lower(), value.strip(b" \t")


def of_driver(driver, cases):
    """The verdicts of Apus (lenient and strict) and of SwiftNIO, case by case."""
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
    """A stream that can be asked where it stands after it was closed."""

    def close(self):
        pass


class Connection:
    def __init__(self, stream):
        self.stream = stream

    def makefile(self, *_):
        return self.stream


def of_python(method, data):
    """The verdict of http.client."""
    stream = Stream(data + SECOND)
    response = http.client.HTTPResponse(Connection(stream), method=method)
    try:
        response.begin()
        body = response.read()
    except Exception as error:  # noqa: BLE001: it raises ValueError, IndexError and others of its own
        return Verdict(error=f"{type(error).__name__}: {error}")
    fields = [normal(n, v.encode("latin-1", "replace")) for n, v in response.headers.items()]
    return Verdict(
        status=response.status, fields=fields, body=body, end=stream.tell(), keeps_alive=not response.will_close
    )
