"""Checks of TLS and trust, against the servers of tls_peers.py.

Each check is a name and a function. It compares the exit code of `apus` and a part of its message, and the verdict of
curl where curl can do the same. Where the two differ on purpose, the check names both verdicts.
"""

import os

from .checks import Failure
from .credentials import HOST, Credentials
from .http2 import named
from .tls_clients import bundles, clients
from .tls_network import addresses, strange
from .tls_peers import NOT_PINNED, NOT_VERIFIED, NOTHING_IN_COMMON, TLS_FAILED, Comparison, Site, s_server, served


def groups(directory):
    """Makes the certificates, starts nginx, and returns the groups of checks."""
    site = Site(Credentials(os.path.join(directory, "tls")))
    return tuple(
        named(f"TLS {name}", lambda t, checks=checks: checks(t, site, Comparison(t, site.credentials)))
        for name, checks in (
            ("versions", versions), ("certificates", certificates), ("roots", roots), ("pins", pins),
            ("client certificates", clients), ("PKCS#12", bundles), ("hosts", hosts), ("staples", staples),
            ("other servers", strange), ("addresses", addresses)))


def versions(t, site, both):
    """Versions, cipher suites, curves and ALPN."""
    def server(*arguments, name="rsa"):
        return served(site, name, *arguments)

    def chosen(words, *arguments, name="rsa", flags=(), curl=()):
        return server(*arguments, name=name)(lambda port: both.run(port, flags, words=words, curl=curl))

    def refused(words, *arguments, name="rsa", flags=(), curl=(), curl_code=TLS_FAILED):
        return server(*arguments, name=name)(
            lambda port: both.run(port, flags, words=words, code=1, curl=curl, curl_code=curl_code))

    only_12, only_13 = ("--tlsv1.2", "--tls-max", "1.2"), ("--tlsv1.3",)
    yield "the newest version", chosen("New, TLSv1.3, Cipher is TLS_AES_")
    yield "a server of 1.2", chosen("New, TLSv1.2, Cipher is ECDHE-RSA-AES", "-tls1_2")
    yield "a server of 1.3", chosen("New, TLSv1.3, Cipher is TLS_", "-tls1_3")
    yield "a server of 1.1", refused(
        "supports only TLS 1.0 and 1.1, which are not secure", "-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0")
    yield "--ssl tls1.2", chosen("New, TLSv1.2, ", flags=["--ssl=tls1.2"], curl=only_12)
    yield "--ssl tls1.3", chosen("New, TLSv1.3, ", flags=["--ssl=tls1.3"], curl=only_13)
    yield "--ssl tls1.2 and a server of 1.3", refused(
        f"{HOST} does not support TLS 1.2; leave out --ssl", "-tls1_3", flags=["--ssl=tls1.2"], curl=only_12)
    yield "--ssl tls1.3 and a server of 1.2", refused(
        f"{HOST} does not support TLS 1.3; leave out --ssl", "-tls1_2", flags=["--ssl=tls1.3"], curl=only_13)
    yield "an unknown --ssl", lambda: both.run(site.tls, ["--ssl=tls1.1"], words="tls1.2", code=1, curl=None)

    for suite, name in (
        ("ECDHE-RSA-AES128-GCM-SHA256", "rsa"), ("ECDHE-RSA-AES256-GCM-SHA384", "rsa"),
        ("ECDHE-RSA-CHACHA20-POLY1305", "rsa"), ("ECDHE-RSA-AES256-SHA", "rsa"),
        ("ECDHE-ECDSA-AES128-GCM-SHA256", "good"), ("ECDHE-ECDSA-CHACHA20-POLY1305", "good"),
    ):
        yield f"a server with {suite} only", chosen(
            f"Cipher is {suite}\n", "-tls1_2", "-cipher", suite, name=name)
    for suite in ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"):
        yield f"a server with {suite} only", chosen(f"Cipher is {suite}\n", "-tls1_3", "-ciphersuites", suite)
    # curl accepts key exchanges without ECDHE.
    for suite in ("AES128-GCM-SHA256", "DHE-RSA-AES128-GCM-SHA256"):
        yield f"a server with {suite} only", refused(
            f"{NOTHING_IN_COMMON} (only those with ECDHE are secure)", "-tls1_2", "-cipher", suite, curl_code=0)
    yield "a server with TLS_AES_128_CCM_SHA256 only", refused(
        NOTHING_IN_COMMON, "-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_SHA256")
    suites = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384:TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"
    same = (*only_12, "--ciphers", "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-SHA")
    yield "--ciphers", chosen(
        "Cipher is ECDHE-RSA-AES256-GCM-SHA384\n", "-tls1_2", flags=[f"--ciphers={suites}"], curl=same)
    yield "--ciphers that the server does not have", refused(
        f"{NOTHING_IN_COMMON}; leave out --ciphers", "-tls1_2", "-cipher", "ECDHE-RSA-CHACHA20-POLY1305",
        flags=[f"--ciphers={suites}"], curl=same)
    for unknown in ("TLS_FAST", "TLS_RSA_WITH_AES_128_GCM_SHA256"):
        yield f"--ciphers {unknown}", lambda unknown=unknown: both.run(
            site.tls, [f"--ciphers={unknown}"], words=f"'{unknown}'", code=1, curl=None)

    for curve in ("X25519", "P-256", "P-384"):
        for version in ("-tls1_2", "-tls1_3"):
            yield f"a server with the curve {curve} only, {version}", chosen(
                "Cipher is ", version, "-groups", curve)
    # OpenSSL offers more curves.
    for curve in ("P-521", "X448"):
        yield f"a server with the curve {curve} only", refused(
            NOTHING_IN_COMMON, "-tls1_3", "-groups", curve, curl_code=0)
    yield "a server without ALPN", chosen("Cipher is ")
    yield "ALPN http/1.1", chosen("Cipher is ", "-alpn", "http/1.1")
    yield "no common ALPN", refused(
        f"{HOST} supports none of the protocols that were offered", "-alpn", "spdy/3")

    def described():
        with s_server(site.credentials, "rsa", "-tls1_2") as port:
            result = t.run(
                f"--verify={both.roots}", f"--resolve={HOST}:{port}:127.0.0.1", "-v", f"https://{HOST}:{port}/")
        for line in (f"* TLSv1.2, 127.0.0.1:{port}, http/1.1\n", "* Certificate: CN=rsa, issued by CN=Interop Root"):
            if line not in result.err:
                raise Failure(f"-v prints {result.err!r}, without {line!r}")

    yield "the lines of --verbose", described


