"""Links x86-64 ELF objects into a shared object: all that PoCL asks `ld` for.

PoCL compiles a kernel in the process and then executes `ld`, which a machine without developer
tools does not have. This is executed in its place (`opencl_pocl.provide_linker`), once for each
kernel: nothing is imported that takes time, nothing but the standard library.

Objects must be position-independent, as every compiler makes them for shared objects. Their
symbols bind to each other, as with -Bsymbolic; others are looked up when the result is loaded, all
at once. Unwind tables and debug information are left out. What is not understood is refused:
exit code 1 and one line.
Leaves to others: reading objects (`opencl_linker_objects`), which symbol a name
stands for (`opencl_linker_symbols`), what is patched (`opencl_linker_relocations`), segments and
dynamic tables (`opencl_linker_output`).
"""

import os
import sys

if __name__ == "__main__":
    # Isolated from the environment, the interpreter does not look beside the script either.
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120

from opencl_linker_objects import LinkError, read_object
from opencl_linker_output import SharedObject
from opencl_linker_relocations import Relocations
from opencl_linker_symbols import SymbolTable

# Options that are followed by a value; options that ask for something else than this does.
_WITH_VALUE = ("-o", "-m", "-z", "-L", "-h", "-soname", "-rpath", "-dynamic-linker")
_OTHER_RESULTS = ("-r", "-static", "-pie", "-T", "--script")
_LIBRARIES = {
    "c": "libc.so.6", "m": "libm.so.6", "dl": "libdl.so.2", "pthread": "libpthread.so.0",
    "gcc": "libgcc_s.so.1", "gcc_s": "libgcc_s.so.1",
}  # fmt: skip
# Looked in even if it is not named: compilers call it for operations that a processor lacks.
_ALWAYS = ("libc.so.6", "libm.so.6")
_HELPERS = "libgcc_s.so.1"


class Arguments:
    """The command line of a linker.

    Attributes:
        output: path of the result.
        inputs: paths of objects.
        libraries: names of files of libraries, without repetition.
        soname: name of the result, None for none.
    """

    def __init__(self, arguments):
        self.output, self.inputs, self.libraries, self.soname = "a.out", [], [], None
        remaining = iter(arguments)
        for argument in remaining:
            if argument in _OTHER_RESULTS:
                raise LinkError("it makes shared objects only, no " + argument)
            if argument in _WITH_VALUE:
                self._take(argument, next(remaining, ""))
            elif argument.startswith("-l"):
                self._add_library(argument[2:])
            elif not argument.startswith("-"):
                self.inputs.append(argument)
        if "-shared" not in arguments or not self.inputs:
            raise LinkError("it makes shared objects from objects: -shared -o RESULT OBJECT...")

    def _take(self, option, value):
        if option == "-o":
            self.output = value
        elif option in ("-h", "-soname"):
            self.soname = value
        elif option == "-m" and value != "elf_x86_64":
            raise LinkError("it makes elf_x86_64 only, no " + value)

    def _add_library(self, name):
        if name not in _LIBRARIES:
            raise LinkError("it does not know the library -l" + name)
        if _LIBRARIES[name] not in self.libraries:
            self.libraries.append(_LIBRARIES[name])


def _libraries(named, imports):
    """Return the libraries in which imports are looked up, those that may be of use."""
    if not imports:
        return []
    found = [name for name in named if name not in (*_ALWAYS, _HELPERS)]
    if any(name.startswith("__") for name in imports):
        found.append(_HELPERS)
    return [*_ALWAYS, *found]


def link(arguments):
    """Do what a command line asks for.

    Raises:
        LinkError: when that cannot be done.
        OSError: when a file cannot be read or written.
    """
    wanted = Arguments(arguments)
    parts = [read_object(path) for path in wanted.inputs]
    symbols = SymbolTable([symbol for _, found in parts for symbol in found])
    relocations = Relocations([section for found, _ in parts for section in found], symbols)
    result = SharedObject(
        relocations.sections,
        symbols.exports(),
        symbols.imports,
        _libraries(wanted.libraries, symbols.imports),
        wanted.soname,
        relocations.n_left,
    )
    image = result.image(relocations.apply())
    _write(wanted.output, image)


def _write(path, image):
    """Write a file that can be executed. One that is in use stays as it is for its users."""
    if os.path.lexists(path):
        os.unlink(path)  # noqa: PTH108
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777)
    with os.fdopen(descriptor, "wb") as file:
        file.write(image)


def main(arguments):
    """Link and return the exit code."""
    try:
        link(arguments)
    except (LinkError, OSError) as error:
        sys.stderr.write("opencl_linker: {}\n".format(" ".join(str(error).splitlines())))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
