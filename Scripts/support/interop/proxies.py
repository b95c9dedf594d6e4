"""Checks of `apus` through proxies: Squid, Tinyproxy, microsocks, and HAProxy, which speaks TLS in front of Squid.

Each check is a name and a function. A proxy that can't be installed is skipped.
"""

import atexit
import hashlib
import os
import shutil
import subprocess
import tempfile

from .checks import Failure
from .http2 import named
from .servers import Server, find, free_port

USER, PASSWORD = "ada", "se:cret@1"

# A host that only the proxies can resolve.
HOST = "origin.test"

SQUID = """
http_port 127.0.0.1:{clear} name=clear
http_port 127.0.0.1:{basic} name=basic
http_port 127.0.0.1:{digest} name=digest
auth_param {scheme} program {program}
auth_param {scheme} realm squid
acl clear myportname clear
acl refused url_regex refused
acl known proxy_auth REQUIRED
http_access deny refused
http_access allow clear
http_access allow known
http_access deny all
hosts_file {directory}/hosts
pid_filename none
access_log none
cache_log {directory}/cache.log
cache deny all
netdb_filename none
pinger_enable off
coredump_dir {directory}
shutdown_lifetime 0 seconds
visible_hostname localhost
"""

TINYPROXY = """
Port {port}
Listen 127.0.0.1
Timeout 30
MaxClients 50
Allow 127.0.0.1
{more}
"""

HAPROXY = """
global
    maxconn 100
defaults
    mode tcp
    timeout connect 5s
    timeout client 30s
    timeout server 30s
frontend tls
    bind 127.0.0.1:{port} ssl crt {pem} alpn http/1.1
    default_backend squid
backend squid
    server squid 127.0.0.1:{squid}
"""


class Proxy:
    """A proxy: its name, and its URL with the credentials that it needs."""

    def __init__(self, name, url, resolves=False):
        self.name, self.url = name, url
        # Whether it knows HOST.
        self.resolves = resolves


