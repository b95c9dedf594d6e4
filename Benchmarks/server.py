"""The servers for all clients, on a separate core: one nginx worker, and a program that relays connections to it."""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request

from holder import Holder

JSON_ITEMS = 64
MEBIBYTE = 1 << 20

CONFIGURATION = """
worker_processes 1;
daemon off;
user root;
pid {directory}/nginx.pid;
error_log {directory}/error.log warn;
events {{ worker_connections 32768; multi_accept on; }}
http {{
    access_log off;
    sendfile on;
    tcp_nodelay on;
    keepalive_timeout 3600s;
    keepalive_requests 2000000000;
    open_file_cache max=100 inactive=3600s;
    open_file_cache_valid 3600s;
    default_type application/octet-stream;
    types {{ application/json json; }}
    client_max_body_size 0;
    http2_max_concurrent_streams 256;
    client_body_buffer_size 1025m;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    ssl_certificate {directory}/server.pem;
    ssl_certificate_key {directory}/server.key;
    # One version, one cipher suite and one group, so that all clients do the same work.
    ssl_protocols TLSv1.3;
    ssl_ecdh_curve X25519;
    ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
    server {{
        listen {host}:{http_port} backlog=4096;
        listen {host}:{tls_port} ssl backlog=4096;
        listen {host}:{http2_port} ssl http2 backlog=4096;
        root {directory}/files;
        location = /100 {{ default_type text/plain; return 200 "{hundred}"; }}
        # Responds when the holder does.
        location = /hold {{
            proxy_pass http://127.0.0.1:{hold_port};
            proxy_read_timeout 300s;
        }}
        # Reads the whole body into memory before it responds, which `return` alone would not do.
        location = /up {{
            proxy_pass http://{host}:{http_port}/100;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
        }}
    }}
    # A proxy for requests in absolute form. It answers like a cache: if it were slower than the server, its clients
    # would wait more often, and so use more CPU for each request.
    server {{
        listen {host}:{proxy_port} backlog=4096;
        location = /100 {{ default_type text/plain; return 200 "{hundred}"; }}
    }}
}}
"""


class Server:
    """An nginx server with its files and certificates in a separate directory.

    The program `relay_program` passes bytes on to it, as a proxy that opens tunnels, and as a relay. nginx listens on
    the IPv4 address `host` only.
    """

    def __init__(self, directory, core, relay_program, host="127.0.0.1"):
        self.directory = directory
        self.core = core
        self.host = host
        self.http_port, self.tls_port, self.http2_port, self.proxy_port, hold_port = free_ports(5, host)
        self.relay_program = relay_program
        self.relay = self.tunnel_address = self.relay_address = None
        self.release = os.path.join(directory, "release")
        self.holder = Holder(hold_port, self.release)
        self.authority = os.path.join(directory, "ca.pem")
        self.upload_file = os.path.join(directory, "upload")
        self.process = None

    def start(self):
        files = os.path.join(self.directory, "files")
        os.makedirs(files)
        write_files(files)
        with open(self.upload_file, "wb") as file:
            file.write(bytes(256 * MEBIBYTE))
        make_certificates(self.directory, self.host)
        path = os.path.join(self.directory, "nginx.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(
                directory=self.directory, host=self.host, http_port=self.http_port, tls_port=self.tls_port,
                http2_port=self.http2_port, proxy_port=self.proxy_port, hold_port=self.holder.port, hundred="x" * 100))
        self.holder.start()
        self.start_relay()
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        log = open(os.path.join(self.directory, "stderr.log"), "wb")
        self.process = subprocess.Popen(
            ["taskset", "-c", str(self.core), nginx, "-p", self.directory, "-c", path], stderr=log, stdout=log)
        for _ in range(100):
            try:
                assert len(urllib.request.urlopen(self.url("100"), timeout=5).read()) == 100
                # Load the file into the page cache.
                urllib.request.urlopen(self.url("8k.json"), timeout=5).read()
                return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        with open(os.path.join(self.directory, "stderr.log"), encoding="utf-8") as file:
            raise SystemExit("nginx did not start:\n" + file.read())

    def start_relay(self):
        self.relay = subprocess.Popen(
            ["taskset", "-c", str(self.core), self.relay_program, "--relay-to", f"{self.host}:{self.tls_port}"],
            stdout=subprocess.PIPE)
        # The program prints its addresses once it listens.
        addresses = self.relay.stdout.readline().decode().split()
        if len(addresses) != 2:
            raise SystemExit("the relay did not start")
        self.tunnel_address, self.relay_address = addresses

    def file(self, name):
        """Returns the path of a served file."""
        return os.path.join(self.directory, "files", name)

    def url(self, name, tls=False, http2=False, relayed=False):
        if relayed:
            return f"https://{self.relay_address}/{name}"
        if http2:
            return f"https://{self.host}:{self.http2_port}/{name}"
        if tls:
            return f"https://{self.host}:{self.tls_port}/{name}"
        return f"http://{self.host}:{self.http_port}/{name}"

    def proxy_url(self, kind):
        """Returns the URL of a proxy: `proxy`, or `tunnel`."""
        return f"http://{self.tunnel_address}" if kind == "tunnel" else f"http://{self.host}:{self.proxy_port}"

    def stop(self):
        for process in (self.process, self.relay):
            if process and process.poll() is None:
                process.terminate()
                process.wait()
        self.holder.stop()


def free_ports(count, host):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind((host, 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def write_files(directory):
    items = [
        {
            "id": 1000 + n,
            "name": f"Apus apus {n}",
            "email": f"swift{n}@example.org",
            "score": n * 1.25 + 0.125,
            "active": n % 3 == 0,
            "tags": ["aerial", "crevice", f"t{n}"],
        }
        for n in range(JSON_ITEMS)
    ]
    with open(os.path.join(directory, "8k.json"), "w", encoding="ascii") as file:
        json.dump(items, file, separators=(",", ":"))
    with open(os.path.join(directory, "1MiB"), "wb") as file:
        file.write(bytes(MEBIBYTE))
    # A sparse file. sendfile reads its zeros from the page cache.
    with open(os.path.join(directory, "1GiB"), "wb") as file:
        file.truncate(1024 * MEBIBYTE)


def make_certificates(directory, host):
    """Creates an authority and a server certificate for the IPv4 address `host`, both with P-256 keys."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True)

    with open(os.path.join(directory, "extensions"), "w", encoding="ascii") as file:
        file.write(f"subjectAltName=IP:{host},DNS:localhost\nextendedKeyUsage=serverAuth\n")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "30", "-subj", "/CN=Bench CA")
    openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "30", "-extfile", "extensions", "-out", "server.pem")
