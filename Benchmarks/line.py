#!/usr/bin/env python3
"""Measures downloads of Apus and curl over a line with a delay. Called by `Scripts/line`."""

import argparse
import json
import os
import shutil
import statistics
import sys

sys.dont_write_bytecode = True
import clients  # noqa: E402
from network import CONGESTION_CONTROL, FAR, Line, command_inside, end_on_signals, inside, settings  # noqa: E402
from run import cores, programs, temporary_directory  # noqa: E402
from server import MEBIBYTE, Server  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = os.path.join(".build", "release")
CONNECTIONS = 8
# The data of TCP in a packet of 1500 bytes. The headers of IP and TCP, with timestamps, are the rest.
DATA_PER_PACKET = 1448 / 1500


def main():
    options = parse(sys.argv[1:])
    end_on_signals()
    # The environment must not send requests through a proxy.
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        del os.environ[name]
    client_core, server_core = cores()
    available = sorted(os.sched_getaffinity(0))
    line_core = available[1] if len(available) > 2 else server_core
    os.sched_setaffinity(0, {server_core})
    window = options.window_mib * MEBIBYTE
    texts = ", ".join(f"{key} {value}" for key, value in settings(window).items())
    print(f"MTU 1500; in both namespaces {texts}, congestion control {CONGESTION_CONTROL}")
    print(f"cores: client {client_core}, nginx {server_core}, line {line_core}; {options.mebibytes} MiB, "
          f"{options.rounds} rounds")
    for megabits in options.megabits:
        line = Line(options.forwarder, line_core, options.delay_ms, int(megabits * 125000), options.loss,
                    window)
        directory = temporary_directory()
        try:
            with line, inside(line.far):
                server = Server(directory, server_core, options.forwarder, FAR)
                try:
                    server.start()
                    print(heading(line, server, megabits, options), flush=True)
                    print(table(measure(Runs(line, server, client_core, directory, options), options)), flush=True)
                finally:
                    server.stop()
        finally:
            shutil.rmtree(directory, ignore_errors=True)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="Scripts/line", description=__doc__)
    parser.add_argument("--apus", metavar="FILE", default=os.path.join(os.path.dirname(HERE), BUILT, "apus"),
                        help="the command apus (default: a release build, which the script makes)")
    parser.add_argument("--bin", metavar="FOLDER", default=os.path.join(HERE, BUILT),
                        help="the folder of bench-apus (default: a release build, which the script makes)")
    parser.add_argument("--forwarder", default=os.path.join(HERE, ".build", "line"), help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=3, help="the number of runs of each row (default: 3)")
    parser.add_argument("--mebibytes", type=int, default=1024, help="the size of a download (default: 1024)")
    parser.add_argument("--delay-ms", type=float, default=25, help="the delay in each direction (default: 25)")
    parser.add_argument("--megabits", default="1000,0", metavar="A,B",
                        help="the rates of the lines in Mbit/s, where 0 means unlimited (default: 1000,0)")
    parser.add_argument("--loss", type=float, default=0,
                        help="the fraction of packets that are lost in each direction (default: 0)")
    parser.add_argument("--window-mib", type=int, default=0, metavar="MIB",
                        help="the maximum size of a connection's buffers (default: that of Linux, 6 MiB and 4 MiB)")
    parser.add_argument("--rows", metavar="TEXT", default="", help="run only the rows whose names contain this")
    options = parser.parse_args(arguments)
    try:
        options.megabits = [float(each) for each in options.megabits.split(",")]
    except ValueError:
        parser.error("--megabits must be a list of numbers")
    if options.rounds < 1 or options.window_mib < 0 or options.delay_ms < 0 or min(options.megabits) < 0 or not 0 <= options.loss < 1:
        parser.error("a value is out of range")
    for program in (options.apus, os.path.join(options.bin, "bench-apus"), options.forwarder):
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is not a program")
    if options.mebibytes < CONNECTIONS or options.mebibytes % CONNECTIONS != 0:
        parser.error(f"--mebibytes must be a multiple of {CONNECTIONS}")
    return options


def heading(line, server, megabits, options):
    """Describes a line, with the round trip that it has by measurement."""
    command = [*command_inside(line.near), "curl", "-q", "-s", "-o", "/dev/null", "-w", "%{time_connect}",
               server.url("100")]
    round_trip = statistics.median(float(clients.spawn(command)[0]) for _ in range(5)) * 1000
    rate = "unlimited"
    if megabits:
        queue = megabits * 125 * 2 * options.delay_ms
        rate = (f"{megabits:g} Mbit/s, which are {megabits / 8 * DATA_PER_PACKET:.1f} MB/s of TCP data, "
                f"queue {queue / 1e6:.2f} MB")
    loss = f", loss {options.loss:g}" if options.loss else ""
    return (f"\nline: {rate}, delay {options.delay_ms:g} ms in each direction{loss}; "
            f"measured round trip {round_trip:.1f} ms")


