"""Runs the passes of random play: draws random bits, counts, and decides when to stop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ggp.compiler.codegen.vector import Lanes
from ggp.compiler.runtime.pass_program import PassProgram
from ggp.compiler.runtime.pass_rows import PassRows
from ggp.compiler.runtime.walk import pick

__all__ = ["frame"]

_GOLDEN = 0x9E3779B97F4A7C15
_FINALISER = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))


def _signed(word: int) -> int:
    word %= 2**64
    return word - 2**64 if word >= 2**63 else word


def frame(rows: PassRows, programs: Sequence[PassProgram], lanes: Lanes) -> tuple[str, bytes]:
    """Return the functions that make passes, and the tables that they read.

    `programs` has one for each point of the cycle.

    `begin` lets all active lanes start, and brings the first of them to their turn; `examine` looks
    at the states once more, and does what follows from the rows of lanes; `run` makes passes until
    the budget is spent or a lane needs attention: it is stuck, or watched and has ended, or one too
    many has started. Each returns whether a lane does.
    """
    tables = [b"" if p.walk is None else p.walk.data.tobytes() for p in programs]
    return "\n".join(_Frame(rows, programs, lanes).lines()), b"".join(tables)


class _Frame:
    def __init__(self, rows: PassRows, programs: Sequence[PassProgram], lanes: Lanes) -> None:
        self.rows, self.lanes = rows, lanes
        self.phases = [list(program.phases) for program in programs]
        self.walks = [program.walk for program in programs]
        self.rare = [program.rare for program in programs]

    def lines(self) -> Iterator[str]:
        for phase in (phase for phases in self.phases for phase in phases):
            yield f"declare void @{phase}(ptr)"
        yield from self._random()
        yield from self._restart()
        yield from self._age()
        yield from self._redraw()
        for turn in range(len(self.phases)):
            yield from self._account(turn)
            yield from self._clashes(turn)
            yield from self._rare_moves(turn)
            if len(self.phases) > 1:
                yield from self._again(turn)
        yield from self._pick()
        yield from self._begin()
        yield from self._examine()
        yield from self._run()
        if self.lanes.words > 1:
            for name, arguments in (("ctpop", 1), ("fshl", 3)):
                kinds = ", ".join([self.lanes.type] * arguments)
                yield f"declare {self.lanes.type} {self._intrinsic(name)}({kinds})"
        else:
            yield "declare i64 @llvm.ctpop.i64(i64)"
            yield "declare i64 @llvm.fshl.i64(i64, i64, i64)"

    def _begin(self) -> Iterator[str]:
        rows, count = self.rows, len(self.phases)
        yield f"define i64 @begin(ptr %b) {self.lanes.attributes} {{"
        yield from self.lanes.load("%all", rows.active)
        yield from self.lanes.store("%all", rows.waiting, "%waiting")
        yield from self.lanes.store(self.lanes.splat(0), rows.ended, "%ended")
        yield from self.lanes.store(self.lanes.splat(0), rows.stuck, "%stuck")
        yield from ("  br label %turn0", "turn0:")
        for turn in range(count):
            yield f"  call void @start{turn}(ptr %b)"
            yield from self.lanes.load(f"%left{turn}", rows.waiting)
            yield self._op(f"%begun{turn}", "xor", "%all", f"%left{turn}")
            yield from self.lanes.some(f"%any{turn}", f"%begun{turn}")
            yield f"  br i1 %any{turn}, label %found, label %turn{turn + 1}"
            yield f"turn{turn + 1}:"
        # none of them is in the cycle
        yield from self.lanes.store("%all", rows.stuck, "%lostp")
        yield from self.lanes.some("%some", "%all")
        yield from ("  %lost = zext i1 %some to i64", "  ret i64 %lost", "found:")
        found = ", ".join(f"[{turn}, %turn{turn}]" for turn in range(count))
        yield f"  %turn = phi i64 {found}"
        yield "  call void @restart(ptr %b)"
        yield from (self.lanes.address("%place", rows.turn), "  store i64 %turn, ptr %place")
        yield from ("  %result = call i64 @examine(ptr %b)", "  ret i64 %result", "}")

    def _examine(self) -> Iterator[str]:
        yield f"define i64 @examine(ptr %b) {self.lanes.attributes} {{"
        yield from self._by_turn("look")
        for turn in range(len(self.phases)):
            yield from (f"look{turn}:", f"  call void @look{turn}(ptr %b)")
            yield f"  %stop{turn} = call i1 @account{turn}(ptr %b)"
            yield from (f"  %s{turn} = zext i1 %stop{turn} to i64", f"  ret i64 %s{turn}")
        yield "}"

    def _run(self) -> Iterator[str]:
        count = len(self.phases)
        yield f"define i64 @run(ptr %b) {self.lanes.attributes} {{"
        yield from ("start:", self.lanes.address("%budget", self.rows.budget))
        yield "  %n = load i64, ptr %budget"
        yield from self._by_turn("pass")
        for turn in range(count):
            before, after = (turn - 1) % count, (turn + 1) % count
            yield f"pass{turn}:"
            yield f"  %i{turn} = phi i64 [%n, %start], [%left{before}, %pass{before}]"
            names = ["draw", f"choose{turn}", f"clashes{turn}"]
            if self.rare[turn]:
                names += [f"take{turn}", f"rare{turn}"]
            if self.walks[turn] is not None:
                names += [f"pick{turn}"]
            names += [f"move{turn}"]
            if count > 1:  # else it is part of `move`
                names += [f"again{after}"]
            for name in (*names, "grow"):
                yield f"  call void @{name}(ptr %b)"
            yield f"  store i64 {after}, ptr %turnp"
            yield f"  call void @look{after}(ptr %b)"
            yield f"  %stop{turn} = call i1 @account{after}(ptr %b)"
            yield f"  %left{turn} = sub i64 %i{turn}, 1"
            yield f"  %spent{turn} = icmp eq i64 %left{turn}, 0"
            yield f"  %out{turn} = or i1 %spent{turn}, %stop{turn}"
            yield f"  br i1 %out{turn}, label %end, label %pass{after}"
        left = ", ".join(f"[%left{turn}, %pass{turn}]" for turn in range(count))
        stop = ", ".join(f"[%stop{turn}, %pass{turn}]" for turn in range(count))
        yield from ("end:", f"  %left = phi i64 {left}", f"  %stop = phi i1 {stop}")
        yield "  store i64 %left, ptr %budget"
        yield from ("  %s = zext i1 %stop to i64", "  ret i64 %s", "}")

    def _pick(self) -> Iterator[str]:
        begin = 0
        for turn, walk in enumerate(self.walks):
            if walk is not None:
                yield from pick(f"pick{turn}", walk, self.lanes, begin)
                begin += walk.data.nbytes
        if begin:
            yield "declare i64 @llvm.ctlz.i64(i64, i1)"
            yield "declare i64 @llvm.cttz.i64(i64, i1)"
            yield "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"

    def _by_turn(self, label: str) -> Iterator[str]:
        """Write a jump to the label of the point of the cycle."""
        yield from (self.lanes.address("%turnp", self.rows.turn), "  %turn = load i64, ptr %turnp")
        yield f"  switch i64 %turn, label %{label}0 ["
        for turn in range(1, len(self.phases)):
            yield f"    i64 {turn}, label %{label}{turn}"
        yield "  ]"

    def _intrinsic(self, name: str) -> str:
        suffix = "i64" if self.lanes.words == 1 else f"v{self.lanes.words}i64"
        return f"@llvm.{name}.{suffix}"

    def _op(self, name: str, operation: str, x: str, y: str) -> str:
        return f"  {name} = {operation} {self.lanes.type} {x}, {y}"

    def _rotated(self, name: str, x: str, by: int) -> str:
        kind = self.lanes.type
        arguments = f"{kind} {x}, {kind} {x}, {kind} {self.lanes.splat(by)}"
        return f"  {name} = call {kind} {self._intrinsic('fshl')}({arguments})"

    def _random(self) -> Iterator[str]:
        """Write xoshiro256++ (Blackman and Vigna 2021): for each word of 64 lanes two, in turn."""
        yield f"define internal void @draw(ptr %b) {self.lanes.attributes} {{"
        names = [f"%g{i}" for i in range(8)]
        for name, row in zip(names, self.rows.generator, strict=True):
            yield from self.lanes.load(name, row)
        for k, row in enumerate(self.rows.random):
            a, b, c, d = names[:4]
            n = [f"%r{k}.{i}" for i in range(9)]
            yield self._op(n[0], "add", a, d)
            yield self._rotated(n[1], n[0], 23)
            yield self._op(n[2], "add", n[1], a)
            yield from self.lanes.store(n[2], row, f"%q{k}")
            yield self._op(n[3], "shl", b, self.lanes.splat(17))
            yield self._op(n[4], "xor", c, a)
            yield self._op(n[5], "xor", d, b)
            yield self._op(n[6], "xor", b, n[4])
            yield self._op(n[7], "xor", a, n[5])
            yield self._op(n[8], "xor", n[4], n[3])
            yield self._rotated(f"%r{k}.9", n[5], 45)
            names = [*names[4:], n[7], n[6], n[8], f"%r{k}.9"]
        for i, (name, row) in enumerate(zip(names, self.rows.generator, strict=True)):
            yield from self.lanes.store(name, row, f"%w{i}")
        yield from ("  ret void", "}")

    def _clashes(self, turn: int) -> Iterator[str]:
        """Write the code that draws again for a role if another has used the random bits."""
        yield f"define internal void @clashes{turn}(ptr %b) {self.lanes.attributes} {{"
        for number, row in enumerate(self.rows.clash, start=1):
            if f"clash{turn}.{number}" in self.phases[turn]:
                draw = f"  call void @redraw(ptr %b, i64 {_signed(number * _GOLDEN)})"
                clash = f"  call void @clash{turn}.{number}(ptr %b)"
                yield from self._if_some(number, row, [draw, clash])
        yield from ("  ret void", "}")

    def _rare_moves(self, turn: int) -> Iterator[str]:
        """Write the code that makes the rare moves of the groups from which some lane chooses."""
        yield f"define internal void @rare{turn}(ptr %b) {self.lanes.attributes} {{"
        for number, row in enumerate(self.rare[turn]):
            yield from self._if_some(number, row, [f"  call void @rare{turn}.{number}(ptr %b)"])
        yield from ("  ret void", "}")

    def _if_some(self, number: int, row: int, lines: Sequence[str]) -> Iterator[str]:
        """Write lines that run if a row has some lane."""
        yield from self.lanes.load(f"%c{number}", row)
        yield from self.lanes.some(f"%any{number}", f"%c{number}")
        yield f"  br i1 %any{number}, label %yes{number}, label %no{number}"
        yield from (f"yes{number}:", *lines)
        yield from (f"  br label %no{number}", f"no{number}:")

    def _redraw(self) -> Iterator[str]:
        """Write splitmix64's finaliser: new random bits from old, word by word."""
        kind = self.lanes.type
        yield f"define internal void @redraw(ptr %b, i64 %add) {self.lanes.attributes} {{"
        added = "%add"
        if self.lanes.words > 1:
            added = "%adds"
            yield f"  %one = insertelement {kind} poison, i64 %add, i64 0"
            yield (
                f"  %adds = shufflevector {kind} %one, {kind} poison, "
                f"<{self.lanes.words} x i32> zeroinitializer"
            )
        for k, (old, new) in enumerate(zip(self.rows.random, self.rows.redrawn, strict=True)):
            yield from self.lanes.load(f"%u{k}", old)
            value = f"%a{k}"
            yield self._op(value, "add", f"%u{k}", added)
            for shift, factor in _FINALISER:
                step = f"{k}.{shift}"
                yield self._op(f"%s{step}", "lshr", value, self.lanes.splat(shift))
                yield self._op(f"%x{step}", "xor", value, f"%s{step}")
                value = f"%m{step}"
                yield self._op(value, "mul", f"%x{step}", self.lanes.splat(_signed(factor)))
            yield from self.lanes.store(value, new, f"%v{k}")
        yield from ("  ret void", "}")

    def _again(self, turn: int) -> Iterator[str]:
        """Write that lanes start, or wait: they start in one cycle, and wait during the pause."""
        rows, lanes, cycle = self.rows, self.lanes, len(self.phases)
        yield f"define internal void @again{turn}(ptr %b) {lanes.attributes} {{"
        yield from (lanes.address("%pausep", rows.pause), "  %pause = load i64, ptr %pausep")
        yield from (lanes.address("%leftp", rows.left), "  %left = load i64, ptr %leftp")
        yield from ("  %last = icmp eq i64 %left, 0", "  %less = sub i64 %left, 1")
        yield f"  %period = add i64 %pause, {cycle - 1}"
        yield "  %next = select i1 %last, i64 %period, i64 %less"
        yield "  store i64 %next, ptr %leftp"
        yield f"  %open = icmp ult i64 %left, {cycle}"
        yield "  br i1 %open, label %start, label %wait"
        yield from ("start:", f"  call void @start{turn}(ptr %b)", "  call void @restart(ptr %b)")
        yield from ("  ret void", "wait:")
        yield from (*lanes.load("%ended", rows.ended), *lanes.load("%waiting", rows.waiting))
        yield self._op("%pending", "or", "%ended", "%waiting")
        yield from lanes.store("%pending", rows.waiting, "%pendingp")
        yield from lanes.store(lanes.splat(0), rows.started, "%startedp")
        yield from ("  ret void", "}")

    def _restart(self) -> Iterator[str]:
        """Write the loop that gives the lanes that have just started their start states."""
        kind, stride = self.lanes.type, 8 * self.lanes.words
        yield f"define internal void @restart(ptr %b) {self.lanes.attributes} {{"
        yield from ("enter:", *self.lanes.load("%started", self.rows.started))
        yield from self.lanes.some("%any", "%started")
        yield "  br i1 %any, label %first, label %done"
        yield from ("first:", self._op("%going", "xor", "%started", self.lanes.ones))
        yield self.lanes.address("%state", self.rows.state.start)
        yield self.lanes.address("%start", self.rows.start.start)
        yield from ("  br label %loop", "loop:", "  %i = phi i64 [0, %first], [%j, %loop]")
        yield f"  %o = mul i64 %i, {stride}"
        for name in ("state", "start"):
            yield f"  %{name}i = getelementptr i8, ptr %{name}, i64 %o"
            yield f"  %{name}v = load {kind}, ptr %{name}i, align {stride}"
        yield from self._begun("%statei", "%statev", "%startv")
        yield "  %j = add i64 %i, 1"
        yield f"  %more = icmp ult i64 %j, {len(self.rows.state)}"
        yield "  br i1 %more, label %loop, label %done"
        yield from ("done:", "  ret void", "}")

    def _begun(self, place: str, going: str, start: str) -> Iterator[str]:
        """Write the store of a row: the start value in lanes that have just started."""
        yield self._op("%old", "and", going, "%going")
        yield self._op("%new", "and", start, "%started")
        yield self._op("%value", "or", "%old", "%new")
        yield f"  store {self.lanes.type} %value, ptr {place}, align {8 * self.lanes.words}"

    def _age(self) -> Iterator[str]:
        """Write the counter of steps: it begins at 2^bits - limit; its carry ends the playout."""
        kind, stride = self.lanes.type, 8 * self.lanes.words
        align = f"align {stride}"
        yield f"define internal void @grow(ptr %b) {self.lanes.attributes} {{"
        yield from ("start:", self.lanes.address("%bitsp", self.rows.age_bits))
        yield from ("  %bits = load i64, ptr %bitsp", "  %none = icmp eq i64 %bits, 0")
        yield from ("  br i1 %none, label %done, label %first", "first:")
        yield from self.lanes.load("%started", self.rows.started)
        yield self._op("%going", "xor", "%started", self.lanes.ones)
        yield self.lanes.address("%age", self.rows.age.start)
        yield self.lanes.address("%young", self.rows.young.start)
        yield from ("  br label %loop", "loop:", "  %i = phi i64 [0, %first], [%j, %loop]")
        yield f"  %carry = phi {kind} [%going, %first], [%over, %loop]"
        yield f"  %o = mul i64 %i, {stride}"
        for name in ("age", "young"):
            yield f"  %{name}i = getelementptr i8, ptr %{name}, i64 %o"
            yield f"  %{name}v = load {kind}, ptr %{name}i, {align}"
        yield self._op("%sum", "xor", "%agev", "%carry")
        yield self._op("%over", "and", "%agev", "%carry")
        yield from self._begun("%agei", "%sum", "%youngv")
        yield from ("  %j = add i64 %i, 1", "  %more = icmp ult i64 %j, %bits")
        yield from ("  br i1 %more, label %loop, label %last", "last:")
        yield from self.lanes.store("%over", self.rows.forced, "%forced")
        yield from ("  br label %done", "done:", "  ret void", "}")

    def _added(self, name: str, row: int, value: str, operation: str = "add") -> Iterator[str]:
        """Write that a row of numbers gains, or loses, the lanes of a value, counted."""
        kind = self.lanes.type
        yield f"  {name}.c = call {kind} {self._intrinsic('ctpop')}({kind} {value})"
        yield from self.lanes.load(f"{name}.o", row)
        yield self._op(name, operation, f"{name}.o", f"{name}.c")
        yield f"  store {kind} {name}, ptr {name}.o.p, align {8 * self.lanes.words}"

    def _account(self, turn: int) -> Iterator[str]:
        """Write the counting of what has ended, which tells whether the run must stop."""
        rows = self.rows
        yield f"define internal i1 @account{turn}(ptr %b) {self.lanes.attributes} {{"
        for name in ("active", "ended", "waiting", "watched", "stuck"):
            yield from self.lanes.load(f"%{name}", getattr(rows, name))
        yield self._op("%resting", "or", "%ended", "%waiting")
        yield self._op("%awake", "xor", "%resting", self.lanes.ones)
        yield self._op("%playing", "and", "%active", "%awake")
        yield from self._added("%steps", rows.steps, "%playing")
        yield self._op("%seen", "and", "%ended", "%watched")
        yield self._op("%noted", "or", "%seen", "%stuck")
        yield from self.lanes.some("%any", "%ended")
        yield "  br i1 %any, label %yes, label %no"
        yield "yes:"
        yield f"  call void @score{turn}(ptr %b)"
        yield from self._added("%finished", rows.finished, "%ended")
        yield from self._added("%starts", rows.starts, "%ended", "sub")
        yield self._op("%sign", "lshr", "%starts", self.lanes.splat(63))
        yield self._op("%stop", "or", "%sign", "%noted")
        for k, (held, score) in enumerate(zip(rows.held, rows.scores, strict=True)):
            yield from self.lanes.load(f"%held{k}", held)
            yield from self._added(f"%score{k}", score, f"%held{k}")
        yield from self.lanes.some("%yesstop", "%stop")
        yield from ("  ret i1 %yesstop", "no:")
        yield from self.lanes.some("%nostop", "%noted")
        yield from ("  ret i1 %nostop", "}")
