"""Runs a client once, and returns its measurements."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from works import GIBIBYTE

RUN_LIMIT_SECONDS = 180
SYSTEM_BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
# Runs a process that trusts our certificates, without changing those of the machine.
WITH_OWN_BUNDLE = ["unshare", "-m", "sh", "-c", f'mount --bind "$0" {SYSTEM_BUNDLE} && exec "$@"']


class RunFailed(Exception):
    """A failed run, with the reason."""


def spawn(command, stop_after=None):
    """Runs `command`, and returns its output, its wall-clock time and its resource usage."""
    error_output = tempfile.TemporaryFile()
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=error_output)
    try:
        if stop_after is not None:
            time.sleep(stop_after)
            process.send_signal(signal.SIGINT)
        signal.alarm(RUN_LIMIT_SECONDS)
        output = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    except BaseException:
        if process.returncode is None:
            process.kill()
            process.wait()
        raise
    finally:
        signal.alarm(0)
        process.stdout.close()
    if process.returncode != 0:
        error_output.seek(0)
        errors = error_output.read().decode(errors="replace")
        raise RunFailed(errors.strip().splitlines()[-1] if errors.strip() else f"exit status {process.returncode}")
    return output, time.monotonic() - start, usage


def timed_out(*_):
    raise RunFailed(f"timed out after {RUN_LIMIT_SECONDS} s")


signal.signal(signal.SIGALRM, timed_out)


class Runner:
    """Runs the clients, pinned to one core."""

    def __init__(self, server, core, programs, directory):
        self.server = server
        self.pin = ["taskset", "-c", str(core)]
        self.programs = programs
        self.output = os.path.join(directory, "out")

    def run(self, work, client, requests, seconds):
        """Runs `requests` requests (wrk: for `seconds`), and returns the measurements as a dictionary."""
        if work.base == "down-1GiB-file":
            self.touch_memory()
        try:
            if client == "wrk":
                return self.wrk(work, seconds)
            if client == "h2load":
                return self.h2load(work, requests)
            if client == "curl":
                return self.curl(work, requests)
            return self.program(work, client, requests)
        finally:
            for path in (self.output, self.server.release):
                if os.path.exists(path):
                    os.unlink(path)

    def program(self, work, client, requests):
        server = self.server
        arguments = ["--work", work.name, "--url", server.url(work.path, work.tls, work.http2, work.relayed),
                     "--requests", str(requests), "--concurrency", str(work.concurrency)]
        if work.expected:
            arguments += ["--bytes", str(work.expected)]
        if work.proxy:
            arguments += ["--proxy", server.proxy_url(work.proxy)]
        if work.kind == "volume":
            arguments += ["--warm", server.url("1MiB", work.tls, work.http2)]
            arguments += ["--file", self.sent(work) if work.base.startswith("up") else self.output]
        if work.base.startswith("decode-"):
            arguments += ["--file", server.file(work.path)]
        if work.kind == "memory":
            arguments += ["--hold", server.url("hold"), "--release", server.release]
        if client.startswith("apus-") or client == "foundation":
            arguments += ["--mode", client.removeprefix("apus-")]
        prefix = []
        if work.tls:
            arguments += ["--ca", server.authority]
            if client == "urlsession":
                prefix = [*WITH_OWN_BUNDLE, server.authority]
        output, _, usage = spawn([*self.pin, *prefix, self.programs[client], *arguments])
        result = json.loads(output)
        total = usage.ru_utime + usage.ru_stime
        if result["cpuSeconds"] > total * 1.02 + 0.005:
            raise RunFailed(f"the client reports {result['cpuSeconds']:.3f} s of CPU, but the kernel {total:.3f} s")
        if work.base.startswith("idle") and result["sockets"] < work.concurrency:
            raise RunFailed(f"{result['sockets']} connections stayed open instead of {work.concurrency}")
        return numbers(work, result)

    def curl(self, work, requests):
        base = [*self.pin, "curl", "-q", "-s", "-S", "-f", "--cacert", self.server.authority, "-o", "/dev/null"]
        # Subtract the start-up time of curl, since the other clients are measured while they run.
        _, start_wall, start = spawn([*base, self.server.url("100", work.tls, work.http2)])
        url = self.server.url(work.path, work.tls, work.http2)
        if work.kind == "requests":
            command = [*base, "--fail-early", f"{url}?[1-{requests}]"]
            if work.opens_connections:
                command[-1:-1] = ["--no-sessionid", "-H", "Connection: close", "--parallel", "--parallel-max",
                                  str(work.concurrency)]
        else:
            command = [*base]
            if work.base == "down-1GiB-file":
                command[-1] = self.output
            if work.base.startswith("up-multipart"):
                command += ["-H", "Expect:", "-F", f"file=@{self.sent(work)}"]
            elif work.base.startswith("up"):
                command += ["-H", "Expect:", "-T", self.sent(work)]
            command += ["-w", "%{size_download} %{size_upload} %{time_total}\\n", url]
        moved = 0
        wall = cpu = 0.0
        peak = 0
        for _ in range(requests if work.kind == "volume" else 1):
            output, elapsed, usage = spawn(command)
            cpu += usage.ru_utime + usage.ru_stime - start.ru_utime - start.ru_stime
            peak = max(peak, usage.ru_maxrss * 1024)
            if work.kind == "volume":
                received, sent, total = output.split()
                moved += max(int(received), int(sent))
                wall += float(total)
            else:
                wall += elapsed - start_wall
        # A multipart form adds a few bytes to its file.
        if work.kind == "volume" and not 0 <= moved - requests * work.volume < requests * 1024:
            raise RunFailed(f"{moved} bytes were transferred")
        return numbers(work, {"requests": requests, "seconds": wall, "cpuSeconds": cpu, "residentBytes": peak})

    def sent(self, work):
        return self.server.file("1GiB") if work.base.startswith("up-multipart") else self.server.upload_file

    def wrk(self, work, seconds):
        url = self.server.url(work.path, work.tls, work.http2)
        command = [*self.pin, "wrk", "-t", "1", "-c", str(work.concurrency), "-d", "60", url]
        output, _, usage = spawn(command, stop_after=seconds)
        found = re.search(r"(\d+) requests in ([\d.]+)(ms|s|m)", output)
        if not found or "Non-2xx" in output or "Socket errors" in output:
            raise RunFailed("wrk: " + output.strip()[-200:])
        elapsed = float(found[2]) * {"ms": 0.001, "s": 1, "m": 60}[found[3]]
        return numbers(work, {
            "requests": int(found[1]), "seconds": elapsed, "cpuSeconds": usage.ru_utime + usage.ru_stime,
            "residentBytes": usage.ru_maxrss * 1024})

    def h2load(self, work, requests):
        url = self.server.url(work.path, work.tls, work.http2)
        command = [*self.pin, "h2load", "-t", "1", "-c", "1", "-m", str(work.concurrency), "-n", str(requests), url]
        output, _, usage = spawn(command)
        found = re.search(r"finished in ([\d.]+)(us|ms|s|m)", output)
        if not found or f"{requests} succeeded" not in output:
            raise RunFailed("h2load: " + output.strip()[-200:])
        elapsed = float(found[1]) * {"us": 1e-6, "ms": 0.001, "s": 1, "m": 60}[found[2]]
        return numbers(work, {
            "requests": requests, "seconds": elapsed, "cpuSeconds": usage.ru_utime + usage.ru_stime,
            "residentBytes": usage.ru_maxrss * 1024})

    def touch_memory(self):
        """Touches the memory that a file of 1 GiB will use.

        In a virtual machine, the first use of a page costs ten times as much as the copy into it.
        """
        block = bytes(1 << 20)
        with open(self.output, "wb") as file:
            for _ in range(GIBIBYTE >> 20):
                file.write(block)
        os.unlink(self.output)


def numbers(work, result):
    """Returns the measurements of a run under their names in the JSON file."""
    row = {"residentBytes": result["residentBytes"]}
    if "baselineBytes" in result:
        row["residentGrowthBytes"] = result["residentBytes"] - result["baselineBytes"]
    if work.kind == "requests":
        row["cpuMicrosecondsPerRequest"] = result["cpuSeconds"] / result["requests"] * 1e6
        row["requestsPerSecond"] = result["requests"] / result["seconds"]
    if work.kind == "volume":
        gigabytes = result["requests"] * work.volume / 1e9
        row["gigabytesPerSecond"] = gigabytes / result["seconds"]
        row["cpuSecondsPerGigabyte"] = result["cpuSeconds"] / gigabytes
    if work.kind == "memory":
        row["residentBytesPerItem"] = row["residentGrowthBytes"] / work.requests
    return row


def warn(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)
