"""Settings as a user gives them: .env, a config file, variables; what doctor shows; keys that are seen nowhere."""

from __future__ import annotations

import unittest

import program

CANARY = "sk-canary-0123456789abcdef"
# Whatever is set where the tests run must not decide them.
CLEAN = {"OPENAI_API_KEY": "", "OPENAI_MODEL": "", "NUM_KERNEL_SEEDS": "", "MAX_REFINEMENT_ROUNDS": "", "LOG_LEVEL": ""}


class Settings(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = program.Folder()
        self.addCleanup(self.folder.remove)

    def run_here(self, *words: str, env: dict[str, str] | None = None) -> program.Finished:
        return program.run(*words, env={**CLEAN, **(env or {})}, cwd=self.folder.path)

    def test_doctor_says_where_each_value_came_from(self) -> None:
        self.folder.write(".env", f"export OPENAI_API_KEY='{CANARY}'\nNUM_KERNEL_SEEDS=3\n")
        self.folder.write("c.yml", "ka_max_rounds: 7\nworkers: 9\nverify: true\n")
        done = self.run_here("doctor", "--json", "--config", "c.yml", env={"OPENAI_MODEL": "gpt-5"})
        self.assertEqual(done.code, 0, done.text())
        found = {row["name"]: (row["value"], row["from"]) for row in done.json()["settings"]}
        self.assertEqual(found["model"], ("gpt-5", "OPENAI_MODEL in the environment"))
        self.assertEqual(found["workers"], ("3", "NUM_KERNEL_SEEDS in .env, line 2"))
        self.assertEqual(found["rounds"], ("7", "ka_max_rounds in c.yml, line 1"))
        self.assertEqual(found["openai_api_key"], ("set", "OPENAI_API_KEY in .env, line 1"))
        self.assertEqual(found["router_temperature"], ("0.2", "default"))
        self.assertNotIn(CANARY, done.out + done.err)

    def test_bad_files_are_one_sentence(self) -> None:
        rows = (
            (".env", f"A=1\n{CANARY}\n", (), ".env: line 2 is not NAME=VALUE"),
            (".env", "NUM_KERNEL_SEEDS=many\n", (), 'NUM_KERNEL_SEEDS in .env, line 1: "many" is not a whole number'),
            ("c.yml", "a:\n  b: 1\n", ("--config", "c.yml"), "a holds names of its own"),
            ("c.yml", "sede: 1\n", ("--config", "c.yml"), 'no command knows "sede" (did you mean "seed"?)'),
        )
        for name, text, flags, says in rows:
            with self.subTest(text):
                path = self.folder.write(name, text)
                done = self.run_here("verify", *flags)
                self.assertEqual((done.code, done.out), (2, ""), done.text())
                self.assertEqual(len(done.err.splitlines()), 1, done.text())
                self.assertIn(says, done.err)
                self.assertNotIn(CANARY, done.err)
                path.unlink()

    def test_a_key_is_in_no_file_of_a_run(self) -> None:
        self.folder.write(".env", f"OPENAI_API_KEY={CANARY}\nMY_OTHER_TOKEN={CANARY}-2\n")
        self.folder.write("c.yml", "no_verify: true\nka_num_workers: 2\n")
        problem = program.ROOT / "test" / "problems" / "relu.py"
        done = self.run_here("auto", "--problem", str(problem), "--config", "c.yml", "--ka-model", "gpt-5", "--out", "run", "--verbose")
        self.assertEqual(done.code, 0, done.text())
        request = (self.folder.path / "run" / "request.json").read_text()
        for word in ("--no-verify", "--workers=2", "--ka-model=gpt-5"):
            self.assertIn(word, request)
        files = [path for path in (self.folder.path / "run").rglob("*") if path.is_file()]
        self.assertGreater(len(files), 3)
        for path in files:
            self.assertNotIn(CANARY.encode(), path.read_bytes(), path)
        self.assertNotIn(CANARY, done.out + done.err)

    def test_a_test_of_the_user_counts_on_both_routes(self) -> None:
        self.folder.write("test_0.py", "from kernel import kernel_function\nprint('FAIL')\nraise SystemExit(1)\n")
        problem = str(program.ROOT / "test" / "problems" / "relu.py")
        for route in ("direct", "fuse"):
            done = self.run_here("auto", "--problem", problem, "--route", route, "--no-fallback", "--no-router-cache", "--test-paths", "test_0.py")
            self.assertEqual(done.code, 1, done.text())
            self.assertIn("(test.failed)", done.out)
        done = self.run_here("auto", "--problem", problem, "--test-paths", "none.py")
        self.assertEqual((done.code, done.err), (2, "kernelagent: auto: --test-paths: none.py does not exist\n"))


if __name__ == "__main__":
    unittest.main()
