"""Recurrent layers on an OpenCL device: LSTM and GRU, in the tile that is fastest for them.

Leaves to others: what a layer launches (`opencl_recurrent_layer`, `opencl_gru`), timing.
"""

import opencl_choices
import opencl_device
import opencl_fastest
import opencl_gru
import opencl_panels
import opencl_recurrent_layer
import opencl_work
import worker_errors

_LAYERS = {"lstm": opencl_recurrent_layer.LstmLayer, "gru": opencl_gru.GruLayer}
# Timesteps of a trial.
_TRIAL_TIMESTEPS = 4


def _build(device, shape, precision, direction, tile, timesteps):
    """Return the work of a layer with a tile for its products."""
    workspace = opencl_device.Workspace(device)
    try:
        layers = [
            _LAYERS[shape["cell"]](
                device, shape, precision, tile, timesteps, is_reversed, workspace
            )
            for is_reversed in ((False, True) if shape["is_bidirectional"] else (False,))
        ]
        launches = [launch for layer in layers for launch in layer.forward()]
        checks = [layer.check_forward for layer in layers]
        if direction == "backward":
            # The states and gates that it goes back over come from one forward pass.
            before = opencl_work.Work(device, opencl_device.Workspace(device), launches, str)
            before.check()
            launches = [launch for layer in layers for launch in layer.backward()]
            checks = [layer.check_backward for layer in layers]
    except BaseException:
        workspace.release()
        raise
    return opencl_work.Work(
        device, workspace, launches, lambda: "; ".join(check() for check in checks)
    )


def prepare(device, shape, precision, direction):
    """Return a layer, its products in the tiles that are fastest in a short sequence."""
    cell = shape["cell"]
    if cell not in _LAYERS:
        raise worker_errors.UnsupportedKernel("OpenCL has no kernel for the cell " + cell.upper())
    device.numbers(precision)
    tiles = opencl_panels.tiles_for(device, _LAYERS[cell].N_GATES * shape["hidden"])
    sizes = (opencl_choices.magnitude(shape[name]) for name in ("batch", "input", "hidden"))
    key = (cell, precision, direction, *sizes)

    def builders(timesteps):
        return [
            lambda tile=tile: _build(device, shape, precision, direction, tile, timesteps)
            for tile in tiles
        ]

    candidates = builders(min(_TRIAL_TIMESTEPS, shape["timesteps"]))
    return opencl_fastest.Chosen(
        device, key, builders(shape["timesteps"]),
        lambda index, _trial: opencl_fastest.seconds_of(device, candidates[index]),
        lambda: opencl_fastest.try_all(device, candidates),
    )  # fmt: skip
