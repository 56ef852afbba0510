"""What of a kernel file nothing uses: taken out before the file is judged and run.

Kernel files carry a reference, a test and a benchmark that only their `if __name__ == "__main__":` calls, and imports for those.
None of that is part of the kernel. Taken out are, as text and line by line, so that every line keeps its number:
  - imports of modules that are known to do nothing by being imported, under a name that nothing uses;
  - the bodies of functions, and of the methods of classes, whose name nothing uses.
The rest is what the policy reads and what every process of the judge executes: the same text, so that nothing is run that was not read.
A file is imported elsewhere as it is. There, what was taken out does nothing either: it stays uncalled. Signatures, decorators
and the bodies of classes are executed by an import, so they stay and are judged.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

ENTRIES = ("kernel_function", "ModelNew")
# Modules whose import changes nothing: the standard library's and what tests and benchmarks are written with.
INERT = frozenset("""
    abc argparse ast contextlib copy csv datetime gc glob importlib inspect io itertools json math operator os pathlib platform
    pprint random re shutil statistics string struct subprocess sys tempfile textwrap threading time timeit traceback types
    unittest uuid warnings
    numpy scipy pandas matplotlib pytest torch triton tabulate tqdm
""".split())
# Decorators from elsewhere that only wrap: `@triton.testing.perf_report(...)`, `@torch.no_grad()`.
WRAPPERS = frozenset({"perf_report", "no_grad", "inference_mode"})
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def trimmed(source: str, tree: ast.Module, entries: Iterable[str | None]) -> str:
    """The text without what nothing uses. `tree` is what ast.parse makes of it; lines end with a line feed."""
    lines = source.split("\n")
    used, loose = names_in_use(tree, {*ENTRIES, *(name for name in entries if name)})
    bound = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names if not alias.asname}
    for statement in tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            shorten_import(statement, used, bound, lines)
    for definition in loose:
        for function in [definition] if isinstance(definition, FUNCTIONS) else methods_of(definition):
            empty_body(function, lines)
    return "\n".join(lines)


def names_in_use(tree: ast.Module, used: set[str]) -> tuple[set[str], list[ast.stmt]]:
    """Every name that the file uses, starting from the entries, and the definitions that it does not use."""
    from ka_bridge.policy_scope import main_block

    loose: list[ast.stmt] = []
    self_test = main_block(tree)
    for statement in tree.body:
        if may_be_loose(statement):
            loose.append(statement)
            read_shell(statement, used)
        elif not isinstance(statement, (ast.Import, ast.ImportFrom)) and statement is not self_test:
            read_names([statement], used)
    while True:
        found = [definition for definition in loose if definition.name in used]  # type: ignore[attr-defined]
        if not found:
            return used, loose
        loose = [definition for definition in loose if definition not in found]
        read_names(found, used)


def may_be_loose(statement: ast.stmt) -> bool:
    if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)) or statement.name.startswith("__"):
        return False
    return all(wraps_only(decorator) for decorator in statement.decorator_list)


def wraps_only(decorator: ast.expr) -> bool:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(target, ast.Attribute) and target.attr in WRAPPERS


def read_names(nodes: Iterable[ast.AST], used: set[str]) -> None:
    for top in nodes:
        for node in ast.walk(top):
            if isinstance(node, ast.Name):
                used.add(node.id)
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                used.update(node.names)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used.add(f"{node.value.id}.{node.attr}")


def read_shell(definition: ast.AST, used: set[str]) -> None:
    """What is executed when a definition is: all but the bodies of functions."""
    if isinstance(definition, FUNCTIONS):
        read_names([definition.args, *definition.decorator_list, *([definition.returns] if definition.returns else [])], used)
    elif isinstance(definition, ast.ClassDef):
        read_names([*definition.bases, *definition.keywords, *definition.decorator_list], used)
        for part in definition.body:
            read_shell(part, used)
    else:
        read_names([definition], used)


def methods_of(definition: ast.AST) -> list[ast.AST]:
    return [part for part in definition.body if isinstance(part, FUNCTIONS)]  # type: ignore[attr-defined]


def shorten_import(node: ast.Import | ast.ImportFrom, used: set[str], bound: set[str], lines: list[str]) -> None:
    kept = [alias for alias in node.names if not is_idle(alias, node, used, bound)]
    if len(kept) == len(node.names) or not (starts_alone(node, lines) and ends_alone(node, lines)):
        return
    text = ""
    if kept:
        rest = (ast.Import(names=kept) if isinstance(node, ast.Import)
                else ast.ImportFrom(module=node.module, names=kept, level=node.level))
        text = ast.unparse(ast.fix_missing_locations(rest))
    replace(node.lineno, node.end_lineno or node.lineno, text, lines)


def is_idle(alias: ast.alias, node: ast.Import | ast.ImportFrom, used: set[str], bound: set[str]) -> bool:
    if isinstance(node, ast.ImportFrom):
        known = node.level == 0 and (node.module or "").split(".")[0] in INERT
        return known and alias.name != "*" and (alias.asname or alias.name) not in used
    parts = alias.name.split(".")
    if parts[0] not in INERT:
        return False
    if alias.asname or len(parts) == 1:
        return (alias.asname or alias.name) not in used
    # `import torch.utils.benchmark` binds torch, and is idle where another import does that and torch.utils is not used
    return parts[0] not in used or parts[0] in bound and f"{parts[0]}.{parts[1]}" not in used


def empty_body(function: ast.AST, lines: list[str]) -> None:
    first = function.body[0]  # type: ignore[attr-defined]
    start = min([first.lineno, *(decorator.lineno for decorator in getattr(first, "decorator_list", []))])
    if ends_alone(function, lines):
        before = lines[start - 1].encode()[: first.col_offset].decode()  # indentation, or `def f(x):` on the same line
        replace(start, function.end_lineno, before + "pass", lines)  # type: ignore[attr-defined]


def starts_alone(node: ast.stmt, lines: list[str]) -> bool:
    """Whether nothing stands before the statement on its first line, and no line before it goes on there."""
    continued = node.lineno > 1 and lines[node.lineno - 2].rstrip().endswith("\\")
    return not lines[node.lineno - 1].encode()[: node.col_offset].strip() and not continued


def ends_alone(node: ast.AST, lines: list[str]) -> bool:
    after = lines[node.end_lineno - 1].encode()[node.end_col_offset :].strip()  # type: ignore[attr-defined]
    return not after or after.startswith(b"#")


def replace(start: int, end: int, text: str, lines: list[str]) -> None:
    lines[start - 1 : end] = [text] + [""] * (end - start)
