"""Cases of name constraints (RFC 5280 §4.2.1.10)."""

from certificates import der
from certificates.making import HOST, authority, leaf

REFUSED = "nameNotPermitted"
SITE = "site.example"


def add(matrix):
    matrix.group = "name constraints"
    root = authority("Root")

    def check(name, names, expected="accepted", permitted=(), excluded=(), host=HOST, subject=None, **options):
        one = authority("One", root, more=[der.constraints(permitted, excluded, **options)])
        matrix.add(name, [leaf(one, *names, subject=subject), one], root, expected, host)

    hosts(check)
    addresses(check)
    mail(check)
    uris(check)
    directories(check)
    others(check)
    places(matrix, root)


def hosts(check):
    for name, constraint, names, is_inside in [
        ("the host", HOST, [HOST], True),
        ("domain", SITE, [HOST], True),
        ("top-level domain", "example", [HOST], True),
        ("domain in upper case", "SITE.Example", [HOST], True),
        ("other domain", "other.example", [HOST], False),
        ("suffix that is no domain", "ite.example", [HOST], False),
        ("subdomain", "a." + HOST, [HOST], False),
        ("leading dot", "." + SITE, [HOST], True),
        ("leading dot, two labels", "." + SITE, ["a." + HOST], True),
        ("leading dot, the domain itself", "." + SITE, [SITE], False),
        ("leading dot, other domain", ".other.example", [HOST], False),
        ("everything", "", [HOST], True),
        ("wildcard below", SITE, ["*." + SITE], True),
        ("wildcard of another domain", "other.example", ["*." + SITE], False),
    ]:
        host = HOST if HOST in names else names[0].replace("*", "www")
        check(f"permitted, {name}", names, "accepted" if is_inside else REFUSED, [constraint], host=host)
        check(f"excluded, {name}", names, REFUSED if is_inside else "accepted", (), [constraint], host=host)
    check("permitted, a host of the wildcard", ["*." + SITE], REFUSED, [HOST])
    check("excluded, a host of the wildcard", ["*." + SITE], REFUSED, (), [HOST])
    check("excluded, another host of the wildcard", ["*." + SITE], REFUSED, (), ["other." + SITE])
    check("excluded, a host below the wildcard", ["*." + SITE], "accepted", (), ["a.b." + SITE])
    check("excluded, another top-level domain than the wildcard", ["*." + SITE], "accepted", (), ["org"])
    check("permitted, second of two constraints", [HOST], "accepted", ["other.example", SITE])
    check("permitted, one of two names", [HOST, "other.example"], REFUSED, [SITE])
    check("excluded, the other name", [HOST, "other.example"], REFUSED, (), ["other.example"])
    check("excluded inside the permitted", [HOST], REFUSED, [SITE], [HOST])
    check("permitted, another host is excluded", [HOST], "accepted", [SITE], ["other." + SITE])
    check("permitted, underscore", ["my_host." + SITE], "accepted", [SITE], host="my_host." + SITE)
    check("permitted, A-label", ["xn--bcher-kva." + SITE], "accepted", [SITE], host="xn--bcher-kva." + SITE)
    check("permitted, trailing dot in the name", [HOST + ".", HOST], "accepted", [SITE])
    check("excluded, trailing dot in the name", [HOST + "."], REFUSED, (), [SITE])
    check("excluded, trailing dot in the constraint", [HOST], REFUSED, (), [SITE + "."])
    check("excluded, upper case in the name", ["WWW.SITE.Example"], REFUSED, (), [SITE])
    check("excluded, hosts of the wildcard by a leading dot", ["*." + SITE], REFUSED, (), ["." + SITE])
    check("excluded, wildcard with upper case", ["*.SITE.example"], REFUSED, (), [HOST])
    names = [f"host-{number}.example" for number in range(999)] + [HOST]
    many = [f"host-{number}.other.example" for number in range(1_100)]
    check("1,000 names and 100 constraints", names, "accepted", (), many[:100])
    check("1,000 names and 1,100 constraints", names, "other", (), many)
    check("not critical, other domain", [HOST], REFUSED, ["other.example"], critical=False)
    check("permitted, common name outside", [HOST], "accepted", [SITE], subject="other.example")