def certificates(t, site, both):
    """Certificates of servers, good and bad ones."""
    def server(name, words, *arguments, code=1, flags=(), curl_code=NOT_VERIFIED, level=None):
        level = ("-cipher", "DEFAULT@SECLEVEL=0") if level == 0 else ()
        curl_code = 0 if code == 0 else curl_code
        return served(site, name, *level, *arguments)(
            lambda port: both.run(port, flags, words=words, code=code, curl_code=curl_code))

    def accepted(name, *arguments, **options):
        return server(name, "Cipher is ", *arguments, code=0, **options)

    for name in ("good", "rsa", "rsa-4096", "p-384"):
        for version in ("-tls1_2", "-tls1_3"):
            yield f"{name}, {version}", accepted(name, version)
    # The TLS library offers no signatures with these keys, unlike curl.
    for name in ("p-521", "ed25519", "pss-key"):
        yield name, server(name, NOTHING_IN_COMMON, "-tls1_3", curl_code=0)
    yield "an RSA-PSS signature", accepted("pss-signature")
    yield "a SHA-1 signature", server(
        "sha-1", "it has a signature by RSA with SHA-1, which can be forged; replace the certificate", level=0)
    yield "an RSA key of 1024 bits", server(
        "rsa-1024", "it has an RSA key of 1024 bits, which can be forged", level=0)

    yield "an expired one", server("expired", "it expired on 2021-05-03T00:00:00Z; check the clock of this machine")
    yield "a future one", server("future", "it is valid only from 2099-01-01T00:00:00Z on; check the clock")
    yield "another host", server("other-host", f"it is not valid for {HOST}, but for other.test; check the host name")
    # curl compares the common name if there is no other.
    yield "a common name only", server("common-name", f"it is not valid for {HOST}, and names no host", curl_code=0)
    yield "one for clients", server("for-clients", "it is not meant for servers")
    yield "an unknown critical extension", server("critical", "a critical extension that is not supported: 1.2.3.4")
    yield "a self-signed one", server("self-signed", "it is self-signed; name its authority with --verify FILE")
    yield "an unknown authority", server(
        "of-stranger", "its issuer 'Interop Stranger' is neither a trusted authority nor certified by one")
    for name in ("self-signed", "expired", "other-host", "of-stranger", "chained"):
        yield f"{name}, without verification", served(site, name)(
            lambda port: both.run(port, ["--verify=no"], words="Cipher is ", curl=["-k"], verify=False))

    chain = [site.credentials.path(f"{name}.pem") for name in ("forward", "backward", "upper")]
    yield "a chain", accepted("chained", "-cert_chain", chain[0])
    yield "a chain in the wrong order, with others", accepted("chained", "-cert_chain", chain[1])
    yield "a chain without its first authority", server(
        "chained", "its issuer 'Interop Lower' is neither", "-cert_chain", chain[2])
    yield "a certificate without its chain", server("chained", "its issuer 'Interop Lower' is neither")

    def sent(name, words, code=1):
        own = site.credentials.path(name.removeprefix("of-") + ".pem")
        return server(name, words, "-cert_chain", own, code=code)

    yield "an expired authority", sent("of-old", "its authority 'CN=Interop Old' expired on 2021-05-03T00:00:00Z")
    yield "an authority for another domain", sent(
        "of-limited", f"an authority of its chain may not certify the name '{HOST}'")
    yield "an issuer that is no authority", sent(
        "of-none", "its authority 'CN=Interop None' has issued another certificate, but may not")
    limited = site.credentials.path("limited.pem")
    yield "an authority for its domain", served(site, "inside", "-cert_chain", limited)(
        lambda port: both.run(port, host="a.inside.test", words="Cipher is "))

    for host in ("localhost", "127.0.0.1"):
        yield f"the host {host}", lambda host=host: both.run(site.tls, host=host, words=f"for {host}\n")
    yield "an address that it does not name", served(site, "rsa")(
        lambda port: both.run(
            port, host="127.0.0.1", words=f"it is not valid for 127.0.0.1, but for {HOST}", code=1,
            curl_code=NOT_VERIFIED))


