"""Checks of `apus` against httpbin, in groups. Each check is a name and a function."""

import base64
import json
import os
import subprocess
import time
import uuid

from .checks import Failure

# Endpoints without a check, and the features that they need.
LEFT_OUT = {
    "/brotli": "the content coding br",
    "/cookies": "a cookie store",
    "/cookies/delete": "a cookie store",
    "/cookies/set": "a cookie store",
    "/cookies/set/<name>/<value>": "a cookie store",
    "/digest-auth/<qop>/<user>/<passwd>": "digest authentication",
    "/digest-auth/<qop>/<user>/<passwd>/<algorithm>": "digest authentication",
    "/digest-auth/<qop>/<user>/<passwd>/<algorithm>/<stale_after>": "digest authentication",
}


def methods(t):
    def echo(method):
        def body():
            result = t.run(method, f"/{method.lower()}", "name=swift", "count:=3").json
            t.expect("the JSON body", result["json"], {"name": "swift", "count": 3})
            t.expect("the content type", result["headers"]["Content-Type"], "application/json")
        return body

    for method in ("POST", "PUT", "PATCH", "DELETE"):
        yield method, echo(method)
    yield "GET with a query", lambda: t.expect(
        "args", t.run("/get", "a==1", "b==ü &", "a==2").json["args"], {"a": ["1", "2"], "b": "ü &"})
    yield "a form", lambda: t.expect(
        "form", t.run("-f", "/post", "a=1", "b=ü & more").json["form"], {"a": "1", "b": "ü & more"})
    yield "a raw body", lambda: t.expect("data", t.run("POST", "/post", content=b"raw \xc3\xbc").json["data"], "raw ü")
    yield "an empty body", lambda: t.expect("length", t.run("POST", "/post").json["headers"].get("Content-Length"), "0")

    def binary():
        data = bytes(range(256)) * 40
        with open(os.path.join(t.directory, "binary"), "wb") as file:
            file.write(data)
        result = t.run("POST", "/anything/binary", "Content-Type:application/octet-stream", "@binary").json
        t.expect("the body", base64.b64decode(result["data"].partition(",")[2]), data)

    yield "a binary file", binary

    for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"):
        yield f"{method} of anything", lambda method=method: t.expect(
            "method", t.run(method, "/anything/a/b").json["method"], method)
    yield "HEAD", lambda: t.expect("status", t.head("HEAD", "/get").status, 200)

    def options():
        allowed = t.head("OPTIONS", "/get").field("Allow")
        t.expect("Allow", sorted(allowed.split(", ")), ["GET", "HEAD", "OPTIONS"])

    yield "OPTIONS", options
    yield "anything", lambda: t.expect("json", t.run("/anything", "deep[er]=1").json["json"], {"deep": {"er": "1"}})


def inspection(t):
    yield "fields", lambda: t.expect(
        "X-Swift", t.run("/headers", "X-Swift:apus apus", "Accept:").json["headers"]["X-Swift"], "apus apus")

    def unset():
        fields = t.run("/headers", "User-Agent:").json["headers"]
        t.expect("User-Agent", fields.get("User-Agent"), None)

    yield "a removed field", unset
    yield "an empty field", lambda: t.expect("X-Empty", t.run("/headers", "X-Empty;").json["headers"]["X-Empty"], "")
    yield "address", lambda: t.expect("origin", t.run("/ip").json["origin"], "127.0.0.1")

    def agent():
        found = t.run("/user-agent").json["user-agent"]
        if not found.startswith("apus/"):
            raise Failure(f"the user agent is {found}")

    yield "user agent", agent


def responses(t):
    for code in (200, 201, 202, 203, 204, 205, 206, 300, 304, 400, 404, 405, 410, 418, 429, 500, 503, 599):
        yield f"status {code}", lambda code=code: t.expect("status", t.head(f"/status/{code}").status, code)
    for code, exit_code in ((304, 3), (302, 3), (404, 4), (500, 5), (200, 0)):
        yield f"status {code} checked", lambda code=code, exit_code=exit_code: t.head(
            "--check-status", f"/status/{code}", code=exit_code)
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        yield f"status 503 to {method}", lambda method=method: t.expect(
            "status", t.head(method, "/status/503").status, 503)

    def fields():
        result = t.head("/response-headers", "X-One==1", "X-Two==a, b")
        t.expect("X-One", result.field("X-One"), "1")
        t.expect("X-Two", result.field("X-Two"), "a, b")

    yield "fields", fields
    yield "fields of a POST", lambda: t.expect(
        "X-One", t.run("POST", "/response-headers", "X-One==1").json["X-One"], "1")
    yield "cache", lambda: t.expect("status", t.head("/cache").status, 200)
    yield "cache, not modified", lambda: t.expect(
        "status", t.head("/cache", "If-Modified-Since:Sat, 29 Oct 1994 19:43:31 GMT").status, 304)
    yield "cache control", lambda: t.expect(
        "Cache-Control", t.head("/cache/60").field("Cache-Control"), "public, max-age=60")
    yield "entity tag", lambda: t.expect("ETag", (t.head("/etag/swift").field("ETag") or "").strip('"'), "swift")
    yield "entity tag, not modified", lambda: t.expect(
        "status", t.head("/etag/swift", 'If-None-Match:"swift"').status, 304)
    yield "entity tag, no match", lambda: t.expect("status", t.head("/etag/swift", 'If-Match:"other"').status, 412)


