"""Cases of the checks of authorities: validity, basic constraints, path lengths, key usage, purposes, extensions."""

from certificates import der
from certificates.making import DAY, NOW, YEAR, authority, leaf

UNKNOWN = "1.3.6.1.4.1.55555.1"


def add(matrix):
    validity(matrix)
    basic(matrix)
    path_length(matrix)
    usage(matrix)
    purposes(matrix)
    extensions(matrix)


def validity(matrix):
    matrix.group = "validity"
    add = matrix.add
    root = authority("Root")
    one = authority("One", root)
    add("first second", [leaf(one, start=NOW), one], root)
    add("a second early", [leaf(one, start=NOW + 1), one], root, "notYetValid")
    add("last second", [leaf(one, end=NOW), one], root)
    add("a second late", [leaf(one, end=NOW - 1), one], root, "expired")
    add("one second long", [leaf(one, start=NOW, end=NOW), one], root)
    add("end before begin", [leaf(one, start=NOW + DAY, end=NOW - DAY), one], root, "expired")
    late = dict(start=NOW - YEAR, end=NOW)
    for name, time, expected in [
        ("last second", NOW, None), ("a second late", NOW + 1, "expired"), ("first second", NOW - YEAR, None),
        ("a second early", NOW - YEAR - 1, "notYetValid"),
    ]:
        verdict = f"authority.{expected}" if expected else "accepted"
        long_lived = dict(start=NOW - 5 * YEAR, end=NOW + 5 * YEAR)
        timed = authority("One", root, **late)
        add(f"intermediate, {name}", [leaf(timed, **long_lived), timed], root, verdict, time=time)
        timed = authority("Root", **late)
        below = authority("One", timed)
        add(f"root, {name}", [leaf(below, **long_lived), below], timed, verdict, time=time)
    add("outlives its issuer", [leaf(authority("One", root, end=NOW + DAY), end=NOW + YEAR), authority(
        "One", root, end=NOW + DAY)], root)
    add("older than its issuer", [leaf(authority("One", root, start=NOW - DAY)), authority(
        "One", root, start=NOW - DAY)], root)
    add("expired server and expired intermediate", [leaf(one, end=NOW - DAY), authority(
        "One", root, end=NOW - DAY)], root, "expired")
    add("until 2049", [leaf(one, end=der.seconds(2049, 12, 31, 23, 59, 59)), one], root)
    add("until 2050", [leaf(one, end=der.seconds(2050)), one], root)
    add("until 9999", [leaf(one, end=der.tagged(0x18, b"99991231235959Z")), one], root)
    later = der.seconds(2060, 2, 29, 12)
    add("from 2049 until 2070", [leaf(one, start=der.seconds(2049), end=der.seconds(2070)), authority(
        "One", root, end=der.seconds(2070))], authority("Root", end=der.seconds(2070)), time=later)
    add("until a second before a leap day ends", leaf(root, end=later - 1), authority(
        "Root", end=der.seconds(2070)), "expired", time=later)
    add("from 1950", [leaf(one, start=der.seconds(1950)), one], root)
    add("from 1949", [leaf(one, start=der.seconds(1949)), one], root)
    add("year 50 is 1950", [leaf(one, end=der.tagged(0x17, b"500101000000Z")), one], root, "expired")
    add("GeneralizedTime before 2050", [leaf(one, end=der.generalized(NOW + DAY)), one], root)
    add("GeneralizedTime before 2050, expired", [leaf(one, end=der.generalized(NOW - DAY)), one], root, "expired")
    for name, value in [
        ("UTCTime without seconds", der.tagged(0x17, b"4901010000Z")),
        ("UTCTime with an offset", der.tagged(0x17, b"490101000000+0100")),
        ("UTCTime without a zone", der.tagged(0x17, b"490101000000")),
        ("GeneralizedTime with a fraction", der.tagged(0x18, b"20510101000000.5Z")),
        ("GeneralizedTime with an offset", der.tagged(0x18, b"20510101000000+0100")),
        ("month 13", der.tagged(0x17, b"491301000000Z")),
        ("30 February", der.tagged(0x17, b"490230000000Z")),
        ("hour 24", der.tagged(0x17, b"490101240000Z")),
        ("empty time", der.tagged(0x17, b"")),
        ("time of letters", der.tagged(0x17, b"today and on.")),
    ]:
        add(name, [leaf(one, end=value), one], root, "malformed")


