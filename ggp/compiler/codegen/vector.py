"""Rows of lanes in LLVM's language: vectors of words, their loads, stores and tests."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ggp.compiler.codegen.machine import Host

__all__ = ["Lanes"]


@dataclass(frozen=True, slots=True)
class Lanes:
    """The type of a row, or of a part of each row, in LLVM: a vector of words."""

    words: int
    #: Words from one row to the next.
    stride: int
    #: Whether the CPU has vpternlog for these vectors.
    ternary: bool

    @classmethod
    def on(cls, host: Host, words: int) -> Lanes:
        """Return whole rows of that many words."""
        return cls(words, words, host.has_ternary_logic and words in (4, 8))

    @property
    def part(self) -> Lanes:
        """The largest part of a row that a register holds."""
        return self if self.ternary else replace(self, words=min(self.words, 4))

    @property
    def type(self) -> str:
        """The type of a row."""
        return "i64" if self.words == 1 else f"<{self.words} x i64>"

    @property
    def ones(self) -> str:
        """The constant of a row with every lane set."""
        return self.splat(-1)

    def splat(self, value: int) -> str:
        """Return the constant of a row whose words are all the same."""
        return f"{value}" if self.words == 1 else f"splat (i64 {value})"

    def address(self, name: str, row: int) -> str:
        """Return the line that names the address of a row of the buffer."""
        return f"  {name} = getelementptr i8, ptr %b, i64 {row * self.stride * 8}"

    def load(self, name: str, row: int) -> list[str]:
        """Return the lines that load a row of the buffer."""
        return [
            self.address(f"{name}.p", row),
            f"  {name} = load {self.type}, ptr {name}.p, align {self.words * 8}",
        ]

    def store(self, value: str, row: int, name: str) -> list[str]:
        """Return the lines that store a value into a row of the buffer."""
        return [
            self.address(name, row),
            f"  store {self.type} {value}, ptr {name}, align {self.words * 8}",
        ]

    def some(self, name: str, value: str) -> list[str]:
        """Return the lines that tell, as an i1, whether a lane of a value is set."""
        if self.words == 1:
            return [f"  {name} = icmp ne i64 {value}, 0"]
        return [
            f"  {name}.r = call i64 @llvm.vector.reduce.or.v{self.words}i64({self.type} {value})",
            f"  {name} = icmp ne i64 {name}.r, 0",
        ]

    @property
    def attributes(self) -> str:
        """The attributes of every function."""
        return f'nounwind "min-legal-vector-width"="{self.words * 64}"'

    @property
    def declarations(self) -> list[str]:
        """Return the declarations of the intrinsics in use."""
        if self.words == 1:
            return []
        kind = self.type
        lines = [f"declare i64 @llvm.vector.reduce.or.v{self.words}i64({kind})"]
        if self.ternary:
            lines.append(f"declare {kind} {self.ternary_name}({kind}, {kind}, {kind}, i32)")
        return lines

    @property
    def ternary_name(self) -> str:
        """The intrinsic for any function of three rows."""
        return f"@llvm.x86.avx512.pternlog.q.{self.words * 64}"