def formats(t):
    yield "gzip", lambda: t.expect("gzipped", t.run("/gzip").json["gzipped"], True)
    yield "deflate", lambda: t.expect("deflated", t.run("/deflate").json["deflated"], True)
    yield "no content coding", lambda: t.expect(
        "Accept-Encoding", t.run("/headers", "Accept-Encoding:identity").json["headers"]["Accept-Encoding"], "identity")
    yield "HTML", lambda: t.expect("text", "Herman Melville" in t.run("/html").text, True)
    yield "XML", lambda: t.expect("text", t.run("/xml").text.startswith("<?xml"), True)
    yield "JSON", lambda: t.expect("title", t.run("/json").json["slideshow"]["title"], "Sample Slide Show")
    yield "JSON, formatted", lambda: t.expect(
        "title", t.run("--pretty=format", "/json").json["slideshow"]["title"], "Sample Slide Show")
    yield "robots", lambda: t.expect("text", "Disallow: /deny" in t.run("/robots.txt").text, True)
    yield "deny", lambda: t.expect("text", "YOU SHOULDN'T BE HERE" in t.run("/deny").text, True)
    yield "UTF-8", lambda: t.expect("text", "∮ E⋅da = Q" in t.run("/encoding/utf8").text, True)
    yield "form", lambda: t.expect("text", "<form" in t.run("/forms/post").text, True)
    yield "front page", lambda: t.expect("text", "httpbin" in t.run("/").text, True)
    yield "static file", lambda: t.expect("status", t.head("/static/favicon.ico").status, 200)


def dynamic(t):
    yield "base64", lambda: t.expect("text", t.run("/base64/c3dpZnQ=").text, "swift")
    yield "UUID", lambda: uuid.UUID(t.run("/uuid").json["uuid"])
    for count in (0, 1, 1024, 102_400):
        yield f"{count} bytes", lambda count=count: t.expect("length", len(t.run(f"/bytes/{count}").out), count)
    yield "bytes from a seed", lambda: t.expect(
        "bytes", t.run("/bytes/64", "seed==7").out, t.run("/bytes/64", "seed==7").out)
    for count, size in ((1, 10_240), (100_000, 10_240), (5_000, 1)):
        yield f"{count} streamed bytes, {size} at a time", lambda count=count, size=size: t.expect(
            "length", len(t.run(f"/stream-bytes/{count}", f"chunk_size=={size}").out), count)

    def stream():
        lines = [json.loads(line) for line in t.run("/stream/20").text.splitlines()]
        t.expect("ids", [line["id"] for line in lines], list(range(20)))

    yield "stream of JSON", stream
    yield "drip", lambda: t.expect(
        "length", len(t.run("/drip", "numbytes==10", "duration==1", "delay==0").out), 10)
    yield "drip, too slow", lambda: t.run(
        "--timeout", "0.7", "/drip", "numbytes==10", "duration==8", "delay==0", code=2)

    def delayed(method):
        def body():
            begin = time.monotonic()
            t.run(method, "/delay/1")
            if not 0.95 <= time.monotonic() - begin < 4:
                raise Failure("the request did not take one second")
        return body

    for method in ("GET", "POST"):
        yield f"delay of {method}", delayed(method)
    yield "delay, too long", lambda: t.run("--timeout", "0.5", "/delay/5", code=2)
    yield "links", lambda: t.expect("links", t.run("-F", "/links/10").text.count("<a "), 9)
    yield "links from an offset", lambda: t.expect("links", t.run("/links/10/3").text.count("<a "), 9)
    whole = "abcdefghijklmnopqrstuvwxyz" * 40

    def part(value, status, text):
        def body():
            t.expect("status", t.head("/range/1000", f"Range:bytes={value}").status, status)
            t.expect("text", t.run("/range/1000", f"Range:bytes={value}").text, text)
        return body

    yield "range, whole", lambda: t.expect("text", t.run("/range/1000").text, whole[:1000])
    yield "range, first bytes", part("0-9", 206, whole[:10])
    yield "range, middle", part("100-199", 206, whole[100:200])
    yield "range, last bytes", part("-5", 206, whole[995:1000])
    yield "range, beyond the end", lambda: t.expect("status", t.head("/range/10", "Range:bytes=99-").status, 416)


