"""The differences between Apus and other libraries that are intended.

Each rule has a name, the peers that it explains, whether such a peer accepts what Apus refuses, a pattern of the names
of the cases, and a sentence with the reason.
"""

import re


class Rule:
    def __init__(self, name, peers, peer_accepts, cases, reason):
        self.name, self.peers, self.peer_accepts, self.reason = name, peers.split(), peer_accepts, reason
        self.cases = re.compile(cases)

    def explains(self, peer, case, is_accepted):
        is_meant = peer in self.peers and is_accepted == self.peer_accepts
        return is_meant and self.cases.fullmatch(case["name"]) is not None


BOTH = "Go OpenSSL"

RULES = [
    # Apus refuses.
    Rule("limits", BOTH, True, r"paths: (after 90 unrelated certificates|(11|20) certificates)",
         "Apus considers 64 presented certificates, and paths of at most 10."),
    Rule("names of issuers by bytes", "OpenSSL", True, r"paths: issuer in another .*",
         "Apus and Go compare names byte for byte. OpenSSL ignores the case and the string type."),
    Rule("wildcard below a top-level domain", "Go", True, r"hosts: wildcard (under a top-level domain|alone)",
         "Apus needs two labels after a wildcard."),
    Rule("wildcard in part of a label", "OpenSSL", True, r"hosts: wildcard (before|after|between) letters",
         "Apus accepts a wildcard only as a whole label, RFC 9525 §6.3."),
    Rule("common name", "OpenSSL", True, r"hosts: (name in the common name .*|empty list of names)"
         r"|versions: version [13] without extensions|encodings: empty list of extensions",
         "Apus never takes a host from the common name, RFC 9525 §2."),
    Rule("mapped addresses", "Go", True, r"hosts: mapped IPv4 in the (certificate|host)",
         "Apus compares addresses byte for byte. To Go, an IPv4 address and its mapped form are equal."),
    Rule("times not in DER", "Go", True, r"validity: (UTCTime|GeneralizedTime) (without seconds|with an offset)",
         "RFC 5280 §4.1.2.5 requires seconds and the zone Z."),
    Rule("root without basic constraints", "OpenSSL", True, r"basic constraints: root, no constraints",
         "An authority of version 3 needs basic constraints. OpenSSL accepts a key usage in their place."),
    Rule("path length out of range", BOTH, True, r"path length: (negative length|length of 71 bits)",
         "A path length is a number from 0 on, which fits into 63 bits."),
    Rule("key usage of servers", "Go", True, r"key usage: server, .*",
         "Go ignores the key usage of a server's certificate."),
    Rule("step-up purpose", "OpenSSL", True, r"purposes: .*, step-up of Netscape",
         "The purpose of Netscape has had no use for 20 years."),
    Rule("empty purposes", "Go", True, r"purposes: empty", "A list of no purposes permits none."),
    Rule("policies", "OpenSSL", True, r"extensions: intermediate, critical policy constraints",
         "Apus and Go process no policies. Policy constraints can require one."),
    Rule("twice the same extension", "OpenSSL", True, r"extensions: server, twice the same",
         "RFC 5280 §4.2 forbids it. OpenSSL looks only at those that it uses."),
    Rule("excluded host below a wildcard", BOTH, True,
         r"name constraints: excluded, ((a|another) host of the wildcard|wildcard with upper case)",
         "A wildcard must not cover an excluded host. Later versions of Go refuse it too (CVE-2025-61727)."),
    Rule("constraint of one host", "Go", True, r"name constraints: permitted, (email|URI), host, a subdomain",
         "A constraint without a leading dot is one host for email and URIs, RFC 5280 §4.2.1.10. Later versions of Go "
         "correct it for email (CVE-2026-78664)."),
    Rule("names of intermediates", "Go", True, r"name constraints: names of an intermediate",
         "Apus and OpenSSL apply constraints to the names of each certificate below. Go skips those of authorities."),
    Rule("subtree bounds", "Go", True, r"name constraints: (minimum|maximum) of 1",
         "RFC 5280 §4.2.1.10 forbids these fields. Go ignores them."),
    Rule("damaged constraints", "OpenSSL", True, r"name constraints: (mask of 5 bytes|empty)",
         "Apus and Go refuse constraints that can't be meant."),
    Rule("user in a URI, excluded", "OpenSSL", True,
         r"name constraints: excluded, URI, (host with a user|user with a colon|backslash)",
         "This version of OpenSSL reads the user as a part of the host."),
    Rule("trailing dots, excluded", "OpenSSL", True,
         r"name constraints: excluded, (trailing dot in the constraint|URI, host with a trailing dot)",
         "Apus ignores one dot at the end of a name and of a constraint."),
    Rule("short keys", BOTH, True, r"algorithms: (server|intermediate|root) (rsa1024|rsa2047|p224|secp256k1)",
         "Apus needs RSA keys of 2,048 bits, or P-256, P-384, P-521 or Ed25519. OpenSSL needs 112 bits of security."),
    Rule("long keys", BOTH, True, r"algorithms: server with (an RSA key of 16384 bits|the RSA exponent \d{20})",
         "The work of a check grows with the key. Apus accepts 8,192 bits, and exponents of 32 bits."),
    Rule("RSASSA-PSS", "OpenSSL", True, r"algorithms: PSS, .* (a salt of \d+ bytes|a mask by sha\d+|by default)"
         r"|algorithms: PSS, hash function with a text",
         "Apus and Go need a mask of the same hash function, and a salt that is as long as the hash."),
    Rule("more parameters of RSASSA-PSS", "Go", True, r"algorithms: PSS, member after the trailer",
         "RFC 4055 §3.1 knows no such member."),
    Rule("keys for RSASSA-PSS", BOTH, True, r"algorithms: PSS, (server|intermediate) with a key for it",
         "The TLS library uses no such keys. Go does not look at that of a server."),
    Rule("algorithms with forbidden parameters", BOTH, True, r"algorithms: ECDSA with NULL as parameters",
         "RFC 5758 §3.2 forbids them."),
    Rule("unusual keys", BOTH, True, r"algorithms: (unknown key|intermediate with a compressed key)",
         "Apus needs a kind of key that it could use. OpenSSL reads compressed points."),
    Rule("versions", "OpenSSL", True, r"versions: (version [0-9]+( with extensions)?|intermediate of version 1 .*)",
         "OpenSSL ignores the version without -x509_strict."),
    Rule("BER", "OpenSSL", True,
         r"encodings: (indefinite length.*|length with a leading zero|boolean of 1|byte after the certificate)",
         "Apus and Go require DER. OpenSSL reads BER, and only the beginning of a PEM block."),
    Rule("trailing bytes", BOTH, True, r"encodings: (trailing byte in the .*|members after the extensions)",
         "Apus reads an extension to its end."),
    Rule("kinds of names", "Go", True, r"encodings: unknown kind of name", "RFC 5280 §4.2.1.6 knows no such names."),
    Rule("letters in names", "OpenSSL", True, r"encodings: letters beyond ASCII in a name",
         "A DNS name is an IA5String."),
    Rule("number of extensions", BOTH, True, r"encodings: 45 extensions", "Apus reads at most 32 extensions."),
    Rule("serial numbers", BOTH, True, r"encodings: serial number with leading zeros", "DER forbids leading zeros."),

    Rule("email address in the subject", "Go", True, r"name constraints: permitted, email in the subject",
         "Apus and OpenSSL apply constraints to the email address in a subject too."),
    Rule("parts of a URI", "Go OpenSSL", True, r"name constraints: (permitted|excluded), URI without a host",
         "A URI without a host can't be compared with a constraint, RFC 5280 §4.2.1.10."),

    # Apus accepts.
    Rule("keys of servers", BOTH, False, r"algorithms: (compressed key|key that is no point)",
         "Apus leaves the key of the server to the handshake."),
    Rule("mask with gaps", "Go", False, r"name constraints: mask with gaps",
         "Apus and OpenSSL compare addresses bit by bit. Go requires the mask of a network."),
    Rule("trailing dots", BOTH, False,
         r"hosts: trailing dots? in .*|name constraints: permitted, trailing dot in the name",
         "Apus ignores one dot at the end of a name and of a host."),
    Rule("self-issued certificates", "Go", False, r"path length: intermediate [01], .*self-issued.*",
         "A self-issued certificate does not count, RFC 5280 §6.1.4 (l). Go counts it."),
    Rule("inhibited policy", "Go", False, r"extensions: intermediate, critical inhibition of any policy",
         "Without a required policy, it restricts nothing."),
    Rule("unknown kinds of constraints", "Go", False,
         r"name constraints: (.*directory.*|(permitted|excluded), (registered identifier|other name), none present"
         r"|not on its own subject|self-issued intermediate)",
         "Go refuses each critical constraint on names other than hosts, addresses, email and URIs."),
    Rule("constraint of one host, excluded", "Go", False,
         r"name constraints: excluded, (email|URI), host, a subdomain",
         "A constraint without a leading dot is one host for email and URIs, RFC 5280 §4.2.1.10."),
    Rule("no second path", "OpenSSL", False,
         r"paths: (expired intermediate as anchor beside the root|intermediate with two issuers, first trusted"
         r"|key identifier of another key first|(two|eight|60) intermediates of one name without key identifiers"
         r"|damaged and sound intermediate"
         r"|.* before a valid path|restricted and free root of one key|loop of (two|five) with an exit)",
         "Apus and Go try other paths after a failure. OpenSSL builds one."),
    Rule("key identifiers", "OpenSSL", False,
         r"paths: (key identifier of another issuer|other name and number in the key identifier)",
         "Key identifiers only order the candidates. The signature decides."),
    Rule("underscore below a wildcard", "OpenSSL", False, r"hosts: wildcard for an underscore",
         "Apus and Go accept underscores in hosts, as browsers do."),
    Rule("last second", "OpenSSL", False, r"validity: (last second|one second long|(intermediate|root), last second)",
         "The end of the validity is included, RFC 5280 §4.1.2.5."),
    Rule("any purpose", "OpenSSL", False, r"purposes: .*\bany\b.*",
         "anyExtendedKeyUsage includes servers. OpenSSL ignores it for servers."),
    Rule("user in a URI", "OpenSSL", False, r"name constraints: permitted, URI, host with a user",
         "This version of OpenSSL reads the user as a part of the host."),
]


def explain(peer, case, is_accepted):
    """Returns the name of the rule that explains a difference, or None."""
    return next((rule.name for rule in RULES if rule.explains(peer, case, is_accepted)), None)


def sentence(name):
    return next(rule.reason for rule in RULES if rule.name == name)
