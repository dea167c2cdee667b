#!/usr/bin/env python3
"""The C++ interface as Markdown, one page per folder of include/sinew, by Doxygen; and what has no comment yet.

    tools/make_api.py OUT             writes OUT/base.md, OUT/tree.md, ...        (make site)
    tools/make_api.py --missing       lists public functions and types without a comment, and counts them by folder
    tools/make_api.py --check         the same; exit code 1 where there is one                (make site)

Headers have plain comments (tools/doxygen_filter.py shows them to Doxygen). What lies in kernel/ folders, private
members and `namespace detail` are not for users, and are left out. A function or type needs no comment of its own where
it bears the name of its header (rnea, RneaWorkspace in rnea.hpp): the contract at the top of the header is about it.
Neither do constructors, operators, what overrides, what every scalar has (sin, min, select, ...) or every joint has
(calc, integrate, ...: joint/joint.hpp), to_string and find_... of an enum, and members that take nothing and return
what they are called (rows(), begin()). A comment counts for all declarations below it up to the next empty line or
comment: such a run stands together on the page. A type with its body is one declaration.
"""
import argparse
import collections
import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_layers  # noqa: E402
import doxygen_filter  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ROOT / "include" / "sinew"
OPTIONS = """INPUT = in
RECURSIVE = YES
FILE_PATTERNS = *.hpp
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
MARKDOWN_SUPPORT = NO
AUTOLINK_SUPPORT = NO
ENABLE_PREPROCESSING = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = SINEW_HD= "__attribute__(x)="
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_AS_ERROR = YES
"""


@dataclasses.dataclass
class Entry:
    """A function, a type, a value or a member."""
    kind: str
    name: str
    text: str  # its declaration
    about: str  # its comment
    file: str  # below include/sinew
    line: int
    needs_comment: bool = True
    in_run: bool = False  # below another declaration whose comment counts for both
    members: list = dataclasses.field(default_factory=list)


