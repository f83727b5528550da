"""Sentences of several parts, which a template may lay out over several lines."""

import re

from django import template
from django.template.base import NodeList, Parser, TextNode, Token
from django.template.context import Context

register = template.Library()
# Noncharacters of Unicode, which no value holds: only the template's own text is changed.
BLANK, STOP = "\ufdd0", "\ufdd1"


class SentenceNode(template.Node):
    """What is between the tags, without the blanks that only lay out the template."""

    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: Context) -> str:
        text = self.nodelist.render(context).strip(BLANK)
        text = re.sub(f"{BLANK}+(?={STOP})", "", text)
        return re.sub(f"{BLANK}+", " ", text).replace(STOP, "")


@register.tag("sentence")
def parse_sentence(parser: Parser, _token: Token) -> SentenceNode:
    """``{% sentence %}a{% if b %}, b{% endif %}.{% endsentence %}``, over as many lines as needed.

    Runs of blanks in the template's text count as one, and as none at both ends and before
    punctuation. Values are never changed.
    """
    nodelist = parser.parse(("endsentence",))
    parser.delete_first_token()
    for node in nodelist.get_nodes_by_type(TextNode):
        if isinstance(node, TextNode):
            text = re.sub(r"\s+", BLANK, node.s)
            node.s = re.sub(rf"(^|{BLANK})(?=[,.;:)])", rf"\1{STOP}", text)
    return SentenceNode(nodelist)
