"""Checks of `apus` over HTTP/2 against the servers of peers.py, in groups. Each check is a name and a function."""

import functools
import hashlib
import os
import subprocess
import threading
import time

from .checks import Failure
from .peers import BIG_COUNT

# The length of each long field of Go's response. Four of them do not fit into one frame.
LONG_COUNT = 12_000


def groups(site):
    """Returns the groups of checks for all servers."""
    found = [named("HTTP/2 versions", lambda t: versions(t, site))]
    for peer in site.peers:
        for place, url, flags in peer.addresses:
            found.append(named(
                f"HTTP/2 {peer.name} {place}",
                lambda t, peer=peer, url=url, flags=flags: answers(t, site, peer, Client(t, url, flags))))
    return (*found, named("HTTP/2 end of connections", lambda t: goodbyes(t, site)))


def named(name, group):
    group.__name__ = name
    return group


class Client:
    """Runs `apus` with the URL of a server and the flags that it needs."""

    def __init__(self, t, url, flags=()):
        self.t, self.url = t, url
        self.flags = [f"--verify={os.path.join(t.directory, 'ca.pem')}", *flags]

    def run(self, path, *arguments, method="GET", **options):
        return self.t.run(*self.flags, method, self.url + path, *arguments, **options)

    def head(self, path, *arguments, **options):
        """Returns the head of the response and the metrics."""
        return self.run(path, "--print=hm", *arguments, **options)

    def protocol(self, *arguments):
        for line in self.head("/small.txt", *arguments).text.split("\n"):
            if line.startswith("Protocol: "):
                return line.removeprefix("Protocol: ")
        raise Failure("the metrics have no protocol")

    def slow_digest(self, path):
        """Returns the digest of a download whose reader pauses after the first megabyte."""
        digest = hashlib.sha256()
        with self.t.start(*self.flags, "-d", self.url + path) as process:
            digest.update(process.stdout.read(1_000_000))
            time.sleep(0.3)
            while piece := process.stdout.read(1 << 20):
                digest.update(piece)
        self.t.expect("exit code", process.returncode, 0)
        return digest.hexdigest()


@functools.cache
def digest_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def versions(t, site):
    peers = {peer.name: peer for peer in site.peers}
    nginx, apache = Client(t, peers["nginx"].tls), Client(t, peers["apache"].clear)
    old, old_clear = Client(t, t.nginx_tls), Client(t, t.nginx)
    yield "the server's choice", lambda: t.expect("protocol", nginx.protocol(), "h2")
    yield "2 over TLS", lambda: t.expect("protocol", nginx.protocol("--http-version=2"), "h2")
    yield "1.1 over TLS", lambda: t.expect("protocol", nginx.protocol("--http-version=1.1"), "http/1.1")
    yield "an old server", lambda: t.expect("protocol", old.protocol(), "http/1.1")
    yield "2 in the clear", lambda: t.expect("protocol", apache.protocol("--http-version=2"), "h2")
    # Its responses over HTTP/1.1 offer an upgrade to HTTP/2.
    yield "1.1 in the clear", lambda: t.expect("protocol", apache.protocol(), "http/1.1")

    def refused(client, words):
        def body():
            error = client.head("/small.txt", "--http-version=2", code=1).err
            if words not in error:
                raise Failure(f"the error is {error}")
        return body

    yield "2 over TLS to an old server", refused(old, "does not support HTTP/2")
    yield "2 in the clear to an old server", refused(old_clear, "is this an HTTP/2 server?")


