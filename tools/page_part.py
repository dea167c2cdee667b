"""A generated part of a page, between <!-- NAME: begin --> and <!-- NAME: end -->."""
import pathlib
import sys


def replace(page, name, lines):
    """Puts the lines in place of what is between the marks. Ends the program where the page has no such marks."""
    page = pathlib.Path(page)
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    text = page.read_text()
    if begin not in text or end not in text:
        sys.exit(f"{page} has no part between '{begin.strip()}' and '{end}'")
    head, _, rest = text.partition(begin)
    page.write_text(head + begin + "\n".join(lines) + "\n" + end + rest.partition(end)[2])
