"""Makes certificates, correct and damaged ones."""

import hashlib

from certificates import der, keys

# The time of verification of most cases: 21 June 2026, 00:00 UTC.
NOW = der.seconds(2026, 6, 21)
DAY = 86_400
YEAR = 365 * DAY
HOST = "www.site.example"


class Certificate:
    """A certificate, with the key and the name by which it can issue others."""

    def __init__(self, encoded, name, key, identifier, signature):
        self.der, self.name, self.key, self.identifier, self.signature = encoded, name, key, identifier, signature


def certificate(
    subject, key, by=None, *, extensions, start=NOW - YEAR, end=NOW + YEAR, version=2, serial=None, function=None,
    algorithm=None, inner=None, issuer=None, public=None, tag=der.UTF8, before=b"", extra=b"", unused=0, signature=None,
):
    """Makes a certificate that `by` has issued, or a self-signed one.

    `algorithm` and `inner` replace the identifiers of the signature algorithm outside and inside of the signed part,
    `issuer` the name of the issuer, `public` the public key, and `signature` the signature. `before` stands before the
    extensions, and `extra` after them.
    """
    name = der.name(subject, tag)
    public = public or key.public()
    identifier = hashlib.sha1(public, usedforsecurity=False).digest()
    signer = by.key if by else key
    function = function or signer.function
    outer = algorithm or signer.algorithm(function)
    if serial is None:
        seed = name + public + repr((start, end, by and by.identifier, extensions)).encode()
        serial = int.from_bytes(hashlib.sha256(seed).digest()[:12], "big") | 1
    signed = der.sequence(
        der.tagged(0xA0, der.integer(version)) if version else b"",
        der.integer(serial),
        inner or outer,
        der.name(issuer) if issuer is not None else by.name if by else name,
        der.sequence(der.moment(start), der.moment(end)),
        name,
        public,
        before,
        der.tagged(0xA3, der.sequence(*extensions)) if extensions is not None else b"",
        extra,
    )
    signature = signature or signer.sign(signed, function)
    return Certificate(der.sequence(signed, outer, der.bits(signature, unused)), name, key, identifier, signature)


def chosen(defaults, changes, more):
    """Replaces extensions by name. `None` removes one."""
    return [value for value in {**defaults, **changes}.values() if value is not None] + list(more)


def authority(
    subject, by=None, *, key=None, kind="p256", changes=None, more=(), identifiers=True, path=None, **options,
):
    """Makes an authority: self-signed without `by`. Its key is that of its name, unless `key` is another."""
    if key is None or isinstance(key, str):
        key = keys.key(key or (subject if isinstance(subject, str) else subject.hex()), kind)
    defaults = {"basic": der.basic(path=path), "usage": der.usage("keyCertSign", "cRLSign")}
    if identifiers:
        public = options.get("public") or key.public()
        defaults["subject"] = der.key_identifier(hashlib.sha1(public, usedforsecurity=False).digest())
        if by:
            defaults["issuer"] = der.issuer_identifier(by.identifier)
    extensions = options.pop("extensions", chosen(defaults, changes or {}, more))
    options = {"start": NOW - 10 * YEAR, "end": NOW + 10 * YEAR, **options}
    return certificate(subject, key, by, extensions=extensions, **options)


def leaf(by=None, *names, subject=None, key="leaf", kind="p256", changes=None, more=(), identifiers=True, **options):
    """Makes the certificate of a server for these hosts, addresses or general names. Default: that of `HOST`."""
    names = names or (HOST,)
    if isinstance(key, str):
        key = keys.key(key, kind)
    defaults = {
        "basic": der.basic(False), "usage": der.usage("digitalSignature"), "purposes": der.purposes("server"),
        "names": der.alternative(*names),
    }
    if identifiers and by:
        defaults["issuer"] = der.issuer_identifier(by.identifier)
    extensions = options.pop("extensions", chosen(defaults, changes or {}, more))
    return certificate(subject if subject is not None else "Server", key, by, extensions=extensions, **options)


class Matrix:
    """Collects the cases."""

    def __init__(self):
        self.cases = []
        self.group = ""

    def add(self, name, chain, roots, expected="accepted", host=HOST, time=NOW):
        """Adds a case: the presented certificates, that of the server first, the roots, and the verdict."""
        chain = chain if isinstance(chain, (list, tuple)) else [chain]
        roots = roots if isinstance(roots, (list, tuple)) else [roots]
        self.cases.append({
            "name": f"{self.group}: {name}", "group": self.group, "host": host, "time": time, "expected": expected,
            "chain": [der.pem(one if isinstance(one, bytes) else one.der) for one in chain],
            "roots": [der.pem(one if isinstance(one, bytes) else one.der) for one in roots],
        })
