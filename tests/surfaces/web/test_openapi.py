"""What the OpenAPI document says is what the running page answers, route by route, in both directions."""

import json

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from sayso.surfaces.web.application import static_files
from tests.web_env.page import FINE, SHAPES, Compared
from tools.pages.openapi import TO_PAGE, all_routes, components, document
from tools.reference import FOLDER

WITHOUT_A_LIMIT = {"ExposedPrincipal", "HandlerLine", "ReportedLine", "UserNote", "WireInstance"}
"""Structs of the core and of the socket, which are sent as they are."""
KEPT = json.loads((FOLDER / "page.openapi.json").read_text("utf-8"))


def references(text: str) -> set[str]:
    """Return the names of the schemas that a document refers to."""
    return {part.partition('"')[0] for part in text.split('"#/components/schemas/')[1:]}


def test_every_route_stands_in_the_document_or_is_a_file_and_the_document_names_no_other():
    routes = all_routes()
    running = {(one.path, method) for one in routes if isinstance(one, Route) for method in one.methods or ()}
    told = {(path, method.upper()) for path, methods in KEPT["paths"].items() for method in methods}
    files = {(path, "GET") for path in static_files()}
    sockets = [one.path for one in routes if isinstance(one, WebSocketRoute)]

    assert {one for one in running if one[1] != "HEAD"} == told | files
    assert sockets == [KEPT["x-socket"]["path"]]


def test_what_changes_something_says_what_it_takes_and_every_route_says_what_it_does():
    for path, methods in KEPT["paths"].items():
        for method, told in methods.items():
            assert told["summary"].endswith("."), path
            assert path == "/api/leave" or ("requestBody" in told) == (method == "post"), path


def test_every_reference_leads_to_a_schema_and_each_operation_has_one_name():
    names = [told["operationId"] for methods in KEPT["paths"].values() for told in methods.values()]

    assert references(json.dumps(KEPT)) <= {*KEPT["components"]["schemas"]}
    assert len({*names}) == len(names)


def test_each_answer_is_a_struct_that_its_handler_returns_and_the_document_has_its_shape():
    told = {
        f"{method.upper()} {path}": response["content"]
        for path, methods in KEPT["paths"].items()
        for method, one in methods.items()
        for status, response in one["responses"].items()
        if int(status) < FINE and "content" in response
    }
    export = told.pop("GET /api/export")

    assert told.keys() == SHAPES.keys()
    assert all(one["application/json"]["schema"].keys() == {"$ref"} for one in told.values())
    assert [*export] == ["application/x-ndjson"]


def test_an_answer_has_no_members_but_those_of_its_shape():
    open_ones = {
        name
        for shape in SHAPES.values()
        for name, schema in components([shape])[1].items()
        if "properties" in schema and schema.get("additionalProperties") is not False
    }

    assert open_ones == WITHOUT_A_LIMIT


async def test_an_answer_of_another_shape_is_found_by_every_test_that_serves_the_page():
    wrong: list[str] = []

    def odd(_: Request) -> Response:
        return JSONResponse({"ok": True})

    answer = Starlette(routes=[Route("/api/verify", odd)])

    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(Compared(answer, wrong)), base_url="http://x") as web:
        await web.get("/api/verify")

    assert "GET /api/verify: Object missing required field" in wrong[0]


def test_what_handlers_look_for_and_answer_is_found_in_their_code():
    rows, said = KEPT["paths"]["/api/rows"]["get"], KEPT["paths"]["/api/sessions/{id}/messages"]["post"]

    assert {one["name"] for one in rows["parameters"]} >= {"limit", "before", "operation", "state", "since"}
    assert {"202", "404", "409"} <= {*said["responses"]}
    assert "200" not in said["responses"]
    assert json.loads(json.dumps(document())) == KEPT
    assert len(KEPT["x-socket"]["to_page"]) == len(TO_PAGE)
