"""Cases of path building: which certificates lead from a server to a root."""

from certificates import der
from certificates.making import DAY, NOW, YEAR, authority, leaf


def add(matrix):
    matrix.group = "paths"
    simple(matrix)
    anchors(matrix)
    cross_signed(matrix)
    renewed(matrix)
    same_names(matrix)
    alternatives(matrix)
    long(matrix)
    loops(matrix)


def simple(matrix):
    add = matrix.add
    root, other = authority("Root"), authority("Other Root")
    one = authority("One", root)
    two = authority("Two", one)
    server, deep = leaf(one), leaf(two)
    stranger = leaf(other, "elsewhere.example", key="stranger")
    add("issued by the root", leaf(root), root)
    add("one intermediate", [server, one], root)
    add("two intermediates", [deep, two, one], root)
    add("root sent along", [server, one, root], root)
    add("root sent before the intermediate", [server, root, one], root)
    add("reversed order", [deep, root, one, two], root)
    add("duplicates of all", [server, server, one, one, server, root, root, one], root)
    add("duplicate roots", [server, one], [root, root])
    add("another root first", [server, one], [other, root])
    add("unrelated certificates first", [server, other, stranger, authority("Unrelated", other), one], root)
    add("expired unrelated certificate", [server, leaf(other, end=NOW - DAY, key="stranger"), one], root)
    junk = [authority(f"Junk {number}", other, key="junk") for number in range(90)]
    add("after 40 unrelated certificates", [server, *junk[:40], one], root)
    add("after 90 unrelated certificates", [server, *junk, one], root, "untrustedAuthority")
    add("before 90 unrelated certificates", [server, one, *junk], root)
    add("90 roots of other names", [server, one], [*junk, root])
    add("missing intermediate", server, root, "untrustedAuthority")
    add("missing intermediate, root sent along", [server, root], root, "untrustedAuthority")
    add("missing upper intermediate", [deep, two], root, "untrustedAuthority")
    add("root not trusted", [server, one, root], other, "untrustedAuthority")
    add("no roots", [server, one, root], [], "untrustedAuthority")
    add("no roots, issued by the root", [leaf(root), root], [], "untrustedAuthority")
    self_signed = leaf(subject="Alone")
    add("self-signed", self_signed, root, "selfSigned")
    add("self-signed, no roots", self_signed, [], "selfSigned")
    add("self-signed authority as server", leaf(subject="Alone CA", changes={
        "basic": der.basic(), "usage": der.usage("digitalSignature", "keyCertSign")}), root, "selfSigned")
    add("self-signed with the name of the root", leaf(subject="Root", key="fake"), root, "selfSigned")
    add("the server is an authority", [leaf(one, changes={"basic": der.basic()}), one], root)
    second = leaf(server, subject="Second", key="second")
    add("issued by another server", [second, server, one], root, "authority.notAnAuthority")
    add("wrong certificate first", [one, server], root, "wrongHost")


def anchors(matrix):
    add = matrix.add
    root, other = authority("Root"), authority("Other Root")
    one = authority("One", root)
    two = authority("Two", one)
    server, alone = leaf(one), leaf(subject="Alone")
    add("self-signed server as anchor", alone, alone)
    add("self-signed server as anchor, sent twice", [alone, alone], [root, alone])
    add("server as anchor", server, server)
    add("server as anchor, with its intermediate", [server, one], server)
    add("server as anchor, other name", server, server, "wrongHost", host="other.example")
    old = leaf(one, end=NOW - DAY)
    add("server as anchor, expired", old, old, "expired")
    client = leaf(one, changes={"purposes": der.purposes("client")})
    add("server as anchor, for clients", client, client, "notForServers")
    add("another certificate of the server as anchor", leaf(subject="Alone", end=NOW + DAY), alone, "selfSigned")
    add("intermediate as anchor", server, one)
    add("intermediate as anchor, sent along", [server, one], one)
    add("intermediate as anchor, root not trusted", [server, one, root], one)
    add("intermediate and root as anchors", [server, one], [root, one])
    add("upper intermediate as anchor", [leaf(two), two, one], one)
    second = leaf(server, subject="Second", key="second")
    add("server's issuer as anchor, not an authority", second, server, "authority.notAnAuthority")
    late = authority("One", root, end=NOW - DAY)
    add("expired intermediate as anchor", [server, late], late, "authority.expired")
    add("expired intermediate as anchor beside the root", [server, late, one], [late, root])
    add("anchor with a damaged signature", server, authority("One", root, signature=b"\x30\x06\2\1\1\2\1\1"))
    add("root with a damaged signature", [server, one], authority("Root", signature=b"\x30\x06\2\1\1\2\1\1"))
    add("other anchors only", server, [other, two], "untrustedAuthority")


