"""The REST API of the measures: the cards that the pages show, without an account."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions, serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from poolbench.cards import Parameter
from poolbench.evaluation.measures.family import GROUPS, MeasureFamily, WorkedExample
from poolbench.evaluation.measures.lookup import (
    accepted_spellings,
    default_measures,
    find_family,
    variant_names,
)
from poolbench.evaluation.measures.registry import FAMILIES
from poolbench.evaluation.measures.values import KINDS
from poolbench.evaluation.worked_examples import work_card_example

NAME = OpenApiParameter("name", str, "path", description="A measure family or one of its measures.")


class ParameterSerializer(Serializer[Any]):
    name = serializers.CharField()
    meaning = serializers.CharField()
    values = serializers.CharField(help_text="Accepted values.")
    choices = serializers.ListField(child=serializers.CharField())
    default = serializers.CharField()
    written = serializers.ListField(
        child=serializers.CharField(), help_text="Measure names with this parameter."
    )
    common = serializers.BooleanField(help_text="Also a parameter of other families.")


class ExampleSerializer(Serializer[Any]):
    measure = serializers.CharField()
    ranking = serializers.ListField(
        child=serializers.IntegerField(allow_null=True),
        help_text="Grades in rank order; null is unjudged.",
    )
    judged = serializers.ListField(child=serializers.IntegerField())
    working = serializers.CharField()
    by_hand = serializers.FloatField()
    value = serializers.FloatField(allow_null=True, help_text="Computed value.")


class MeasureSerializer(Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    group = serializers.CharField()
    formula = serializers.CharField()
    reading = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    range = serializers.CharField()
    undefined = serializers.CharField(help_text="When the value is null; empty: never.")
    edge_cases = serializers.ListField(child=serializers.CharField())
    aggregate = serializers.CharField(help_text="Over topics: mean, sum or geometric.")
    names = serializers.ListField(child=serializers.CharField(), help_text="Accepted names.")
    stands_for = serializers.ListField(
        child=serializers.CharField(), help_text="Measures that the family name alone stands for."
    )
    parameters = ParameterSerializer(many=True)
    examples = ExampleSerializer(many=True)


class MeasureViewSet(viewsets.GenericViewSet[Any]):
    """Measures: cards and worked examples. No account required."""

    serializer_class = MeasureSerializer
    permission_classes = (permissions.AllowAny,)
    filter_backends = ()
    lookup_field = "name"
    lookup_value_regex = "[^/]+"

    def get_queryset(self) -> Any:
        return list(FAMILIES.values())

    @extend_schema(responses=MeasureSerializer(many=True))
    def list(self, _request: Request, **_: Any) -> Response:
        """All measure families, in the order of printing."""
        families: Sequence[MeasureFamily] = self.paginate_queryset(self.get_queryset()) or ()
        return self.get_paginated_response([family_dict(family.name) for family in families])

    @extend_schema(responses=MeasureSerializer, parameters=[NAME])
    def retrieve(self, _request: Request, name: str, **_: Any) -> Response:
        """A measure family, by its name or the name of one of its measures, such as nDCG@10."""
        family, _given = find_family(name)
        if family is None:
            raise Http404
        return Response(family_dict(family.name))


@cache
def family_dict(name: str) -> dict[str, Any]:
    """The card as plain values."""
    family = FAMILIES[name]
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
        "parameters": [
            parameter_dict(family, parameter) for parameter in family.all_parameters().values()
        ],
        "examples": [example_dict(family, example) for example in family.examples],
    }


def parameter_dict(family: MeasureFamily, parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "meaning": parameter.meaning,
        "values": KINDS[parameter.kind].description,
        "choices": list(parameter.choices),
        "default": parameter.default,
        "written": variant_names(family, parameter),
        "common": parameter.name in family.modifiers,
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
