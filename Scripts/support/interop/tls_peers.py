"""Starts the servers for the checks of TLS: nginx, `openssl s_server`, and servers that speak no TLS. Runs curl."""

import contextlib
import os
import socket
import socketserver
import subprocess
import threading

from .checks import Failure
from .credentials import HOST
from .servers import Server, free_port, need

# The words of apus if the server refuses everything that it offers.
NOTHING_IN_COMMON = "supports none of the cipher suites and curves that were offered"
# The exit codes of curl.
TLS_FAILED, NOT_VERIFIED, NOT_PINNED, NO_CLIENT_CERTIFICATE = 35, 60, 90, 58

NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr notice;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    default_type text/plain;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate {folder}/good.pem;
    ssl_certificate_key {folder}/good.key;
    ssl_client_certificate {folder}/root.pem;
    ssl_verify_depth 4;
    server {{
        listen 127.0.0.1:{tls} ssl http2;
        {six}
        listen unix:{folder}/tls ssl;
        location / {{ return 200 "$ssl_protocol $ssl_cipher from $remote_addr as '$ssl_server_name' for $host\\n"; }}
    }}
    server {{
        listen 127.0.0.1:{clear};
        listen unix:{folder}/clear;
        location / {{ return 200 "from $remote_addr for $host\\n"; }}
    }}
    server {{
        listen 127.0.0.1:{hosts} ssl http2 default_server;
        ssl_reject_handshake on;
    }}
    {named}
    server {{
        listen 127.0.0.1:{required} ssl http2;
        ssl_verify_client on;
        location / {{ return 200 "$ssl_client_verify $ssl_client_s_dn\\n"; }}
    }}
    server {{
        listen 127.0.0.1:{optional} ssl;
        ssl_verify_client optional;
        location / {{ return 200 "$ssl_client_verify $ssl_client_s_dn\\n"; }}
    }}
    {stapled}
}}
"""

NAMED = """
    server {{
        listen 127.0.0.1:{port} ssl http2;
        server_name {host};
        ssl_certificate {folder}/{name}.pem;
        ssl_certificate_key {folder}/{name}.key;
        location / {{ return 200 "{name} $ssl_server_name\\n"; }}
    }}
"""

STAPLED = """
    server {{
        listen 127.0.0.1:{port} ssl http2;
        ssl_certificate {folder}/{name}-chain.pem;
        ssl_certificate_key {folder}/{name}.key;
        ssl_stapling on;
        ssl_stapling_file {folder}/{name}.ocsp;
        location / {{ return 200 "stapled\\n"; }}
    }}
