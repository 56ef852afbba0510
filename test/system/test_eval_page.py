"""The page of a suite in a real browser: it loads by itself, shows plots and tables, and executes nothing. Its rows are made by hand: `eval --resume` takes them over."""

import hashlib
import json
import tempfile
import unittest
from pathlib import Path

import browser
import program

EVIL = "</title><script>document.title='broken into'</script><img src=x onerror=\"document.title='broken into'\">"
COUNT = 60
ASKED = {"algebraic": True, "mode": "train", "precision": "default", "route": "direct", "seed": "0"}


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def ratio(baseline: str, kernel_ms: float, value: float, cached: bool = False) -> dict:
    return {"baseline": baseline, "median_ms": kernel_ms * value, "ratio": value, "low": value * 0.98, "high": value * 1.02, "cached": cached}


def row(number: int, problem: str, kernel: str) -> dict:
    """Tasks of all kinds: refused, without a time, degenerate, algebraic, faster and slower, memory-bound or not, one above its floor."""
    name, kernel_ms = f"task_{number:02}.py", 0.05 * (1 + number % 7)
    out = {"name": name, "asked": ASKED, "problem_sha256": sha256(problem), "status": "verified", "reason": "", "tier": "fp32" if number % 3 else "tf32", "route": "direct",
           "family": ("pointwise", "row", "matmul")[number % 3], "families": {"row": 1, "matmul": 2}, "kernels": 3, "launches": 3, "algebraic": number == 5,
           "kernel": {"path": name, "sha256": sha256(kernel), "entry": "kernel_function"}}
    if number == 1:
        return out | {"status": "refused", "reason": f"result.mismatch: {EVIL}"}
    bench = {"asked": ["kernel", "eager", "compile"], "on": "cpu", "device": EVIL if number == 0 else "NVIDIA H200"}
    if number == 2:
        return out | {"bench": bench | {"error": "was killed at the time limit"}}
    if number == 3:
        out["degenerate"] = "every element of a result has the same value"
    share = 1.3 if number == 4 else 0.05 + 0.9 * number / COUNT
    floor = {"memory_ms": kernel_ms * share, "compute_ms": kernel_ms * share * 10 ** (number % 9 - 6)}
    if floor["compute_ms"] > floor["memory_ms"]:
        floor = {"memory_ms": floor["memory_ms"] ** 2 / floor["compute_ms"], "compute_ms": floor["memory_ms"]}
    ratios = [ratio("eager", kernel_ms, 0.25 * 1.08 ** number), ratio("compile", kernel_ms, 0.4 * 1.04 ** number, cached=True)]
    return out | {"floor": floor, "bench": bench | {"kernel_ms": kernel_ms, "ratios": ratios, "failed": {}}}


@unittest.skipIf(browser.why_missing(), browser.why_missing())
class Page(unittest.TestCase):
    tab: browser.Browser
    page: Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        suite, out = Path(folder.name) / "suite", Path(folder.name) / "out"
        suite.mkdir()
        out.mkdir()
        lines = []
        for number in range(COUNT):
            name, problem, kernel = f"task_{number:02}.py", f"# problem {number}\n", f"# kernel {number}\n"
            (suite / name).write_text(problem)
            (out / name).write_text(kernel)
            lines.append(json.dumps(row(number, problem, kernel)))
        (out / "results.jsonl").write_text("\n".join(lines) + "\n")
        done = program.run("eval", "--suite", suite, "--out", out, "--bench", "--device", "cpu", "--baseline", "eager,compile", "--resume")
        cls.text = done.out
        assert done.code == 1, done.text()  # one was refused
        cls.page = out / "report.html"
        cls.summary = json.loads((out / "results.json").read_text())["summary"]
        cls.tab = browser.Browser().__enter__()
        cls.addClassCleanup(cls.tab.__exit__, None, None, None)

    def setUp(self) -> None:
        self.tab.open(self.page)

    def count(self, selector: str) -> int:
        return self.tab.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length")

    def test_loads_by_itself(self) -> None:
        self.assertEqual(self.tab.requests, [self.page.resolve().as_uri()])
        self.assertEqual(self.tab.complaints, [])
        self.assertEqual(self.count("script, img, iframe, object, link"), 0)
        self.assertIn("suite: 60 tasks", self.tab.evaluate("document.title"))

    def test_plots(self) -> None:
        self.assertEqual(self.count("#bars svg"), 3, "eager, compile, best")
        self.assertEqual(self.count("#bars svg rect"), 3 * COUNT)
        self.assertEqual(self.count("#bars svg rect.failed"), 3 * 2)
        self.assertEqual(self.count("#fast polyline"), 3)
        self.assertEqual(self.count("#floor circle"), COUNT - 2)
        self.assertEqual(self.count("#floor circle.above"), 1)
        outside = """Array.from(document.querySelectorAll('svg')).filter(s => Array.from(s.querySelectorAll('rect, circle')).some(e => {
            const a = e.getBBox(), v = s.viewBox.baseVal; return a.x < 0 || a.y < 0 || a.x + a.width > v.width || a.y + a.height > v.height; })).length"""
        self.assertEqual(self.tab.evaluate(outside), 0)

    def test_numbers(self) -> None:
        speed = {s["baseline"]: s for s in self.summary["cuts"][0]["speeds"]}
        table = self.tab.evaluate("document.querySelector('#speed table').innerText")
        for baseline in ("eager", "compile", "best"):
            self.assertRegex(table, rf"{baseline}\s+{speed[baseline]['geomean']:.3f}\s+{speed[baseline]['geomean_without_failures']:.3f}")
        self.assertEqual((speed["compile"]["cached"], speed["best"]["failed"]), (COUNT - 2, 2))
        self.assertEqual(self.count("#speed table"), 4, "with and without degenerate and algebraic tasks")
        self.assertIn("1 of them faster than the floor", self.tab.evaluate("document.querySelector('#speed').innerText"))
        self.assertEqual(self.count("#worst tr"), 11)
        self.assertEqual(self.count("#tasks tr"), COUNT + 1)
        self.assertIn("task_01.py", self.tab.evaluate("document.querySelectorAll('#worst tr')[1].innerText"))
        self.assertIn("(cached)", self.tab.evaluate("document.querySelector('#worst').innerText"))
        self.assertIn("and 50 more in results.csv", self.text)

    def test_links_lead_somewhere(self) -> None:
        dead = "Array.from(document.querySelectorAll('a[href]'), a => a.getAttribute('href')).filter(h => !h.startsWith('#') || !document.getElementById(h.slice(1)))"
        self.assertEqual(self.tab.evaluate(dead), [])


if __name__ == "__main__":
    unittest.main()
