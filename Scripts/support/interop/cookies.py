"""Compares the jar with Python's http.cookiejar: `python -m interop.cookies FOLDER`.

Tests/InteropTests writes the cases there: fields that set cookies, and what a request to each host carries after that.
What http.cookiejar does otherwise has to have one of the reasons below, and each reason has to come up.
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

LEAST = 4000
SHOWN = 3


class Answer:
    """What http.cookiejar wants of a response."""

    def __init__(self, field):
        self.fields = email.message.Message()
        self.fields["Set-Cookie"] = field

    def info(self):
        return self.fields


def attributes(field):
    """The attributes of a field in their order: a name in small letters, and a value, or None."""
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


# Each: what RFC 6265bis has otherwise, and whether one of a case's fields is about it.
REASONS = [
    ("a secure cookie comes from https alone, and from this machine; there from anywhere",
     lambda s: is_http(s) and has(s, "secure")),
    ("this machine is sent its secure cookies without TLS; there not",
     lambda s: host(s) == "127.0.0.1" and has(s, "secure")),
    ("__Secure- and __Host- mean something; there they are names like others",
     lambda s: "__secure-" in s["field"].lower() or "__host-" in s["field"].lower()),
    ("a field without a name is a value; there it is a name, or nothing",
     lambda s: not name_of(s)),
    ("of several attributes of a name the last counts; there the first",
     lambda s: any(count > 1 for count in collections.Counter(name for name, _ in attributes(s["field"])).values())),
    ("an attribute that is wrong is passed over; there the cookie is refused, or gone",
     lambda s: any(value in ("soon", "") for value in values(s, "max-age") + values(s, "expires"))),
    ("a Domain is judged with the public suffix list; there by its dots",
     lambda s: any(value.lower().lstrip(".") in ("org", "co.uk", "") for value in values(s, "domain"))),
    ("an address matches itself alone, with a Domain or without",
     lambda s: is_address(host(s)) and has(s, "domain") or any(is_address(value) for value in values(s, "domain"))),
    ("a Path may be anything; there an empty one, or one without a slash, is taken as it is",
     lambda s: any(not value.startswith("/") for value in values(s, "path"))),
    ("a date is found in whatever stands there; there some are none",
     lambda s: any("9th" in value for value in values(s, "expires"))),
    ("Version and Comment mean nothing; there they make another kind of cookie",
     lambda s: has(s, "version", "comment")),
]


def carried(jar, url):
    request = urllib.request.Request(url)
    jar.add_cookie_header(request)
    return request.get_header("Cookie")


def differences(case):
    """The requests of a case that carry others."""
    policy = http.cookiejar.DefaultCookiePolicy(
        # A cookie without a Domain is for its host alone.
        strict_ns_domain=http.cookiejar.DefaultCookiePolicy.DomainStrictNonDomain)
    jar = http.cookiejar.CookieJar(policy)
    for setting in case["settings"]:
        jar.extract_cookies(Answer(setting["field"]), urllib.request.Request(setting["url"]))
    found = []
    for sending in case["sendings"]:
        theirs = carried(jar, sending["url"])
        # The order of cookies of one length of path is that of their making; there it is by domain first.
        if sorted((theirs or "").split("; ")) != sorted("; ".join(sending["sent"]).split("; ")):
            found.append((sending["url"], theirs, "; ".join(sending["sent"])))
    return found


def main(folder, verbose):
    with open(os.path.join(folder, "cookies.ndjson"), encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    if len(cases) < LEAST:
        sys.exit(f"cookies.ndjson has {len(cases)} cases; {LEAST} are the least")
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
                print(f"  no    case {case['number']}: {case['settings']}")
                for url, theirs, ours in found:
                    print(f"        {url}: {ours!r}, and http.cookiejar {theirs!r}")
    idle = [reason for reason, _ in REASONS if not alone[reason]]
    for reason in idle:
        print(f"  no    no case differs for this alone: {reason}")
    if verbose:
        for reason, _ in REASONS:
            print(f"    {alone[reason]:5} times: {reason}")
    print(f"cookies: {len(cases)} cases, {bare} of them have to be the same; {explained} differ for a reason, {unexplained} without")
    return 1 if unexplained or idle else 0


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(prog="interop.cookies", description="Compares the jar with http.cookiejar.")
    arguments.add_argument("folder", metavar="FOLDER", help="where Tests/InteropTests wrote the cases")
    arguments.add_argument("-v", "--verbose", action="store_true", help="tell what is explained, and how often it came up")
    options = arguments.parse_args()
    sys.exit(main(options.folder, options.verbose))