def cross_signed(matrix):
    add = matrix.add
    a, b = authority("Root A"), authority("Root B")
    a_by_b, b_by_a = authority("Root A", b), authority("Root B", a)
    one, two = authority("One", a), authority("Two", b)
    server = leaf(one)
    add("new root signed by the old one, old trusted", [server, one, a_by_b], b)
    add("new root signed by the old one, new trusted", [server, one, a_by_b], a)
    add("new root signed by the old one, both trusted", [server, one, a_by_b], [b, a])
    add("old root signed by the new one, new trusted", [leaf(two), two, b_by_a], a)
    add("each signed by the other, first trusted", [server, one, a_by_b, b_by_a], a)
    add("each signed by the other, second trusted", [server, one, b_by_a, a_by_b], b)
    add("each signed by the other, none trusted", [server, one, a_by_b, b_by_a, a, b], authority("Root"),
        "untrustedAuthority")
    expired = authority("Root A", b, end=NOW - DAY)
    add("expired cross-sign, new root trusted", [server, one, expired], a)
    add("expired cross-sign, both trusted", [server, one, expired], [b, a])
    add("expired cross-sign, only old root trusted", [server, one, expired], b, "authority.expired")
    old = authority("Root B", key="Root B", end=NOW - DAY)
    add("cross-sign of an expired root, new root trusted", [server, one, a_by_b], [old, a])
    add("cross-sign of an expired root, sent along", [server, one, a_by_b, old], [a])
    add("cross-sign of an expired root only", [server, one, a_by_b], old, "authority.expired")
    one_by_b = authority("One", b)
    add("intermediate with two issuers, first trusted", [server, one_by_b, one], a)
    add("intermediate with two issuers, second trusted", [server, one_by_b, one], b)
    add("intermediate with two issuers, first only sent", [server, one_by_b], a, "untrustedAuthority")


def renewed(matrix):
    add = matrix.add
    old, new = authority("Root", end=NOW - DAY), authority("Root", start=NOW - YEAR)
    one = authority("One", new)
    server = leaf(one)
    add("expired and renewed root", [server, one], [old, new])
    add("renewed and expired root", [server, one], [new, old])
    add("expired root sent, renewed root trusted", [server, one, old], new)
    add("renewed root sent, expired root trusted", [server, one, new], old, "authority.expired")
    future = authority("Root", start=NOW + DAY)
    add("future and present root", [server, one], [future, new])
    add("future root", [server, one], [future], "authority.notYetValid")
    late, early = authority("One", new, end=NOW - DAY), authority("One", new, start=NOW + DAY)
    add("expired and renewed intermediate", [server, late, one], new)
    add("renewed and expired intermediate", [server, one, late], new)
    add("future intermediate beside a present one", [server, early, one], new)
    add("expired intermediate", [server, late], new, "authority.expired")
    add("future intermediate", [server, early], new, "authority.notYetValid")
    add("key rollover with a self-issued intermediate",
        [leaf(authority("Root", key="new key")), authority("Root", new, key="new key")], new)


def same_names(matrix):
    add = matrix.add
    root, other = authority("Root"), authority("Root", key="other")
    one, wrong = authority("One", root), authority("One", root, key="other")
    server, bare = leaf(one), leaf(one, identifiers=False)
    add("two intermediates of one name, wrong one first", [server, wrong, one], root)
    add("two intermediates of one name, right one first", [server, one, wrong], root)
    one_bare, wrong_bare = authority("One", root, identifiers=False), authority(
        "One", root, key="other", identifiers=False)
    add("two intermediates of one name without key identifiers", [bare, wrong_bare, one_bare], root)
    add("eight intermediates of one name without key identifiers", [bare, *[
        authority("One", root, key=f"other {number}", identifiers=False) for number in range(7)], one_bare], root)
    crowd = [authority("One", root, key=f"other {number}", identifiers=False) for number in range(60)]
    add("60 intermediates of one name without key identifiers", [bare, *crowd, one_bare], root)
    forged = authority("One", root, key="other", changes={"subject": der.key_identifier(one.identifier)})
    add("key identifier of another key first", [server, forged, one], root)
    add("no key identifiers", [bare, one_bare], authority("Root", identifiers=False))
    add("two roots of one name, wrong one first", [server, one], [other, root])
    add("two roots of one name, right one first", [server, one], [root, other])
    add("root of the same name with another key", [server, one], other, "authority.invalidSignature")
    add("issued by a root of the same name with another key", leaf(root), other, "invalidSignature")
    add("intermediate of the same name with another key", [server, wrong], root, "invalidSignature")
    add("damaged signature", [leaf(one, signature=b"\x30\x06\2\1\1\2\1\1"), one], root, "invalidSignature")
    add("damaged signature of the intermediate", [
        server, authority("One", root, signature=b"\x30\x06\2\1\1\2\1\1")], root, "authority.invalidSignature")
    add("damaged and sound intermediate", [
        server, authority("One", root, signature=b"\x30\x06\2\1\1\2\1\1"), one], root)
    missed = leaf(one, more=[der.issuer_identifier(b"another key")], identifiers=False)
    add("key identifier of another issuer", [missed, one], root)
    named = leaf(one, more=[der.issuer_identifier(one.identifier, "Elsewhere", 77)], identifiers=False)
    add("other name and number in the key identifier", [named, one], root)
    printable = authority("One", root, tag=der.PRINTABLE)
    add("issuer in another string type", [server, printable], root, "untrustedAuthority")
    add("issuer in another case", [server, authority("ONE", root, key="One")], root, "untrustedAuthority")


