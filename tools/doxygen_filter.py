#!/usr/bin/env python3
"""Shows a header to Doxygen: its plain comments as comments that Doxygen attaches to declarations.

    tools/doxygen_filter.py FILE        prints the file (INPUT_FILTER of tools/make_api.py)

A comment above a declaration, without an empty line between, belongs to it; one behind it on the same line too, with
the lines that go on below it. Comments in function bodies are left out. Text is passed on verbatim: `J^T f`, `a * b`
and `std::vector<T>` mean what they say. Lines keep their numbers.
"""
import re
import sys

COMMENT = re.compile(r"^(\s*)//(?!/) ?(.*)$")
SCOPE = re.compile(r"(?:export\s+)?(?:inline\s+)?(namespace|class|struct|union|enum)\b")


def strip_templates(text):
    """A declaration without its `template <...>` and `requires` in front."""
    text = text.strip()
    while text.startswith("template"):
        depth, at = 0, text.find("<")
        for i in range(max(at, 0), len(text)):
            depth += {"<": 1, ">": -1}.get(text[i], 0)
            if depth == 0:
                at = i + 1
                break
        else:
            return text
        text = text[at:].strip()
    return re.sub(r"\[\[.*?\]\]", "", text).strip()


class Scopes:
    """Which braces are open: those of namespaces and types, or those of bodies and values."""

    def __init__(self):
        self.stack, self.statement, self.parentheses = [], "", 0

    def in_body(self):
        return any(kind == "body" for kind in self.stack)

    def feed(self, code):
        code = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', '""', code)
        for c in code:
            if c == "{":
                found = SCOPE.match(strip_templates(self.statement)) if self.parentheses == 0 else None
                self.stack.append(found[1] if found and "=" not in self.statement.split("<")[0] else "body")
                self.statement = ""
            elif c == "}":
                if self.stack:
                    self.stack.pop()
                self.statement = ""
            elif c == ";" and self.parentheses == 0:
                self.statement = ""
            else:
                self.parentheses += {"(": 1, ")": -1}.get(c, 0)
                self.statement += c
        self.statement += " "


def split_code(line):
    """Code and comment of a line; the comment is None where there is none."""
    in_text = None
    for i, c in enumerate(line):
        if in_text:
            if c == in_text and line[i - 1] != "\\":
                in_text = None
        elif c == '"' or (c == "'" and not (i and line[i - 1].isalnum())):
            in_text = c
        elif line.startswith("//", i):
            return line[:i], line[i + 2:].lstrip("/").removeprefix(" ")
    return line, None


def document(lines, mark):
    """A comment that Doxygen takes as it is, with as many lines as it had."""
    text = "\n".join(lines).replace("*/", "* /")
    return f"/**{mark} \\verbatim {text} \\endverbatim */"


def convert(text):
    lines, out, scopes, i = text.splitlines(), [], Scopes(), 0
    while i < len(lines):
        line = lines[i]
        if line.lstrip().startswith("#"):
            out.append(line)
            i += 1
            continue
        comment = COMMENT.match(line)
        if comment:
            block = []
            while i < len(lines) and COMMENT.match(lines[i]):
                block.append(COMMENT.match(lines[i])[2])
                i += 1
            following = lines[i].strip() if i < len(lines) else ""
            attached = following and not following.startswith(("#", "}", "//", "namespace", "public:", "private:"))
            words = [w for w in block if not re.match(r"NOLINT|clang-format", w)]
            if attached and words and not scopes.in_body():
                out.append(document(words, "") + "\n" * (len(block) - len(words)))
            else:
                out += [""] * len(block)
            continue
        code, behind = split_code(line)
        was_in_body = scopes.in_body()
        scopes.feed(code)
        i += 1
        if behind is not None and code.strip() and not was_in_body and not re.match(r"NOLINT", behind):
            block, column = [behind], len(code)
            while i < len(lines) and (more := COMMENT.match(lines[i])) and len(more[1]) >= column - 1:
                block.append(more[2])
                i += 1
            if not code.strip().startswith("}") and not code.rstrip().endswith("{"):
                out.append(code.rstrip() + " " + document(block, "<"))
                continue
            if code.rstrip().endswith("{") and "}" not in code and len(block) == 1:
                out.append(document(block, "") + " " + code.rstrip())
                continue
            out += [""] * (len(block) - 1)
        out.append(code.rstrip())
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        sys.stdout.write(convert(header.read()))
