"""Lines that are told at the edge: what was refused and why, what a command did.

An error is made deep inside, in English; whoever shows it looks it up here
(`advisor.report.said.said_line`).
Leaves to others: sentences inside values (`advisor.report.sentences`).
"""

from advisor.i18n import N_

REFUSED = (
    N_("give one network: WORKLOAD, --network or --model"),
    N_("give either a bundled network or a model file"),
    N_("no bundled network is called {name}: {hint}"),
    N_("`dl-advisor networks` lists all; --model FILE takes one of your own"),
    N_("no device is called {name}; there is: {there}"),
    N_("no offer is in region {name}"),
    N_("there is no such file"),
    N_("cannot be read: {why}"),
    N_("cannot be written: {why}: choose another place"),
    N_("cannot be written: {why}"),
    N_("is a folder: give a file name"),
    N_("there is no folder {folder}: make it or choose another"),
    N_("too large to be a file of DL Advisor"),
    N_("not a text file"),
    N_("not a text file: give a .keras, .json or .onnx file of a model"),
    N_("not a regular file: give a .keras or .onnx file"),
    N_("the file is empty"),
    N_("not an ONNX file, or cut off"),
    N_("not a Keras model: save it with model.save('name.keras') or model.to_json()"),
    N_("not a .keras file: it is not a zip archive, or is cut off"),
    N_("the model has no layers that compute anything"),
    N_("int8 is for inference: train in float32, bfloat16 or float16"),
    N_("batch size is {n}, it must be {range}"),
    N_("out of memory: close other programs, or choose a smaller network or batch"),
    N_("{network} at batch {batch} needs about {needed} GiB for {phase}, this machine has {size}"
       " GiB: {advice}"),
    N_("try a batch size of {n}"),
    N_("choose a smaller network"),
    N_("there is no display for the window: use `dl-advisor advise`"),
    N_("no advice was made yet: run `dl-advisor advise`, or name a saved file"),
    N_("there is nothing to share yet: run `dl-advisor advise`"),
    N_("nothing was measured: run `dl-advisor advise`"),
    N_("the same was shared already: see `share list` (--again sends it anew)"),
    N_("no server is set: --server URL, or `share server URL` for ever"),
    N_("nobody is there to ask: look at `share preview`, then add --yes"),
    N_("no deep-learning framework is installed there"),
    N_("there is no such interpreter"),
    N_("trials run Keras networks: give .keras, .json or a Python file"),
)  # fmt: skip
REFUSED_TRIALS = (
    N_("there is no such file or folder"),
    N_("there is no such folder"),
    N_("{name} is not the name of a function"),
    N_("{files} would be executed with your rights: read it, then add --run-my-code"),
    N_("give FILE.npz, FILE.csv, an image folder or FILE.py:function"),
    N_("an image folder has one folder for each class"),
    N_("networks are not tried in int8: choose float32 or bfloat16"),
    N_("this advice is for another machine ({name}): press Advise me"),
    N_("the file of {name} is not chosen any more: choose it as the network"),
    N_("{name} cannot be installed: choose among {names}"),
    N_("{name} cannot be tried here: choose among {names}"),
    N_("nothing was installed: add --yes to agree"),
    N_("an environment is made from a Python: install one, or name it: --python"),
    N_("{needed} MiB are needed, {free} MiB are free"),
    N_("cannot be made: {why}"),
    N_("cannot be removed: {why}"),
    N_("{name} did not end within {time} s"),
    N_("{name} failed: {why}"),
    N_("the history cannot be opened: {why}"),
    N_("the history cannot be written: {why}"),
    N_("written by a newer DL Advisor (history {version}): update it"),
)
TOLD = (
    N_("nothing was tried yet: run `dl-advisor try`"),
    N_("the network cannot be run: {why}"),
    N_("nothing to apply in this form"),
    N_("cancelled"),
    N_("cancelled: what was fetched until now is kept"),
    N_("these {n} bytes would be sent {place}; nothing was sent"),
    N_("nothing was sent"),
    N_("nothing waits to be sent"),
    N_("few people have hardware like this ({names}): it may be recognised"),
    N_("the advice could not be kept for later: {why}"),
    N_("{table}: {n} rows, of today"),
    N_("{table}: {n} rows, unchanged until today"),
    N_("{table}: the old prices stay in use: {why}"),
    N_("no server is set"),
)
LINES = (*REFUSED, *REFUSED_TRIALS, *TOLD)