def basic(matrix):
    matrix.group = "basic constraints"
    add = matrix.add
    root = authority("Root")

    def intermediate(name, extension, expected="authority.notAnAuthority", **options):
        one = authority("One", root, changes={"basic": extension}, **options)
        add(f"intermediate, {name}", [leaf(one), one], root, expected)

    def anchor(name, extension, expected="authority.notAnAuthority", **options):
        top = authority("Root", changes={"basic": extension}, **options)
        one = authority("One", top)
        add(f"root, {name}", [leaf(one), one], top, expected)

    for check in (intermediate, anchor):
        check("not an authority", der.basic(False))
        check("no constraints", None)
        check("not critical", der.basic(critical=False), "accepted")
        check("not critical, not an authority", der.basic(False, critical=False))
        check("empty", der.extension("2.5.29.19", der.sequence(), True))
    bare = authority("One", root, version=0, extensions=None, identifiers=False)
    add("intermediate of version 1", [leaf(bare), bare], root, "authority.notAnAuthority")
    bare = authority("One", root, version=1, extensions=None, identifiers=False)
    add("intermediate of version 2", [leaf(bare), bare], root, "authority.notAnAuthority")
    old = authority("Root", version=0, extensions=None, identifiers=False)
    add("root of version 1", leaf(old), old)
    add("no constraints on the server", leaf(root, changes={"basic": None}), root)
    add("constraints of the server not critical", leaf(root, changes={"basic": der.basic(False, critical=False)}), root)
    server = leaf(root)
    fake = leaf(server, "victim.example", subject="Victim", key="fake")
    add("server as issuer", [fake, server], root, "authority.notAnAuthority", host="victim.example")
    explicit = der.extension("2.5.29.19", der.sequence(der.boolean(False)), True)
    add("explicit FALSE on the server", leaf(root, changes={"basic": explicit}), root)


def path_length(matrix):
    matrix.group = "path length"

    def check(name, lengths, expected="accepted", root_length=None, self_issued=()):
        """Adds intermediates with these path lengths, from the root downwards."""
        root = issuer = authority("Root", path=root_length)
        presented = []
        for number, value in enumerate(lengths):
            # A self-issued certificate has the name of its issuer.
            title = previous if number in self_issued else f"Level {number}"
            issuer = authority(title, issuer, path=value, key=f"level {number}")
            presented.insert(0, issuer)
            previous = title
        matrix.add(name, [leaf(issuer), *presented], root, expected)

    check("root 0, no intermediate", [], root_length=0)
    check("root 0, one intermediate", [None], "chainTooLong", root_length=0)
    check("root 1, one intermediate", [None], root_length=1)
    check("root 1, two intermediates", [None, None], "chainTooLong", root_length=1)
    check("intermediate 0", [0])
    check("intermediate 0, another below", [0, None], "chainTooLong")
    check("intermediate 0, intermediate 5 below", [0, 5], "chainTooLong")
    check("intermediate 1, another below", [1, None])
    check("intermediate 1, two below", [1, None, None], "chainTooLong")
    check("intermediate 2, 1, 0", [2, 1, 0])
    check("intermediate 1, 1, 0", [1, 1, 0], "chainTooLong")
    check("intermediate 100", [100, None])
    check("root 0, intermediate 0", [0], "chainTooLong", root_length=0)
    check("intermediate 0, self-issued below", [0, 0], self_issued=[1])
    check("intermediate 0, two self-issued below", [0, 0, 0], self_issued=[1, 2])
    check("intermediate 0, self-issued and another below", [0, 0, None], "chainTooLong", self_issued=[1])
    check("intermediate 1, self-issued and another below", [1, None, None], self_issued=[1])
    root = authority("Root")
    below = authority("One", root, path=0)
    matrix.add("intermediate 0, the server is an authority", [
        leaf(below, changes={"basic": der.basic()}), below], root)
    negative = authority("One", root, changes={"basic": der.basic(path=-1)})
    matrix.add("negative length", [leaf(negative), negative], root, "untrustedAuthority")
    huge = authority("One", root, changes={"basic": der.basic(path=2**70)})
    matrix.add("length of 71 bits", [leaf(huge), huge], root, "untrustedAuthority")


