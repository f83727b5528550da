"""The REST API of data files: those for everybody need no token."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import permissions, serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from campaigns.api.attachments import stored_file_response
from campaigns.api.authentication import TokenScope
from campaigns.api.limits import PlainJSONParser
from campaigns.api.requests import ConfirmSerializer, read_fields, request_user
from campaigns.api.resources import CAMPAIGN, filter_campaigns, read_act
from campaigns.api.run_fields import read_upload_bytes
from campaigns.models import DataFile, User
from campaigns.queries.data_files import find_version
from campaigns.rules import require_permission
from campaigns.services.data_files import add_data_file, release_data_file
from campaigns.services.made_files import request_made_files


class DataFileSerializer(serializers.ModelSerializer[DataFile]):
    campaign = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    version = serializers.SerializerMethodField()
    holds = serializers.SerializerMethodField(help_text="What the newest version holds.")
    size = serializers.SerializerMethodField(help_text="Bytes.")
    sha256 = serializers.SerializerMethodField()
    at = serializers.SerializerMethodField()

    class Meta:
        model = DataFile
        fields = (
            "id", "campaign", "name", "title", "holds", "licence", "audience", "version", "size",
            "sha256", "at",
        )  # fmt: skip
        read_only_fields = fields

    def get_version(self, file: DataFile) -> int:
        return file.versions.all()[0].number

    def get_holds(self, file: DataFile) -> str:
        return file.versions.all()[0].holds

    def get_size(self, file: DataFile) -> int:
        return file.versions.all()[0].size

    def get_sha256(self, file: DataFile) -> str:
        return file.versions.all()[0].sha256

    @extend_schema_field(OpenApiTypes.DATETIME)
    def get_at(self, file: DataFile) -> str:
        return file.versions.all()[0].at.isoformat()


class DataUploadSerializer(Serializer[Any]):
    campaign = serializers.SlugField()
    file = serializers.FileField(allow_empty_file=True)
    name = serializers.CharField(
        required=False, max_length=100, help_text="Default: the name of the upload."
    )
    title = serializers.CharField(max_length=120)
    holds = serializers.CharField(required=False, default="", max_length=200)
    licence = serializers.CharField(required=False, default="", max_length=2_000)
    note = serializers.CharField(
        required=False, default="", max_length=300, help_text="What has changed, in a new version."
    )


class WideningSerializer(ConfirmSerializer):
    audience = serializers.ChoiceField(choices=DataFile.Audience.choices)


class IsReaderOrSignedIn(permissions.BasePermission):
    """Everybody may read what ``visible_to`` lets them see; to act one signs in."""

    def has_permission(self, request: Request, view: Any) -> bool:  # noqa: ARG002 (the protocol's)
        reads = request.method in permissions.SAFE_METHODS
        return reads or bool(request.user and request.user.is_authenticated)


@extend_schema(parameters=[CAMPAIGN])
class DataFileViewSet(viewsets.ReadOnlyModelViewSet[DataFile]):
    """Data files that you can download."""

    queryset = DataFile.objects.none()
    serializer_class = DataFileSerializer
    permission_classes = (IsReaderOrSignedIn, TokenScope)
    parser_classes = (MultiPartParser,)

    def get_queryset(self) -> QuerySet[DataFile]:
        files = DataFile.objects.visible_to(self.request.user)
        if slug := self.request.query_params.get("campaign"):
            files = files.filter(campaign__slug=slug)
        return files.select_related("campaign").prefetch_related("versions")

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """What has to be made anew for a campaign that is named is requested."""
        if request.query_params.get("campaign") and isinstance(request.user, User):
            for campaign in filter_campaigns(request):
                request_made_files(campaign)
        return super().list(request, *args, **kwargs)

    @extend_schema(
        request={"multipart/form-data": DataUploadSerializer}, responses={201: DataFileSerializer}
    )
    def create(self, request: Request) -> Response:
        """Add a file, for organizers so far, or a new version of one, for whom that is."""
        actor, campaign, fields = read_act(DataUploadSerializer, request)
        upload = fields.pop("file")
        fields.setdefault("name", upload.name)
        data = read_upload_bytes(upload)
        version = add_data_file(actor=actor, campaign=campaign, data=data, **fields)
        return Response(self.get_serializer(version.file).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=WideningSerializer, responses=DataFileSerializer)
    @action(detail=True, methods=["post"], parser_classes=[PlainJSONParser])
    def release(self, request: Request, pk: str) -> Response:  # noqa: ARG002 (the route's)
        """Give a file to the teams or to everybody, for good."""
        actor, file = request_user(request), self.get_object()
        require_permission(actor, "campaigns.manage", file.campaign)
        fields = read_fields(WideningSerializer, request)
        released = release_data_file(actor=actor, file=file, **fields)
        return Response(self.get_serializer(released).data)

    @extend_schema(
        parameters=[OpenApiParameter("sha256", str, description="An earlier version.")],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    @action(detail=True)
    def file(self, request: Request, pk: str) -> HttpResponseBase:  # noqa: ARG002 (the route's)
        """The content, or a range of it. Earlier versions are for organizers."""
        file = self.get_object()
        digest = request.query_params.get("sha256", "")[:64]
        version = find_version(request.user, file.campaign.slug, file.name, digest)
        if version is None:
            raise Http404
        return stored_file_response(
            request._request,  # noqa: SLF001 (Django's, for conditional requests)
            version.path,
            name=file.name,
            size=version.size,
            sha256=version.sha256,
        )
