"""A page as a browser sees it, for tests of files that need nothing else."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """The tags, IDs, links and texts; checks that elements are closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.found: list[tuple[str, str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in ("meta", "hr"):
            self.open.append(tag)
            self.found.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            tag, text = self.found[-1]
            self.found[-1] = (tag, text + data)

    def texts(self, tag: str) -> list[str]:
        return [text.strip() for name, text in self.found if name == tag]
