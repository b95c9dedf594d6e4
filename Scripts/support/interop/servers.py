"""Starts the servers: nginx, Apache, and httpbin served by gunicorn, on free ports of loopback."""

import atexit
import base64
import functools
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
VENV = os.path.join(ROOT, ".build", "interop-venv")
PACKAGES = ["httpbin==0.10.*", "gunicorn"]
# The package of the server that runs asgi.py.
ASGI = ["hypercorn==0.18.*"]
# The packages that signatures.py uses.
SIGNERS = ["botocore==1.44.*"]
# The packages that readers.py uses. expectations.py lists the deviations of these versions.
PARSERS = ["werkzeug>=3.1.9,<3.2", "multipart==2.0.*", "python-multipart==0.0.34"]


def need(command, package):
    """Returns the path of a program, and installs its Debian package if it is missing and the user is root."""
    found = find(command, package)
    if not found:
        sys.exit(f"Scripts/interop: {command} is missing; install {package}")
    return found


def find(command, package):
    """Returns the path of a program like `need`, or None if it can't be installed."""
    path = os.environ.get("PATH", "") + os.pathsep + "/usr/sbin"
    found = shutil.which(command, path=path)
    if found or os.geteuid() != 0 or not shutil.which("apt-get"):
        return found
    update_packages()
    apt("install", "-y", "--no-install-recommends", package)
    return shutil.which(command, path=path)


@functools.cache
def update_packages():
    apt("update")


def apt(command, *arguments):
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", command, "-q", *arguments], check=False, stdout=subprocess.DEVNULL, env=environment)


def environment():
    """Returns the Python of a virtual environment in .build, with httpbin, gunicorn and the optional packages."""
    python = os.path.join(VENV, "bin", "python")
    if not has(python, "httpbin", "gunicorn"):
        make_environment(python)
    if not has(python, "multipart", "python_multipart") and not install(python, PARSERS):
        print("Scripts/interop: cannot install the parsers from PyPI; skipping them")
    if not has(python, "botocore") and not install(python, SIGNERS):
        print("Scripts/interop: cannot install botocore; skipping it")
    if not has(python, "hypercorn") and not install(python, ASGI):
        print("Scripts/interop: cannot install hypercorn; skipping it")
    return python


def has(python, *modules):
    probe = [python, "-c", f"import {', '.join(modules)}"]
    return os.path.exists(python) and subprocess.run(probe, capture_output=True).returncode == 0


def install(python, packages):
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    return subprocess.run(pip).returncode == 0


def make_environment(python):
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], capture_output=True, text=True)
    if made.returncode != 0 and os.geteuid() == 0:
        subprocess.run(["apt-get", "install", "-q", "-y", "python3-venv"], stdout=subprocess.DEVNULL, check=False)
        made = subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"Scripts/interop: cannot create a virtual environment; install python3-venv\n{made.stdout}{made.stderr}")
    if not install(python, PACKAGES):
        sys.exit("Scripts/interop: cannot install httpbin and gunicorn from PyPI")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process, log):
    """Waits until the server listens on the port. Exits with the server's output if it does not."""
    for _ in range(200):
        if process.poll() is not None:
            break
        with socket.socket() as probe:
            probe.settimeout(0.2)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    with open(log, errors="replace") as output:
        sys.exit(f"Scripts/interop: a server did not start\n{output.read()}")


class Server:
    """A child process in its own process group, which is terminated when the script exits."""

    def __init__(self, arguments, log, port, env=None):
        self.log = log
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                arguments, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
                env=env,
            )
        atexit.register(self.stop)
        wait_for(port, self.process, log)

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


def start_httpbin(directory, python):
    port = free_port()
    arguments = [
        python, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "--worker-class", "gthread", "--workers", "1",
        "--threads", "16", "--keep-alive", "30", "--no-control-socket", "httpbin:app",
    ]
    log = os.path.join(directory, "httpbin.log")
    known = subprocess.run([python, "-m", "gunicorn", "--help"], capture_output=True, text=True).stdout
    if "--no-control-socket" not in known:
        arguments.remove("--no-control-socket")
    Server(arguments, log, port)
    return f"http://127.0.0.1:{port}"


NGINX = """
daemon off;
worker_processes 1;
pid {directory}/nginx.pid;
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
    types {{ text/plain txt; application/json json; application/octet-stream bin; }}
    server {{
        listen 127.0.0.1:{port};
        listen 127.0.0.1:{tls} ssl;
        server_name localhost;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_certificate {directory}/server.pem;
        ssl_certificate_key {directory}/server.key;
        root {directory}/www;
        location /coded/ {{ alias {directory}/www/; gzip on; gzip_min_length 1; gzip_types text/plain; }}
        location /once/ {{ alias {directory}/www/; keepalive_timeout 0; }}
        location /nothing {{ return 204; }}
        location /teapot {{ return 418 "short and stout\\n"; }}
        location /ring {{ return 302 /ring; }}
        location /away {{ return 301 http://localhost:{port}/small.txt; }}
        location /through/ {{ proxy_pass {httpbin}/; proxy_http_version 1.1; proxy_set_header Host $host:$server_port; }}
        location /unbuffered/ {{
            proxy_pass {httpbin}/; proxy_http_version 1.1; proxy_request_buffering off; proxy_buffering off;
        }}
    }}
}}
"""