def alternatives(matrix):
    """Two paths, of which only one is valid."""
    add = matrix.add
    root, other = authority("Root"), authority("Other Root")
    one = authority("One", root)
    server = leaf(one)

    def both(name, bad, roots=(root, other)):
        add(f"{name} before a valid path", [server, bad, one], list(roots))
        add(f"{name} after a valid path", [server, one, bad], list(roots))

    both("not an authority", authority("One", other, changes={"basic": der.basic(False)}))
    both("name constraint", authority("One", other, more=[der.constraints(["elsewhere.example"])]))
    both("purpose", authority("One", other, more=[der.purposes("client")]))
    both("unknown critical extension", authority("One", other, more=[der.extension("1.2.3.4", der.null(), True)]))
    both("SHA-1 signature", authority("One", authority("RSA Root", kind="rsa2048"), function="sha1"), [
        root, authority("RSA Root", kind="rsa2048")])
    strict = authority("Other Root", path=0)
    upper = authority("Middle", strict)
    lower = authority("One", upper)
    add("path length before a valid path", [server, lower, upper, one], [strict, root])
    add("dead end before a valid path", [server, lower, upper, one], root)
    restricted = authority("Root", more=[der.constraints(["elsewhere.example"])])
    add("restricted and free root of one key", [server, one], [restricted, root])
    add("restricted root sent along, free root trusted", [server, one, restricted], root)
    add("free root sent along, restricted root trusted", [server, one, root], restricted, "nameNotPermitted")


def long(matrix):
    def chain(count):
        """Returns a chain of so many certificates, from the server to the root."""
        made = [authority("Level 0")]
        for number in range(1, count - 1):
            made.append(authority(f"Level {number}", made[-1]))
        return [leaf(made[-1]), *reversed(made[1:])], made[0]

    for count in (4, 8, 10):
        matrix.add(f"{count} certificates", *chain(count))
    for count in (11, 20):
        matrix.add(f"{count} certificates", *chain(count), "chainTooLong")
    presented, root = chain(10)
    matrix.add("10 certificates, intermediates reversed", [presented[0], *reversed(presented[1:])], root)
    presented, root = chain(11)
    short = authority("Level 9", root)
    matrix.add("11 certificates, and a shorter path", [*presented, short], root)


def loops(matrix):
    add = matrix.add
    root = authority("Root")
    a, b = authority("A"), authority("B")
    a_by_b, b_by_a = authority("A", b), authority("B", a)
    server = leaf(a)
    add("loop of two", [server, a_by_b, b_by_a], root, "untrustedAuthority")
    add("loop of two with an exit", [server, a_by_b, b_by_a, authority("B", root)], root)
    ring = [authority(f"Ring {number}", authority(f"Ring {(number + 1) % 5}")) for number in range(5)]
    add("loop of five", [leaf(authority("Ring 0")), *ring], root, "untrustedAuthority")
    add("loop of five with an exit", [leaf(authority("Ring 0")), *ring, authority("Ring 4", root)], root)
    same = [authority("Same", authority("Same", key=f"same {number + 1}"), key=f"same {number}") for number in range(6)]
    add("self-issued, six keys", [leaf(authority("Same", key="same 0")), *same], authority("Same", key="same 6"))
    add("self-issued, six keys, not trusted", [leaf(authority("Same", key="same 0")), *same], root,
        "untrustedAuthority")

    def mesh(count, *more):
        names = [f"Mesh {number}" for number in range(count)]
        selfs = [authority(name) for name in names]
        crossed = [authority(one, by) for one in names for by in selfs if authority(one).name != by.name]
        return [leaf(selfs[0]), *crossed, *more], selfs

    presented, selfs = mesh(4)
    add("mesh of four", presented, selfs[3])
    add("mesh of four, reversed", [presented[0], *reversed(presented[1:])], selfs[3])
    add("mesh of four, not trusted", [*presented, *selfs], root, "untrustedAuthority")
    presented, selfs = mesh(7)
    # A search without limits takes long for the next meshes. The reason is that Apus ends it.
    add("mesh of seven, not trusted", [*presented, *selfs], root, "other")
    add("mesh of seven, first trusted", presented, selfs[0])
    thick = [
        authority(f"Thick {one}", authority(f"Thick {by}"), end=NOW + YEAR + extra)
        for one in range(4) for by in range(4) for extra in range(4) if one != by
    ]
    add("mesh of four with four certificates each, not trusted", [leaf(authority("Thick 0")), *thick], root, "other")
