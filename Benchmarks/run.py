#!/usr/bin/env python3
"""Measures Apus and other HTTP clients with the same works in one run. Called by `Scripts/bench`."""

import argparse
import itertools
import json
import os
import platform
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import chart  # noqa: E402
import clients  # noqa: E402
import report  # noqa: E402
from server import Server  # noqa: E402
from works import CLIENTS, WORKS  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    options = parse(sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    raise_limit_of_files()
    client_core, server_core = cores()
    directory = temporary_directory()
    server = Server(directory, server_core, programs(options.bin)["go"])
    # Run this process on the core of the server, so that it does not disturb the client.
    os.sched_setaffinity(0, {server_core})
    try:
        server.start()
        runner = clients.Runner(server, client_core, programs(options.bin), directory)
        samples, left_out = measure(runner, options)
    finally:
        server.stop()
        shutil.rmtree(directory, ignore_errors=True)
    result = {
        "machine": machine(),
        "rounds": options.rounds,
        "secondsPerRun": options.seconds,
        "rows": rows(samples),
        "leftOut": left_out,
    }
    print(report.text(result))
    if options.json:
        write(options.json, json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    if options.svg:
        write(options.svg, chart.svg(result))
    # Other clients may fail and are skipped. A failure of Apus is an error.
    sys.exit(1 if any(each["client"].startswith("apus-") for each in left_out) else 0)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="Scripts/bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="run only the small works, which takes two minutes")
    parser.add_argument("--json", metavar="FILE", help="write the results to this file")
    parser.add_argument("--svg", metavar="FILE", help="write the bar chart to this file",
                        default=os.path.join(HERE, "results", "bench.svg"))
    parser.add_argument("--rounds", type=int, default=5, help="the number of runs of each client (default: 5)")
    parser.add_argument("--works", metavar="A,B", help="run only these works: " + ", ".join(w.name for w in WORKS))
    parser.add_argument("--clients", metavar="A,B", help="run only these clients: " + ", ".join(CLIENTS))
    parser.add_argument("--bin", default=os.path.join(HERE, ".build", "release"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.seconds = 0.25 if options.quick else 1.5
    names = options.works.split(",") if options.works else [w.name for w in WORKS]
    options.works = [w for w in WORKS if w.name in names and (w.kind == "requests" or not options.quick)]
    options.clients = options.clients.split(",") if options.clients else list(CLIENTS)
    unknown = set(names) - {w.name for w in WORKS} | set(options.clients) - set(CLIENTS)
    if unknown:
        parser.error("unknown works or clients: " + ", ".join(sorted(unknown)))
    if options.rounds < 1:
        parser.error("--rounds must be 1 or more")
    return options


def measure(runner, options):
    """Measures in rounds. Each round runs all clients, so that changes of the machine affect all of them.

    The works of a group are compared with each other, so they share their rounds.
    """
    samples, left_out = {}, []
    for title, group in itertools.groupby(options.works, key=lambda work: work.group or work.name):
        counts = {}
        works = list(group)
        for client, work in itertools.product(options.clients, works):
            if client not in work.clients:
                continue
            try:
                counts[work, client] = work.requests or calibrate(runner, work, client, options.seconds)
            except clients.RunFailed as failure:
                drop(left_out, work, client, failure)
        for number in range(options.rounds):
            clients.warn(f"{title}, round {number + 1} of {options.rounds}")
            # Reverse the order in every other round, so that no client is always the first.
            for work, client in list(counts)[:: -1 if number % 2 else 1]:
                try:
                    sample = runner.run(work, client, counts[work, client], options.seconds)
                    samples.setdefault((work, client), []).append(sample)
                except clients.RunFailed as failure:
                    drop(left_out, work, client, failure)
                    del counts[work, client]
                    samples.pop((work, client), None)
    return samples, left_out


def calibrate(runner, work, client, seconds):
    """Returns the number of requests that fill the time of a run. Also serves as a warm-up run."""
    probe = 500 if client == "urlsession" else 3000
    if client == "wrk":
        return probe
    rate = runner.run(work, client, probe, seconds)["requestsPerSecond"]
    return max(int(rate * seconds), work.concurrency * 8)


def drop(left_out, work, client, failure):
    clients.warn(f"{work.name}: {client} is skipped: {failure}")
    left_out.append({"work": work.name, "client": client, "reason": str(failure)})


def rows(samples):
    """Returns rows with the medians, the values of all rounds, and half their range as the spread."""
    result = []
    for (work, client), runs in samples.items():
        row = {"work": work.name, "client": client, "runs": {key: [run[key] for run in runs] for key in runs[0]}}
        spread = {}
        for key, values in row["runs"].items():
            row[key] = statistics.median(values)
            if row[key]:
                spread[key] = (max(values) - min(values)) / 2 / abs(row[key])
        row["spread"] = spread
        result.append(row)
    return result


def cores():
    available = sorted(os.sched_getaffinity(0))
    if LOAD_BEFORE > 0.7:
        clients.warn(f"the machine is busy (load {LOAD_BEFORE:.1f}): check the spread of the results")
    if len(available) < 2:
        clients.warn("only one core: client and server share it, so the rates are unreliable")
    return available[0], available[-1]


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]

    def version(*command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        text = (done.stdout + done.stderr).strip()
        return text.splitlines()[0] if text else ""

    return {
        "processor": models[0] if models else platform.machine(),
        "cores": CORES,
        "kernel": platform.release(),
        "loadBefore": LOAD_BEFORE,
        "nginx": version("nginx", "-v"),
        "go": version("go", "version"),
        "curl": version("curl", "--version"),
        "swift": version("swift", "--version"),
    }


def temporary_directory():
    """Creates a directory in memory if there is enough space, so that the disk is not measured."""
    free = shutil.disk_usage("/dev/shm").free if os.path.isdir("/dev/shm") else 0
    return tempfile.mkdtemp(prefix="apus-bench-", dir="/dev/shm" if free > 4 << 30 else None)


def programs(directory):
    found = {
        "async-http-client": "bench-ahc",
        "urlsession": "bench-urlsession",
        "go": "bench-go",
        "apus-loop": "bench-apus",
        "apus-task": "bench-apus",
        "apus-handle": "bench-apus",
        "foundation": "bench-apus",
    }
    return {client: os.path.join(directory, name) for client, name in found.items()}


def raise_limit_of_files():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def write(path, text):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"wrote {path}")


LOAD_BEFORE = os.getloadavg()[0]
CORES = len(os.sched_getaffinity(0))

if __name__ == "__main__":
    main()
