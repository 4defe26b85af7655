"""A progress bar of one line on the terminal. Without a terminal (cron, a pipe) it writes nothing."""

import sys
from types import TracebackType
from typing import Self, TextIO

WIDTH = 30


class Progress:
    """`with Progress(total) as bar: bar.step("a.psd")`. It is redrawn after each further percent."""

    def __init__(self, total: int, *, into: TextIO | None = None) -> None:
        self.into = into or sys.stderr
        self.begin(total)

    def begin(self, total: int) -> None:
        """Set what is to be done, if it was not known before, and start from nothing."""
        self.total, self.done, self.drawn = total, 0, -1
        self.is_shown = self.into.isatty() and total > 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.is_shown:
            self.into.write("\r\033[K")
            self.into.flush()

    def step(self, what: str = "", *, by: int = 1) -> None:
        """Count `by` more as done, and draw the bar with `what` beside it."""
        self.done += by
        percent = 100 * self.done // self.total if self.total else 100
        if not self.is_shown or percent == self.drawn:
            return
        self.drawn = percent
        bar = ("#" * (WIDTH * self.done // self.total)).ljust(WIDTH, "·")
        name = what if len(what) <= WIDTH else f"…{what[-WIDTH + 1 :]}"
        self.into.write(f"\r\033[K{bar} {percent:3} %  {name.encode(errors='replace').decode()}")
        self.into.flush()
