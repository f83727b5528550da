"""The REST API of the measures' cards: what the pages say of each, for everyone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions, serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.core.cards import Parameter
from evaluation.core.measures.family import MeasureFamily, WorkedExample
from evaluation.core.measures.groups import GROUPS
from evaluation.core.measures.lookup import (
    accepted_spellings,
    default_measures,
    find_family,
    variant_names,
)
from evaluation.core.measures.registry import FAMILIES
from evaluation.core.measures.values import KINDS
from evaluation.core.worked_examples import work_card_example

NAME = OpenApiParameter("name", str, "path", description="Of the family, or of a measure of it.")


class ParameterSerializer(Serializer[Any]):
    name = serializers.CharField()
    meaning = serializers.CharField()
    values = serializers.CharField(help_text="What is read as a value.")
    choices = serializers.ListField(child=serializers.CharField())
    default = serializers.CharField()
    written = serializers.ListField(child=serializers.CharField(), help_text="Measures with it.")
    common = serializers.BooleanField(help_text="Measures of other families take it too.")


class ExampleSerializer(Serializer[Any]):
    measure = serializers.CharField()
    ranking = serializers.ListField(
        child=serializers.IntegerField(allow_null=True),
        help_text="Grades in rank order; null is unjudged.",
    )
    judged = serializers.ListField(child=serializers.IntegerField())
    working = serializers.CharField()
    by_hand = serializers.FloatField()
    value = serializers.FloatField(allow_null=True, help_text="As the engine computes it now.")


class MeasureSerializer(Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    group = serializers.CharField()
    formula = serializers.CharField()
    reading = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    range = serializers.CharField()
    undefined = serializers.CharField(help_text="When it is null; empty: never.")
    edge_cases = serializers.ListField(child=serializers.CharField())
    aggregate = serializers.CharField(help_text="Over topics: mean, sum or geometric.")
    names = serializers.ListField(child=serializers.CharField(), help_text="How it is written.")
    stands_for = serializers.ListField(
        child=serializers.CharField(), help_text="Measures that the bare name stands for."
    )
    parameters = ParameterSerializer(many=True)
    examples = ExampleSerializer(many=True)


class MeasureViewSet(viewsets.GenericViewSet[Any]):
    """The measures: cards and examples. No account is needed."""

    serializer_class = MeasureSerializer
    permission_classes = (permissions.AllowAny,)
    filter_backends = ()
    lookup_field = "name"
    lookup_value_regex = "[^/]+"

    def get_queryset(self) -> Any:
        return list(FAMILIES.values())

    @extend_schema(responses=MeasureSerializer(many=True))
    def list(self, _request: Request, **_: Any) -> Response:
        """Every family of measures, in the order of printing."""
        found: Sequence[MeasureFamily] = self.paginate_queryset(self.get_queryset()) or ()
        return self.get_paginated_response([family_dict(family) for family in found])

    @extend_schema(responses=MeasureSerializer, parameters=[NAME])
    def retrieve(self, _request: Request, name: str, **_: Any) -> Response:
        """One family, by its own name or that of any measure of it, such as nDCG@10."""
        family, _given = find_family(name)
        if family is None:
            raise Http404
        return Response(family_dict(family))


def family_dict(family: MeasureFamily) -> dict[str, Any]:
    """The card as plain values."""
    card = family.card
    return {
        "name": card.name,
        "title": card.title,
        "group": GROUPS[family.group].title,
        "formula": card.formula,
        "reading": card.reading,
        "source": card.source,
        "range": card.range,
        "undefined": card.undefined,
        "edge_cases": list(card.edge_cases),
        "aggregate": family.aggregate,
        "names": accepted_spellings(family),
        "stands_for": default_measures(family),
        "parameters": [parameter_dict(family, it) for it in family.parameters().values()],
        "examples": [example_dict(family, example) for example in family.examples],
    }


def parameter_dict(family: MeasureFamily, known: Parameter) -> dict[str, Any]:
    return {
        "name": known.name,
        "meaning": known.meaning,
        "values": KINDS[known.kind].description,
        "choices": list(known.choices),
        "default": known.default,
        "written": variant_names(family, known),
        "common": known.name in family.modifiers,
    }


def example_dict(family: MeasureFamily, example: WorkedExample) -> dict[str, Any]:
    worked = work_card_example(family, example)
    return {
        "measure": worked.name,
        "ranking": list(example.ranked),
        "judged": list(example.judged),
        "working": example.working,
        "by_hand": example.value,
        "value": worked.value,
    }
