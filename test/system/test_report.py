"""`report` in a real browser: the page loads by itself, shows the run, works with the keyboard, and executes nothing."""

from __future__ import annotations

import json
import re
import tempfile
import time
import unittest
from pathlib import Path

import browser
import program
import run_folders

EVIL = "</style></title></script><script>document.title='broken into'</script><img src=x onerror=\"document.title='broken into'\">"
ENTER, TAB = 13, 9


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name)
        cls.run_folder = run_folders.real_run(cls.root, "examples/batch_norm.py")

    def report(self, name: str, *flags: str | Path, code: int = 0) -> program.Finished:
        done = program.run("report", name, "--root", self.root, *flags)
        self.assertEqual(done.code, code, done.text())
        if code:
            self.assertEqual((done.out, len(done.err.splitlines())), ("", 1), done.text())
        return done


class Command(Case):
    def test_where_the_page_goes(self) -> None:
        self.assertRegex(self.report("run_real").out, r"run_real/report\.html: [\d.]+ KiB\n")
        there = self.root / "there.html"
        self.report("run_real", "--out", there)
        self.assertEqual(there.read_text(), (self.run_folder / "report.html").read_text())
        self.assertEqual(self.report("run_real", "--out", "-").out, there.read_text())

    def test_bad_usage(self) -> None:
        self.assertIn("is a folder", self.report("run_real", "--out", self.root, code=2).err)
        self.assertIn("there is no run", self.report("nothing", code=2).err)
        done = program.run("report", "run_real", "--root", self.root, "--out", self.root / "none" / "x.html")
        self.assertEqual((done.code, len(done.err.splitlines())), (3, 1), done.text())

    def test_damaged_runs(self) -> None:
        path = run_folders.copy_of(self.run_folder, "run_bad")
        for name in ("summary.json", "verdict.json", "route.json"):
            (path / name).write_bytes((path / name).read_bytes()[:200])
        (path / "kernel.py").unlink()
        (path / "kernel.py").symlink_to("/etc/passwd")
        done = self.report("run_bad", "--out", "-")
        for name in ("summary.json", "verdict.json", "route.json", "kernel.py"):
            self.assertRegex(done.out, f'class="warn">not shown: [^<]*{name}')
        self.assertNotIn("root:", done.out)
        self.assertIn("damaged</span>", done.out)
        empty = self.root / ".fuse" / "run_empty"
        empty.mkdir()
        self.assertIn("holds no files", self.report("run_empty", code=2).err)


