"""Names of the operations of `keras.ops` and TensorFlow that are alike in what they cost.

In lower case, without signs: "truediv" for the layer "math.truediv" and the operation "TrueDiv".
Leaves to others: what they cost (`advisor.network.rules_operations`).
"""

# On values of two or more tensors that stand in the same place.
BINARY = (
    "add", "subtract", "multiply", "divide", "truedivide", "truediv", "sub", "mul", "maximum",
    "minimum", "power", "pow", "floordivide", "addv2", "realdiv", "squareddifference",
    "mod", "floormod", "equal", "notequal", "greater", "greaterequal", "less", "lessequal",
    "logicaland", "logicalor", "logicalxor", "where", "arctan2", "bitwiseand", "bitwiseor",
    "bitwisexor", "bitwiseleftshift", "leftshift", "bitwiserightshift", "rightshift", "gcd", "lcm",
    "hypot", "heaviside", "isclose", "ldexp", "logaddexp", "logaddexp2", "fmax", "fmin", "fmod",
    "dividenonan", "divnonan", "floordiv", "atan2", "xlogy", "xdivy", "nextafter", "polar",
    "binarycrossentropy",
)  # fmt: skip
# On each value by itself.
UNARY = (
    "relu", "relu6", "sigmoid", "tanh", "exp", "log", "sqrt", "rsqrt", "square", "absolute", "abs",
    "negative", "neg", "softplus", "softsign", "silu", "swish", "gelu", "elu", "selu", "leakyrelu",
    "hardsigmoid", "hardsilu", "hardswish", "erf", "cast", "clip", "clipbyvalue", "logsigmoid",
    "sin", "cos", "reciprocal", "sign", "floor", "round", "identity", "stopgradient", "celu",
    "sparsesoftmax", "hardtanh", "tanhshrink", "softshrink", "hardshrink", "log1p", "expm1",
    "zeroslike", "oneslike", "cumsum", "cumprod", "isnan", "isinf", "isfinite",
    "logicalnot", "ceil", "trunc", "tan", "arctan", "sinh", "cosh", "threshold", "sparsesigmoid",
    "sparseplus", "squareplus", "fabs", "angle", "arccos", "arccosh", "arcsin", "arcsinh",
    "arctanh", "bitwiseinvert", "bitwisenot", "cbrt", "conjugate", "conj", "deg2rad", "rad2deg",
    "emptylike", "exp2", "fulllike", "imag", "i0", "isneginf", "isposinf", "isreal", "log10",
    "log2", "nancumsum", "nancumprod", "nantonum", "real", "signbit", "sinc", "erfc", "erfinv",
    "rgbtohsv", "hsvtorgb", "saturatecast", "associativescan", "digitize", "searchsorted", "isin",
    "view", "dropout",
)  # fmt: skip
# Along axes.
REDUCING = (
    "mean", "sum", "max", "min", "reducemean", "reducesum", "reducemax", "reducemin", "amax",
    "amin", "average", "prod", "any", "all", "var", "std", "logsumexp", "argmax", "argmin",
    "nanargmax", "nanargmin", "nanmax", "nanmin", "nanmean", "nansum", "nanprod", "nanstd",
    "nanvar", "countnonzero", "ptp", "norm", "reducevariance", "reducestd", "reduceprod",
    "reducelogsumexp",
)  # fmt: skip
# In order along an axis; `MIDDLING` take some of them.
SORTING = ("sort", "argsort", "sparsemax", "argpartition")
MIDDLING = (
    "median", "quantile", "percentile", "nanmedian", "nanquantile", "nanpercentile"
)  # fmt: skip
