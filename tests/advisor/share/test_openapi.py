"""The OpenAPI document is true: nothing that it allows or forbids makes the server fail."""

import json
import re
import subprocess
import sys

import pytest
import requests

from advisor.share.upload import canonical_bytes
from tests.advisor.share.builders import upload
from tests.advisor.share.servers import Collector


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("openapi")
    with Collector(folder / "c.sqlite", folder=folder) as made:
        yield made


def test_every_answer_is_documented(server):
    paths = requests.get(f"{server.url}/openapi.json", timeout=20).json()["paths"]
    put = paths["/v1/uploads/{upload_id}"]["put"]
    assert set(put["responses"]) == {
        *("200", "201", "202", "400", "408", "409", "410", "413", "415", "422", "429", "503"),
    }  # fmt: skip
    assert set(paths["/v1/uploads"]["delete"]["responses"]) == {"204", "401", "422", "503"}
    assert set(paths) == {
        *("/v1/uploads/{upload_id}", "/v1/uploads", "/v1/aggregates", "/v1/aggregates.csv"),
        "/v1/health",
    }  # fmt: skip


def test_an_upload_fits_the_documented_schema(server, knowledge):
    import jsonschema

    document = requests.get(f"{server.url}/openapi.json", timeout=20).json()
    body = document["paths"]["/v1/uploads/{upload_id}"]["put"]["requestBody"]
    schema = body["content"]["application/json"]["schema"]
    jsonschema.validate(json.loads(canonical_bytes(upload(knowledge))), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"host": "gandalf"}, schema)


@pytest.mark.slow
def test_schemathesis_finds_no_server_error(server, tmp_path):
    words = [
        *(sys.executable, "-P", "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json"),
        *("--checks", "not_a_server_error,status_code_conformance,content_type_conformance"),
        *("--max-examples", "100", "--generation-deterministic", "--no-color"),
        *("-H", f"Authorization: Bearer {'A' * 43}"),
    ]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=280, check=False)
    text = (done.stdout + done.stderr).decode(errors="replace")
    assert done.returncode == 0, text[-4000:]
    n_made, n_passed = map(int, re.search(r"(\d+) generated, (\d+) passed", text).groups())
    assert n_made == n_passed >= 300, text[-4000:]
    assert requests.get(f"{server.url}/v1/health", timeout=20).status_code == 200