def start_proxies(directory):
    """Starts all proxies. Returns them, with the URL of a proxy that requires Digest, or an empty text."""
    # Squid gives up its privileges, and can't read the private folder of the other servers.
    folder = tempfile.mkdtemp(prefix="apus-proxies-", dir="/tmp")
    os.chmod(folder, 0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return start(directory, folder)


def write(path, text, mode=0o644):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def credentials():
    return f"{USER}:{PASSWORD.replace(':', '%3A').replace('@', '%40')}@"


def start(directory, folder):
    found, digest = [], ""
    squid = find("squid", "squid")
    helpers = "/usr/lib/squid"
    if squid and os.path.exists(f"{helpers}/basic_ncsa_auth"):
        hashed = subprocess.run(
            ["openssl", "passwd", "-apr1", PASSWORD], capture_output=True, text=True, check=True).stdout.strip()
        write(f"{folder}/users", f"{USER}:{hashed}\n")
        secret = hashlib.md5(f"{USER}:squid:{PASSWORD}".encode()).hexdigest()
        write(f"{folder}/digests", f"{USER}:squid:{secret}\n")
        clear, basic, _ = start_squid(squid, folder, "basic", f"{helpers}/basic_ncsa_auth {folder}/users")
        _, _, port = start_squid(squid, folder, "digest", f"{helpers}/digest_file_auth -c {folder}/digests")
        digest = f"http://{credentials()}127.0.0.1:{port}"
        found.append(Proxy("squid", f"http://127.0.0.1:{clear}", resolves=True))
        found.append(Proxy("squid with Basic", f"http://{credentials()}127.0.0.1:{basic}", resolves=True))
        haproxy = find("haproxy", "haproxy")
        if haproxy:
            port = free_port()
            configuration = write(
                f"{folder}/haproxy.conf",
                HAPROXY.format(port=port, pem=os.path.join(directory, "both.pem"), squid=clear))
            Server([haproxy, "-db", "-f", configuration], os.path.join(folder, "haproxy.log"), port)
            found.append(Proxy("squid behind TLS", f"https://localhost:{port}", resolves=True))
    else:
        print("Scripts/interop: squid is missing; skipping it")
    tinyproxy = find("tinyproxy", "tinyproxy-bin")
    if tinyproxy:
        found.append(Proxy("tinyproxy", f"http://127.0.0.1:{start_tinyproxy(tinyproxy, folder, 'open')}"))
        secret = start_tinyproxy(tinyproxy, folder, "secret", "BasicAuth ada secret")
        found.append(Proxy("tinyproxy with Basic", f"http://ada:secret@127.0.0.1:{secret}"))
    else:
        print("Scripts/interop: tinyproxy is missing; skipping it")
    microsocks = find("microsocks", "microsocks")
    if microsocks:
        for kind in ("socks5", "socks5h"):
            port = free_port()
            Server([microsocks, "-i", "127.0.0.1", "-p", str(port)], os.path.join(folder, f"{kind}.log"), port)
            found.append(Proxy(f"microsocks, {kind}", f"{kind}://127.0.0.1:{port}"))
        port = free_port()
        arguments = [microsocks, "-i", "127.0.0.1", "-p", str(port), "-u", "ada", "-P", "secret"]
        Server(arguments, os.path.join(folder, "microsocks.log"), port)
        found.append(Proxy("microsocks with a user", f"socks5h://ada:secret@127.0.0.1:{port}"))
    else:
        print("Scripts/interop: microsocks is missing; skipping it")
    return found, digest


def start_squid(squid, folder, scheme, program):
    """Starts a server with a port for all, and with ports that require one scheme. Returns its ports."""
    ports = [free_port() for _ in range(3)]
    state = os.path.join(folder, scheme)
    os.mkdir(state)
    os.chmod(state, 0o777)
    write(f"{state}/hosts", f"127.0.0.1 localhost {HOST}\n")
    configuration = write(
        f"{state}/squid.conf",
        SQUID.format(
            clear=ports[0], basic=ports[1], digest=ports[2], scheme=scheme, program=program, directory=state))
    Server([squid, "-N", "-f", configuration], os.path.join(folder, f"squid-{scheme}.log"), ports[0])
    return ports


def start_tinyproxy(tinyproxy, folder, name, more=""):
    port = free_port()
    configuration = write(f"{folder}/{name}.conf", TINYPROXY.format(port=port, more=more))
    Server([tinyproxy, "-d", "-c", configuration], os.path.join(folder, f"tinyproxy-{name}.log"), port)
    return port


def groups(proxies, site):
    """Returns the groups of checks for all proxies."""
    found = [named(f"proxy {proxy.name}", lambda t, proxy=proxy: answers(t, proxy, site)) for proxy in proxies]
    return (*found, named("proxies", lambda t: choices(t, proxies)))


def answers(t, proxy, site):
    """The checks of each proxy."""
    flags = [f"--proxy={proxy.url}", f"--verify={os.path.join(t.directory, 'ca.pem')}"]
    with open(os.path.join(t.directory, "www", "small.txt"), "rb") as file:
        small = file.read()
    h2 = {peer.name: peer for peer in site.peers}["nginx"].tls

    def run(url, *arguments, **options):
        return t.run(*flags, url, *arguments, **options)

    def metrics():
        lines = run(f"{t.nginx_tls}/small.txt", "--print=m").text.split("\n")
        shown = [line.removeprefix("Proxy: ") for line in lines if line.startswith("Proxy: ")]
        address = proxy.url.partition("://")[2].rpartition("@")[2]
        t.expect("the proxy", shown, [f"{proxy.url.partition('://')[0]}://{address}"])

    def upload(origin):
        def body():
            data = b"0123456789abcdef" * 65536
            with open(os.path.join(t.directory, "upload"), "wb") as file:
                file.write(data)
            arguments = ("Content-Type:text/plain", "@upload")
            result = t.run(*flags, "POST", f"{origin}/through/post", *arguments).json
            t.expect("length", len(result["data"]), len(data))
        return body

    yield "http", lambda: t.expect("text", run(f"{t.nginx}/small.txt").out, small)
    yield "https", lambda: t.expect("text", run(f"{t.nginx_tls}/small.txt").out, small)
    yield "HTTP/2", lambda: t.expect(
        "protocol", "Protocol: h2" in run(f"{h2}/small.txt", "--print=m").text.split("\n"), True)
    yield "the metrics", metrics
    yield "a redirect", lambda: t.expect("text", run("-F", f"{t.nginx}/away").out, small)
    yield "a large file", lambda: t.expect("length", len(run(f"{t.nginx_tls}/large.bin").out), 64 * (4 + (1 << 20)))
    yield "an upload over http", upload(t.nginx)
    yield "an upload over https", upload(t.nginx_tls)
    if proxy.resolves:
        port = t.nginx.rpartition(":")[2]
        yield "a host that only the proxy knows", lambda: t.expect(
            "text", run(f"http://{HOST}:{port}/small.txt").out, small)
    wrong = proxy.url.replace("ada:", "bob:")
    if wrong != proxy.url:
        yield "other credentials", lambda: t.run(f"--proxy={wrong}", f"{t.nginx_tls}/small.txt", code=1)
        without = proxy.url.partition("://")[0] + "://" + proxy.url.rpartition("@")[2]
        yield "no credentials", lambda: t.run(f"--proxy={without}", f"{t.nginx_tls}/small.txt", code=1)


def choices(t, proxies):
    """The choice of a proxy, by flags and by the environment."""
    squid = next((proxy for proxy in proxies if proxy.name == "squid"), None)
    dead = "http://127.0.0.1:1"
    yield "a proxy that is not there", lambda: t.run(f"--proxy={dead}", f"{t.nginx}/small.txt", code=1)
    yield "no proxy", lambda: t.run("--proxy=none", f"{t.nginx}/small.txt", variables={"all_proxy": dead})
    yield "an exception", lambda: t.run(f"--proxy={dead}", "--no-proxy=127.0.0.0/8", f"{t.nginx}/small.txt")
    yield "another scheme", lambda: t.run(f"--proxy=https:{dead}", f"{t.nginx}/small.txt")
    yield "loopback without the proxy of the environment", lambda: t.run(
        f"{t.nginx}/small.txt", variables={"http_proxy": dead})
    yield "a variable that can't be used", lambda: t.run(
        f"http://{HOST}/", variables={"http_proxy": "ftp://x"}, code=1)
    yield "HTTP_PROXY of a CGI program", lambda: t.run(f"http://{HOST}/", variables={"HTTP_PROXY": dead}, code=1)
    if not squid:
        return
    url = f"http://{HOST}:{t.nginx.rpartition(':')[2]}/small.txt"
    for name in ("http_proxy", "all_proxy", "ALL_PROXY"):
        yield f"the variable {name}", lambda name=name: t.run(url, variables={name: squid.url})
    yield "the exceptions of the environment", lambda: t.run(
        url, variables={"http_proxy": squid.url, "no_proxy": "test"}, code=1)

    def refusal():
        # The proxy sees no path of a tunnel, but the host.
        error = t.run(f"--proxy={squid.url}", "https://refused.test/", code=1).err
        if "403" not in error:
            raise Failure(f"the error is {error}")

    yield "a tunnel that is refused", refusal
