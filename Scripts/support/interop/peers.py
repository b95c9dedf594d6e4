"""Starts servers that speak HTTP/2: nginx, nghttpd, Apache, Go, HAProxy, Caddy, h2o and hypercorn, on free ports.

All of them serve the files of the folder `www`. Except for nghttpd, they also serve the paths below /origin/, which
most of them pass to Go's server over HTTP/1.1.
"""

import dataclasses
import hashlib
import http.server
import os
import signal
import subprocess
import sys
import threading
from typing import Callable

from .servers import ROOT, Server, find, free_port, has, need

SUPPORT = os.path.join(ROOT, "Scripts", "support")
BIG_COUNT = 50_000_000


@dataclasses.dataclass
class Peer:
    """A server that speaks HTTP/2, over TLS with ALPN and perhaps in the clear with prior knowledge."""

    name: str
    tls: str
    clear: str = None
    # A path that redirects to a text.
    moved: tuple = ("/moved", "small.txt")
    # Whether it responds to an upload with its content, and not with the digest.
    echoes: bool = False
    # The path of a response with the trailer field `x-swift: apus`, or None.
    trailers: str = None
    # A path that responds with the length of the body and the trailer field x-swift of the request, or None.
    sent_trailers: str = None
    # The maximum number of streams on a connection, as far as it is below 100.
    stream_count: int = 100
    # Reloads it gracefully, or None.
    reload: Callable = None
    # Whether it finishes or excludes each request while it reloads. Apache may drop the first one of a connection.
    is_careful: bool = True

    @property
    def addresses(self):
        """The URLs, each with its name and the flags of `apus` that it needs besides --verify."""
        yield "TLS", self.tls, []
        if self.clear:
            yield "clear", self.clear, ["--http-version=2"]

    @property
    def cases(self):
        """The descriptions for the library's suite: InteropPeer.swift."""
        for place, url, _ in self.addresses:
            yield {
                "name": f"{self.name} {place}", "url": url, "echoes": self.echoes, "trailers": self.trailers,
                "sentTrailers": self.sent_trailers,
                "streamCount": self.stream_count, "reload": self.reload and self.name, "isCareful": self.is_careful,
            }


class Site:
    """The servers, and the folders and ports that they share."""

    def __init__(self, directory, origin):
        self.directory, self.origin = directory, origin
        self.www = os.path.join(directory, "www")
        self.peers = []
        # The URL of a server with a GOAWAY after 7 requests.
        self.tired = None

    def log(self, name):
        return os.path.join(self.directory, f"{name}-http2.log")

    def write(self, name, template, **values):
        """Writes a configuration and returns its path."""
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(template.format(directory=self.directory, origin=self.origin, **values))
        return path


def https(port):
    return f"https://localhost:{port}"


def http_url(port):
    return f"http://127.0.0.1:{port}"


def start_peers(directory, python):
    """Starts all servers and returns their `Site`. Skips the optional ones that can't be installed."""
    prepare(directory)
    site = Site(directory, free_port())
    site.peers = peers = [start_go(site), start_nginx(site), *start_nghttpd(site), start_apache(site)]
    for command, start in (("haproxy", start_haproxy), ("caddy", start_caddy), ("h2o", start_h2o)):
        program = find(command, command)
        if program:
            peers.append(start(site, program))
        else:
            print(f"Scripts/interop: {command} is missing; skipping it")
    if has(python, "hypercorn"):
        peers.append(start_hypercorn(site, python))
    return site