def flat(element):
    """The text of an element, with single spaces."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def comment_of(element):
    """The comment, as it stands in the header."""
    texts = [v.text.strip("\n") for part in ("briefdescription", "detaileddescription", "inbodydescription")
             for v in element.findall(f"{part}//verbatim") if v.text]
    return "\n".join(texts)


def declaration(member):
    """A member as one line of C++."""
    template = member.find("templateparamlist")
    words = []
    if template is not None:
        names = ", ".join(f"{flat(p.find('type'))} {flat(p.find('declname'))}".strip() for p in template.findall("param"))
        words.append(f"template <{names}>")
    kind = member.get("kind")
    if kind == "enum":
        return f"enum class {flat(member.find('name'))}"
    if kind == "typedef" and flat(member.find("definition")).startswith("using"):
        words.append(flat(member.find("definition")))
    else:
        words += [w for w in ("static",) if member.get("static") == "yes"]
        name = flat(member.find("name")) + flat(member.find("argsstring"))
        words.append(f"{flat(member.find('type'))} {name}".strip())
        if kind == "variable" and member.find("initializer") is not None:
            words.append(flat(member.find("initializer")))
    text = re.sub(r"\bsinew::(?=[A-Z])", "", " ".join(words))
    text = re.sub(r"\s+([>&*,)])", r"\1", re.sub(r"(<)\s+", r"\1", text))
    return re.sub(r"([&*])(?=[A-Za-z_])", r"\1 ", text)


SCALAR_FUNCTIONS = {"sin", "cos", "asin", "acos", "atan2", "sincos", "sqrt", "abs", "min", "max", "select", "all",
                    "any", "lit", "cast", "to_string", "swap", "ScalarTraits"}
JOINT_FUNCTIONS = {"calc", "complements", "rate", "integrate", "difference", "neutral", "normalize", "random"}


def is_plain(member):
    """Whether a function says itself what it does: see the top of this file."""
    name, arguments = flat(member.find("name")), flat(member.find("argsstring"))
    getter = re.match(r"\(\)\s*const\b", arguments) and flat(member.find("type")) not in ("void", "bool")
    return (name in SCALAR_FUNCTIONS or bool(getter) or name.startswith(("operator", "~"))
            or flat(member.find("type")) in ("", "explicit", "constexpr") or "override" in arguments
            or arguments.endswith(("=delete", "= delete", "=default", "= default")))


def read_member(member):
    place = member.find("location")
    file = place.get("declfile") or place.get("file")
    entry = Entry(member.get("kind"), flat(member.find("name")), declaration(member), comment_of(member),
                  file.removeprefix("in/"), int(place.get("declline") or place.get("line")))
    entry.needs_comment = not (entry.kind == "function" and is_plain(member)) and entry.kind != "friend"
    entry.members = [Entry("value", flat(v.find("name")), flat(v.find("name")), comment_of(v), entry.file, 0)
                     for v in member.findall("enumvalue")]
    return entry


def read_entries(folder):
    """All entries of a Doxygen XML folder, by header."""
    entries, classes = [], {}
    for file in sorted(folder.glob("*.xml")):
        root = ElementTree.parse(file).getroot().find("compounddef")
        if root is None or root.get("kind") not in ("namespace", "class", "struct", "union"):
            continue
        name = flat(root.find("compoundname"))
        if "detail" in name.split("::") or "anonymous" in name or not name.startswith("sinew"):
            continue
        members = [read_member(m) for section in root.findall("sectiondef")
                   if section.get("kind").startswith(("public", "user", "func", "enum", "typedef", "var", "friend")) or
                   root.get("kind") == "namespace"
                   for m in section.findall("memberdef") if m.get("prot") == "public" and m.get("kind") != "friend"]
        if root.get("kind") == "namespace":
            entries += members
            continue
        place = root.find("location")
        short = name.removeprefix("sinew::")
        entry = Entry("type", short, f"{root.get('kind')} {short}", comment_of(root),
                      place.get("file").removeprefix("in/"), int(place.get("line")),
                      members=sorted(members, key=lambda m: m.line))
        if root.get("prot") in (None, "public"):
            classes[name] = entry
    # Types within types stand with the outer one.
    for name, entry in classes.items():
        outer = name.rsplit("::", 1)[0]
        if outer in classes:
            classes[outer].members.append(entry)
        else:
            entries.append(entry)
    by_header = collections.defaultdict(list)
    for entry in sorted(entries, key=lambda e: (e.file, e.line)):
        by_header[entry.file].append(entry)
    return by_header


def find_runs(header, entries):
    """Marks entries without a comment that stand in a run below one."""
    lines = (HEADERS / header).read_text(encoding="utf-8").splitlines()
    for entry in entries:
        find_runs(header, [m for m in entry.members if m.kind in ("function", "type", "variable", "typedef")])
        if entry.about or entry.kind == "value":
            continue
        at = entry.line - 2
        while at >= 0 and lines[at].strip() and not lines[at].lstrip().startswith(("//", "public:", "namespace")):
            if lines[at].strip() in ("}", "};"):  # past the whole of what ends here
                depth = len(lines[at]) - len(lines[at].lstrip())
                while at > 0 and (not lines[at].strip() or lines[at].strip() in ("}", "};")
                                  or len(lines[at]) - len(lines[at].lstrip()) > depth):
                    at -= 1
            elif lines[at].rstrip().endswith("{"):
                break
            at -= 1
        entry.in_run = at >= 0 and lines[at].lstrip().startswith("//") and at > 0


def contract_of(header):
    """Title and contract: the comment at the top of a header."""
    lines = []
    for line in (HEADERS / header).read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].removeprefix(" "))
    title = lines[0].partition(" - ")[2] if lines else ""
    return title, "\n".join(lines[1:]).strip("\n")


def read_headers():
    """Entries by header, users' headers only."""
    if not shutil.which("doxygen"):
        sys.exit("make_api: there is no doxygen; run tools/setup.sh docs")
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        for header in HEADERS.rglob("*.hpp"):
            path = header.relative_to(HEADERS)
            if "kernel" in path.parts:
                continue
            (work / "in" / path).parent.mkdir(parents=True, exist_ok=True)
            text = doxygen_filter.convert(header.read_text(encoding="utf-8"))
            (work / "in" / path).write_text(text, encoding="utf-8")
        (work / "Doxyfile").write_text(OPTIONS)
        done = subprocess.run(["doxygen", "Doxyfile"], cwd=work, capture_output=True, text=True)
        if done.returncode != 0 or "warning" in done.stderr:
            sys.exit(f"make_api: doxygen says\n{done.stderr[:4000]}")
        found = read_entries(work / "xml")
    for header, entries in found.items():
        find_runs(header, entries)
    return found


# --- pages ----------------------------------------------------------------------------------------------------------

def code(text):
    return f"`{text}`" if "`" not in text else f"`` {text} ``"


def prose(text):
    """A comment as Markdown: lines that are set apart by blanks are formulas or code, the rest is text."""
    out, apart = [], []
    for line in text.splitlines() + [""]:
        if line.startswith("  ") and line.strip():
            apart.append(line)
            continue
        if apart:
            out += ["", "```text", *apart, "```", ""]
            apart = []
        out.append(re.sub(r"([\\*_\[\]#$])", r"\\\1", line).replace("<", "&lt;").rstrip())
    return "\n".join(out).strip("\n")


