"""The verdicts of nghttp. A server on a raw socket sends the bytes, and nghttp's frames tell how it reads them."""

import concurrent.futures
import dataclasses
import os
import socket
import struct
import subprocess

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, PING, GOAWAY = 1, 3, 6, 7
# Follows the bytes of a connection. Its acknowledgement shows that nghttp has read them, and precedes a RST_STREAM.
TOKEN = b"thisends"
MARK = struct.pack("!IBI", 8 << 8 | PING, 0, 0) + TOKEN
SECONDS = 2
# nghttp writes its last frames within milliseconds after the acknowledgement.
LAST_SECONDS = 0.3


@dataclasses.dataclass
class Verdict:
    # "accepted", "stream error" or "connection error", as Apus names them.
    kind: str
    code: int = 0
    # The text of the GOAWAY.
    reason: str = ""
    body: bytes = b""


def verdicts(program, cases):
    """Yields the verdict of nghttp on the bytes of each connection, whose client sends one GET."""
    with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        yield from pool.map(lambda data: verdict(program, data), cases)


def verdict(program, data):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(SECONDS)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        command = [program, "--no-dep", "--no-push", f"--timeout={SECONDS}", address]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            try:
                connection, _ = server.accept()
                with connection:
                    connection.settimeout(SECONDS)
                    found = converse(connection, data)
                found.body = process.communicate(timeout=SECONDS)[0]
                return found
            except subprocess.TimeoutExpired:
                process.kill()
                found.body = process.communicate()[0]
                return found


def converse(connection, data):
    """Sends the bytes after the head of the request, and returns the verdict from the frames of nghttp."""
    frames = Frames(connection)
    while (frame := frames.next()) is not None:
        if frame.type == HEADERS:
            break
    code = reset = None
    reason = ""
    try:
        connection.sendall(data + MARK)
        # Without an error, nghttp closes the connection after its last response.
        while (frame := frames.next()) is not None:
            if frame.type == GOAWAY:
                code, reason = int.from_bytes(frame.payload[4:8], "big"), frame.payload[8:].decode("latin-1")
            elif frame.type == RST_STREAM:
                reset = int.from_bytes(frame.payload, "big")
            elif frame.type == PING and frame.payload == TOKEN:
                connection.settimeout(LAST_SECONDS)
    except OSError:
        pass
    if code:
        return Verdict("connection error", code, reason)
    return Verdict("accepted") if reset is None else Verdict("stream error", reset)


@dataclasses.dataclass
class Frame:
    type: int
    payload: bytes


class Frames:
    """Reads the frames of a client."""

    def __init__(self, connection):
        self.connection = connection
        self.rest = b""
        self.has_preface = False

    def next(self):
        """Returns the next frame, or None at the end of the connection."""
        try:
            if not self.has_preface:
                self.has_preface = True
                if self.take(len(PREFACE)) != PREFACE:
                    return None
            head = self.take(9)
            payload = self.take(int.from_bytes(head[:3], "big"))
        except (OSError, EOFError):
            return None
        return Frame(head[3], payload)

    def take(self, count):
        while len(self.rest) < count:
            data = self.connection.recv(65_536)
            if not data:
                raise EOFError
            self.rest += data
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken
