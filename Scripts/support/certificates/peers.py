"""Asks Go's crypto/x509 and OpenSSL for their verdicts."""

import concurrent.futures
import ipaddress
import json
import os
import re
import shutil
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "verifier")


def go(cases, temporary):
    """Returns Go's verdicts on the cases of a file: whether it accepts each, and its words."""
    if not shutil.which("go"):
        sys.exit("Scripts/certificate-matrix: go is missing; install golang-go")
    program = os.path.join(temporary, "verifier")
    environment = {**os.environ, "GOCACHE": os.path.join(temporary, "cache"), "GOFLAGS": "-mod=mod", "CGO_ENABLED": "0"}
    built = subprocess.run(["go", "build", "-o", program, "."], cwd=FOLDER, env=environment)
    if built.returncode != 0:
        sys.exit("Scripts/certificate-matrix: the Go program can't be built")
    output = subprocess.run([program, cases], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [(verdict["accepted"], verdict["text"]) for verdict in json.loads(output)]


def openssl(cases, temporary):
    """Returns OpenSSL's verdicts. Its options are those of curl, with the level of security of Debian."""
    if not shutil.which("openssl"):
        sys.exit("Scripts/certificate-matrix: openssl is missing")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        paths = [os.path.join(temporary, str(number)) for number in range(len(cases))]
        return list(pool.map(openssl_verdict, cases, paths))


def openssl_verdict(case, path):
    files = {}
    for name, texts in [("leaf", case["chain"][:1]), ("others", case["chain"][1:]), ("roots", case["roots"])]:
        files[name] = f"{path}-{name}.pem"
        with open(files[name], "w") as file:
            file.write("".join(texts))
    command = ["openssl", "verify", "-attime", str(case["time"]), "-purpose", "sslserver", "-partial_chain",
               "-trusted_first", "-auth_level", "2", "-no-CAfile", "-no-CApath", "-no-CAstore"]
    if case["roots"]:
        command += ["-trusted", files["roots"]]
    if case["chain"][1:]:
        command += ["-untrusted", files["others"]]
    try:
        command += ["-verify_ip", str(ipaddress.ip_address(case["host"]))]
    except ValueError:
        command += ["-verify_hostname", case["host"].removesuffix(".")]
    run = subprocess.run([*command, files["leaf"]], capture_output=True, text=True, errors="replace")
    output = run.stderr.splitlines()
    lines = [line for line in output if re.match("error [0-9]+ at", line)] or output[:1]
    return run.returncode == 0, "; ".join(lines) or "OK"