def roots(t, site, both):
    """The roots: --verify and the variables of the environment."""
    path = site.credentials.path

    def run(words, code=0, flags=(), curl=(), curl_code=None, variables=None):
        return lambda: both.run(
            site.tls, flags, words=words, code=code, curl=curl, curl_code=curl_code, verify=False, variables=variables)

    unknown = "its issuer 'Interop Root' is neither a trusted authority"
    yield "a file", run(f"for {HOST}\n", flags=["--verify", path("root.pem")], curl=["--cacert", path("root.pem")])
    yield "a file of others", run(
        unknown, 1, ["--verify", path("stranger.pem")], ["--cacert", path("stranger.pem")], NOT_VERIFIED)
    yield "a folder", run(
        f"for {HOST}\n", flags=["--verify", path("authorities")],
        curl=["--cacert", os.devnull, "--capath", path("authorities")], curl_code=(0, 77))
    yield "a folder of others", run(
        unknown, 1, ["--verify", path("strangers")], ["--capath", path("strangers")], NOT_VERIFIED)
    yield "a file in DER", run(f"for {HOST}\n", flags=["--verify", path("root.der")], curl=None)
    yield "the roots of the system", run(unknown, 1, curl_code=NOT_VERIFIED)
    yield "--verify yes", run(unknown, 1, ["--verify=yes"], curl_code=NOT_VERIFIED)
    yield "--verify no", run(f"for {HOST}\n", flags=["--verify=no"], curl=["-k"])
    yield "a missing file", run(
        "of --verify can't be read", 1, ["--verify=missing.pem"], ["--cacert", "missing.pem"], 77)
    yield "a file without a certificate", run(
        "has no certificate in PEM or DER", 1, ["--verify", path("root.key")], ["--cacert", path("root.key")], 77)
    yield "a folder without a certificate", run("no file in '", 1, ["--verify", path("texts")], None)

    def trusted(name, place):
        return run(f"for {HOST}\n", variables={name: path(place)})

    yield "SSL_CERT_FILE", trusted("SSL_CERT_FILE", "root.pem")
    yield "SSL_CERT_DIR", trusted("SSL_CERT_DIR", "authorities")
    yield "SSL_CERT_FILE of others", run(
        unknown, 1, curl_code=NOT_VERIFIED, variables={"SSL_CERT_FILE": path("stranger.pem")})
    yield "--verify instead of SSL_CERT_FILE", run(
        f"for {HOST}\n", flags=["--verify", path("root.pem")], curl=["--cacert", path("root.pem")],
        variables={"SSL_CERT_FILE": path("stranger.pem")})

    def anchored(name, anchor, code=0, words="Cipher is ", curl_code=None):
        return served(site, name)(lambda port: both.run(
            port, ["--verify", path(anchor)], words=words, code=code, curl=["--cacert", path(anchor)],
            curl_code=curl_code, verify=False))

    yield "an authority that is no root", anchored("chained", "lower.pem")
    yield "an authority that is not the issuer", anchored(
        "chained", "upper.pem", 1, "its issuer 'Interop Lower' is neither", NOT_VERIFIED)
    yield "the server's certificate", anchored("good", "good.pem")
    yield "a self-signed certificate", anchored("self-signed", "self-signed.pem")
    yield "an expired certificate", anchored(
        "expired", "expired.pem", 1, "it expired on 2021-05-03T00:00:00Z", NOT_VERIFIED)


