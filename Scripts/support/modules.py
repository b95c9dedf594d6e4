"""Where the debug build has its modules: for scripts that compile against them without a build of their own."""

import glob
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def binaries():
    """The folder of the debug build."""
    path = subprocess.run(["swift", "build", "--show-bin-path"], cwd=ROOT, capture_output=True, text=True, check=True)
    return path.stdout.strip()


def search_paths(folder):
    """The arguments by which a compiler finds all modules of the build in `folder`, those in C too."""
    maps = glob.glob(f"{folder}/*.build/module.modulemap")
    for place in (f"{ROOT}/Sources", f"{ROOT}/.build/checkouts"):
        maps += glob.glob(f"{place}/**/module.modulemap", recursive=True)
    return ["-I", f"{folder}/Modules", *(word for path in maps for word in ("-I", os.path.dirname(path)))]