class Runs:
    """The downloads, from the near end of a line."""

    def __init__(self, line, server, core, directory, options):
        self.line = line
        self.server = server
        self.runner = clients.Runner(server, core, {}, directory)
        self.start = [*command_inside(line.near), *self.runner.pin]
        self.output = self.runner.output
        self.apus = options.apus
        self.bench = programs(options.bin)["apus-loop"]
        self.size = options.mebibytes * MEBIBYTE
        self.selected = options.rows
        for name, size in (("whole", self.size), ("part", self.size // CONNECTIONS)):
            # Sparse, as the files of the server are.
            with open(server.file(name), "wb") as file:
                file.truncate(size)

    def rows(self):
        """Returns the names of the rows, each with a function that returns the seconds and the CPU seconds of a run."""
        rows = {
            "to a file, HTTP/1.1: apus, 1 segment": lambda: self.apus_file(1),
            "to a file, HTTP/1.1: apus, 4 segments": lambda: self.apus_file(4),
            "to a file, HTTP/1.1: curl": self.curl_file,
            "dropped, 1 HTTP/2 connection: bench-apus": lambda: self.bench_drop(True),
            f"dropped, {CONNECTIONS} HTTP/1.1 connections: bench-apus": lambda: self.bench_drop(False),
            "dropped, 1 HTTP/2 connection: curl": lambda: self.curl_drop(True),
            f"dropped, {CONNECTIONS} HTTP/1.1 connections: curl": lambda: self.curl_drop(False),
        }
        return {name: run for name, run in rows.items() if self.selected in name}

    def apus_file(self, segments):
        command = [self.apus, "--ignore-stdin", "-d", "-o", self.output, "--verify", self.server.authority,
                   "--http-version", "1.1"]
        if segments > 1:
            command += ["--segments", str(segments)]
        return self.to_file([*command, self.server.url("whole", tls=True)])

    def curl_file(self):
        return self.to_file([*self.curl(), "--http1.1", "-o", self.output, self.server.url("whole", tls=True)])

    def to_file(self, command):
        self.runner.touch_memory()
        _, seconds, usage = clients.spawn([*self.start, *command])
        size = os.path.getsize(self.output)
        os.unlink(self.output)
        if size != self.size:
            raise clients.RunFailed(f"the file has {size} instead of {self.size} bytes")
        return seconds, usage.ru_utime + usage.ru_stime

    def bench_drop(self, http2):
        # A connection is open before the measurement starts.
        url = self.server.url("whole" if http2 else "part", tls=True, http2=http2)
        count, size = (1, self.size) if http2 else (CONNECTIONS, self.size // CONNECTIONS)
        output, _, _ = clients.spawn([
            *self.start, self.bench, "--work", "h2-down-1GiB" if http2 else "tls-down-1GiB", "--url", url, "--requests",
            str(count), "--concurrency", str(count), "--bytes", str(size), "--warm",
            self.server.url("1MiB", tls=True, http2=http2), "--file", "/dev/null", "--mode", "loop",
            "--ca", self.server.authority])
        result = json.loads(output)
        return result["seconds"], result["cpuSeconds"]

    def curl_drop(self, http2):
        command = [*self.curl(), "-o", "/dev/null", "-w", "%{size_download}\\n"]
        if http2:
            command += ["--http2", self.server.url("whole", tls=True, http2=True)]
        else:
            command += ["--http1.1", "--parallel", "--parallel-immediate", "--parallel-max", str(CONNECTIONS),
                        self.server.url("part", tls=True) + f"?[1-{CONNECTIONS}]"]
        output, seconds, usage = clients.spawn([*self.start, *command])
        size = sum(int(line) for line in output.split())
        if size != self.size:
            raise clients.RunFailed(f"curl received {size} instead of {self.size} bytes")
        return seconds, usage.ru_utime + usage.ru_stime

    def curl(self):
        return ["curl", "-q", "-s", "-S", "-f", "--cacert", self.server.authority]


def measure(runs, options):
    """Runs all rows in rounds. Returns the measurements of each row."""
    rows = runs.rows()
    if not rows:
        raise SystemExit(f"line: no row contains '{options.rows}'")
    samples = {name: [] for name in rows}
    for number in range(options.rounds):
        print(f"line: round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
        # Reverse the order in every other round, as run.py does.
        for name in list(rows)[:: -1 if number % 2 else 1]:
            before, busy_before = runs.line.counters()
            try:
                seconds, client_cpu = rows[name]()
            except clients.RunFailed as failure:
                raise SystemExit(f"line: {name}: {failure}") from None
            after, busy = runs.line.counters()
            samples[name].append({
                "seconds": seconds,
                "rate": runs.size / seconds / 1e6,
                "clientCPU": client_cpu,
                "lineCPU": busy - busy_before,
                "missing": difference(before, after, "dropped") + difference(before, after, "lost"),
                "late": difference(before, after, "late") / difference(before, after, "packets"),
            })
    return samples


def difference(before, after, key):
    return sum(new[key] - old[key] for old, new in zip(before, after))


def table(samples):
    """Returns the medians of each row, and half the range of the rates as the spread.

    A packet is late if it left more than a millisecond after it was due, because the machine was busy.
    """
    width = max(len(name) for name in samples)
    lines = [f"{'':{width}}  seconds    MB/s  spread  CPU s  line CPU s  lost packets   late"]
    for name, runs in samples.items():
        median = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        rates = [run["rate"] for run in runs]
        spread = (max(rates) - min(rates)) / 2 / median["rate"]
        lines.append(f"{name:{width}}  {median['seconds']:7.2f} {median['rate']:7.1f} {'±' + format(spread, '.0%'):>7} "
                     f"{median['clientCPU']:6.2f}  {median['lineCPU']:10.2f}  {median['missing']:12.0f} "
                     f"{median['late']:6.1%}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
