"""Arithmetic of windows that slide over space: sizes of results, and where the channels are.

Leaves to others: the layers that use windows (`rules_convolution`, `rules_pooling`).
"""

from dataclasses import dataclass

from advisor.network.call import Call, Shape

_PADDINGS = ("valid", "same", "causal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A per-sample shape as space and channels."""

    spatial: Shape
    channels: int
    is_channels_first: bool

    def shape(self, spatial: Shape, *, channels: int) -> Shape:
        """Return a per-sample shape with the channels where this image has them."""
        return (channels, *spatial) if self.is_channels_first else (*spatial, channels)


def read_rank(class_name: str) -> int:
    """Return 1, 2 or 3: the spatial dimensions in the name of a layer ("Conv2DTranspose")."""
    return next(int(letter) for letter in class_name if letter in "123")


def read_image(call: Call, rank: int) -> Image:
    """Return the first input as space and channels."""
    shape = call.require_rank(rank + 1)
    order = call.fields.raw("data_format") or "channels_last"
    if order == "channels_first":
        return Image(spatial=shape[1:], channels=shape[0], is_channels_first=True)
    if order != "channels_last":
        raise call.fields.refuse(f"'data_format' is {order!r}, not channels_last or channels_first")
    return Image(spatial=shape[:-1], channels=shape[-1], is_channels_first=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A window: its size, step, spread, and how the border is treated."""

    kernel: Shape
    strides: Shape
    dilation: Shape
    padding: str


def read_window(call: Call, rank: int) -> Window:
    """Return the window of a convolution."""
    fields = call.fields
    return Window(
        kernel=fields.integers("kernel_size", length=rank),
        strides=fields.integers("strides", length=rank, default=1),
        dilation=fields.integers("dilation_rate", length=rank, default=1),
        padding=fields.choice("padding", default="valid", allowed=_PADDINGS),
    )


def window_output(call: Call, window: Window, *, spatial: Shape) -> Shape:
    """Return how many windows fit along each dimension.

    Raises:
        NetworkFileError: when a window is larger than its input.
    """
    sizes = []
    for size, kernel, stride, dilation in zip(
        spatial, window.kernel, window.strides, window.dilation, strict=True
    ):
        reach = 0 if window.padding in ("same", "causal") else (kernel - 1) * dilation
        sizes.append((size - reach - 1) // stride + 1)
    if min(sizes) < 1:
        raise call.fields.refuse(
            f"its window {window.kernel} is larger than its input {spatial}: "
            "use a larger input or padding 'same'"
        )
    return tuple(sizes)


def transposed_output(call: Call, window: Window, *, spatial: Shape) -> Shape:
    """Return the size of a transposed convolution's result (the inverse of `window_output`)."""
    rank = len(spatial)
    extra = call.fields.raw("output_padding")
    extras = (
        (None,) * rank
        if extra is None
        else call.fields.integers("output_padding", length=rank, minimum=0)
    )
    sizes = []
    for size, kernel, stride, dilation, more in zip(
        spatial, window.kernel, window.strides, window.dilation, extras, strict=True
    ):
        reach = (kernel - 1) * dilation + 1
        if more is None:
            sizes.append(
                size * stride + (0 if window.padding == "same" else max(reach - stride, 0))
            )
        else:
            pad = reach // 2 if window.padding == "same" else 0
            sizes.append((size - 1) * stride + reach - 2 * pad + more)
    return tuple(sizes)
