"""Checks of `apus` against nginx, in groups. Each check is a name and a function."""

import gzip
import hashlib
import os
import tempfile

from .checks import Failure


def static_files(t):
    www = os.path.join(t.directory, "www")

    def bytes_of(name):
        with open(os.path.join(www, name), "rb") as file:
            return file.read()

    small = bytes_of("small.txt")
    yield "GET", lambda: t.expect("text", t.run(f"{t.nginx}/small.txt").out, small)
    yield "an empty file", lambda: t.expect("text", t.run(f"{t.nginx}/empty.txt").out, b"")
    yield "HEAD", lambda: t.expect("length", t.head("HEAD", f"{t.nginx}/small.txt").field("Content-Length"), str(len(small)))
    yield "404", lambda: t.head("--check-status", f"{t.nginx}/no.txt", code=4)
    yield "405", lambda: t.expect("status", t.head("POST", f"{t.nginx}/small.txt").status, 405)
    yield "204", lambda: t.expect("text", t.run(f"{t.nginx}/nothing").out, b"")
    yield "418", lambda: t.expect("text", t.run(f"{t.nginx}/teapot").text, "short and stout\n")
    yield "a range", lambda: t.expect("text", t.run(f"{t.nginx}/small.txt", "Range:bytes=2-6").text, "swift")
    yield "several ranges", lambda: t.expect(
        "status", t.head(f"{t.nginx}/small.txt", "Range:bytes=0-0,2-6").status, 206)
    yield "a range beyond the end", lambda: t.expect(
        "status", t.head(f"{t.nginx}/small.txt", "Range:bytes=9999-").status, 416)

    def not_modified():
        tag = t.head(f"{t.nginx}/small.txt").field("ETag")
        t.expect("status", t.head(f"{t.nginx}/small.txt", f"If-None-Match:{tag}").status, 304)

    yield "not modified", not_modified
    yield "gzip on the fly", lambda: t.expect("text", t.run(f"{t.nginx}/coded/text.txt").out, bytes_of("text.txt"))

    def coded():
        found = t.run(f"{t.nginx}/coded/text.txt", "Accept-Encoding:gzip").out
        text = bytes_of("text.txt")
        if found != text and gzip.decompress(found) != text:
            raise Failure("the output is neither the text nor its gzip coding")

    yield "gzip requested explicitly", coded
    yield "a connection for one response", lambda: t.expect("text", t.run(f"{t.nginx}/once/small.txt").out, small)
    yield "the redirect of a folder", lambda: t.expect("text", t.run("-F", f"{t.nginx}/folder").text, "<p>index</p>\n")
    yield "a redirect to another origin", lambda: t.expect("text", t.run("-F", f"{t.nginx}/away").out, small)
    yield "a redirect loop", lambda: t.run("-F", f"{t.nginx}/ring", code=6)

    def download():
        with tempfile.TemporaryDirectory(dir=t.directory) as folder:
            t.run("-d", "-o", "large.bin", f"{t.nginx}/large.bin", cwd=folder)
            with open(os.path.join(folder, "large.bin"), "rb") as file:
                t.expect("digest", hashlib.sha256(file.read()).hexdigest(), hashlib.sha256(bytes_of("large.bin")).hexdigest())
            t.expect("the list of files", os.listdir(folder), ["large.bin"])
            t.expect("length", len(t.run("-d", f"{t.nginx}/large.bin", cwd=folder).out), len(bytes_of("large.bin")))
            t.expect("the list of files", os.listdir(folder), ["large.bin"])

    yield "a large download", download

    def named():
        with tempfile.TemporaryDirectory(dir=t.directory) as folder:
            t.run("-d", "-o", "other", f"{t.nginx}/small.txt", cwd=folder)
            with open(os.path.join(folder, "other"), "rb") as file:
                t.expect("text", file.read(), small)

    yield "a download with a name", named
    yield "a download to standard output", lambda: t.expect(
        "length", len(t.run("-d", "-o", "-", f"{t.nginx}/large.bin").out), len(bytes_of("large.bin")))

    def refused():
        with tempfile.TemporaryDirectory(dir=t.directory) as folder:
            t.run("-d", f"{t.nginx}/no.txt", cwd=folder, code=4)
            t.expect("the list of files", os.listdir(folder), [])

    yield "a download with an error status", refused


def tls(t):
    authority = os.path.join(t.directory, "ca.pem")
    address = t.nginx_tls.replace("localhost", "127.0.0.1")
    yield "a private authority", lambda: t.expect(
        "status", t.head(f"--verify={authority}", f"{t.nginx_tls}/small.txt").status, 200)
    yield "an unknown authority", lambda: t.run(f"{t.nginx_tls}/small.txt", code=1)
    yield "no verification", lambda: t.run("--verify=no", f"{t.nginx_tls}/small.txt")
    yield "another name", lambda: t.run(f"--verify={authority}", f"{address}/small.txt", code=1)
    yield "a large file", lambda: t.expect(
        "length", len(t.run(f"--verify={authority}", f"{t.nginx_tls}/large.bin").out), 64 * (4 + (1 << 20)))
    yield "a POST", lambda: t.expect(
        "json", t.run(f"--verify={authority}", f"{t.nginx_tls}/through/post", "a=1").json["json"], {"a": "1"})


def proxied(t):
    def upload(place):
        def body():
            data = b"0123456789abcdef" * 65536
            with open(os.path.join(t.directory, "upload"), "wb") as file:
                file.write(data)
            result = t.run("POST", f"{t.nginx}/{place}/post", "Content-Type:text/plain", "@upload").json
            t.expect("length", len(result["data"]), len(data))
        return body

    yield "an upload through buffers", upload("through")
    yield "an upload without buffers", upload("unbuffered")
    yield "a stream without buffers", lambda: t.expect(
        "length", len(t.run(f"{t.nginx}/unbuffered/stream-bytes/50000").out), 50_000)

    def expecting():
        result = t.run("-v", f"{t.nginx}/unbuffered/post", "Expect:100-continue", "a=1")
        if '"a": "1"' not in result.text:
            raise Failure("the body did not arrive")

    yield "Expect: 100-continue", expecting


GROUPS = (static_files, tls, proxied)