def usage(matrix):
    matrix.group = "key usage"
    add = matrix.add
    root = authority("Root")
    for name, names, expected in [
        ("certificates only", ["keyCertSign"], "accepted"),
        ("all", der.USAGES[:7], "accepted"),
        ("revocation lists only", ["cRLSign"], "authority.notAnAuthority"),
        ("signatures only", ["digitalSignature"], "authority.notAnAuthority"),
    ]:
        one = authority("One", root, changes={"usage": der.usage(*names)})
        add(f"intermediate, {name}", [leaf(one), one], root, expected)
        top = authority("Root", changes={"usage": der.usage(*names)})
        one = authority("One", top)
        add(f"root, {name}", [leaf(one), one], top, expected)
    one = authority("One", root, changes={"usage": None})
    add("intermediate without usage", [leaf(one), one], root)
    one = authority("One", root, changes={"usage": der.usage("cRLSign", critical=False)})
    add("intermediate, revocation lists only, not critical", [leaf(one), one], root, "authority.notAnAuthority")
    top = authority("Root", changes={"usage": None})
    add("root without usage", leaf(top), top)
    for name, names, expected in [
        ("signatures", ["digitalSignature"], "accepted"),
        ("key encipherment", ["keyEncipherment"], "accepted"),
        ("key agreement", ["keyAgreement"], "accepted"),
        ("signatures and key encipherment", ["digitalSignature", "keyEncipherment"], "accepted"),
        ("key agreement, decipher only", ["keyAgreement", "decipherOnly"], "accepted"),
        ("certificates only", ["keyCertSign"], "notForServers"),
        ("non-repudiation only", ["nonRepudiation"], "notForServers"),
        ("data encipherment only", ["dataEncipherment"], "notForServers"),
        ("none", [], "notForServers"),
    ]:
        add(f"server, {name}", leaf(root, changes={"usage": der.usage(*names)}), root, expected)
    add("server without usage", leaf(root, changes={"usage": None}), root)
    add("server, non-repudiation only, not critical", leaf(root, changes={
        "usage": der.usage("nonRepudiation", critical=False)}), root, "notForServers")


def purposes(matrix):
    matrix.group = "purposes"
    add = matrix.add
    root = authority("Root")
    one = authority("One", root)
    kinds = [
        ("servers", ["server"], True), ("any", ["any"], True), ("servers and clients", ["server", "client"], True),
        ("clients and any", ["client", "any"], True), ("clients", ["client"], False), ("code", ["code"], False),
        ("revocation answers", ["ocsp"], False), ("email", ["email"], False), ("unknown", ["1.2.3.4"], False),
        ("step-up of Netscape", ["netscape"], False), ("unknown and servers", ["1.2.3.4", "server"], True),
    ]
    for name, names, is_good in kinds:
        extension = der.purposes(*names)
        add(f"server, {name}", [leaf(one, changes={"purposes": extension}), one], root,
            "accepted" if is_good else "notForServers")
        verdict = "accepted" if is_good else "authority.notForServers"
        if name in ("email", "code"):
            continue
        limited = authority("One", root, more=[extension])
        add(f"intermediate, {name}", [leaf(limited), limited], root, verdict)
        if len(names) == 1:
            top = authority("Root", more=[extension])
            add(f"root, {name}", [leaf(authority("One", top)), authority("One", top)], top, verdict)
    add("server without purposes", [leaf(one, changes={"purposes": None}), one], root)
    limited = authority("One", root, more=[der.purposes("client")])
    add("no purposes below an intermediate for clients", [leaf(limited, changes={"purposes": None}), limited], root,
        "authority.notForServers")
    limited = authority("One", root, more=[der.purposes("server")])
    add("any below an intermediate for servers", [leaf(limited, changes={"purposes": der.purposes("any")}), limited],
        root)
    add("critical, servers", leaf(root, changes={"purposes": der.purposes("server", critical=True)}), root)
    add("critical, clients", leaf(root, changes={"purposes": der.purposes("client", critical=True)}), root,
        "notForServers")
    add("empty", leaf(root, changes={"purposes": der.purposes()}), root, "notForServers")