def make_certificates(directory):
    """Creates an authority and a certificate for localhost."""
    openssl = need("openssl", "openssl")

    def run(*arguments):
        subprocess.run([openssl, *arguments], cwd=directory, check=True, capture_output=True)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    run("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Interop Authority")
    run("req", *curve, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    with open(os.path.join(directory, "names"), "w") as names:
        names.write("subjectAltName=DNS:localhost\n")
    run("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
        "-extfile", "names", "-out", "server.pem")


def start_nginx(directory, httpbin):
    nginx = need("nginx", "nginx-light")
    www = os.path.join(directory, "www")
    os.makedirs(os.path.join(www, "folder"))
    with open(os.path.join(www, "small.txt"), "w") as small:
        small.write("a swift does everything in the air\n")
    with open(os.path.join(www, "empty.txt"), "w"):
        pass
    with open(os.path.join(www, "folder", "index.html"), "w") as index:
        index.write("<p>index</p>\n")
    with open(os.path.join(www, "text.txt"), "w") as text:
        text.writelines(f"line {number}\n" for number in range(20_000))
    with open(os.path.join(www, "large.bin"), "wb") as large:
        block = hashlib.sha512(b"apus").digest() * 16384
        for number in range(64):
            large.write(number.to_bytes(4, "big") + block)
    make_certificates(directory)
    port, tls = free_port(), free_port()
    configuration = os.path.join(directory, "nginx.conf")
    with open(configuration, "w") as file:
        file.write(NGINX.format(directory=directory, port=port, tls=tls, httpbin=httpbin))
    # If nginx runs as root, its workers run as another user, which must be able to read the folder.
    os.chmod(directory, 0o755)
    log = os.path.join(directory, "nginx.log")
    Server([nginx, "-p", directory, "-c", configuration, "-e", "stderr"], log, port)
    return f"http://127.0.0.1:{port}", f"https://localhost:{tls}"


APACHE = """
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {directory}/apache/pid
ErrorLog /dev/stderr
LogLevel warn
DefaultRuntimeDir {directory}/apache
Mutex file:{directory}/apache
{modules}
# More threads than connections: if all are busy, Apache closes idle and new connections.
ServerLimit 1
ThreadLimit 128
ThreadsPerChild 128
MaxRequestWorkers 128
AuthDigestShmemSize 1M
DocumentRoot {directory}/www
<Directory {directory}/www>
    AllowOverride None
    Require all granted
</Directory>
Alias /basic/ {directory}/www/
Alias /digest/ {directory}/www/
Alias /domain/ {directory}/www/
Alias /fleeting/ {directory}/www/
<Location /basic/>
    AuthType Basic
    AuthName "the air"
    AuthBasicProvider file
    AuthUserFile {directory}/apache/basic
    Require valid-user
</Location>
<Location ~ "^/(digest|domain|fleeting)/">
    AuthType Digest
    AuthName "the upper air"
    AuthDigestProvider file
    AuthUserFile {directory}/apache/digest
    Require valid-user
</Location>
<Location /domain/>
    AuthDigestDomain /domain/ /digest/
</Location>
<Location /fleeting/>
    AuthDigestNonceLifetime 0
</Location>
"""


def start_apache(directory):
    """Starts Apache with nginx's files behind Basic and Digest. The user is `ada`, the password `love lace`."""
    apache = need("apache2", "apache2-bin")
    folder = os.path.join(directory, "apache")
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o777)
    secret = base64.b64encode(hashlib.sha1(b"love lace").digest()).decode()
    with open(os.path.join(folder, "basic"), "w") as file:
        file.write("ada:{SHA}" + secret + "\n")
    key = hashlib.md5(b"ada:the upper air:love lace").hexdigest()
    with open(os.path.join(folder, "digest"), "w") as file:
        file.write(f"ada:the upper air:{key}\n")
    names = ["mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "auth_digest", "alias"]
    modules = "/usr/lib/apache2/modules"
    loads = [f"LoadModule {name}_module {modules}/mod_{name}.so" for name in names]
    port = free_port()
    configuration = os.path.join(folder, "apache.conf")
    with open(configuration, "w") as file:
        file.write(APACHE.format(directory=directory, port=port, modules="\n".join(loads)))
    Server([apache, "-X", "-f", configuration], os.path.join(directory, "apache.log"), port)
    return f"http://127.0.0.1:{port}"
