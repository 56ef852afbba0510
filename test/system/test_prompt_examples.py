"""The kernels that prompts show as examples are good ones: the judge accepts each for its program, for other sizes too."""

import unittest

import program

EXAMPLES = program.ROOT / "prompts" / "examples"
PROGRAMS = program.ROOT / "test" / "prompts"


class PromptExamples(unittest.TestCase):
    def test_every_example_is_accepted(self):
        names = sorted(path.stem for path in EXAMPLES.glob("*.py"))
        self.assertEqual(names, sorted(path.stem for path in PROGRAMS.glob("*.py")), "an example needs a program, and the other way round")
        commands = {
            name: lambda name=name: program.run("verify", "--problem", PROGRAMS / f"{name}.py", "--kernel", EXAMPLES / f"{name}.py", "--require-general")
            for name in names
        }
        for name, done in program.run_all(commands).items():
            with self.subTest(name):
                self.assertEqual(done.code, 0, done.text())

    def test_every_example_is_embedded(self):
        listed = (program.ROOT / "src" / "synth" / "prompt" / "CMakeLists.txt").read_text()
        for path in (*EXAMPLES.glob("*.py"), *EXAMPLES.parent.glob("*.md")):
            with self.subTest(path.name):
                self.assertIn(f"  {path.relative_to(EXAMPLES.parent)}\n", listed)


if __name__ == "__main__":
    unittest.main()
