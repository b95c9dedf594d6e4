"""Cases of algorithms and of damaged encodings."""

from certificates import der, keys
from certificates.making import HOST, authority, leaf


def add(matrix):
    algorithms(matrix)
    probabilistic(matrix)
    versions(matrix)
    encodings(matrix)


def algorithms(matrix):
    matrix.group = "algorithms"
    add = matrix.add
    root = authority("Root")
    for kind in ("p256", "p384", "p521", "ed25519", "rsa2048", "rsa3072"):
        add(f"server {kind}", leaf(root, key=f"leaf {kind}", kind=kind), root)
        one = authority(f"One {kind}", root, kind=kind)
        add(f"intermediate {kind}", [leaf(one), one], root)
        top = authority(f"Root {kind}", kind=kind)
        add(f"root {kind}", leaf(top), top)
    for kind in ("rsa1024", "rsa2047", "p224", "secp256k1"):
        reason = "other" if kind == "secp256k1" else "weak"
        add(f"server {kind}", leaf(root, key=f"leaf {kind}", kind=kind), root, reason)
        one = authority(f"One {kind}", root, kind=kind)
        add(f"intermediate {kind}", [leaf(one), one], root, f"authority.{reason}")
        top = authority(f"Root {kind}", kind=kind)
        add(f"root {kind}", leaf(top), top, f"authority.{reason}")
    add("unused intermediate rsa1024", [leaf(root), authority("One rsa1024", root, kind="rsa1024")], root)
    rsa = authority("RSA Root", kind="rsa2048")
    for kind, top in [("RSA", rsa), ("ECDSA", root)]:
        for function in ("sha384", "sha512"):
            add(f"server, {kind} with {function}", leaf(top, function=function), top)
        for function in ("sha1", "md5"):
            if kind == "ECDSA" and function == "md5":
                continue
            add(f"server, {kind} with {function}", leaf(top, function=function), top, "weak")
            one = authority("One", top, function=function)
            add(f"intermediate, {kind} with {function}", [leaf(one), one], top, "authority.weak")
            add(f"intermediate as anchor, {kind} with {function}", leaf(one), one)
            itself = authority(f"Old {kind}", kind=top is rsa and "rsa2048" or "p256", function=function)
            add(f"root, {kind} with {function}", leaf(itself), itself)
            add(f"root sent along, {kind} with {function}", [leaf(itself), itself], itself)
    add("self-signed server as anchor, RSA with sha1", leaf(key="leaf rsa2048", kind="rsa2048", function="sha1"), leaf(
        key="leaf rsa2048", kind="rsa2048", function="sha1"))
    strong = authority("Root p384", kind="p384")
    for function in ("sha256", "sha512"):
        add(f"P-384 with {function}", leaf(strong, function=function), strong)
    bare = der.sequence(der.oid("1.2.840.113549.1.1.11"))
    add("RSA without parameters", leaf(rsa, algorithm=bare), rsa)
    odd = der.sequence(der.oid("1.2.840.10045.4.3.2"), der.null())
    add("ECDSA with NULL as parameters", leaf(root, algorithm=odd), root, "other")
    add("ECDSA signature by an RSA identifier", leaf(root, algorithm=rsa.key.algorithm("sha256")), root,
        "invalidSignature")
    other = root.key.algorithm("sha384")
    add("other algorithm inside", leaf(root, inner=other), root, "malformed")
    add("other algorithm outside", leaf(root, algorithm=other, inner=root.key.algorithm("sha256")), root, "malformed")
    unknown = der.sequence(der.oid("1.2.3.4.5"))
    add("unknown algorithm", leaf(root, algorithm=unknown), root, "other")
    # The handshake reads the key of the server.
    add("compressed key", leaf(root, public=keys.key("leaf").public(compressed=True)), root)
    one = authority("One", root, public=keys.key("One").public(compressed=True))
    add("intermediate with a compressed key", [leaf(one), one], root, "invalidSignature")
    for size in (4096, 8192, 16_384):
        public = keys.rsa_public(2**size - 2**32 - 1, 65537)
        add(f"server with an RSA key of {size} bits", leaf(root, public=public), root,
            "other" if size > 8192 else "accepted")
    for exponent in (3, 2**31 + 1, 2**64 + 1):
        public = keys.rsa_public(keys.rsa(2048).modulus, exponent)
        add(f"server with the RSA exponent {exponent}", leaf(root, public=public), root,
            "other" if exponent > 2**32 else "accepted")
    point = der.sequence(der.sequence(der.oid("1.2.840.10045.2.1"), der.oid("1.2.840.10045.3.1.7")), der.bits(
        b"\4" + b"\1" * 64))
    add("key that is no point", leaf(root, public=point), root)
    add("unknown key", leaf(root, public=der.sequence(der.sequence(der.oid("1.2.3.4.5")), der.bits(b"key"))), root,
        "other")


