"""Compares the jar with Python's http.cookiejar: `python -m interop.cookies FOLDER`.

Tests/InteropTests writes the cases into the folder: Set-Cookie fields, and the resulting Cookie field for each host.
Every difference from http.cookiejar needs one of the reasons below, and each reason must apply to a case.
"""

import argparse
import collections
import email.message
import http.cookiejar
import json
import os
import sys
import urllib.parse
import urllib.request

MINIMUM = 4000
SHOWN = 3


class Response:
    """The part of a response that http.cookiejar reads."""

    def __init__(self, field):
        self.fields = email.message.Message()
        self.fields["Set-Cookie"] = field

    def info(self):
        return self.fields


def attributes(field):
    """Returns the attributes of a field in order: a lowercase name, and a value or None."""
    found = []
    for part in field.split(";")[1:]:
        name, equals, value = part.partition("=")
        found.append((name.strip().lower(), value.strip() if equals else None))
    return found


def has(setting, *names):
    return any(name in names for name, _ in attributes(setting["field"]))


def values(setting, name):
    return [value or "" for found, value in attributes(setting["field"]) if found == name]


def name_of(setting):
    pair = setting["field"].split(";")[0]
    return pair.partition("=")[0].strip() if "=" in pair else ""


def is_http(setting):
    return setting["url"].startswith("http:")


def host(setting):
    return urllib.parse.urlsplit(setting["url"]).hostname


def is_address(name):
    return name.replace(".", "").isdigit()


# Each: a rule of RFC 6265bis that http.cookiejar does not follow, and whether it applies to a field of a case.
REASONS = [
    ("only https and loopback may set secure cookies; http.cookiejar accepts them from any origin",
     lambda s: is_http(s) and has(s, "secure")),
    ("secure cookies are sent to loopback without TLS; http.cookiejar does not send them",
     lambda s: host(s) == "127.0.0.1" and has(s, "secure")),
    ("the prefixes __Secure- and __Host- are enforced; http.cookiejar ignores them",
     lambda s: "__secure-" in s["field"].lower() or "__host-" in s["field"].lower()),
    ("a field without a name is a value; http.cookiejar reads it as a name, or ignores it",
     lambda s: not name_of(s)),
    ("the last of repeated attributes applies; http.cookiejar uses the first",
     lambda s: any(count > 1 for count in collections.Counter(name for name, _ in attributes(s["field"])).values())),
    ("an invalid attribute is ignored; http.cookiejar rejects or removes the cookie",
     lambda s: any(value in ("soon", "") for value in values(s, "max-age") + values(s, "expires"))),
    ("a Domain is checked with the public suffix list; http.cookiejar counts its dots",
     lambda s: any(value.lower().lstrip(".") in ("org", "co.uk", "") for value in values(s, "domain"))),
    ("an IP address matches only itself, with or without a Domain",
     lambda s: is_address(host(s)) and has(s, "domain") or any(is_address(value) for value in values(s, "domain"))),
    ("a Path that does not begin with a slash is ignored; http.cookiejar uses it as it is",
     lambda s: any(not value.startswith("/") for value in values(s, "path"))),
    ("a date is found in any text; http.cookiejar rejects some dates",
     lambda s: any("9th" in value for value in values(s, "expires"))),
    ("Version and Comment are ignored; http.cookiejar reads another kind of cookie",
     lambda s: has(s, "version", "comment")),
]


def carried(jar, url):
    request = urllib.request.Request(url)
    jar.add_cookie_header(request)
    return request.get_header("Cookie")


def differences(case):
    """Returns the requests of a case whose cookies differ."""
    policy = http.cookiejar.DefaultCookiePolicy(
        # A cookie without a Domain is valid for its host only.
        strict_ns_domain=http.cookiejar.DefaultCookiePolicy.DomainStrictNonDomain)
    jar = http.cookiejar.CookieJar(policy)
    for setting in case["settings"]:
        jar.extract_cookies(Response(setting["field"]), urllib.request.Request(setting["url"]))
    found = []
    for sending in case["sendings"]:
        theirs = carried(jar, sending["url"])
        # Ignore the order: the jar sorts cookies with paths of equal length by age, http.cookiejar by domain.
        if sorted((theirs or "").split("; ")) != sorted("; ".join(sending["sent"]).split("; ")):
            found.append((sending["url"], theirs, "; ".join(sending["sent"])))
    return found


def main(folder, verbose):
    with open(os.path.join(folder, "cookies.ndjson"), encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    if len(cases) < MINIMUM:
        sys.exit(f"cookies.ndjson has {len(cases)} cases; at least {MINIMUM} are expected")
    alone, explained, unexplained, bare = collections.Counter(), 0, 0, 0
    for case in cases:
        reasons = [reason for reason, holds in REASONS if any(holds(setting) for setting in case["settings"])]
        found = differences(case)
        bare += not reasons
        if found and reasons:
            explained += 1
            if len(reasons) == 1:
                alone[reasons[0]] += 1
        elif found:
            unexplained += 1
            if unexplained <= SHOWN:
                print(f"  FAIL  case {case['number']}: {case['settings']}")
                for url, theirs, ours in found:
                    print(f"        {url}: {ours!r}, but http.cookiejar sends {theirs!r}")
    unused = [reason for reason, _ in REASONS if not alone[reason]]
    for reason in unused:
        print(f"  FAIL  no case differs for only this reason: {reason}")
    if verbose:
        for reason, _ in REASONS:
            print(f"    {alone[reason]:5} times: {reason}")
    print(f"cookies: {len(cases)} cases, {bare} must be equal; {explained} differ for a known reason, {unexplained} for none")
    return 1 if unexplained or unused else 0


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(prog="interop.cookies", description="Compares the jar with http.cookiejar.")
    arguments.add_argument("folder", metavar="FOLDER", help="the folder with the cases of Tests/InteropTests")
    arguments.add_argument("-v", "--verbose", action="store_true", help="list the reasons and their numbers")
    options = arguments.parse_args()
    sys.exit(main(options.folder, options.verbose))