def addresses(check):
    def both(name, constraint, address, is_inside):
        check(f"permitted, {name}", [address], "accepted" if is_inside else REFUSED, [constraint], host=address)
        check(f"excluded, {name}", [address], REFUSED if is_inside else "accepted", (), [constraint], host=address)

    both("IPv4 network", "192.0.2.0/24", "192.0.2.1", True)
    both("last address of the network", "192.0.2.0/24", "192.0.2.255", True)
    both("IPv4 outside of the network", "192.0.2.0/24", "192.0.3.1", False)
    both("IPv4 network of 25 bits", "192.0.2.128/25", "192.0.2.129", True)
    both("IPv4 outside of 25 bits", "192.0.2.128/25", "192.0.2.127", False)
    both("IPv4 address", "192.0.2.1/32", "192.0.2.1", True)
    both("all of IPv4", "0.0.0.0/0", "192.0.2.1", True)
    both("IPv6 network", "2001:db8::/32", "2001:db8::1", True)
    both("IPv6 outside of the network", "2001:db8::/32", "2001:db9::1", False)
    both("IPv6 network of 33 bits", "2001:db8:8000::/33", "2001:db8:8000::1", True)
    both("IPv6 outside of 33 bits", "2001:db8:8000::/33", "2001:db8:7fff::1", False)
    both("IPv4 network, IPv6 address", "0.0.0.0/0", "2001:db8::1", False)
    both("IPv6 network, IPv4 address", "::/0", "192.0.2.1", False)
    check("permitted, hosts only, an address", ["192.0.2.1"], "accepted", [SITE], host="192.0.2.1")
    check("permitted, addresses only, a host", [HOST], "accepted", ["192.0.2.0/24"])
    check("permitted, address beside the host outside", [HOST, "192.0.3.1"], REFUSED, ["192.0.2.0/24"])
    check("permitted, network without its own bits", ["192.0.2.1"], "accepted", [
        der.ip(bytes([192, 0, 2, 77, 255, 255, 255, 0]))], host="192.0.2.1")
    check("mask of 5 bytes", [HOST], "untrustedAuthority", [der.ip(bytes(5))])
    check("mask with gaps", ["192.0.2.1"], "accepted", [
        der.ip(bytes([192, 0, 2, 0, 255, 0, 255, 0]))], host="192.0.2.1")


def mail(check):
    for name, constraint, address, is_inside in [
        ("host of the address", SITE, "a@site.example", True),
        ("host in upper case", SITE, "a@SITE.example", True),
        ("host, a subdomain", SITE, "a@www.site.example", False),
        ("domain", "." + SITE, "a@www.site.example", True),
        ("domain, its own host", "." + SITE, "a@site.example", False),
        ("address", "a@site.example", "a@site.example", True),
        ("other address", "a@site.example", "b@site.example", False),
        ("other host", SITE, "a@other.example", False),
    ]:
        names = [HOST, der.email(address)]
        check(f"permitted, email, {name}", names, "accepted" if is_inside else REFUSED, [der.email(constraint)])
        check(f"excluded, email, {name}", names, REFUSED if is_inside else "accepted", (), [der.email(constraint)])
    check("permitted, email, no address", [HOST], "accepted", [der.email(SITE)])
    check("permitted, email in the subject", [HOST], REFUSED, [der.email(SITE)], subject="E=a@other.example,CN=Server")
    quoted = der.email('"a@other.example"@site.example')
    check("excluded, email, quoted at sign", [HOST, quoted], REFUSED, (), [der.email(SITE)])
    check("permitted, email without a host", [HOST, der.email("a")], REFUSED, [der.email(SITE)])


def uris(check):
    for name, constraint, value, is_inside in [
        ("host", SITE, "https://site.example/a", True),
        ("host with a port", SITE, "https://site.example:8443/", True),
        ("host with a user", SITE, "https://a@site.example/", True),
        ("host in upper case", SITE, "https://SITE.example/", True),
        ("host, a subdomain", SITE, "https://www.site.example/", False),
        ("domain", "." + SITE, "https://www.site.example/", True),
        ("domain, its own host", "." + SITE, "https://site.example/", False),
        ("other host", SITE, "https://other.example/site.example", False),
        ("host in the place of the user", SITE, "https://site.example@other.example/", False),
        ("host in the query", SITE, "https://other.example?@site.example", False),
    ]:
        names = [HOST, der.uri(value)]
        check(f"permitted, URI, {name}", names, "accepted" if is_inside else REFUSED, [der.uri(constraint)])
        check(f"excluded, URI, {name}", names, REFUSED if is_inside else "accepted", (), [der.uri(constraint)])
    check("excluded, URI, host with a trailing dot", [HOST, der.uri("https://site.example./")], REFUSED, (), [
        der.uri(SITE)])
    check("excluded, URI, user with a colon", [HOST, der.uri("https://other.example:80@site.example/")], REFUSED, (), [
        der.uri(SITE)])
    check("excluded, URI, backslash", [HOST, der.uri("https://other.example\\@site.example/")], REFUSED, (), [
        der.uri(SITE)])
    check("permitted, URI, no URI", [HOST], "accepted", [der.uri(SITE)])
    check("permitted, URI with an address", [HOST, der.uri("https://192.0.2.1/")], REFUSED, [der.uri(SITE)])
    check("permitted, URI without a host", [HOST, der.uri("urn:a:b")], REFUSED, [der.uri(SITE)])
    check("excluded, URI without a host", [HOST, der.uri("urn:a:b")], REFUSED, (), [der.uri(SITE)])


