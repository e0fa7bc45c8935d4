"""The bundled facts and the machine of the first study."""

import pytest

from advisor.model.codec import load_document
from advisor.model.machine import MachineProfile
from tests.advisor.findings.builders import A10, advise, market


@pytest.fixture(scope="module")
def knowledge():
    return market()[0]


@pytest.fixture(scope="module")
def kaveri():
    return load_document(A10.read_text(encoding="utf-8"), MachineProfile)


@pytest.fixture(scope="module")
def kaveri_advice(knowledge, kaveri):
    return advise(knowledge, kaveri, "cifar10-deep-cnn", allows_cloud=False, allows_buying=False)
