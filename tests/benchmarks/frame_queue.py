"""What the frame queue itself costs: an idle pump, a call from another thread, a step of a generator.

    python tests/benchmarks/frame_queue.py

The bound: an idle pump takes at most 0.01 ms.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from tdmcp_embedded.frame_queue import FrameQueue


def main() -> None:
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


if __name__ == "__main__":
    main()