def probabilistic(matrix):
    """Adds signatures by RSASSA-PSS."""
    matrix.group = "algorithms"
    rsa, root = authority("RSA Root", kind="rsa2048"), authority("Root")

    def signed(name, function, expected="accepted", algorithm=None, by=rsa):
        matrix.add(f"PSS, {name}", leaf(by, function=function, algorithm=algorithm), by, expected)

    for function in ("sha256", "sha384", "sha512"):
        signed(function, f"pss-{function}")
        one = authority("One", rsa, function=f"pss-{function}")
        matrix.add(f"PSS, intermediate with {function}", [leaf(one), one], rsa)
    signed("RSA key of 3072 bits", "pss-sha512", by=authority("RSA Root 3072", kind="rsa3072"))
    itself = authority("PSS Root", kind="rsa2048", function="pss-sha256")
    matrix.add("PSS, root", leaf(itself, function="pss-sha256"), itself)
    signed("hash function without NULL", "pss-sha256", algorithm=keys.pss("sha256", 32, "sha256", null=b""))
    one = der.tagged(0xA3, der.integer(1))
    signed("trailer of 1 encoded", "pss-sha256", algorithm=keys.pss("sha256", 32, "sha256", trailer=one))

    signed("sha1", "pss-sha1", "weak")
    signed("md5", "pss-md5", "other")
    one = authority("One", rsa, function="pss-sha1")
    matrix.add("PSS, intermediate with sha1", [leaf(one), one], rsa, "authority.weak")
    defaults = der.sequence(der.oid(keys.PSS), der.sequence())
    signed("default parameters", "pss-sha1", "weak", defaults)
    for length in (0, 20, 31, 33, 64):
        signed(f"sha256 with a salt of {length} bytes", f"pss-sha256-{length}", "other")
    one = authority("One", rsa, function="pss-sha256-20")
    matrix.add("PSS, intermediate with a salt of 20 bytes", [leaf(one), one], rsa, "authority.other")
    signed("sha256 with a mask by sha1", "pss-sha256-32-sha1", "other")
    signed("sha256 with a mask by sha512", "pss-sha256-32-sha512", "other")
    hash_only = der.sequence(der.oid(keys.PSS), der.sequence(
        der.tagged(0xA0, der.sequence(der.oid(keys.HASHES["sha256"]), der.null()))))
    signed("sha256 with the other parameters by default", "pss-sha256-20-sha1", "other", hash_only)

    def damaged(name, algorithm, expected="other"):
        signed(name, "pss-sha256", expected, algorithm)

    damaged("no parameters", der.sequence(der.oid(keys.PSS)))
    damaged("NULL as parameters", der.sequence(der.oid(keys.PSS), der.null()))
    damaged("text as parameters", der.sequence(der.oid(keys.PSS), der.text("sha256")))
    damaged("trailer of 2", keys.pss("sha256", 32, "sha256", trailer=der.tagged(0xA3, der.integer(2))))
    damaged("member after the trailer", keys.pss("sha256", 32, "sha256", trailer=der.tagged(0xA4, der.integer(1))))
    damaged("unknown mask", keys.pss("sha256", 32, "sha256", mask="1.2.3.4"))
    damaged("hash function with a text", keys.pss("sha256", 32, "sha256", null=der.text("a")))
    damaged("negative salt", keys.pss("sha256", -32, "sha256"))
    damaged("salt of 71 bits", keys.pss("sha256", 2**70, "sha256"))

    right = rsa.key.algorithm("pss-sha256")
    for name, function, algorithm in [
        ("salt of another length than it says", "pss-sha256-20", right),
        ("mask of another function than it says", "pss-sha256-32-sha512", right),
        ("hash of another function than it says", "pss-sha384", right),
        ("signature by PKCS #1 v1.5", "sha256", right),
        ("named as PKCS #1 v1.5", "pss-sha256", rsa.key.algorithm("sha256")),
    ]:
        signed(name, function, "invalidSignature", algorithm)
    signed("signature by ECDSA", "sha256", "invalidSignature", right, root)
    good = leaf(rsa, function="pss-sha256")
    for name, signature in [
        ("changed signature", good.signature[:-1] + bytes([good.signature[-1] ^ 1])),
        ("short signature", good.signature[1:]),
        ("signature with a leading zero", b"\0" + good.signature),
        ("signature of zeros", bytes(len(good.signature))),
        ("signature above the modulus", b"\xff" * len(good.signature)),
    ]:
        matrix.add(f"PSS, {name}", leaf(rsa, function="pss-sha256", signature=signature), rsa, "invalidSignature")

    # A key that says that it is for RSASSA-PSS only.
    key = keys.rsa(2048)
    only = keys.rsa_public(key.modulus, key.exponent, der.sequence(der.oid(keys.PSS)))
    one = authority("One", rsa, key=key, public=only, function="pss-sha256")
    matrix.add("PSS, intermediate with a key for it", [leaf(one, function="pss-sha256"), one], rsa, "authority.other")
    matrix.add("PSS, server with a key for it", leaf(rsa, public=only, function="pss-sha256"), rsa, "other")


