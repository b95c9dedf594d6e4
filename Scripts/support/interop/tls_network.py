"""Checks of servers that speak no TLS, and of the flags for addresses. Each check is a name and a function."""

from .credentials import HOST
from .tls_peers import NOT_VERIFIED, NOTHING_IN_COMMON, TLS_FAILED, alert, raw


def strange(t, site, both):
    """Servers that speak no TLS, and alerts."""
    def answer(reply, words, code=1, flags=(), **options):
        def check():
            with raw(reply) as port:
                both.run(port, flags, words=words, code=code, **{"curl_code": TLS_FAILED, **options})
        return check

    no_tls = f"{HOST} does not use TLS on this port; use http://, or another port"
    yield "nginx without TLS", lambda: both.run(
        site.clear, words=no_tls, code=1, curl_code=TLS_FAILED)
    yield "http to nginx with TLS", lambda: both.run(
        site.tls, scheme="http", words="The plain HTTP request was sent to HTTPS port", verify=False)
    yield "SSH", answer(b"SSH-2.0-OpenSSH_9.2\r\n", no_tls)
    yield "SMTP", answer(b"220 mail.test ESMTP\r\n", no_tls)
    yield "nothing", answer(b"", f"{HOST} closed the connection during the handshake")
    yield "half a record", answer(bytes([22, 3, 3, 0, 80, 2, 0]), f"{HOST} closed the connection during the handshake")
    yield "an empty ServerHello", answer(bytes([22, 3, 3, 0, 4, 2, 0, 0, 0]), f"{HOST} violated the protocol")
    yield "silence", answer(None, "--timeout", 2, ["--timeout=1"], curl=["--max-time", "1"], curl_code=28)
    required = f"{HOST} requires a client certificate; name one with --cert FILE"
    for number, words in (
        (40, NOTHING_IN_COMMON), (71, NOTHING_IN_COMMON), (70, "supports only TLS 1.0 and 1.1"),
        (80, f"{HOST} ended the handshake: it had an internal error"), (50, "it could not decode a message"),
        (112, f"the server does not know the host {HOST}"), (116, required), (42, required),
        (120, f"{HOST} supports none of the protocols that were offered"), (200, "it sent the unknown alert 200"),
    ):
        # curl has a code of its own for certificate_required.
        yield f"the alert {number}", answer(alert(number), words, curl_code=(TLS_FAILED, 98))


def addresses(t, site, both):
    """--resolve, -4, -6, --unix-socket, --interface and --guard."""
    path = site.credentials.path
    http = {"scheme": "http", "verify": False, "resolve": False}

    def resolved(host, *values):
        return [f"--resolve={host}:{site.clear}:{value}" for value in values]

    def clear(flags, words, code=0, host=HOST, curl=(), **options):
        return lambda: both.run(
            site.clear, flags, words=words, code=code, host=host, curl=curl, **{**http, **options})

    one = ["--resolve", f"{HOST}:{site.clear}:127.0.0.1"]
    yield "--resolve", clear(resolved(HOST, "127.0.0.1"), f"from 127.0.0.1 for {HOST}\n", curl=one)
    yield "--resolve for another port", clear(
        [f"--resolve={HOST}:1:127.0.0.1"], "could not ", 1, curl=["--resolve", f"{HOST}:1:127.0.0.1"],
        curl_code=(6, 28))
    yield "--resolve with two addresses", clear(
        resolved(HOST, "127.0.0.3,127.0.0.1"), f"for {HOST}\n",
        curl=["--resolve", f"{HOST}:{site.clear}:127.0.0.3,127.0.0.1"])
    yield "--resolve without an address", clear(["--resolve=x:80"], "--resolve needs host:port:address", 1, curl=None)
    yield "-4", clear(["-4", *resolved(HOST, "127.0.0.1")], "from 127.0.0.1 ", curl=["-4", *one])
    yield "-6 without an address", clear(
        ["-6", *resolved(HOST, "127.0.0.1")], f"'{HOST}' has no IPv6 address; check the host name", 1,
        curl=["-6", *one])
    if site.has_ipv6:
        value = f"{HOST}:{site.tls}:127.0.0.1,[::1]"
        for flag, address in (("-4", "127.0.0.1"), ("-6", "::1")):
            yield f"{flag} with both", lambda flag=flag, address=address: both.run(
                site.tls, [flag, f"--resolve={value}"], words=f" from {address} ", resolve=False,
                curl=[flag, "--resolve", value])
        yield "an IPv6 address", lambda: both.run(site.tls, host="[::1]", words=" from ::1 as '' for [::1]\n")

    for address in ("127.0.0.2", "lo"):
        words = "from 127.0.0.2 " if address == "127.0.0.2" else "from 127.0.0.1 "
        yield f"--interface {address}", clear(
            [f"--interface={address}", *resolved(HOST, "127.0.0.1")], words, curl=["--interface", address, *one])
    yield "--interface of no one", clear(
        ["--interface=none0", *resolved(HOST, "127.0.0.1")], "the interface 'none0' has no address", 1,
        curl=["--interface", "none0", *one], curl_code=45)
    yield "--interface over TLS", lambda: both.run(
        site.tls, ["--interface=127.0.0.2"], words=" from 127.0.0.2 ", curl=["--interface", "127.0.0.2"])

    yield "--unix-socket", clear(
        ["--unix-socket", path("clear")], f"from unix: for {HOST}\n", curl=["--unix-socket", path("clear")])
    yield "--unix-socket over TLS", lambda: both.run(
        site.tls, ["--unix-socket", path("tls")], words=f" from unix: as '{HOST}' for {HOST}\n", resolve=False,
        curl=["--unix-socket", path("tls")])
    yield "--unix-socket of another host", lambda: both.run(
        site.tls, ["--unix-socket", path("tls")], host="other.test", words="it is not valid for other.test", code=1,
        resolve=False, curl=["--unix-socket", path("tls")], curl_code=NOT_VERIFIED)
    yield "--unix-socket of no one", clear(
        ["--unix-socket", path("none")], "could not connect", 1, curl=["--unix-socket", path("none")], curl_code=7)

    # curl has no guard.
    guarded = ["--guard=public"]
    loopback = "127.0.0.1 is a loopback address"
    for host in ("127.0.0.1", "127.1", "2130706433", "0x7f.1"):
        yield f"--guard and {host}", clear(guarded, loopback, 1, host, None)
    yield "--guard and ::1", clear(guarded, "::1 is a loopback address", 1, "[::1]", None)
    yield "--guard and a name", clear(
        [*guarded, *resolved(HOST, "127.0.0.1")],
        f"'{HOST}' has no allowed address: {loopback}; leave out --guard to allow it", 1, curl=None)
    yield "--guard and localhost", clear(guarded, "loopback address", 1, "localhost", None)
    yield "--guard over TLS", lambda: both.run(
        site.tls, guarded, host="127.0.0.1", words=f"could not connect: {loopback}; leave out --guard", code=1,
        curl=None)
    yield "--no-guard", clear([*guarded, "--no-guard", *resolved(HOST, "127.0.0.1")], f"for {HOST}\n", curl=one)
