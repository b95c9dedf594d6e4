"""Two network namespaces, and a line between them that delays packets."""

import contextlib
import ctypes
import json
import os
import signal
import subprocess

NEAR, FAR = "192.0.2.1", "192.0.2.2"
# The default of Linux too. A machine may forbid the use of it as a setting of a namespace, but not for a route.
CONGESTION_CONTROL = "cubic"
CLONE_NEWNET = 0x40000000
ENDING_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


def settings(window):
    """Returns the settings of the namespaces: the defaults of Linux, which a machine may have changed, or buffers of up
    to `window` bytes. The namespaces keep no metrics of earlier connections, so that all runs start alike."""
    return {
        "tcp_rmem": f"4096 131072 {window or 6291456}",
        "tcp_wmem": f"4096 16384 {window or 4194304}",
        "tcp_no_metrics_save": "1",
    }


class Line:
    """A line between the namespaces `near` and `far`, which exist until the end of a `with` block.

    The program `forwarder` passes the packets on, pinned to `core`.
    """

    def __init__(self, forwarder, core, delay, rate, loss, window):
        """`delay` is in milliseconds for each direction, `rate` in bytes per second or 0, `loss` a fraction, and `window`
        the limit of a connection's buffers in bytes or 0."""
        self.settings = settings(window)
        # Before nginx on the same core, since a line does not wait for its ends.
        self.command = ["nice", "-n", "-20", "taskset", "-c", str(core), forwarder, "--line", "--delay-ms", str(delay),
                        "--line-bytes-per-second", str(rate), "--loss", str(loss)]
        self.near, self.far = (f"apus-{os.getpid()}-{end}" for end in ("near", "far"))
        self.process = None

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            # Registered before the namespaces exist, so that an interruption leaves none.
            stack.callback(self.remove)
            for name in (self.near, self.far):
                ip("netns", "add", name)
            # Without a buffer, closing its input can't fail after its end.
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
            devices = self.process.stdout.readline().decode().split()
            if len(devices) != 2:
                raise SystemExit("line: the forwarder did not start: it needs root and /dev/net/tun")
            for name, device, address, peer in zip((self.near, self.far), devices, (NEAR, FAR), (FAR, NEAR)):
                ip("link", "set", device, "netns", name)
                ip("-n", name, "link", "set", "lo", "up")
                ip("-n", name, "addr", "add", address, "dev", device)
                ip("-n", name, "link", "set", device, "mtu", "1500", "up")
                ip("-n", name, "route", "add", peer, "dev", device, "congctl", CONGESTION_CONTROL)
                with inside(name):
                    for key, value in self.settings.items():
                        with open(f"/proc/sys/net/ipv4/{key}", "w", encoding="ascii") as file:
                            file.write(value)
            stack.pop_all()
        return self

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        # Neither this process nor those that it starts end by a second signal.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
        try:
            if self.process:
                self.process.terminate()
                self.process.wait()
                self.process.stdin.close()
                self.process.stdout.close()
            for name in (self.near, self.far):
                # It does not exist after an interruption.
                subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL, check=False)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def counters(self):
        """Returns the counters of both directions, the one to the near end first, and the CPU time in seconds."""
        self.process.stdin.write(b"\n")
        directions = json.loads(self.process.stdout.readline())
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            user, system = file.read().rsplit(")", 1)[1].split()[11:13]
        return directions, (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def command_inside(name):
    """Returns the start of a command that runs in a namespace."""
    return ["nsenter", f"--net=/run/netns/{name}"]


@contextlib.contextmanager
def inside(name):
    """Moves this thread to a namespace. Its new threads and processes start there."""
    before = os.open("/proc/self/ns/net", os.O_RDONLY)
    try:
        enter(f"/run/netns/{name}")
        yield
    finally:
        enter(f"/proc/self/fd/{before}")
        os.close(before)


def enter(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).setns(descriptor, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns", path)
    finally:
        os.close(descriptor)


def ip(*arguments):
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"line: ip {' '.join(arguments)}: {done.stderr.strip()}")


def end_on_signals():
    """Lets the signals that end a process run its `finally` blocks, and `with` blocks end."""
    for number in ENDING_SIGNALS - {signal.SIGINT}:
        signal.signal(number, lambda received, _: exit_with(128 + received))


def exit_with(status):
    raise SystemExit(status)
