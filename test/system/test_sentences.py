"""Programs that sentences became: each is a problem like any other, and gets a verified kernel."""

import unittest

import program

PROGRAMS = program.ROOT / "test" / "golden" / "sentences"


class Sentences(unittest.TestCase):
    def test_programs_of_sentences_become_kernels(self):
        folder = program.Folder()
        self.addCleanup(folder.remove)
        done = program.run("eval", "--suite", PROGRAMS, "--device", "cpu", "--out", folder.path / "out", "--json")
        self.assertEqual(done.code, 0, done.text())
        rows = done.json()["problems"]
        self.assertGreaterEqual(len(rows), 12)
        for row in rows:
            with self.subTest(row["name"]):
                self.assertEqual(row["status"], "verified", row["reason"])


if __name__ == "__main__":
    unittest.main()
