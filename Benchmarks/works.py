"""The measured works, and the clients that take part in each."""

from dataclasses import dataclass

GIBIBYTE = 1 << 30
APUS = ("apus-loop", "apus-task", "apus-handle")
PEERS = ("async-http-client", "urlsession", "go", "curl", "wrk", "h2load", "foundation")
CLIENTS = APUS + PEERS
H2_VOLUME = ("apus-loop", "apus-task", "async-http-client", "go", "curl")


@dataclass(frozen=True)
class Work:
    """A measured work. `kind` is `requests`, `volume` or `memory`."""

    name: str
    title: str
    kind: str
    path: str
    clients: tuple
    concurrency: int = 1
    requests: int = 0  # 0: enough to fill the time of a run
    expected: int = 0  # the number that a client must report for each response
    volume: int = 0  # bytes that a request transfers
    group: str = ""  # works of a group share their rounds

    @property
    def http2(self):
        return self.name.startswith("h2-")

    @property
    def tls(self):
        return self.name.startswith(("tls-", "relayed-", "tunnel-", "handshake-")) or self.http2

    @property
    def relayed(self):
        """Whether the bytes go through a relay, without a proxy."""
        return self.name.startswith("relayed-")

    @property
    def proxy(self):
        """The proxy that the requests go through: `proxy`, which reads them, `tunnel`, or none."""
        prefix = self.name.partition("-")[0]
        return prefix if prefix in ("proxy", "tunnel") else None

    @property
    def opens_connections(self):
        """Whether each request opens a connection."""
        return self.name.startswith("handshake-")

    @property
    def base(self):
        return self.name.removeprefix("tls-").removeprefix("h2-").removeprefix("observed-")


def without(*names):
    return tuple(client for client in CLIENTS if client not in names)


def get(name, title, concurrency, group=""):
    # The curl tool has no comparable loop for concurrent requests.
    clients = without("foundation", "h2load") if concurrency == 1 else without("curl", "h2load", "foundation")
    return Work(name, title, "requests", "100", clients, concurrency, expected=100, group=group)


def down(name, title, clients=without("apus-handle", "wrk", "h2load", "foundation"), group=""):
    return Work(name, title, "volume", "1GiB", clients, requests=1, expected=GIBIBYTE, volume=GIBIBYTE, group=group)


def h2(name, title, concurrency):
    """HTTP/2 over TLS. URLSession on Linux would use it too, but fails with many concurrent requests."""
    return Work(name, title, "requests", "100", (*APUS, "async-http-client", "go", "h2load"), concurrency, expected=100)