def prepare(directory):
    with open(os.path.join(directory, "www", "big.bin"), "wb") as big:
        block = hashlib.sha512(b"http/2").digest() * 15625
        for _ in range(BIG_COUNT // len(block)):
            big.write(block)
    # HAProxy reads both from one file.
    with open(os.path.join(directory, "both.pem"), "w") as both:
        for name in ("server.pem", "server.key"):
            with open(os.path.join(directory, name)) as file:
                both.write(file.read())


def start_go(site):
    go = need("go", "golang-go")
    folder = os.path.join(ROOT, ".build", "interop-go")
    program = os.path.join(folder, "origin")
    environment = {
        **os.environ, "GOCACHE": os.path.join(folder, "cache"), "GOPATH": folder, "GOPROXY": "off",
        "GOTOOLCHAIN": "local", "GOFLAGS": "", "GOWORK": "off", "GO111MODULE": "on", "CGO_ENABLED": "0",
    }
    source = os.path.join(SUPPORT, "interop", "origin")
    if subprocess.run([go, "build", "-o", program, "."], cwd=source, env=environment).returncode != 0:
        sys.exit("Scripts/interop: go cannot compile Scripts/support/interop/origin")
    tls = free_port()
    arguments = [
        program, "-tls", f"127.0.0.1:{tls}", "-clear", f"127.0.0.1:{site.origin}", "-www", site.www,
        "-certificate", os.path.join(site.directory, "server.pem"), "-key", os.path.join(site.directory, "server.key"),
    ]
    allows_clear = subprocess.run([program, "-h2c"], capture_output=True, text=True).stdout.strip() == "true"
    Server(arguments, site.log("go"), tls)
    return Peer(
        "go", https(tls), http_url(site.origin) if allows_clear else None, trailers="/origin/trailers",
        sent_trailers="/origin/sent-trailers")


NGINX = """
daemon off;
worker_processes 1;
pid {directory}/nginx-http2.pid;
error_log stderr notice;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    client_max_body_size 0;
    absolute_redirect off;
    types {{ text/plain txt; application/octet-stream bin; }}
    ssl_certificate {directory}/server.pem;
    ssl_certificate_key {directory}/server.key;
    ssl_protocols TLSv1.2 TLSv1.3;
    root {directory}/www;
    server {{
        listen 127.0.0.1:{tls} ssl http2;
        listen 127.0.0.1:{clear} http2;
        listen 127.0.0.1:{old};
        keepalive_requests 100000;
        location /moved {{ return 302 /small.txt; }}
        location /nothing {{ return 204; }}
        location /coded/ {{ alias {directory}/www/; gzip on; gzip_min_length 1; gzip_types text/plain; }}
        location /origin/ {{
            proxy_pass http://127.0.0.1:{origin}; proxy_http_version 1.1; proxy_request_buffering off;
        }}
        location /buffered/ {{ proxy_pass http://127.0.0.1:{origin}/origin/; proxy_http_version 1.1; }}
    }}
    server {{
        listen 127.0.0.1:{tired} ssl http2;
        keepalive_requests 7;
        location / {{ proxy_pass http://127.0.0.1:{origin}; proxy_http_version 1.1; }}
    }}
}}
"""


def start_nginx(site):
    """Starts nginx. It also listens for HTTP/1.1, on the port `site.old`."""
    nginx = need("nginx", "nginx-light")
    tls, clear, tired, site.old = (free_port() for _ in range(4))
    configuration = site.write("nginx-http2.conf", NGINX, tls=tls, clear=clear, old=site.old, tired=tired)
    site.tired = https(tired)
    command = [nginx, "-p", site.directory, "-c", configuration, "-e", "stderr"]
    Server(command, site.log("nginx"), tls)

    def reload():
        subprocess.run([*command, "-s", "reload"], check=True, capture_output=True)

    return Peer("nginx", https(tls), http_url(clear), reload=reload)


def start_nghttpd(site):
    """Starts nghttpd with its usual settings and a push, and again with unusual ones."""
    nghttpd = need("nghttpd", "nghttp2-server")
    key, certificate = (os.path.join(site.directory, name) for name in ("server.key", "server.pem"))
    usual = ["-a", "127.0.0.1", "-d", site.www, "--echo-upload", "--trailer", "x-swift: apus"]
    unusual = ["-b", "255", "-w", "14", "-c", "0", "-m", "10", "--encoder-header-table-size=64", "--no-content-length"]
    moved = ("/folder", "folder/index.html")
    for name, flags, count in (("nghttpd", ["-p", "/small.txt=/text.txt"], 100), ("nghttpd odd", unusual, 10)):
        tls, clear = free_port(), free_port()
        log = site.log(name.replace(" ", "-"))
        Server([nghttpd, *usual, *flags, str(tls), key, certificate], log, tls)
        Server([nghttpd, *usual, *flags, "--no-tls", str(clear)], log + ".clear", clear)
        yield Peer(
            name, https(tls), http_url(clear), moved=moved, echoes=True, trailers="/small.txt", stream_count=count)


APACHE = """
ServerName localhost
Listen 127.0.0.1:{tls}
Listen 127.0.0.1:{clear}
PidFile {directory}/apache-http2/pid
ErrorLog /dev/stderr
LogLevel warn
DefaultRuntimeDir {directory}/apache-http2
Mutex file:{directory}/apache-http2
{modules}
Protocols h2 h2c http/1.1
# While old processes finish their connections, new ones need places.
ServerLimit 8
StartServers 1
ThreadsPerChild 32
MinSpareThreads 1
MaxRequestWorkers 64
DocumentRoot {directory}/www
<Directory {directory}/www>
    AllowOverride None
    Require all granted
</Directory>
Redirect 302 /moved /small.txt
ProxyPass /origin/ http://127.0.0.1:{origin}/origin/
User www-data
Group www-data
SSLSessionCache none
<VirtualHost 127.0.0.1:{tls}>
    SSLEngine on
    SSLCertificateFile {directory}/server.pem
    SSLCertificateKeyFile {directory}/server.key
</VirtualHost>
"""


def start_apache(site):
    apache = need("apache2", "apache2-bin")
    folder = os.path.join(site.directory, "apache-http2")
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o777)
    names = ["mpm_event", "authz_core", "alias", "http2", "ssl", "proxy", "proxy_http"]
    loads = [f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in names]
    tls, clear = free_port(), free_port()
    configuration = site.write("apache-http2.conf", APACHE, tls=tls, clear=clear, modules="\n".join(loads))
    Server([apache, "-D", "FOREGROUND", "-f", configuration], site.log("apache"), tls)

    def reload():
        subprocess.run([apache, "-f", configuration, "-k", "graceful"], check=True, capture_output=True)

    return Peer("apache", https(tls), http_url(clear), reload=reload, is_careful=False)


