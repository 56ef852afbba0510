"""What a question to a language model costs us, without the model.

    ninja -C build/release bench_llm_overhead && python3 bench/llm_overhead.py [--rounds 5] [--out FILE.tsv]

Starts the fake server and asks it the same question, 8 kB long with an answer of 4 kB in 100 events, through Chat and as bare bytes over a socket, in turn: one call at a
time, and from 200 threads at once. Of all rounds the medians are printed; the overhead is the difference of the two clients at the same load. The server is Python and most of
the time of a call. With 200 threads it is what they wait for, and those that keep their connection are served first, so the latencies there say little: wall time and processor
time per call do. Target: at most 5 ms per call.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "release" / "src" / "synth" / "llm" / "bench_llm_overhead"
SERVER = ROOT / "test" / "fake" / "fake_model_server.py"


def measure(rounds: int) -> list[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "rules.json"
        script.write_text(json.dumps({"rules": [{"answer": "y" * 4000, "chunk": 40, "bytes": 1 << 20}]}))
        server = subprocess.Popen([sys.executable, str(SERVER), "--script", str(script)], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            port = server.stdout.readline().strip()
            done = subprocess.run([str(PROGRAM), port, str(rounds)], capture_output=True, text=True, check=True)
        finally:
            server.kill()
            server.wait()
    return [line.split("\t") for line in done.stdout.splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description="overhead of a question to a language model")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    head, *rows = measure(options.rounds)
    lines = [f"# bench/llm_overhead.py --rounds {options.rounds} on two cores; medians of the rounds, milliseconds", "\t".join(head)]
    medians = {}
    for client, parallel in dict.fromkeys((row[0], row[1]) for row in rows):
        columns = list(zip(*[map(float, row[2:]) for row in rows if row[:2] == [client, parallel]]))
        medians[client, parallel] = [statistics.median(column) for column in columns]
        lines.append("\t".join([client, parallel, *(f"{value:g}" for value in medians[client, parallel])]))
    for parallel in dict.fromkeys(row[1] for row in rows):
        chat, bare = medians["chat", parallel], medians["bare", parallel]
        lines.append("\t".join(["overhead", parallel, f"{chat[0]:g}", *(f"{a - b:.3f}" for a, b in zip(chat[1:], bare[1:]))]))
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if options.out:
        options.out.write_text(text)


if __name__ == "__main__":
    main()
