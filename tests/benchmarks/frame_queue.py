"""What the frame queue itself costs: an idle pump, a call from another thread, a step of a generator; and what a frame
costs while the server is switched off, as a multiple of a callback that does nothing.

    python tests/benchmarks/frame_queue.py

The bound: an idle pump takes at most 0.01 ms.
"""

from __future__ import annotations

import threading
import time
import timeit
from collections.abc import Iterator
from typing import Any

from td_component.model import SCRIPTS
from tdmcp_embedded.frame_queue import FrameQueue


def main() -> None:
    print(f"switched off         {switched_off():.2f} of an empty callback")
    queue = FrameQueue(budget_ms=1000)
    count = 100_000
    began = time.perf_counter()
    for _ in range(count):
        queue.pump()
    print(f"idle pump            {(time.perf_counter() - began) / count * 1000:.5f} ms")

    def steps() -> Iterator[None]:
        for _ in range(count):
            yield

    queue.submit(steps)
    began = time.perf_counter()
    queue.pump()
    print(f"bare yield           {(time.perf_counter() - began) / count * 1000:.5f} ms")

    calls = 5000

    def client() -> None:
        for _ in range(calls):
            queue.submit(int, session="bench").future.result()

    thread = threading.Thread(target=client)
    began = time.perf_counter()
    thread.start()
    while thread.is_alive():
        queue.pump()
        time.sleep(
            0.0001
        )  # a main thread that never rests would keep the interpreter to itself for 5 ms each time
    print(f"call between threads {(time.perf_counter() - began) / calls * 1000:.5f} ms")
    queue.close("The benchmark is over.")


def switched_off() -> float:
    """A call of the component's onFrameStart with the server off, over one of an empty function; the best of five."""
    script: dict[str, Any] = {}
    exec((SCRIPTS / "lifecycle.py").read_text("utf-8"), script)  # noqa: S102 - as a DAT is compiled
    script["follow"](None)

    def empty(frame: int) -> None:
        pass

    off, nothing = (
        min(timeit.repeat(lambda called=called: called(1), number=500_000, repeat=5))
        for called in (script["onFrameStart"], empty)
    )
    return off / nothing


if __name__ == "__main__":
    main()
