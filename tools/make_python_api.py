#!/usr/bin/env python3
"""The Python interface as Markdown, one page per module, from the sources and the type stubs of the built package.

    tools/make_python_api.py OUT [--package build/release/python/sinew]

Nothing is imported: stubs and sources are read. The stubs are made when the package is built (`make python`).
"""
import argparse
import ast
import os
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "python" / "sinew"
SHORT = (("numpy.typing.ArrayLike", "ArrayLike"), ("numpy.typing.NDArray[numpy.float64]", "NDArray"),
         ("collections.abc.", ""), ("sinew._core.", ""), ("typing.", ""))


def find_package():
    """The newest built package; SINEW_PACKAGE names another."""
    if named := os.environ.get("SINEW_PACKAGE"):
        return pathlib.Path(named)
    found = sorted(ROOT.glob("build/*/python/sinew/_core/__init__.pyi"), key=lambda p: p.stat().st_mtime)
    if not found:
        sys.exit("make_python_api: the package is not built; run make python")
    return found[-1].parent.parent


def short(text):
    for long, brief in SHORT:
        text = text.replace(long, brief)
    return text


def signature(function):
    """A function without `self`, as one writes it."""
    arguments = ast.unparse(function.args)
    for own in ("self, /, ", "self, ", "self, /", "self", "cls, ", "cls"):
        if arguments.startswith(own):
            arguments = arguments.removeprefix(own)
            break
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return short(f"{function.name}({arguments}){returns}")


def is_property(function):
    return any(ast.unparse(d) == "property" or ast.unparse(d).endswith("cached_property") for d in function.decorator_list)


def is_setter(function):
    return any(ast.unparse(d).endswith(".setter") for d in function.decorator_list)


def about(node):
    return ast.get_docstring(node) or ""


def prose(text):
    """A docstring as Markdown. Indented lines are code; all else is text."""
    lines, out, code = textwrap.dedent(text).splitlines(), [], False
    for line in lines + [""]:
        indented = line.startswith("    ") or (code and not line.strip())
        if indented and not code and line.strip():
            out += ["", "```text"]
            code = True
        if code and line.strip() and not line.startswith("    "):
            out += ["```", ""]
            code = False
        out.append(line if code else line.replace("*", "\\*").replace("<", "&lt;").replace("_", "\\_")
                   if "`" not in line else line)
    if code:
        out.append("```")
    return "\n".join(out).strip("\n")


def text_of(node):
    """The text that stands alone after a value, as stubs document values of an enum."""
    value = node.value if isinstance(node, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def is_public(name):
    return not name.startswith("_")


def write_function(node, level, owner=""):
    lines = ["", f"{'#' * level} `{owner}{node.name}`", "", "```python", signature(node), "```", ""]
    return lines + ([prose(about(node)), ""] if about(node) else [])


def write_class(node, level):
    bases = ", ".join(short(ast.unparse(b)) for b in node.bases)
    lines = ["", f"{'#' * level} `{node.name}`", ""]
    if bases and "Enum" not in bases:
        lines += [f"A `{bases}`.", ""]
    if about(node):
        lines += [prose(about(node)), ""]
    items, seen = [], set()
    body = node.body
    for i, member in enumerate(body):
        if isinstance(member, ast.FunctionDef):
            if is_setter(member) or not (is_public(member.name) or member.name == "__init__"):
                continue
            if is_property(member):
                returns = short(ast.unparse(member.returns)) if member.returns else ""
                head = f"`{member.name}`" + (f": `{returns}`" if returns else "")
            else:
                head = f"`{signature(member).replace('__init__', node.name, 1).removesuffix(' -> None')}`"
            words = about(member)
            if (member.name, words) in seen and not words:
                continue
            seen.add((member.name, words))
            items.append(f"- {head}" + (f"  \n  {' '.join(prose(words).split())}" if words else ""))
        elif isinstance(member, ast.Assign) and isinstance(target := member.targets[0], ast.Name) and is_public(target.id):
            words = text_of(body[i + 1]) if i + 1 < len(body) else ""
            items.append(f"- `{target.id}`" + (f": {prose(words)}" if words else ""))
    return lines + items + ([""] if items else [])


def write_module(name, text, only=None):
    """The page of a module; `only`: these names of it."""
    tree = ast.parse(text)
    lines = [f"# Python: {name}", ""]
    if about(tree):
        lines += [prose(about(tree)), ""]
    return "\n".join(lines + write_body(tree, only)) + "\n"


def write_body(tree, only=None):
    lines, last = [], None
    for node in tree.body:
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            continue
        if not is_public(node.name) or (only is not None and node.name not in only):
            continue
        if isinstance(node, ast.ClassDef):
            lines += write_class(node, 2)
        elif last == node.name:  # an overload
            lines += ["```python", signature(node), "```", ""]
        else:
            lines += write_function(node, 2)
        last = node.name
    return lines


def write_package(name, folder):
    """What the package itself names, from its modules."""
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    page = write_module(name, (folder / "__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            module = ast.parse((folder / f"{node.module}.py").read_text(encoding="utf-8"))
            page += "\n".join(write_body(module, {alias.name for alias in node.names})) + "\n"
    return page


def make_pages(package=None):
    package = package or find_package()
    pages = {}
    stubs = sorted((package / "_core").glob("*.pyi"), key=lambda p: (p.stem != "__init__", p.stem))
    for stub in stubs:
        name = "sinew" if stub.stem == "__init__" else f"sinew.{stub.stem}"
        pages[name] = write_module(name, stub.read_text(encoding="utf-8"))
    whole = ast.parse((SOURCES / "__init__.py").read_text(encoding="utf-8"))
    pages["sinew"] = "\n".join(["# Python: sinew", "", prose(about(whole)), "",
                                *write_body(ast.parse(stubs[0].read_text(encoding="utf-8")))]) + "\n"
    for source in sorted(SOURCES.iterdir()):
        if (source / "__init__.py").exists():
            pages[f"sinew.{source.name}"] = write_package(f"sinew.{source.name}", source)
        elif source.suffix == ".py" and is_public(source.name):
            pages[f"sinew.{source.stem}"] = write_module(f"sinew.{source.stem}", source.read_text(encoding="utf-8"))
    return pages


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--package", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, text in make_pages(arguments.package).items():
        (arguments.out / f"{name}.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
