"""Why a run gave no figure, in the forms in which workers and their watchers say it.

A worker is a program of its own and speaks English; whoever shows its sentence looks it up here
(`advisor.report.said`). What a library says in an exception stays as the library says it.
Leaves to others: sentences inside advice (`advisor.report.sentences`).
"""

from advisor.i18n import N_

ENDED = (
    N_("the worker ended without a result"),
    N_("the worker ended in the middle of a line"),
    N_("the worker ended with exit status {code}"),
    N_("the worker closed its output without a result"),
    N_("the worker spoke on after its last message"),
    N_("the worker gave no reason"),
    N_("the worker gave times that make no sense"),
    N_("the worker did not end within {time} s"),
    N_("the worker did not start in {time} s"),
    N_("nothing was heard of the worker for {time} s"),
    N_("the worker ran out of memory"),
    N_("the system killed the worker (SIGKILL), most likely because memory ran out"),
    N_("the worker accessed memory that is not its own ({name})"),
    N_("the worker used an instruction that this processor does not have ({name})"),
    N_("the worker overflowed its stack ({name})"),
    N_("the worker was aborted ({name})"),
    N_("the worker aborted itself ({name})"),
    N_("the worker divided by zero ({name})"),
    N_("the worker was stopped by a signal ({name})"),
    N_("the worker was ended: {why}"),
    N_("it started more than {n} processes"),
    N_("it used more than {size} GiB of memory"),
    N_("cannot start {name}: {why}"),
    N_("cancelled; the worker had to be killed"),
)
NOT_RUN = (
    N_("the time was used up before its turn"),
    N_("the time set aside was used up"),
    N_("the time set aside ({time} s) was used up"),
    N_("given up after {n} kernels had ended their worker"),
    N_("it was not run"),
    N_("there is no figure of the state now to compare with"),
)
WRONG = (
    N_("after the same steps the check value is {own}, {usual} without the setting"),
    N_("the loss is not a number after the first steps"),
    N_("training does not change any weight"),
    N_("the network gives values that are not numbers"),
    N_("the result has {n} values, expected {wanted}"),
    N_("the result is off by {share} of {what} (allowed {limit})"),
    N_("each way to compute it gave a wrong result"),
)
UNSUPPORTED = (
    N_("this Python has no package {name}"),
    N_("to quantise, this Python needs the package {name}"),
    N_("{python} has no package {name}: install it there, or choose another Python"),
    N_("this package of DL Advisor has no {name}: install it into a Python of yours, which is then"
       " found, or take the full package"),
    N_("the user's own data are read with Keras only"),
    N_("the user's own code runs with Keras only"),
    N_("the network leaves a dimension of {name} open: fix it, or give data"),
    N_("the table needs inputs and a last column"),
    N_("the file needs two arrays: x and y"),
    N_("the data have inputs of shape {shape}, the network wants {wanted}"),
    N_("the function of the data returns no tf.data.Dataset"),
    N_("not a Python file"),
    N_("the file ends the program when loaded"),
    N_("the file has no function {name}"),
    N_("the function ends the program"),
    N_("the function {name} returns {kind}, not a Keras model"),
    N_("the model has no input shape: build it"),
    N_("the configuration is no network"),
    N_("Keras does not run networks in {precision}"),
    N_("PyTorch is not tried in {precision}"),
    N_("ONNX Runtime does not train"),
    N_("ONNX Runtime is tried in float32 and int8"),
    N_("without Keras images as outputs are not tried"),
    N_("without Keras this loss is not tried"),
    N_("without Keras {what} is not tried"),
    N_("a network with several outputs"),
    N_("a network without exactly one input"),
    N_("a network with channels first"),
    N_("a network with an open input shape"),
    N_("a network that leaves its input open"),
    N_("an average over padded edges"),
    N_("the activation {name}"),
    N_("a layer {kind} like this"),
)  # fmt: skip
RUN_SENTENCES = (*ENDED, *NOT_RUN, *WRONG, *UNSUPPORTED)
