"""Submissions and copies between host and device."""

import numpy as np
import pytest
from worker_errors import UnsupportedKernel, WrongResult

from tests.helpers.opencl import request, shared_runner


def transfer(to, size_bytes=400_004):
    return {"type": "TransferShape", "to": to, "size_bytes": size_bytes}


def test_a_submission_takes_time():
    prepared = shared_runner().prepare(request({"type": "OverheadShape", "kind": "launch"}))
    assert prepared.check()
    assert 0.0 < prepared.run(100) < 10.0
    prepared.close()


def test_each_submission_is_waited_for(monkeypatch):
    device = shared_runner()._device
    prepared = shared_runner().prepare(request({"type": "OverheadShape", "kind": "launch"}))
    log = []

    class Queue:
        def finish(self):
            log.append("finish")

    monkeypatch.setattr(device, "queue", Queue())
    monkeypatch.setattr(prepared._launch, "enqueue", lambda: log.append("submit"))
    prepared.run(3)
    assert log == ["submit", "finish"] * 3


def test_queued_submissions_are_waited_for_once(monkeypatch):
    device = shared_runner()._device
    kernel = request({"type": "OverheadShape", "kind": "queued_launch"})
    prepared = shared_runner().prepare(kernel)
    assert prepared.check()
    log, queue = [], device.queue

    class Queue:
        def flush(self):
            log.append("flush")

        def finish(self):
            log.append("finish")

    def submit():
        log.append("submit")
        return 1

    monkeypatch.setattr(device, "queue", Queue())
    (launch,) = prepared._launches
    monkeypatch.setattr(launch, "enqueue", submit)
    assert prepared.run(100) > 0.0
    assert log.count("submit") == 100
    assert log.count("finish") == 1
    assert log[-1] == "finish"
    monkeypatch.setattr(device, "queue", queue)
    prepared.close()


def test_other_overheads_are_unsupported():
    with pytest.raises(UnsupportedKernel, match="train_call"):
        shared_runner().prepare(request({"type": "OverheadShape", "kind": "train_call"}))


@pytest.mark.parametrize("to", ["device", "host"])
def test_everything_that_is_sent_arrives(to):
    prepared = shared_runner().prepare(request(transfer(to)))
    assert prepared.check().startswith("100001 values")
    assert prepared.run(300) > 0.0
    prepared.close()


def test_what_does_not_arrive_is_noticed(monkeypatch):
    prepared = shared_runner().prepare(request(transfer("host")))
    monkeypatch.setattr(prepared, "_copy", lambda: None)
    with pytest.raises(WrongResult):
        prepared.check()
    assert not np.any(prepared._sent)
    prepared.close()


def test_another_target_is_unsupported():
    with pytest.raises(UnsupportedKernel, match="'moon'"):
        shared_runner().prepare(request(transfer("moon")))
