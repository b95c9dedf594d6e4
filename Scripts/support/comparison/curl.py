"""The verdicts of curl. A server on a raw socket sends the responses, and curl reports how it reads them."""

import asyncio
import re
import secrets
import subprocess
import threading

from .cases import SECOND
from .verdicts import Verdict

REAL = b"HTTP/1.1 202 Real\r\nContent-Length: 4\r\n\r\nREAL"
# The number of requests for each curl process.
BATCH = 500


class Server:
    """Sends the bytes of a case for `/NUMBER/first`, and a valid response for `/NUMBER/second`."""

    def __init__(self, cases):
        self.cases = cases
        # Whether the connection is closed after the first response.
        self.closes = True
        self.loop = asyncio.new_event_loop()
        self.ports = []
        ready = threading.Event()
        threading.Thread(target=self.run, args=(ready,), daemon=True).start()
        ready.wait()

    def run(self, ready):
        async def start():
            for _ in range(8):
                server = await self.loop.create_server(lambda: Connection(self), "127.0.0.1", 0, backlog=512)
                self.ports.append(server.sockets[0].getsockname()[1])
            ready.set()

        self.loop.run_until_complete(start())
        self.loop.run_forever()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)


class Connection(asyncio.Protocol):
    def __init__(self, server):
        self.server = server
        self.received = b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, self.received = self.received.split(b"\r\n\r\n", 1)
            _, number, place = head.split(b" ", 2)[1].decode().split("/")
            if place == "second":
                self.transport.write(REAL)
                continue
            self.transport.write(self.server.cases[int(number)][1] + SECOND)
            if self.server.closes:
                self.transport.close()


def verdicts(curl, server, cases):
    """Returns the verdicts of curl for all cases. The server closes the connection after each response."""
    server.closes = True
    found = {}
    for number, _, body, code, exit_code, _ in run(curl, server, range(len(cases)), ["first"]):
        method = cases[number][0]
        found[number] = Verdict(
            error=f"exit code {exit_code}" if exit_code else None,
            status=code or None,
            body=b"" if method == "HEAD" else body,
            codes=[code],
        )
    return found


def second_responses(curl, server, numbers):
    """Returns the body of the response to a second request, and whether both requests used one connection.

    The server sends two responses at once for the first request, and leaves the connection open.
    """
    server.closes = False
    return {
        number: (body, connects == 0)
        for number, place, body, _, _, connects in run(curl, server, numbers, ["first", "second"])
        if place == "second"
    }


def run(curl, server, numbers, places):
    """Sends the requests, and yields number, place, body, status, exit code and connects of each."""
    wanted = [(number, place) for number in numbers for place in places]
    step = BATCH * len(places)
    for index in range(0, len(wanted), step):
        rest = wanted[index:index + step]
        port = server.ports[index // step % len(server.ports)]
        while rest:
            done = 0
            for transfer in run_once(curl, server, port, rest):
                done += 1
                yield transfer
            # Some errors end the process before all requests are sent.
            assert done, f"curl did not report {rest[0]}"
            rest = rest[done:]


def run_once(curl, server, port, wanted):
    token = secrets.token_hex(8)
    transfers = []
    for number, place in wanted:
        head = "head\n" if server.cases[number][0] == "HEAD" and place == "first" else ""
        transfers.append(
            f'{head}url = "http://127.0.0.1:{port}/{number}/{place}"\noutput = "-"\nsilent\nhttp1.1\nmax-time = 2\n'
            f'write-out = "\\n@{token} {number} {place} %{{http_code}} %{{exitcode}} %{{num_connects}}@\\n"\n'
        )
    process = subprocess.run(
        [curl, "--disable", "--noproxy", "*", "--config", "-"],
        input="next\n".join(transfers).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    mark = re.compile(rb"\n@" + token.encode() + rb" (\d+) (\w+) (\d+) (\d+) (\d+)@\n")
    start = 0
    for match in mark.finditer(process.stdout):
        number, place, code, exit_code, connects = match.groups()
        body = process.stdout[start:match.start()]
        start = match.end()
        yield int(number), place.decode(), body, int(code), int(exit_code), int(connects)
