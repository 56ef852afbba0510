"""The command line: help, misspellings, values, JSON, and what the program says when the machine lacks something."""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
import unittest

import program

COMMANDS = ("auto generate pipeline extract dispatch compose optimize verify bench profile eval explain report runs models "
            "ui doctor").split()
THERE = ("auto", "generate", "pipeline", "extract", "dispatch", "compose", "optimize", "verify", "bench", "profile", "eval", "explain", "report", "runs", "models", "doctor")
PROBLEM = "test/problems/relu.py"
KERNEL = "test/honest/relu_plain.py"
VERIFY = ("verify", "--problem", PROBLEM, "--kernel", KERNEL)


class Case(unittest.TestCase):
    def complains(self, code: int, *words: str, says: tuple[str, ...], env: dict[str, str] | None = None) -> None:
        """Exit code, one line on stderr that holds these texts, nothing on stdout."""
        done = program.run(*words, env=env)
        self.assertEqual(done.code, code, done.text())
        self.assertEqual(done.out, "", done.text())
        self.assertEqual(len(done.err.splitlines()), 1, done.text())
        self.assertTrue(done.err.startswith("kernelagent: ") and done.err.endswith("\n"), done.text())
        for text in says:
            self.assertIn(text, done.err)


class Help(Case):
    def test_help_lists_every_command(self) -> None:
        for word in ("--help", "-h", "help"):
            done = program.run(word)
            self.assertEqual((done.code, done.err), (0, ""), done.text())
            listed = [line.split()[0] for line in done.out.splitlines() if line.startswith("  ")]
            self.assertEqual(listed, COMMANDS)
            self.assertIn("Exit codes", done.out)

    def test_no_command(self) -> None:
        done = program.run()
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertIn("usage: kernelagent COMMAND", done.err)

    def test_version(self) -> None:
        done = program.run("--version")
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertRegex(done.out, r"\Akernelagent \d+\.\d+\.\d+\n\Z")

    def test_help_of_each_command(self) -> None:
        for name in COMMANDS:
            for word in ("--help", "-h"):
                done = program.run(name, word)
                self.assertEqual((done.code, done.err), (0, ""), done.text())
                self.assertIn(f"usage: kernelagent {name}", done.out)
                self.assertEqual("not there yet" in done.out, name not in THERE, name)

    def test_verify_documents_its_flags(self) -> None:
        listed = program.run("verify", "--help").out
        for flag in ("--problem", "--kernel", "--entry", "--precision", "--mode", "--device", "--seed", "--timeout",
                     "--memory", "--require-general", "--require-buffers", "--require-sandbox", "--json"):
            self.assertIn(f"  {flag} ", listed)