def pins(t, site, both):
    """Pinned public keys. curl looks at the key of the server only."""
    credentials = site.credentials
    own, other, root = (credentials.pin(name) for name in ("good", "rsa", "root"))
    missing = "its chain has no pinned key, but the keys " + own

    def run(text, words=f"for {HOST}\n", code=0, curl_code=None, **options):
        flags = options.pop("flags", [])
        return lambda: both.run(
            site.tls, [f"--pin={text}", *flags], words=words, code=code, curl=["--pinnedpubkey", text],
            curl_code=curl_code, **options)

    yield "the key", run(own)
    yield "another key", run(other, missing, 1, NOT_PINNED)
    yield "several keys", run(f"{other};{own}")
    yield "several other keys", run(f"{other};{credentials.pin('stranger')}", missing, 1, NOT_PINNED)
    yield "the key of the root", run(root, curl_code=NOT_PINNED)
    yield "two flags", lambda: both.run(
        site.tls, [f"--pin={other}", f"--pin={own}"], words=f"for {HOST}\n", curl=None)
    yield "an unknown authority", run(
        own, "its issuer 'Interop Root' is neither", 1, NOT_VERIFIED, verify=False)
    unverified = {"flags": ["--verify=no"], "verify": False}
    yield "the key, without verification", lambda: both.run(
        site.tls, [f"--pin={own}", "--verify=no"], words=f"for {HOST}\n", curl=["-k", "--pinnedpubkey", own],
        verify=False)
    yield "another key, without verification", lambda: both.run(
        site.tls, [f"--pin={other}", "--verify=no"], words="its chain has no pinned key", code=1,
        curl=["-k", "--pinnedpubkey", other], curl_code=NOT_PINNED, verify=False)
    # Nothing binds the other certificates to the server then.
    yield "the key of the root, without verification", run(
        root, "its chain has no pinned key", 1, (NOT_VERIFIED, NOT_PINNED), **unverified)
    for text in ("sha256//AAAA", "md5//AAAA", ";"):
        yield f"--pin {text}", lambda text=text: both.run(
            site.tls, [f"--pin={text}"], words="--pin", code=1, curl=None)
    for name in ("rsa", "p-384"):
        pin = credentials.pin(name)
        yield f"the key {name}", served(site, name)(lambda port, pin=pin: both.run(
            port, [f"--pin={pin}"], words="Cipher is ", curl=["--pinnedpubkey", pin]))


def hosts(t, site, both):
    """Several hosts at one address, by SNI."""
    def host(name, words, code=0, **options):
        return lambda: both.run(site.hosts, host=name, words=words, code=code, **options)

    yield "the first host", host("a.test", "a a.test\n")
    yield "the second host", host("b.test", "b b.test\n")
    yield "a wildcard", host("x.wild.test", "wild x.wild.test\n")
    yield "capital letters", host("A.Test", "a ")
    yield "a wildcard and two labels", host(
        "x.y.wild.test", "it is not valid for x.y.wild.test, but for *.wild.test", 1, curl_code=NOT_VERIFIED)
    unknown = "the server does not know the host c.test; check the host name"
    yield "an unknown host", host("c.test", unknown, 1, curl_code=TLS_FAILED)
    # A name is required, and an address is none.
    yield "an address", host(
        "127.0.0.1", "the server does not know the host 127.0.0.1", 1, curl_code=TLS_FAILED)
    path = site.credentials.path
    second = ("-servername", "a.test", "-cert2", path("a.pem"), "-key2", path("a.key"))
    yield "s_server: the host", served(site, "b", *second, "-servername_fatal")(
        lambda port: both.run(port, host="a.test", words="Cipher is "))
    yield "s_server: another host", served(site, "b", *second, "-servername_fatal")(
        lambda port: both.run(port, host="c.test", words=unknown, code=1, curl_code=TLS_FAILED))
    # The alert is a warning in TLS 1.2, and the default certificate is for b.test.
    yield "s_server: a warning", served(site, "b", *second, "-tls1_2")(
        lambda port: both.run(port, host="b.test", words="Cipher is "))


def staples(t, site, both):
    """Stapled OCSP responses, which nothing asks for. curl asks for them with --cert-status."""
    for name, port in site.stapled.items():
        yield name, lambda port=port: both.run(port, words="stapled\n")

    def asked():
        # Whether the servers staple what the checks are for.
        shared = ["--cacert", both.roots, "--cert-status"]
        for name, wanted in (("good", 0), ("must-staple", 0), ("revoked", 91)):
            port = site.stapled[name]
            code, text = both.run_curl([*shared, "--resolve", f"{HOST}:{port}:127.0.0.1", f"https://{HOST}:{port}/"])
            t.expect(f"curl's exit code for {name} ({text})", code, wanted)

    yield "the responses", asked