def redirects(t):
    for kind in ("redirect", "relative-redirect", "absolute-redirect"):
        yield kind, lambda kind=kind: t.expect("url", t.run("-F", f"/{kind}/5").json["url"], t.httpbin + "/get")
        yield f"{kind}, not followed", lambda kind=kind: t.expect("status", t.head(f"/{kind}/2").status, 302)
    yield "too many redirects", lambda: t.run("-F", "--max-redirects", "3", "/redirect/5", code=6)
    yield "the maximum number of redirects", lambda: t.run("-F", "--max-redirects", "5", "/redirect/5")

    def to(code, method, wanted):
        def body():
            result = t.run("-F", method, "/redirect-to", "url==/anything", f"status_code=={code}", *(
                ["a=1"] if method != "GET" else []))
            t.expect("method", result.json["method"], wanted)
            kept = wanted == method and method != "GET"
            t.expect("body", result.json["json"], {"a": "1"} if kept else None)
        return body

    for code, method, wanted in (
        (301, "GET", "GET"), (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"),
        (307, "POST", "POST"), (307, "PUT", "PUT"), (308, "POST", "POST"), (308, "PATCH", "PATCH"),
        (301, "DELETE", "DELETE"),
    ):
        yield f"{code} to {method}", to(code, method, wanted)

    def elsewhere():
        target = f"{t.nginx}/through/headers"
        fields = t.run("-F", "-a", "bird:swift", "/redirect-to", f"url=={target}", "Cookie:a=1").json["headers"]
        t.expect("Authorization", fields.get("Authorization"), None)
        t.expect("Cookie", fields.get("Cookie"), None)

    yield "credentials are not sent to another origin", elsewhere
    yield "credentials are sent again to the same origin", lambda: t.expect(
        "authenticated", t.run("-F", "-a", "bird:swift", "/redirect-to", "url==/basic-auth/bird/swift").json["user"], "bird")


def authentication(t):
    yield "Basic", lambda: t.expect("user", t.run("-a", "bird:swift", "/basic-auth/bird/swift").json["user"], "bird")
    yield "Basic, in UTF-8", lambda: t.expect("user", t.run("-a", "vögel:über", "/basic-auth/vögel/über").json["user"], "vögel")
    yield "Basic, from the URL", lambda: t.expect(
        "user", t.run(t.httpbin.replace("://", "://bird:swift@") + "/basic-auth/bird/swift").json["user"], "bird")
    yield "Basic, wrong", lambda: t.expect("status", t.head("-a", "bird:crow", "/basic-auth/bird/swift").status, 401)
    yield "Basic, none", lambda: t.head("--check-status", "/basic-auth/bird/swift", code=4)
    yield "hidden Basic", lambda: t.expect(
        "user", t.run("-a", "bird:swift", "/hidden-basic-auth/bird/swift").json["user"], "bird")
    yield "hidden Basic, none", lambda: t.expect("status", t.head("/hidden-basic-auth/bird/swift").status, 404)
    yield "bearer", lambda: t.expect("token", t.run("/bearer", "Authorization:Bearer abc").json["token"], "abc")
    yield "bearer, none", lambda: t.expect("status", t.head("/bearer").status, 401)


def images(t):
    def image(kind, accept, begin):
        def body():
            path = f"/image/{kind}" if kind else "/image"
            found = t.run(path, *([f"Accept:{accept}"] if accept else [])).out
            if begin not in found[:64]:
                raise Failure(f"the image begins with {found[:16]!r}")
        return body

    yield "JPEG", image("jpeg", None, b"\xff\xd8\xff")
    yield "PNG", image("png", None, b"\x89PNG\r\n")
    yield "SVG", image("svg", None, b"<svg")
    yield "WebP", image("webp", None, b"WEBP")
    yield "the type in Accept", image("", "image/png", b"\x89PNG\r\n")
    yield "an unacceptable type", lambda: t.expect("status", t.head("/image", "Accept:text/plain").status, 406)


GROUPS = (methods, inspection, responses, formats, dynamic, redirects, authentication, images)


ROUTES = """
import json, logging, sys
logging.disable(logging.CRITICAL)
from httpbin import app
requested = json.load(sys.stdin)
urls = app.url_map.bind("localhost")
seen = set()
for path in requested:
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        try:
            seen.add(str(urls.match(path, method=method, return_rule=True)[0]))
            break
        except Exception:
            pass
print(json.dumps([sorted(map(str, app.url_map.iter_rules())), sorted(seen)]))
"""


def coverage(checks, python):
    """Checks that every endpoint of httpbin was requested or is listed in LEFT_OUT."""
    run = subprocess.run([python, "-c", ROUTES], input=json.dumps(sorted(checks.requested)), capture_output=True, text=True)
    rules, seen = json.loads(run.stdout)

    def body():
        missing = sorted(set(rules) - set(seen) - set(LEFT_OUT))
        if missing:
            raise Failure(f"not requested: {', '.join(missing)}")

    checks.check("httpbin: every endpoint", body)
    print(f"  {len(set(seen))} of httpbin's {len(rules)} endpoints; without a check:")
    for reason in sorted(set(LEFT_OUT.values())):
        print(f"    {', '.join(rule for rule in LEFT_OUT if LEFT_OUT[rule] == reason)} ({reason})")