class BadUsage(Case):
    def test_commands_that_are_not_there_yet(self) -> None:
        for name in COMMANDS:
            if name not in THERE:
                self.complains(2, name, says=(f"{name}: this command is not there yet",))
                self.complains(2, name, "--problem", "x.py", says=("not there yet",))

    def test_misspelt_command(self) -> None:
        self.complains(2, "verfy", says=('"verfy"', 'did you mean "verify"?'))
        self.complains(2, "docter", says=('did you mean "doctor"?',))
        self.complains(2, "--verison", says=('did you mean "--version"?',))
        self.complains(2, "xyzzy", says=('unknown command "xyzzy"', "--help"))
        self.complains(2, "", says=('unknown command ""',))

    def test_misspelt_flag(self) -> None:
        self.complains(2, "verify", "--prblem", "x", says=('"--prblem"', 'did you mean "--problem"?'))
        self.complains(2, "verify", "--require-genral", says=('did you mean "--require-general"?',))
        self.complains(2, "doctor", "--jsn", says=('did you mean "--json"?',))
        self.complains(2, "verify", "-x", says=('unknown flag "-x"',))

    def test_missing_and_unexpected_values(self) -> None:
        self.complains(2, "verify", says=("--problem is missing",))
        self.complains(2, "verify", "--problem", PROBLEM, says=("--kernel is missing",))
        self.complains(2, "verify", "--problem", says=("--problem needs a value", "FILE"))
        self.complains(2, "verify", "--problem", "--kernel", KERNEL, says=("--problem needs a value",))
        self.complains(2, "verify", "--problem=", "--kernel", KERNEL, says=("--problem is missing",))
        self.complains(2, "verify", "--json=1", says=("--json takes no value",))
        self.complains(2, *VERIFY, "--kernel", KERNEL, says=("--kernel is given twice",))
        self.complains(2, *VERIFY, "more.py", says=('unexpected argument "more.py"',))
        self.complains(2, "doctor", "more", says=('unexpected argument "more"',))

    def test_bad_numbers(self) -> None:
        for word in ("x", "", "-1", "1.5", "99999999999999999999999", "1 "):
            self.complains(2, *VERIFY, f"--seed={word}", says=("--seed", f'"{word}"', "whole number"))
        for word in ("x", "-1", "nan", "inf", "3s"):
            self.complains(2, *VERIFY, f"--timeout={word}", says=("--timeout", f'"{word}"', "number"))
        for word in ("0", "1e300", "0.0000001"):
            self.complains(2, *VERIFY, "--timeout", word, says=("--timeout", "seconds"))
        for word in ("0", "0.1", "1e300"):
            self.complains(2, *VERIFY, "--memory", word, says=("--memory", "GiB"))
        for word in ("0", "9", "2000"):
            self.complains(2, *VERIFY, "--target-arch", word, says=("--target-arch", "90"))
        for word in ("sm_90", "9.0", "", "-90"):
            self.complains(2, *VERIFY, f"--target-arch={word}", says=("--target-arch", "such as 80 or 90"))

    def test_files_that_cannot_be_read(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            texts = {"latin.py": b"x = 1\n# caf\xe9\n", "cut.py": b"# \xe2\x82", "zero.py": b"x = 1\0", "locked.py": b"x = 1"}
            for name, text in texts.items():
                with open(f"{folder}/{name}", "wb") as file:
                    file.write(text)
            os.symlink("loop.py", f"{folder}/loop.py")
            os.mkfifo(f"{folder}/pipe.py")
            os.chmod(f"{folder}/locked.py", 0)
            rows = [("latin.py", "latin.py:2: the file is not UTF-8 text"), ("cut.py", "not UTF-8"), ("zero.py", "NUL byte"),
                    ("loop.py", "symbolic links"), ("pipe.py", "not a regular file"), ("missing.py", "does not exist"), ("", "is a directory")]
            if os.geteuid() != 0:  # root may read everything
                rows.append(("locked.py", "Permission denied"))
            for name, text in rows:
                path = f"{folder}/{name}"
                self.complains(2, "verify", "--problem", PROBLEM, "--kernel", path, says=(path, text))
                self.complains(2, "verify", "--problem", path, "--kernel", KERNEL, says=(path, text))
                self.complains(2, *VERIFY, "--test", path, says=(path, text))

    def test_places_and_names(self) -> None:
        self.complains(2, *VERIFY, "--out", KERNEL, says=("--out", KERNEL, "accepted: a folder"))
        self.complains(2, *VERIFY, "--out", KERNEL + "/below", says=("--out", "cannot make folder"))
        self.complains(2, *VERIFY, "--out=", says=("--out is missing",))
        for word in ("", "a b", "3d", "k.f"):
            self.complains(2, *VERIFY, f"--entry={word}", says=("--entry", f'"{word}"', "accepted: the name"))

    def test_bad_choices(self) -> None:
        self.complains(2, *VERIFY, "--precision", "fp3", says=('did you mean "fp32"?', "default, fp32, tf32, half"))
        self.complains(2, *VERIFY, "--mode", "test", says=("--mode", "train, eval"))
        self.complains(2, *VERIFY, "--device", "tpu", says=("--device", "auto, cpu, cuda"))
        self.complains(2, *VERIFY, "--require-sandbox", "most", says=("--require-sandbox", "full"))


class Machine(Case):
    """What the machine has or lacks."""

    def test_doctor(self) -> None:
        done = program.run("doctor", "--json")
        self.assertEqual((done.code, done.err), (0, ""), done.text())
        report = done.json()
        self.assertEqual((report["schema"], report["usable"]), (1, True))
        findings = {row["what"]: row for row in report["findings"]}
        for what in ("kernelagent", "machine", "memory", "disk", "interpreter", "warm start", "forked child", "sandbox"):
            self.assertIn(what, findings)
        self.assertTrue(any(what.startswith("gpu") for what in findings))
        for row in report["findings"]:
            self.assertEqual(set(row), {"what", "health", "value", "remedy"})
            self.assertIn(row["health"], ("ok", "limited", "missing"))
            self.assertTrue(row["value"])
        self.assertIn("torch", findings["interpreter"]["value"])

    def test_doctor_names_who_has_leased_a_gpu(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/nvidia-smi", "w", encoding="utf-8") as tool:
                tool.write("#!/bin/sh\necho '0, Some GPU, 9.0, 1024, 1.2'\necho '1, Some GPU, 9.0, 1024, 1.2'\n")
            os.chmod(f"{folder}/nvidia-smi", 0o755)
            leases = f"{folder}/kernelagent-gpu-{os.geteuid()}"
            os.mkdir(leases, 0o700)
            env = {"PATH": f"{folder}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": folder, "KERNELAGENT_PYTHON": "/nonexistent"}
            with open(f"{leases}/gpu1.lock", "w", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                lock.write("process 12 (a test)\n")
                lock.flush()
                held = program.run("doctor", env=env).out
            free = program.run("doctor", env=env).out
        self.assertRegex(held, r"(?m)^ok +gpu 0 +[^\n]*driver 1.2$")
        self.assertRegex(held, r"(?m)^ok +gpu 1 +[^\n]*driver 1.2, leased by process 12 \(a test\)$")
        self.assertNotIn("leased", free)

    def test_ceilings_need_a_gpu(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.complains(3, "doctor", "--measure-ceilings", env={"PATH": folder}, says=("no NVIDIA GPU",))
            with open(f"{folder}/nvidia-smi", "w", encoding="utf-8") as tool:  # a driver, and nothing that CUDA can use
                tool.write("#!/bin/sh\necho '7, Some GPU, 9.0, 1024, 1.2, 300.00'\n")
            os.chmod(f"{folder}/nvidia-smi", 0o755)
            env = {"PATH": f"{folder}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": folder, "XDG_CACHE_HOME": folder}
            self.complains(3, "doctor", "--measure-ceilings", env=env, says=("no CUDA device",))
            self.assertFalse(os.path.exists(f"{folder}/kernelagent"))

    def test_doctor_shows_measured_ceilings_and_forgives_damaged_ones(self) -> None:
        names = ("copy_bytes", "read_bytes", "l2_bytes", "float32_flops", "tf32_flops", "float16_flops", "bfloat16_flops", "launch_seconds", "python_launch_seconds")
        ways = [{"ceiling": name, "how": "made up", "work": 4.25e12, "seconds": [1.0, 1.0]} for name in names]
        kept = json.dumps({"schema": 1, "gpu": "Some GPU", "driver": "1.2", "power_limit_watts": 300, "measured": "2026-11-16T16:00:00.000Z", "ways": ways})
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/nvidia-smi", "w", encoding="utf-8") as tool:
                tool.write("#!/bin/sh\necho '0, Some GPU, 9.0, 1024, 1.2, 300.00'\n")
            os.chmod(f"{folder}/nvidia-smi", 0o755)
            os.makedirs(f"{folder}/kernelagent/ceilings")
            env = {"PATH": f"{folder}:{os.environ['PATH']}", "XDG_CACHE_HOME": folder, "XDG_RUNTIME_DIR": folder, "KERNELAGENT_PYTHON": "/nonexistent"}
            for text, says in ((kept, "4.25 TB/s, float16 4.2 TFLOP/s, measured 2026-11-16"), (kept[:200], "not measured")):
                with open(f"{folder}/kernelagent/ceilings/some_gpu_1.2_300w.json", "w", encoding="utf-8") as file:
                    file.write(text)
                self.assertIn(says, program.run("doctor", env=env).out)

    def test_doctor_without_interpreter(self) -> None:
        done = program.run("doctor", env={"KERNELAGENT_PYTHON": "/nonexistent"})
        self.assertEqual((done.code, done.err), (3, ""), done.text())
        self.assertRegex(done.out, r"(?m)^missing +interpreter +.*/nonexistent.*\n +-> .*KERNELAGENT_PYTHON")
        self.assertIn("cannot work on this machine yet", done.out)

    def test_doctor_with_an_interpreter_that_is_none(self) -> None:
        done = program.run("doctor", "--json", env={"KERNELAGENT_PYTHON": "/bin/true"})
        self.assertEqual(done.code, 3, done.text())
        report = done.json()
        self.assertFalse(report["usable"])
        row = next(row for row in report["findings"] if row["what"] == "interpreter")
        self.assertEqual(row["health"], "missing")
        self.assertIn("torch", row["remedy"])

    def test_doctor_without_sandbox(self) -> None:
        done = program.run("doctor", env={"KERNELAGENT_SANDBOX_AT_MOST": "none"})
        self.assertEqual((done.code, done.err), (3, ""), done.text())
        self.assertRegex(done.out, r"(?m)^missing +sandbox +level none")

    def test_verify_without_interpreter(self) -> None:
        self.complains(3, *VERIFY, env={"KERNELAGENT_PYTHON": "/nonexistent"}, says=("/nonexistent", "KERNELAGENT_PYTHON"))
        self.complains(3, *VERIFY, env={"KERNELAGENT_PYTHON": "/bin/true"}, says=("/bin/true",))

    def test_verify_without_sandbox(self) -> None:
        self.complains(3, *VERIFY, env={"KERNELAGENT_SANDBOX_AT_MOST": "none"}, says=("sandbox", "doctor"))

    def test_required_sandbox_that_is_not_there(self) -> None:
        self.complains(3, *VERIFY, "--require-sandbox", "full", env={"KERNELAGENT_SANDBOX_AT_MOST": "process"},
                       says=("full is required", "process"))

    def test_unknown_sandbox_level_in_the_environment(self) -> None:
        done = program.run("doctor", env={"KERNELAGENT_SANDBOX_AT_MOST": "everything", "KERNELAGENT_PYTHON": "/nonexistent"})
        self.assertIn("everything", done.out + done.err, done.text())

    def test_cuda_that_is_not_there(self) -> None:
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("this machine has a GPU")
        self.complains(3, *VERIFY, "--device", "cuda", says=("--device cuda", "GPU"))


if __name__ == "__main__":
    unittest.main()