def directories(check):
    good = der.directory("O=Good")
    for name, subject, is_inside in [
        ("subject", "O=Good,CN=Server", True),
        ("subject of the same name", "O=Good", True),
        ("other subject", "O=Bad,CN=Server", False),
        ("second attribute", "CN=Server,O=Good", False),
    ]:
        check(f"permitted, directory, {name}", [HOST], "accepted" if is_inside else REFUSED, [good], subject=subject)
        check(f"excluded, directory, {name}", [HOST], REFUSED if is_inside else "accepted", (), [good], subject=subject)
    check("excluded, directory, other case", [HOST], REFUSED, (), [good], subject="O=GOOD,CN=Server")
    check("excluded, directory, more spaces", [HOST], REFUSED, (), [good], subject=[("O", " Good "), ("CN", "Server")])
    printable = der.directory(der.name("O=Good", der.PRINTABLE))
    check("excluded, directory, other string type", [HOST], REFUSED, (), [printable], subject="O=Good,CN=Server")
    check("permitted, directory, empty subject", [HOST], "accepted", [good], subject=b"\x30\0")
    check("permitted, directory, name in the list outside", [HOST, der.directory("O=Bad")], REFUSED, [good],
          subject="O=Good")
    check("excluded, directory, name in the list", [HOST, good], REFUSED, (), [good], subject="O=Bad")
    check("permitted, directory, two attributes", [HOST], "accepted", [der.directory("C=XX,O=Good")],
          subject="C=XX,O=Good,CN=Server")
    check("permitted, directory, empty", [HOST], "accepted", [der.directory("")], subject="O=Good")
    check("excluded, directory, empty", [HOST], REFUSED, (), [der.directory("")], subject="O=Good")


def others(check):
    number, other = der.registered("1.2.3"), der.other_name("1.2.3", "a")
    for name, value in [("registered identifier", number), ("other name", other)]:
        check(f"permitted, {name}, none present", [HOST], "accepted", [value])
        check(f"permitted, {name}, present", [HOST, value], REFUSED, [value])
        check(f"excluded, {name}, none present", [HOST], "accepted", (), [value])
        check(f"excluded, {name}, present", [HOST, value], REFUSED, (), [value])
    check("minimum of 1", [HOST], "untrustedAuthority", [SITE], suffix=der.tagged(0x80, b"\1"))
    check("maximum of 1", [HOST], "untrustedAuthority", [SITE], suffix=der.tagged(0x81, b"\1"))
    check("empty", [HOST], "untrustedAuthority")


def places(matrix, root):
    add = matrix.add
    good, bad = der.constraints([SITE]), der.constraints(["other.example"])
    top = authority("Root", more=[bad])
    add("on the root, other domain", leaf(top), top, REFUSED)
    one = authority("One", top)
    add("on the root, above an intermediate, other domain", [leaf(one), one], top, REFUSED)
    top = authority("Root", more=[good])
    add("on the root, domain", leaf(top), top)
    upper = authority("One", root, more=[good])
    lower = authority("Two", upper, more=[bad])
    add("both intermediates, disjoint", [leaf(lower), lower, upper], root, REFUSED)
    lower = authority("Two", upper, more=[der.constraints(["example"])])
    add("both intermediates, lower one wider", [leaf(lower), lower, upper], root)
    add("both intermediates, lower one wider, outside of the upper one", [
        leaf(lower, "other.example"), lower, upper], root, REFUSED, host="other.example")
    lower = authority("Two", upper)
    add("two intermediates, upper one", [leaf(lower), lower, upper], root)
    add("two intermediates, upper one, other domain", [
        leaf(lower, "other.example"), lower, upper], root, REFUSED, host="other.example")
    one = authority("O=Bad,CN=One", root, more=[der.constraints([der.directory("O=Good")])])
    add("not on its own subject", [leaf(one, subject="O=Good,CN=Server"), one], root)
    upper = authority("O=Good,CN=One", root, more=[der.constraints([der.directory("O=Good")])])
    lower = authority("O=Bad,CN=Two", upper)
    add("subject of an intermediate", [leaf(lower, subject="O=Good,CN=Server"), lower, upper], root,
        "authority.nameNotPermitted")
    lower = authority("Two", authority("One", root, more=[bad]), more=[der.alternative(HOST)])
    add("names of an intermediate", [leaf(lower, "other.example"), lower, authority("One", root, more=[bad])], root,
        "authority.nameNotPermitted", host="other.example")
    upper = authority("O=Bad,CN=One", root, more=[der.constraints([der.directory("O=Good")])])
    lower = authority("O=Bad,CN=One", upper, key="new key")
    add("self-issued intermediate", [leaf(lower, subject="O=Good,CN=Server"), lower, upper], root)
    add("on the server", leaf(root, more=[bad]), root)
