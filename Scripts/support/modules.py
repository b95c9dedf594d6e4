"""Locates the modules of the debug build, for scripts that compile against them without another build."""

import glob
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def binaries():
    """Returns the folder of the debug build."""
    path = subprocess.run(["swift", "build", "--show-bin-path"], cwd=ROOT, capture_output=True, text=True, check=True)
    return path.stdout.strip()


def search_paths(folder):
    """Returns the compiler arguments for the Swift and C modules of the build in `folder`."""
    maps = glob.glob(f"{folder}/*.build/module.modulemap")
    for root in (f"{ROOT}/Sources", f"{ROOT}/.build/checkouts"):
        maps += glob.glob(f"{root}/**/module.modulemap", recursive=True)
    return ["-I", f"{folder}/Modules", *(word for path in maps for word in ("-I", os.path.dirname(path)))]