HAPROXY = """
global
    stats socket {directory}/haproxy.sock mode 600 level admin expose-fd listeners
defaults
    mode http
    timeout connect 10s
    timeout client 60s
    timeout server 60s
frontend front
    bind 127.0.0.1:{tls} ssl crt {directory}/both.pem alpn h2,http/1.1
    bind 127.0.0.1:{clear} proto h2
    default_backend back
backend back
    server nginx 127.0.0.1:{old}
"""


def start_haproxy(site, haproxy):
    """Starts HAProxy in front of nginx."""
    tls, clear = free_port(), free_port()
    configuration = site.write("haproxy.conf", HAPROXY, tls=tls, clear=clear, old=site.old)
    server = Server([haproxy, "-W", "-f", configuration], site.log("haproxy"), tls)
    return Peer("haproxy", https(tls), http_url(clear), reload=lambda: server.process.send_signal(signal.SIGUSR2))


CADDY = """
{{
    admin off
    auto_https off
    storage file_system {directory}/caddy
    servers {{
        protocols h1 h2 h2c
    }}
}}
(site) {{
    bind 127.0.0.1
    root * {directory}/www
    redir /moved /small.txt 302
    reverse_proxy /origin/* 127.0.0.1:{origin}
    file_server
}}
https://localhost:{tls} {{
    tls {directory}/server.pem {directory}/server.key
    import site
}}
http://127.0.0.1:{clear} {{
    import site
}}
"""


def start_caddy(site, caddy):
    tls, clear = free_port(), free_port()
    configuration = site.write("Caddyfile", CADDY, tls=tls, clear=clear)
    command = [caddy, "run", "--config", configuration, "--adapter", "caddyfile"]
    Server(command, site.log("caddy"), tls, env={**os.environ, "HOME": site.directory})
    return Peer("caddy", https(tls), http_url(clear), trailers="/origin/trailers")


H2O = """
num-threads: 1
error-log: /dev/stderr
hosts:
  default:
    paths:
      /moved: {{redirect: {{status: 302, url: /small.txt}}}}
      /origin/: {{proxy.reverse.url: "http://127.0.0.1:{origin}/origin/"}}
      /: {{file.dir: "{directory}/www"}}
listen: {{host: 127.0.0.1, port: {clear}}}
listen:
  host: 127.0.0.1
  port: {tls}
  ssl: {{certificate-file: "{directory}/server.pem", key-file: "{directory}/server.key"}}
"""


def start_h2o(site, h2o):
    tls, clear = free_port(), free_port()
    configuration = site.write("h2o.yaml", H2O, tls=tls, clear=clear)
    Server([h2o, "-m", "worker", "-c", configuration], site.log("h2o"), tls)
    return Peer("h2o", https(tls), http_url(clear))


def start_hypercorn(site, python):
    tls, clear = free_port(), free_port()
    command = [
        python, "-B", "-m", "hypercorn", "--bind", f"127.0.0.1:{tls}", "--insecure-bind", f"127.0.0.1:{clear}",
        "--certfile", os.path.join(site.directory, "server.pem"),
        "--keyfile", os.path.join(site.directory, "server.key"), "--workers", "0", "--log-level", "warning",
        "interop.asgi:app",
    ]
    environment = {**os.environ, "PYTHONPATH": SUPPORT, "APUS_INTEROP_WWW": site.www}
    Server(command, site.log("hypercorn"), tls, env=environment)
    return Peer("hypercorn", https(tls), http_url(clear), trailers="/origin/trailers")


def start_control(peers):
    """Starts a server that reloads a peer for `POST /name`. Returns its URL."""
    reloads = {f"/{peer.name}": peer.reload for peer in peers if peer.reload}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            try:
                reloads[self.path]()
                self.send_response(204)
            except (KeyError, subprocess.SubprocessError):
                self.send_response(500)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
