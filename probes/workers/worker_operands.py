"""Operands of products, as every library that is timed takes them; no library is needed here."""


def operands(shape, direction):
    """Return stored shape and transposition of both operands of a `GemmShape`.

    The gradients are those of a dense layer y[m,n] = x[m,k] w[k,n]: of x by a product with the
    transposed w, of w by a product with the transposed x, as frameworks compute them.
    """
    m, n, k = shape["m"], shape["n"], shape["k"]
    if direction == "input_gradient":
        return ((m, n), False), ((k, n), True)
    if direction == "weight_gradient":
        return ((m, k), True), ((m, n), False)
    a = (k, m) if shape["transpose_a"] else (m, k)
    b = (n, k) if shape["transpose_b"] else (k, n)
    return (a, shape["transpose_a"]), (b, shape["transpose_b"])
