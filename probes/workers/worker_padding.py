"""Zeros around an axis that give a convolution or pool its output."""


def padding_of(size, kernel, stride, dilation, output):
    """Return the zeros before and after one axis that give an output of this size.

    Zeros that do not divide by two go to the end, as TensorFlow does.
    """
    reach = (output - 1) * stride + (kernel - 1) * dilation + 1
    total = max(0, reach - size)
    return total // 2, total - total // 2
