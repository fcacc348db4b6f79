"""Threat: the 32-bit entry has its own table of numbers, which a 64-bit filter does not see.

Layer: seccomp (foreign architectures are killed). It would succeed when getpid(), called
through int 0x80, answers.
"""

import ctypes
import mmap
import os

import _kit

# push rbx; mov eax, 20 (getpid of i386); int 0x80; pop rbx; ret
CODE = bytes.fromhex("53 b8 14 00 00 00 cd 80 5b c3")


def attack() -> str | None:
    """Run the instruction in a child; its exit status says whether the number is its pid."""

    def child() -> None:
        page = mmap.mmap(-1, mmap.PAGESIZE, prot=7)
        page.write(CODE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        os._exit(42 if ctypes.CFUNCTYPE(ctypes.c_int)(address)() == os.getpid() else 0)

    return "int 0x80 answered" if _kit.status_of_child(child) == 42 else None


_kit.run(attack)