def answers(t, site, peer, client):
    """The checks of each server."""
    with open(os.path.join(site.www, "small.txt"), "rb") as file:
        small = file.read()
    big = os.path.join(site.www, "big.bin")

    def version():
        lines = client.head("/small.txt").text.replace("\r", "").split("\n")
        t.expect("the first line", lines[0], "HTTP/2 200")
        t.expect("the metrics", "Protocol: h2" in lines, True)

    yield "the version", version
    yield "GET", lambda: t.expect("text", client.run("/small.txt").out, small)
    yield "an empty file", lambda: t.expect("text", client.run("/empty.txt").out, b"")
    yield "404", lambda: client.head("/no.txt", "--check-status", code=4)

    def head():
        result = client.head("/small.txt", method="HEAD")
        t.expect("status", result.status, 200)
        t.expect("length", result.field("Content-Length") or str(len(small)), str(len(small)))

    yield "HEAD", head

    def redirect():
        path, name = peer.moved
        with open(os.path.join(site.www, name)) as file:
            wanted = file.read()
        text = client.run(path, "-F", "--print=bm").text
        if not text.startswith(wanted) or "Redirects: 1\n" not in text or "Protocol: h2\n" not in text:
            raise Failure(text)

    yield "a redirect", redirect

    def download():
        path = os.path.join(t.directory, "big-received")
        client.run("/big.bin", "-d", "-o", path)
        t.expect("length", os.path.getsize(path), BIG_COUNT)
        t.expect("digest", digest_of.__wrapped__(path), digest_of(big))
        os.remove(path)

    yield "a download of 50 MB", download
    yield "a slow reader", lambda: t.expect("digest", client.slow_digest("/big.bin"), digest_of(big))

    def upload(path="/origin/up"):
        result = client.run(path, "Content-Type:application/octet-stream", f"@{big}", method="POST")
        if peer.echoes:
            t.expect("digest", hashlib.sha256(result.out).hexdigest(), digest_of(big))
        else:
            t.expect("digest and length", result.text.split(), [digest_of(big), str(BIG_COUNT)])

    yield "an upload of 50 MB", upload
    if peer.name == "nginx":
        yield "an upload of 50 MB through buffers", lambda: upload("/buffered/up")
        yield "204", lambda: t.expect("text", client.run("/nothing").out, b"")
        yield "a range", lambda: t.expect("text", client.run("/small.txt", "Range:bytes=2-6").text, "swift")
        yield "gzip on the fly", lambda: t.expect(
            "length", len(client.run("/coded/text.txt").out), os.path.getsize(os.path.join(site.www, "text.txt")))
    if peer.trailers:
        yield "the body before trailers", lambda: t.expect(
            "text", client.run(peer.trailers, "TE:trailers").out, small)
    if peer.name in ("go", "hypercorn"):
        yield "103", lambda: hints(client)
    if peer.name == "go":
        yield "100", lambda: expecting(client)
        yield "long fields", lambda: long_fields(t, client)


def hints(client):
    text = client.run("/origin/hints", "-v").text
    if "HTTP/2 103" not in text or "rel=preload" not in text or not text.endswith("after the hints\n"):
        raise Failure(text)


def expecting(client):
    text = client.run("/origin/up", "Expect:100-continue", "a=1", "-v", method="POST").text
    if "HTTP/2 100" not in text or "HTTP/2 200" not in text:
        raise Failure(text)


def long_fields(t, client):
    """Both heads need several frames."""
    field = "X-Long:" + "x" * 100_000
    result = client.run("/origin/long", field, "--print=h")
    for number in range(4):
        t.expect(f"X-Long-{number}", result.field(f"X-Long-{number}"), str(number) * LONG_COUNT)
    t.expect("text", client.run("/origin/long", field).text, "100000\n")


def goodbyes(t, site):
    """Connections that the server ends between the requests of a long chain of redirects."""
    tired = Client(t, site.tired)
    for method in ("GET", "POST"):
        yield f"{method} to nginx with 7 requests per connection", lambda method=method: chain(tired, method, 200)
    for peer in site.peers:
        for place, url, flags in peer.addresses if peer.reload else ():
            client = Client(t, url, flags)
            for method in ("GET", "POST") if place == "TLS" else ("GET",):
                yield f"{method} to {peer.name} {place} while it reloads", lambda peer=peer, client=client, \
                    method=method: reloaded(peer, lambda: chain(client, method, 1000))


def chain(client, method, count):
    content = ["a=1"] if method == "POST" else []
    text = client.run(
        f"/origin/chain/{count}", "-F", f"--max-redirects={count}", "--print=bm", *content, method=method).text
    if not text.startswith(f"end of {method}\n") or f"Redirects: {count}\n" not in text:
        raise Failure(text)


def reloaded(peer, body):
    """Calls a function and reloads the server every 0.3 s, until it returns."""
    ended, outcomes = threading.Event(), []

    def reload():
        while not ended.wait(0.3):
            try:
                outcomes.append(peer.reload())
            except subprocess.SubprocessError as error:
                outcomes.append(error)

    thread = threading.Thread(target=reload)
    thread.start()
    try:
        body()
    finally:
        ended.set()
        thread.join()
    if not outcomes or any(outcomes):
        raise Failure(f"the server was not reloaded while there were requests: {outcomes}")
