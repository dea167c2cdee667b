"""What mkdocs (mkdocs.yml, `make site`) does beyond rendering docs/: pages made for the site, links that leave docs/.

Pages of docs/ are written for the forge. The site adds the examples, the API of C++ (tools/make_api.py) and of Python
(tools/make_python_api.py), changelog and contributing guide; links to files outside docs/ lead to those pages. Links
to other files of the repository become plain text, for the site has no such files. Pages of docs/ that mkdocs.yml does
not name come under Guide, More.
"""
import pathlib
import posixpath
import re
import sys

from mkdocs.structure.files import File

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import make_api  # noqa: E402
import make_python_api  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROJECT = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "models/README.md": "models.md"}
STYLE = """.md-grid { max-width: 84rem; }
.md-typeset .language-text code { white-space: pre-wrap; }
.md-typeset code { word-break: normal; }
"""  # our lines are up to 120 characters long
LANGUAGES = {".cpp": "cpp", ".py": "python", ".toml": "toml"}
LINK = re.compile(r"(!?\[[^\]]*\])\(\s*([^)\s]+)\s*\)")
FENCE = re.compile(r"^\s*(```|~~~)")
LIST = re.compile(r"^\s*(?:[-*+]|\d+\.)\s")
generated = {}  # page of the site -> text
origins = {}  # page of the site -> the file of the repository that it was made from


def title_of(file):
    """What an example is about: the first line of its comment."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return text.split('"""')[1].split("\n")[0].rstrip(".")
    return text.split("\n")[0].partition(" - ")[2]


def make_example(file):
    path = file.relative_to(ROOT).as_posix()
    title = title_of(file)
    lines = [f"# {title[:1].upper()}{title[1:]}", "", f"`{path}`; compiled and run in every test of the library.", ""]
    for part in (file, file.with_suffix(".toml")):
        if part.exists():
            lines += [f"```{LANGUAGES[part.suffix]}", part.read_text(encoding="utf-8").rstrip("\n"), "```", ""]
    return "\n".join(lines)


def on_config(config):
    """Makes the generated pages and puts them into the navigation."""
    generated.clear(), origins.clear()
    nav = {next(iter(part)): next(iter(part.values())) for part in config["nav"]}
    named = re.findall(r"[\w/]+\.md", str(config["nav"]))
    more = sorted(p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md"))
    if more := [page for page in more if page not in named]:
        nav["Guide"].append({"More": more})
    for name, page in PROJECT.items():
        origins[page] = name
        generated[page] = (ROOT / name).read_text(encoding="utf-8")
    for folder, label in ((ROOT / "examples", "C++"), (ROOT / "examples" / "python", "Python")):
        entries = []
        for file in sorted([*folder.glob("*.cpp"), *folder.glob("*.py")]):
            page = f"examples/{label.lower().replace('+', 'p')}/{file.stem}.md"
            generated[page] = make_example(file)
            origins[page] = file.relative_to(ROOT).as_posix()
            entries.append({file.name: page})
        nav["Examples"].append({label: entries})
    for label, prefix, pages in (("C++", "api/cpp", make_api.make_pages()),
                                 ("Python", "api/python", make_python_api.make_pages())):
        for name, text in pages.items():
            generated[f"{prefix}/{name}.md"] = text
        nav["API"].append({label: [{name: f"{prefix}/{name}.md"} for name in pages]})
    return config


def on_files(files, config):
    for page, text in generated.items():
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "site.css", content=STYLE))
    return files


def find_target(path):
    """The page of the site for a path of the repository, with its fragment; None: there is none."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path == "README.md":
        return "index.md"
    for page, origin in origins.items():
        if origin == path:
            return page
    if path.rstrip("/") == "examples/python":
        return "howto.md"
    if path.startswith("include/sinew/"):
        header = path.removeprefix("include/")
        page = f"api/cpp/{header.split('/')[1]}.md"
        if page in generated and f"## {header}\n" in generated[page]:
            return f"{page}#{re.sub(r'[^a-z0-9_-]', '', header.lower())}"
    return None


def mend_links(line, page):
    """Links of one line: where a page of the site is, or plain text."""
    origin = origins.get(page, f"docs/{page}")

    def mend(match):
        words, link = match[1], match[2]
        if re.match(r"[a-z][a-z0-9+.-]*:|#", link):
            return match[0]
        path, _, fragment = link.partition("#")
        target = find_target(posixpath.normpath(posixpath.join(posixpath.dirname(origin), path)))
        if target is None and path.endswith(".md"):
            return match[0]  # mkdocs warns of it
        if target is None:
            return words[1:-1] if not words.startswith("!") else ""
        target, _, own = target.partition("#")
        fragment = fragment or own
        place = posixpath.relpath(target, posixpath.dirname(page) or ".")
        return f"{words}({place}{'#' + fragment if fragment else ''})"

    return LINK.sub(mend, line)


def on_page_markdown(markdown, page, config, files):
    """Mends links, and sets lists apart from the text above them, as the forge does by itself."""
    out, fenced, before = [], False, ""
    for line in markdown.splitlines():
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            # Code in backticks keeps its brackets.
            parts = re.split(r"(`+[^`]*`+)", line) if "](" in line else [line]
            whole = mend_links(line, page.file.src_uri) if len(parts) == 1 or "[`" in line else None
            line = whole if whole is not None else "".join(
                part if part.startswith("`") else mend_links(part, page.file.src_uri) for part in parts)
            apart = LIST.match(line) and before.strip() and not LIST.match(before) and not before.startswith(" ")
            table = line.startswith("|") and before.strip() and not before.startswith("|")
            if apart or table:
                out.append("")
        out.append(line)
        before = line
    return "\n".join(out) + "\n"


def on_page_content(html, page, config, files):
    """Formulas, $...$ in the pages, as MathML: browsers draw it without a script."""
    if 'class="arithmatex"' not in html:
        return html
    from latex2mathml.converter import convert
    html = re.sub(r'<span class="arithmatex">\\\((.*?)\\\)</span>', lambda m: convert(m[1]), html, flags=re.S)
    return re.sub(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', lambda m: convert(m[1], display="block"), html,
                  flags=re.S)
