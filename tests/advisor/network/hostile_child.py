"""Child of `test_hostile`: reads one model file, tells what came of it, how long and how much.

Prints one JSON object: error or layers, seconds of the processor, bytes of memory at its peak
beyond those before, and what was done meanwhile that reading a file never needs.
"""

import encodings.cp437
import encodings.idna
import encodings.utf_8_sig
import io
import json
import resource
import sys
import time
import zipfile
from pathlib import Path

from advisor.errors import InputError, NetworkFileError
from advisor.model.workload import Job
from advisor.network.load import workload_from_bytes, workload_from_file

# Events of the interpreter that mean running, unpickling, fetching or changing something.
FORBIDDEN = (
    "exec", "compile", "marshal.", "pickle.", "subprocess.", "os.system", "os.exec", "os.fork",
    "os.posix_spawn", "os.remove", "os.rename", "os.mkdir", "os.symlink", "os.link", "os.chmod",
    "shutil.", "socket.", "ctypes.", "urllib.",
)  # fmt: skip


def peak_bytes():
    """Return the most memory that this program had: `ru_maxrss` also counts who started it."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def warm_up() -> None:
    """Load what reading loads late: an import runs code of its own."""
    _ = (encodings.cp437, encodings.idna, encodings.utf_8_sig)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("config.json", b"[]")
    for name, data in (("a.keras", archive.getvalue()), ("a.json", b"{"), ("a.onnx", b"x")):
        try:
            workload_from_bytes(data, name=name, job=Job())
        except (NetworkFileError, InputError):
            continue


def main() -> None:
    """Read the file named on the command line."""
    path = Path(sys.argv[1])
    warm_up()
    done: list[str] = []
    is_watching = True

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if not is_watching:
            return
        is_writing = event == "open" and isinstance(arguments[1], str) and "r" not in arguments[1]
        if is_writing or event.startswith(FORBIDDEN):
            done.append(event)

    sys.addaudithook(watch)
    answer: dict[str, object] = {}
    began = time.process_time()
    try:
        answer["layers"] = len(workload_from_file(path, job=Job()).operators)
    except (NetworkFileError, InputError) as error:
        answer["error"] = str(error)
    answer["seconds"] = time.process_time() - began
    is_watching = False
    answer["peak_bytes"] = peak_bytes()
    answer["done"] = done
    print(json.dumps(answer))


main()