def inline(text):
    """On one line; what stands apart in a column of its own follows a semicolon."""
    return prose(" ".join(re.sub(r"(?<=\S) {2,}(?=\S)", "; ", text).split()))


def write_entry(entry, level):
    lines = ["", f"{'#' * level} {code(entry.name)}", "", "```cpp", entry.text, "```", ""]
    if entry.about:
        lines += [prose(entry.about), ""]
    if entry.kind in ("type", "enum") and entry.members:
        for member in entry.members:
            lines.append(f"- {code(member.text)}" + (f"  \n  {inline(member.about)}" if member.about else ""))
            for inner in member.members:
                lines.append(f"    - {code(inner.text)}" + (f": {inline(inner.about)}" if inner.about else ""))
        lines.append("")
    return lines


def write_header(header, entries):
    title, contract = contract_of(header)
    lines = ["", f"## sinew/{header}", "", f"{inline(title[:1].upper() + title[1:])}.", ""]
    if contract:
        lines += ["```text", contract, "```", ""]
    last = None
    for entry in entries:
        if last and entry.kind == last.kind == "function" and not entry.about and (entry.in_run or entry.name == last.name):
            if entry.name != last.name:
                lines += ["", f"### {code(entry.name)}", "", f"With {code(last.name)}, above.", ""]
            lines += ["```cpp", entry.text, "```", ""]
        else:
            lines += write_entry(entry, 3)
        last = entry
    return lines


def make_pages():
    """Pages by the name of their folder, in the order of the layers."""
    by_folder = collections.defaultdict(dict)
    for header, entries in read_headers().items():
        by_folder[header.split("/")[0]][header] = entries
    order = [f for f in check_layers.ORDER if f in by_folder] + sorted(set(by_folder) - set(check_layers.ORDER))
    pages = {}
    for folder in order:
        lines = [f"# C++: {folder}", "", f"The headers of `include/sinew/{folder}`, each with its contract."]
        for header, entries in sorted(by_folder[folder].items()):
            lines += write_header(header, entries)
        pages[folder] = "\n".join(lines) + "\n"
    return pages


# --- what has no comment --------------------------------------------------------------------------------------------

OWN = re.compile(r"^(?:calc_|find_|make_|get_)|(?:Workspace|Options|Report|Answer|Spec|Joint)$")


def folder_of(header):
    return header.split("/")[-2].rstrip("s") if "/" in header else ""


def find_missing():
    """(number of functions and types, those without a comment) by folder."""
    found = collections.defaultdict(lambda: [0, []])
    for header, entries in read_headers().items():
        stem, title = pathlib.Path(header).stem, contract_of(header)[0]
        seen = set()

        def judge(entry, owner=""):
            count = found[header.split("/")[0]]
            if entry.kind not in ("function", "type", "enum") or not entry.needs_comment:
                return
            key = (owner, entry.name)
            if entry.name.startswith("ScalarTraits") or (header.startswith("joint/") and entry.name in JOINT_FUNCTIONS):
                return
            covered = entry.about or entry.in_run or key in seen  # an overload stands under the comment of the first
            whole = entry.name.split("::")[-1]
            name = OWN.sub("", whole).replace("_", "").lower()
            covered = covered or (title and name in (stem.replace("_", ""), folder_of(header)))
            covered = covered or (title and entry.kind == "type" and whole.lower().startswith(stem.replace("_", "")))
            count[0] += 1
            if covered:
                seen.add(key)
            else:
                count[1].append(f"include/sinew/{header}:{entry.line}: {owner}{entry.name}")

        for entry in entries:
            judge(entry)
            if entry.kind == "type":
                for member in entry.members:
                    judge(member, entry.name + "::")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", type=pathlib.Path)
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        for name, text in make_pages().items():
            (arguments.out / f"{name}.md").write_text(text, encoding="utf-8")
        return 0
    found = find_missing()
    if arguments.missing or arguments.check:
        print("\n".join(line for _, lines in found.values() for line in lines))
    if arguments.missing:
        for folder, (count, lines) in sorted(found.items()):
            print(f"make_api: {folder}: {count} functions and types, {len(lines)} without a comment")
    total = sum(len(lines) for _, lines in found.values())
    print(f"make_api: {sum(n for n, _ in found.values())} public functions and types, {total} without a comment")
    return 1 if arguments.check and total else 0


if __name__ == "__main__":
    sys.exit(main())