def extensions(matrix):
    matrix.group = "extensions"
    root = authority("Root")

    def everywhere(name, extension, expected, places="server intermediate root"):
        inner = expected if expected == "accepted" else f"authority.{expected}"
        one = authority("One", root)
        if "server" in places:
            matrix.add(f"server, {name}", [leaf(one, more=[extension]), one], root, expected)
        if "intermediate" in places:
            one = authority("One", root, more=[extension])
            matrix.add(f"intermediate, {name}", [leaf(one), one], root, inner)
        if "root" in places:
            top = authority("Root", more=[extension])
            matrix.add(f"root, {name}", [leaf(authority("One", top)), authority("One", top)], top, inner)

    unknown = "unknownCriticalExtension"
    everywhere("unknown critical", der.extension(UNKNOWN, der.null(), True), unknown)
    everywhere("unknown", der.extension(UNKNOWN, der.null()), "accepted")
    everywhere("unknown, not ASN.1", der.extension(UNKNOWN, b"\xff\xff"), "accepted", "server intermediate")
    policies = der.sequence(der.sequence(der.oid("2.23.140.1.2.1")))
    everywhere("policies", der.extension("2.5.29.32", policies), "accepted")
    everywhere("critical policies", der.extension("2.5.29.32", policies, True), "accepted", "server intermediate")
    required = der.sequence(der.tagged(0x80, b"\0"))
    everywhere("critical policy constraints", der.extension("2.5.29.36", required, True), unknown, "intermediate")
    everywhere("critical inhibition of any policy", der.extension("2.5.29.54", der.integer(0), True), "accepted",
               "intermediate")
    everywhere("policy constraints", der.extension("2.5.29.36", required), "accepted", "intermediate")
    everywhere("poison of a precertificate", der.extension("1.3.6.1.4.1.11129.2.4.3", der.null(), True), unknown,
               "server")
    everywhere("critical demand of a stapled answer", der.extension(
        "1.3.6.1.5.5.7.1.24", der.sequence(der.integer(5)), True), unknown, "server")
    everywhere("demand of a stapled answer", der.extension(
        "1.3.6.1.5.5.7.1.24", der.sequence(der.integer(5))), "accepted", "server")
    address = der.sequence(der.sequence(der.oid("1.3.6.1.5.5.7.48.1"), der.uri("http://ocsp.site.example/")))
    everywhere("authority information", der.extension("1.3.6.1.5.5.7.1.1", address), "accepted", "server intermediate")
    everywhere("Netscape's comment", der.extension("2.16.840.1.113730.1.13", der.tagged(0x16, b"a")), "accepted",
               "server intermediate")
    points = der.sequence(der.sequence(der.tagged(0xA0, der.tagged(0xA0, der.uri("http://crl.site.example/")))))
    everywhere("revocation lists", der.extension("2.5.29.31", points), "accepted", "server intermediate")
    everywhere("twice the same", der.extension(UNKNOWN, der.null()) * 2, "malformed", "server")
    everywhere("two lists of names", der.alternative("other.example"), "malformed", "server")