WORKS = (
    get("get-100B-c1", "GET of 100 bytes, one at a time", 1),
    get("get-100B-c32", "GET of 100 bytes, 32 at a time", 32, group="furnishing"),
    Work("furnished-get-100B-c32", "the same with an adapter, a retry policy, 1,000 cookies and a monitor", "requests", "100",
         APUS, 32, expected=100, group="furnishing"),
    # AsyncHTTPClient opens a tunnel for requests in the clear as well.
    Work("proxy-get-100B-c32", "GET of 100 bytes over a proxy, 32 at a time", "requests", "100", (*APUS, "go"), 32,
         expected=100, group="furnishing"),
    get("get-100B-c256", "GET of 100 bytes, 256 at a time", 256),
    Work("json-8KB-c32", "GET of 8 KB of JSON, decoded into 64 values, 32 at a time", "requests", "8k.json",
         without("curl", "h2load", "foundation"), 32, expected=64),
    Work("get-8KB-c32", "GET of the same 8 KB, not decoded, 32 at a time", "requests", "8k.json",
         APUS, 32, expected=8133),
    Work("json-8KB-c1", "GET of 8 KB of JSON, decoded into 64 values, one at a time", "requests", "8k.json",
         APUS, expected=64, group="decoding"),
    Work("get-8KB-c1", "GET of the same 8 KB, not decoded, one at a time", "requests", "8k.json",
         APUS, expected=8133, group="decoding"),
    Work("apart-json-8KB-c1", "GET of the same 8 KB, then decoded by the caller, one at a time", "requests", "8k.json",
         APUS, expected=64, group="decoding"),
    Work("decode-json-8KB", "the same 8 KB decoded, without a network", "requests", "8k.json", ("apus-task", "foundation"),
         expected=64, group="decoding"),
    Work("encode-json-50", "a nested value of 50 fields encoded as JSON", "requests", "100",
         ("apus-task", "foundation"), expected=982, group="encoding"),
    Work("encode-form-50", "the same value encoded as a form", "requests", "100", ("apus-task",), expected=1479,
         group="encoding"),
    get("tls-get-100B-c1", "GET of 100 bytes over TLS, one at a time", 1),
    get("tls-get-100B-c32", "GET of 100 bytes over TLS, 32 at a time", 32, group="tunnels"),
    # The reference for tunnels: a client waits more often for a relay than for the server.
    Work("relayed-get-100B-c32", "the same through a relay of bytes, without a proxy", "requests", "100",
         (*APUS, "go"), 32, expected=100, group="tunnels"),
    Work("tunnel-get-100B-c32", "the same in a tunnel of a proxy, which relays as well", "requests", "100",
         (*APUS, "async-http-client", "go"), 32, expected=100, group="tunnels"),
    Work("handshake-c8", "GET of 100 bytes over TLS, each on a new connection, 8 at a time", "requests", "100",
         ("apus-loop", "apus-task", "async-http-client", "go", "curl"), 8, expected=100, group="handshakes"),
    Work("handshake-hybrid-c8", "the same with the default key exchange of the Swift clients, X25519MLKEM768",
         "requests", "100", ("apus-loop", "apus-task", "async-http-client"), 8, expected=100, group="handshakes"),
    down("down-1GiB", "1 GiB download, discarded"),
    down("down-1GiB-file", "1 GiB download to a file (in memory)", group="files"),
    Work("observed-down-1GiB-file", "the same with a progress closure", "volume", "1GiB", ("apus-loop", "apus-task"),
         requests=1, expected=GIBIBYTE, volume=GIBIBYTE, group="files"),
    down("tls-down-1GiB-file", "1 GiB download to a file over TLS"),
    down("h2-down-1GiB-file", "1 GiB download to a file over HTTP/2", H2_VOLUME),
    Work("up-256MiB", "256 MiB upload from a file", "volume", "up", without("apus-handle", "wrk", "h2load", "foundation"), requests=4,
         expected=100, volume=256 << 20),
    Work("up-multipart-1GiB", "1 GiB upload from a file, as a part of a multipart form", "volume", "up",
         ("apus-loop", "apus-task", "curl"), requests=1, expected=100, volume=GIBIBYTE),
    down("tls-down-1GiB", "1 GiB download over TLS, discarded"),
    h2("h2-get-100B-c1", "GET of 100 bytes over HTTP/2, one at a time", 1),
    h2("h2-get-100B-c32", "GET of 100 bytes over HTTP/2, 32 at a time", 32),
    h2("h2-get-100B-c256", "GET of 100 bytes over HTTP/2, 256 at a time", 256),
    down("h2-down-1GiB", "1 GiB download over HTTP/2, discarded", H2_VOLUME),
    Work("h2-up-256MiB", "256 MiB upload from a file over HTTP/2", "volume", "up", H2_VOLUME, requests=4,
         expected=100, volume=256 << 20),
    # URLSession keeps at most about 750 connections open, and needs minutes for 10,000 queued requests.
    Work("idle-1000", "1,000 idle connections", "memory", "100",
         without("apus-handle", "urlsession", "curl", "wrk", "h2load", "foundation"), 1000, requests=1000),
    Work("queued-10000", "10,000 requests queued behind 256 that occupy every connection", "memory", "100",
         without("urlsession", "curl", "wrk", "h2load", "foundation"), 256, requests=10000),
)
