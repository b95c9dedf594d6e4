"""The files and the server of the library's tests of transfers: large files with digests, and resumable uploads."""

import hashlib
import os
import subprocess
import sys

from .servers import ROOT, Server, free_port

HUGE_COUNT = 1 << 30
# The distance between two marks of the huge file. The rest of it are zeros, which take no space on the disk.
MARK_DISTANCE = (1 << 20) - 61


def make_files(directory):
    """Creates a file of 1 GiB in the folder `www`, and the SHA-256 digests of it and of the file of 64 MiB."""
    www = os.path.join(directory, "www")
    with open(os.path.join(www, "huge.bin"), "wb") as huge:
        for offset in range(0, HUGE_COUNT - 64, MARK_DISTANCE):
            huge.seek(offset)
            huge.write(hashlib.sha512(offset.to_bytes(8, "big")).digest())
        huge.truncate(HUGE_COUNT)
    for name in ("large.bin", "huge.bin"):
        with open(os.path.join(www, name), "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        with open(os.path.join(www, f"{name}.sha256"), "w") as text:
            text.write(digest)


def start_uploads(directory):
    """Builds and starts the server of swift-nio-extras. Returns its URL, and the folder of its uploads."""
    scratch = os.path.join(ROOT, ".build", "interop-swift")
    build = ["swift", "build", "--package-path", os.path.join(ROOT, "Interop"), "--scratch-path", scratch, "--quiet"]
    if subprocess.run(build).returncode != 0:
        sys.exit("Scripts/interop: swift cannot compile Interop")
    folder = os.path.join(directory, "uploads")
    os.makedirs(folder, exist_ok=True)
    port = free_port()
    program = os.path.join(scratch, "debug", "resumable-uploads")
    Server([program, str(port), folder], os.path.join(directory, "uploads.log"), port)
    return f"http://127.0.0.1:{port}", folder