"""


class Site:
    """nginx, with the credentials and the ports that it uses."""

    def __init__(self, credentials):
        self.credentials = credentials
        # TLS with a certificate for HOST, localhost and loopback addresses.
        self.tls = free_port()
        self.clear = free_port()
        # a.test, b.test and *.wild.test. Other names are refused in the handshake.
        self.hosts = free_port()
        # A client certificate of the root is required, or optional.
        self.required, self.optional = free_port(), free_port()
        self.stapled = {name: free_port() for name in ("good", "revoked", "must-staple")}
        self.has_ipv6 = has_ipv6()
        self.start()

    def start(self):
        folder = self.credentials.folder
        hosts = (("a", "a.test"), ("b", "b.test"), ("wild", "*.wild.test"))
        configuration = self.credentials.write("nginx.conf", NGINX.format(
            folder=folder, tls=self.tls, clear=self.clear, hosts=self.hosts, required=self.required,
            optional=self.optional, six=f"listen [::1]:{self.tls} ssl http2;" if self.has_ipv6 else "",
            named="".join(NAMED.format(port=self.hosts, folder=folder, name=name, host=host) for name, host in hosts),
            stapled="".join(
                STAPLED.format(port=port, folder=folder, name=name) for name, port in self.stapled.items())))
        command = [need("nginx", "nginx-light"), "-p", folder, "-c", configuration, "-e", "stderr"]
        Server(command, os.path.join(folder, "nginx.log"), self.tls)


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
            return True
    except OSError:
        return False


@contextlib.contextmanager
def s_server(credentials, name, *arguments):
    """Starts `openssl s_server` with a certificate, and returns its port. It responds with its status page."""
    port = free_port()
    command = [
        credentials.openssl, "s_server", "-accept", f"127.0.0.1:{port}", "-cert", credentials.path(f"{name}.pem"),
        "-key", credentials.path(f"{name}.key"), "-www", "-quiet", *arguments,
    ]
    log = credentials.path("s_server.log")
    try:
        server = Server(command, log, port)
    except SystemExit as exit:
        raise Failure(f"{' '.join(command)}\n{exit}") from exit
    try:
        yield port
    finally:
        server.stop()


def served(site, name, *arguments):
    """Returns a function that runs a body with a new `s_server`."""
    def with_body(body):
        def check():
            with s_server(site.credentials, name, *arguments) as port:
                body(port)
        return check
    return with_body


class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.settimeout(10)
        with contextlib.suppress(OSError):
            self.request.recv(1 << 14)
            if self.server.reply is None:
                self.request.recv(1)
                return
            self.request.sendall(self.server.reply)
            self.request.shutdown(socket.SHUT_WR)
            # The reply would be lost if unread bytes reset the connection.
            while self.request.recv(1 << 14):
                pass


class RawServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextlib.contextmanager
def raw(reply):
    """Starts a server that sends these bytes after the first ones that it receives. `None` sends nothing."""
    with RawServer(("127.0.0.1", 0), Handler) as server:
        server.reply = reply
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


def alert(number):
    """Returns the record of a fatal alert."""
    return bytes([21, 3, 3, 0, 2, 2, number])


class Comparison:
    """Runs `apus` and curl with the same request, and compares their verdicts."""

    def __init__(self, t, credentials):
        self.t, self.credentials = t, credentials
        self.curl = need("curl", "curl")
        self.roots = credentials.path("roots.pem")

    def run(
        self, port, flags=(), *, words="", code=0, host=HOST, scheme="https", curl=(), curl_code=None, verify=True,
        resolve=True, variables=None,
    ):
        """Requires a verdict of `apus`, and words in the response or in the error.

        `curl` has the flags of curl, or `None` if it can't do the same. `curl_code` is its exit code, or a tuple of
        them. By default it must agree: it succeeds if `apus` does. `verify` adds the roots, and `resolve` the address
        of the host.
        """
        url = f"{scheme}://{host}:{port}/"
        shared = ["--resolve", f"{host}:{port}:127.0.0.1"] if resolve and host.lower().endswith(".test") else []
        result = self.t.run(
            *([f"--verify={self.roots}"] if verify else []), *shared, *flags, url, code=code, variables=variables)
        found = result.text if code == 0 else result.err
        if words not in found:
            raise Failure(f"apus says {found!r}, without {words!r}")
        if curl is None:
            return
        status, text = self.run_curl([*(["--cacert", self.roots] if verify else []), *shared, *curl, url], variables)
        allowed = (0,) if code == 0 else range(1, 256)
        if curl_code is not None:
            allowed = curl_code if isinstance(curl_code, tuple) else (curl_code,)
        if status not in allowed:
            raise Failure(f"curl exits with {status}, unlike apus: {text[:500]}")
        if code == 0 and status == 0 and words not in text:
            raise Failure(f"curl prints {text[:500]!r}, without {words!r}")

    def run_curl(self, arguments, variables=None):
        # Without -q it would read the settings of the user.
        command = [self.curl, "-q", "-sS", "--max-time", "20", *arguments]
        run = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, cwd=self.t.directory,
            env={**self.t.environment, **(variables or {})})
        return run.returncode, (run.stdout + run.stderr).decode(errors="replace")