def versions(matrix):
    matrix.group = "versions"
    add = matrix.add
    root = authority("Root")
    add("version 1 with extensions", leaf(root, version=0), root, "malformed")
    add("version 2 with extensions", leaf(root, version=1), root, "malformed")
    add("version 1 without extensions", leaf(root, version=0, extensions=None, subject=HOST), root, "wrongHost")
    add("version 3 without extensions", leaf(root, extensions=None, subject=HOST), root, "wrongHost")
    for number in (3, 4, 127, -1):
        add(f"version {number + 1}", leaf(root, version=number), root, "malformed")
    one = authority("One", root, version=0)
    add("intermediate of version 1 with extensions", [leaf(one), one], root, "untrustedAuthority")


def encodings(matrix):
    matrix.group = "encodings"
    add = matrix.add
    root = authority("Root")
    server = leaf(root)

    def damaged(name, certificate, expected="malformed"):
        add(name, certificate, root, expected)

    damaged("serial number 1", leaf(root, serial=1), "accepted")
    damaged("serial number of 20 bytes", leaf(root, serial=2**158 + 1), "accepted")
    damaged("serial number of 40 bytes", leaf(root, serial=2**318 + 1), "accepted")
    damaged("serial number 0", leaf(root, serial=0), "accepted")
    damaged("negative serial number", leaf(root, serial=-5), "accepted")
    damaged("serial number with leading zeros", leaf(root, serial=b"\0\0\5"))
    damaged("empty serial number", leaf(root, serial=b""))
    damaged("byte after the certificate", server.der + b"\0")
    damaged("no bytes", b"")
    damaged("one byte", b"\x30")
    damaged("text", b"this is not a certificate")
    damaged("empty sequence", der.sequence())
    damaged("first half", server.der[:len(server.der) // 2])
    damaged("last byte is missing", server.der[:-1])
    content = server.der[4:]
    damaged("indefinite length", b"\x30\x80" + content + b"\0\0")
    damaged("length with a leading zero", b"\x30\x83\0" + len(content).to_bytes(2, "big") + content)
    damaged("length beyond the end", b"\x30\x82" + (len(content) + 1).to_bytes(2, "big") + content)
    damaged("length of 8 bytes", b"\x30\x88" + b"\xff" * 8 + content)
    damaged("a set in place of the sequence", b"\x31" + server.der[1:])
    damaged("members after the extensions", leaf(root, extra=der.integer(1)))
    damaged("empty list of extensions", leaf(root, extensions=[], subject=HOST), "wrongHost")
    value = der.sequence(der.boolean(False))[2:]
    for name, encoded in [
        ("trailing byte in the names", der.extension("2.5.29.17", der.sequence(der.dns(HOST)) + b"\0")),
        ("names that are no sequence", der.extension("2.5.29.17", der.dns(HOST))),
        ("unknown kind of name", der.extension("2.5.29.17", der.sequence(der.dns(HOST), der.tagged(0x89, b"a")))),
        ("indefinite length in the names", der.extension("2.5.29.17", b"\x30\x80" + der.dns(HOST) + b"\0\0")),
        ("letters beyond ASCII in a name", der.alternative(der.dns("b\xfccher.example"), HOST)),
    ]:
        damaged(name, leaf(root, changes={"names": encoded}))
    for name, key, encoded in [
        ("trailing byte in the constraints", "basic", der.extension("2.5.29.19", der.sequence() + b"\0", True)),
        ("constraints with a text", "basic", der.extension("2.5.29.19", der.text("CA"), True)),
        ("boolean of 1", "basic", der.extension("2.5.29.19", der.sequence(b"\1\1\1"), True)),
        ("usage with a text", "usage", der.extension("2.5.29.15", der.text("all"), True)),
        ("trailing byte in the usage", "usage", der.extension("2.5.29.15", der.bits(b"\x80", 7) + b"\0", True)),
        ("purposes with a text", "purposes", der.extension("2.5.29.37", der.sequence(der.text("all")))),
        ("trailing byte in the purposes", "purposes", der.extension(
            "2.5.29.37", der.sequence(der.oid(der.PURPOSES["server"])) + b"\0")),
    ]:
        damaged(name, leaf(root, changes={key: encoded}))
    critical = der.sequence(der.oid("1.2.3.4"), b"\1\1\1", der.octets(der.null()))
    damaged("critical by a boolean of 1", leaf(root, more=[critical]))
    explicit = der.sequence(der.oid("1.2.3.4"), der.boolean(False), der.octets(der.null()))
    damaged("critical by an explicit FALSE", leaf(root, more=[explicit]), "accepted")
    damaged("extension without a value", leaf(root, more=[der.sequence(der.oid("1.2.3.4"))]))
    empty = authority(b"\x30\0", key="Empty")
    add("issuer without a name", leaf(empty), empty)
    empty = authority(b"\x30\0", root, key="Empty")
    add("intermediate without a name", [leaf(empty), empty], root)
    damaged("empty subject", leaf(root, subject=b"\x30\0"), "accepted")
    damaged("unused bits in the signature", leaf(root, unused=3))
    damaged("signature of one byte", leaf(root, signature=b"\0"), "invalidSignature")
    signature = server.signature + b"\0"
    damaged("trailing byte in the signature", leaf(root, signature=signature), "invalidSignature")
    unique = der.tagged(0x81, b"\0\1") + der.tagged(0x82, b"\0\2")
    damaged("unique identifiers", leaf(root, before=unique), "accepted")
    damaged("path length without authority", leaf(root, changes={"basic": der.basic(False, 0)}), "accepted")
    padded = der.extension("2.5.29.15", der.bits(b"\x80\0"), True)
    damaged("usage with trailing zeros", leaf(root, changes={"usage": padded}), "accepted")
    many = [der.extension(f"1.2.3.4.{number}", der.null()) for number in range(40)]
    damaged("45 extensions", leaf(root, more=many))
    one = authority("One", root)
    add("text beside a valid path", [leaf(one), b"this is not a certificate", one], root)
    add("text in place of the intermediate", [leaf(one), b"this is not a certificate"], root, "untrustedAuthority")
    torn = one.der[:-1]
    add("torn intermediate", [leaf(one), torn], root, "untrustedAuthority")
    add("torn intermediate beside a sound one", [leaf(one), torn, one], root)
    add("text as a root beside the root", leaf(root), [b"text", root])
