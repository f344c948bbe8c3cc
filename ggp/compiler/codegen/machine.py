"""Code for the CPU of this machine: from LLVM's text to object code to addresses to call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

import llvmlite.binding as llvm  # type: ignore[import-untyped]

__all__ = ["Host", "Library", "compile_text", "host"]

_serial = count()


@dataclass(frozen=True, slots=True)
class Host:
    """A CPU: LLVM's name of its kind and of itself, and its features."""

    triple: str
    cpu: str
    features: str

    @property
    def has_ternary_logic(self) -> bool:
        """Whether any function of three words is one instruction, for 256 and 512 bits alike."""
        return {"+avx512f", "+avx512vl"} <= set(self.features.split(","))


@lru_cache(maxsize=1)
def host() -> Host:
    """Return the CPU that this process runs on."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return Host(llvm.get_process_triple(), llvm.get_host_cpu_name(), features)


def _target_machine(level: int) -> llvm.TargetMachine:
    cpu = host()
    return llvm.Target.from_triple(cpu.triple).create_target_machine(
        cpu=cpu.cpu, features=cpu.features, opt=level, reloc="pic", jit=True
    )


def compile_text(text: str, *, level: int = 1) -> bytes:
    """Return the object code of a module for this CPU; other threads run meanwhile.

    `level`, from 0 to 3, is the effort with which LLVM selects instructions and registers. No
    optimisation pass runs over the text: it has nothing left to optimise.
    """
    machine = _target_machine(level)
    return bytes(machine.emit_object(llvm.parse_assembly(text)))


class Library:
    """Object code that is loaded into this process for as long as the library lives."""

    def __init__(self, images: Iterable[bytes], symbols: Iterable[str]) -> None:
        builder = llvm.JITLibraryBuilder()
        for image in images:
            builder.add_object_img(image)
        for symbol in symbols:
            builder.export_symbol(symbol)
        self._jit = llvm.create_lljit_compiler(_target_machine(1))
        self._code = builder.link(self._jit, f"circuit{next(_serial)}")

    def address(self, symbol: str) -> int:
        """Return the address of a function."""
        return int(self._code[symbol])