class Page(Case):
    tab: browser.Browser

    @classmethod
    def setUpClass(cls) -> None:
        if browser.why_missing():
            return
        super().setUpClass()
        cls.tab = browser.Browser().__enter__()
        cls.addClassCleanup(cls.tab.__exit__, None, None, None)

    def setUp(self) -> None:
        if why := browser.why_missing():
            self.skipTest(why)

    def show(self, run: Path) -> Path:
        """Writes the page and opens it; nothing but the page itself is asked for, and nobody complains."""
        self.report(run.name)
        page = run / "report.html"
        self.tab.open(page)
        self.assertEqual(self.tab.requests, [page.resolve().as_uri()])
        self.assertEqual(self.tab.complaints, [])
        return page

    def text(self, selector: str) -> str:
        return self.tab.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")

    def test_a_real_run(self) -> None:
        self.show(self.run_folder)
        self.assertEqual(self.tab.evaluate("document.title"), "batch_norm.py: verified")
        self.assertIn("verified", self.text("h1"))
        self.assertIn("the kernel computes what the program computes", self.text("header"))
        self.assertEqual(self.tab.evaluate("document.querySelectorAll('svg .box').length"), 2)
        self.assertIn("batch_norm_kernel", self.text("#program"))
        self.assertIn("@triton.jit", self.tab.evaluate("Array.from(document.querySelectorAll('.py em'), e => e.textContent).join()"))
        self.assertIn("draws", self.text("#verdict"))
        self.assertRegex(self.text("#times"), r"problem\s+[\d.]+ s\s+\d+ %")
        self.assertIn("torch", self.text("#environment"))
        source = (self.run_folder / "kernel.py").read_text()
        self.assertEqual(self.tab.evaluate("document.querySelector('#program pre.py').textContent"), source, "the source as it is, whatever its colours")

    def test_links_lead_somewhere(self) -> None:
        self.show(self.run_folder)
        dead = "Array.from(document.querySelectorAll('a[href]'), a => a.getAttribute('href')).filter(h => !h.startsWith('#') || !document.getElementById(h.slice(1)))"
        self.assertEqual(self.tab.evaluate(dead), [])
        twice = "(() => { const ids = Array.from(document.querySelectorAll('[id]'), e => e.id); return ids.filter((id, i) => ids.indexOf(id) !== i); })()"
        self.assertEqual(self.tab.evaluate(twice), [])

    def test_keyboard(self) -> None:
        self.show(self.run_folder)
        self.tab.press("Tab", TAB)
        self.assertEqual(self.tab.evaluate("document.activeElement.className"), "skip")
        self.tab.evaluate("document.querySelector('#files summary').focus()")
        self.assertFalse(self.tab.evaluate("document.querySelector('#files details').open"))
        self.tab.press("Enter", ENTER, "\r")
        self.assertTrue(self.tab.evaluate("document.querySelector('#files details').open"))

    def test_dark_and_light(self) -> None:
        self.show(self.run_folder)
        self.tab.evaluate("document.querySelector('.py').append(...['i', 'u', 'a', 'em', 'dfn'].map(name => document.createElement(name)))")
        grounds = []
        for scheme in ("light", "dark"):
            self.tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            for selector in ("body", "h1 .badge", ".py b", ".py i", ".py u", ".py a", ".py em", ".py dfn", "nav a", ".soft"):
                self.assertGreaterEqual(self.contrast(selector), 4.5, (scheme, selector))
            grounds.append(self.tab.evaluate("getComputedStyle(document.body).backgroundColor"))
        self.assertNotEqual(*grounds)

    def contrast(self, selector: str) -> float:
        """Of the text on the first ground behind it that is not transparent, as the WCAG defines it."""
        colours = self.tab.evaluate(f"""(() => {{ let e = document.querySelector({json.dumps(selector)}); const ink = getComputedStyle(e).color; let ground = 'rgba(0, 0, 0, 0)';
            for (; e && ground === 'rgba(0, 0, 0, 0)'; e = e.parentElement) ground = getComputedStyle(e).backgroundColor; return [ink, ground]; }})()""")

        def light(colour: str) -> float:
            parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
            return sum(w * (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4) for w, p in zip((0.2126, 0.7152, 0.0722), parts, strict=True))

        low, high = sorted(map(light, colours))
        return (high + 0.05) / (low + 0.05)

    def test_a_pipeline(self) -> None:
        run = run_folders.pipeline_run(self.root, self.run_folder)
        self.show(run)
        self.assertEqual(self.tab.evaluate("[document.querySelectorAll('svg .box.good').length, document.querySelectorAll('svg .box.bad').length, document.querySelectorAll('svg .cut').length]"), [3, 1, 4])
        cards = self.tab.evaluate("Array.from(document.querySelectorAll('article'), a => a.textContent)")
        self.assertIn("float32[64, 128]", cards[0])
        self.assertIn("too far from what PyTorch gives", cards[3])
        self.assertEqual(self.tab.evaluate("Array.from(document.querySelectorAll('article'), a => a.querySelectorAll('details[open]').length)"), [0, 0, 0, 1], "a refusal is open")
        self.tab.evaluate("document.querySelector('svg .box').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        self.assertEqual(self.tab.evaluate("location.hash"), "#card-0")

    def test_a_search(self) -> None:
        self.show(run_folders.search_run(self.root, self.run_folder))
        told = self.text("#search")
        for piece in ("0.5 ms instead of 1 ms: 2.00 times as fast", "50.0 % of the least possible time", "Ended: the limit of 2 rounds", "k: BLOCK 64 instead of 16"):
            self.assertIn(piece, told)
        self.assertEqual(self.tab.evaluate("Array.from(document.querySelectorAll('svg.chart'), s => s.getAttribute('aria-label'))"), ["time per round", "roofline"])
        self.assertEqual(self.tab.evaluate("Array.from(document.querySelectorAll('svg.chart'), s => [s.querySelectorAll('.won').length, s.querySelectorAll('.lost').length])"), [[1, 2], [2, 2]])
        inside = "Array.from(document.querySelectorAll('svg.chart circle')).every(c => c.cx.baseVal.value > 0 && c.cx.baseVal.value < 760 && c.cy.baseVal.value > 0 && c.cy.baseVal.value < 320)"
        self.assertTrue(self.tab.evaluate(inside))
        # A kernel that is twice as fast stands higher under the roof, and lower among the times.
        heights = self.tab.evaluate("Array.from(document.querySelectorAll('svg.chart'), s => [s.querySelector('.won').cy.baseVal.value, s.querySelectorAll('.lost')[0].cy.baseVal.value])")
        self.assertGreater(*heights[0])
        self.assertLess(*heights[1])
        self.assertEqual(self.tab.evaluate("Array.from(document.querySelectorAll('.diff .del'), e => e.textContent)"), ["- ", "- SLOW = 16"])
        self.tab.evaluate("document.querySelectorAll('#search details').forEach(d => { d.open = true; })")
        self.assertIn("result.mismatch: far off", self.text("#search"))
        for scheme in ("light", "dark"):
            self.tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            for selector in (".diff .del", ".diff .del a", ".diff .gap"):
                self.assertGreaterEqual(self.contrast(selector), 4.5, (scheme, selector))
        dead = "Array.from(document.querySelectorAll('a[href]'), a => a.getAttribute('href')).filter(h => !document.getElementById(h.slice(1)))"
        self.assertEqual(self.tab.evaluate(dead), [])
        self.show(run_folders.search_run(self.root, self.run_folder, name="run_evil_search", move=EVIL, device="cpu"))
        self.assertNotEqual(self.tab.evaluate("document.title"), "broken into")
        self.assertIn("says nothing about a GPU", self.text("#search .warn"))

    def test_texts_of_a_run_are_not_executed(self) -> None:
        run = run_folders.pipeline_run(self.root, self.run_folder, name="run_evil", kernel=f"# {EVIL}\nx = '{EVIL}'\ndef f(): pass\n")
        run_folders.change_json(run / "summary.json", problem_path=f"/a/{EVIL.replace('/', ' ')}.py", message=EVIL, device=EVIL)
        run_folders.change_json(run / "route.json", rationale=EVIL)
        parts = json.loads((run / "subgraphs.json").read_text())
        parts[0].update(type=EVIL, where=EVIL, calls=[{"order": 0, "inputs": [EVIL], "weights": [], "outputs": [EVIL]}])
        (run / "subgraphs.json").write_text(json.dumps(parts))
        (run / "graph.txt").write_text(f"not fused: {EVIL} with kernel 0: {EVIL}\ndecided: {EVIL}\n")
        self.show(run)
        self.assertNotEqual(self.tab.evaluate("document.title"), "broken into")
        self.assertEqual(self.tab.evaluate("document.querySelectorAll('script, img, iframe, object, link').length"), 0)
        self.assertIn("<script>document.title", self.text("header"))

    def test_the_policy_holds_even_where_markup_gets_in(self) -> None:
        page = self.show(self.run_folder)
        broken = self.root / "broken.html"
        broken.write_text(page.read_text().replace("</h1>", "</h1><script>document.title='broken into'</script><img src='http://127.0.0.1:9/x'>"))
        self.tab.open(broken)
        self.assertEqual(self.tab.evaluate("document.title"), "batch_norm.py: verified")
        self.assertTrue(any("Content Security Policy" in line for line in self.tab.complaints), self.tab.complaints)

    def test_three_hundred_kernels(self) -> None:
        kernel = (self.run_folder / "kernel.py").read_text()
        run = run_folders.pipeline_run(self.root, self.run_folder, parts=300, name="run_large")
        for i in range(300):
            (run / "kernels_out" / f"sg_{i}" / "kernel.py").write_text(f"# {i}\n{kernel}")
        begin = time.monotonic()
        page = self.show(run)
        seconds = time.monotonic() - begin
        self.assertLess(page.stat().st_size, 5 << 20)
        self.assertLess(seconds, 30, "a busy machine included")
        self.assertEqual(self.tab.evaluate("document.querySelectorAll('article').length"), 300)


if __name__ == "__main__":
    unittest.main()
