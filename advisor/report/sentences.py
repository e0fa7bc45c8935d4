"""Sentences that come as plain text inside typed values, marked here so that they are translated.

Values hold English: the tables are in English, and what is told beside a figure (evidence, parts
of a cost, steps, what is missing) is written where the figure is made. Here stand the forms of
those sentences, each placeholder a part that varies.
Leaves to others: why a run gave no figure (`advisor.report.run_sentences`), finding the form of a
text (`advisor.report.said`), tables (the catalogue holds
their texts one by one, `tools/translations.py`).
"""

from advisor.i18n import N_
from advisor.report.run_sentences import RUN_SENTENCES

OPTION_TITLES = (
    N_("Leave everything as it is"),
    N_("This machine, with PyTorch in place of TensorFlow"),
    N_("This machine, with a framework that has a build for it"),
    N_("This machine, with PyTorch or ONNX Runtime in place of TensorFlow"),
    N_("This machine, once the network is quantised"),
    N_("This machine, computing in float32"),
    N_("{machine}, {place}, on-demand"),
    N_("{machine}, {place}, spot"),
    N_("{machine}, on-demand"),
    N_("{machine}, spot"),
    N_("integrated GPU {name}"),
    N_("graphics card {name}"),
    N_("The GPU through the backend {backend}"),
    N_("Rented machines"),
    N_("Rented machines slower than this one"),
    N_("Rented machines of which too little is known for such work"),
    N_("Devices of which too little is known for such work"),
    N_("Devices slower than this machine"),
    N_("Buying"),
    N_("Cards of {vendor}"),
    N_("Cards for desktops"),
    N_("Offers in other regions"),
    N_("Offers without a price"),
    N_("Offers with too little memory"),
    N_("Offers that are fast only for a while"),
    N_("Offers whose processor or accelerator is not known"),
    N_("Offers on whose accelerator the framework does not run"),
    N_("Offers of retired series"),
)
STEPS = (
    N_("In PowerShell, before the program is started"),
    N_("In the shell, before the program is started"),
    N_("First, unless you work in an environment of your own already"),
    N_("Source"),
    N_("On the rented machine: look, install, run"),
    N_("On the rented machine: stop by itself if it is forgotten"),
    N_("Save after each epoch: the machine may be taken away"),
    N_("Copy your work there before, the results back after"),
    N_("Save the results of each part: the machine may be taken away"),
    N_("Copy them to another place as soon as they are there, and begin after the last one."),
    N_("Before ordering"),
    N_("A desktop with a free PCI Express x16 slot is needed, room for the card and {watt} W more"
       " from the power supply. A laptop cannot take it."),
    N_("A desktop with a free PCI Express x16 slot is needed, room for the card. A laptop cannot"
       " take it."),
    N_("Price"),
    N_("No price is in the data: compare the asking price with the break-even price."),
    N_("USD {price} was the price at launch of {year}; ask for the price of today, new and used."),
    N_("USD {price} was the price at launch; ask for the price of today, new and used."),
    N_("Start"),
    N_("Watch"),
    N_("Stop (ends the charge)"),
    N_("Stop (deletes the machine, its disk and its address)"),
    N_("If this zone refuses: other zones"),
    N_("If it is forgotten"),
    N_("In the console of {vendor}, choose {machine} ({form}) in {place} with an Ubuntu image and"
       " a disk of {size} GB."),
    N_("In the console of {vendor}, choose {machine} ({form}) with an Ubuntu image and a disk of"
       " {size} GB."),
    N_("interruptible"),
    N_("on demand"),
    N_("{command}, and the log of the job."),
    N_("Delete the machine, not only stop it, and its disk; look at the bill page of {vendor}"
       " afterwards."),
    N_("Or with SkyPilot, as {file}"),
    N_("Start, watch, stop"),
    N_("Way"),
    N_("Unofficial way"),
    N_("Caution"),
    N_("Advice"),
    N_("PyTorch with MPS, or MLX"),
    N_("One of these ways is enough, each in an environment of its own."),
    N_("Once it runs there"),
    N_("Installed already"),
    N_("{package} of {python}: start your program with it."),
    N_("For code in Keras, in the same environment: it finds the GPU through PyTorch"),
    N_("Driver"),
    N_("CUDA needs NVIDIA's own driver in place of nouveau: install it and start again."),
    N_("Commands"),
    N_("Core ML, PyTorch with MPS, or MLX"),
    N_("The makers of today's software no longer test it on this card, or never did ({why}). Try"
       " a small job first and compare its time with the one given here."),
    N_("The makers of today's software no longer test it on this card, or never did. Try a small"
       " job first and compare its time with the one given here."),
)  # fmt: skip
MONEY = (
    N_("price of electricity"),
    N_("price of the device"),
    N_("disk price of {vendor}"),
    N_("price of traffic of {vendor}"),
    N_("{watt} W (assumed) for {time} at {price} USD/kWh"),
    N_("{watt} W for {time} at {price} USD/kWh"),
    N_("{device}: price at launch in {year}, not the price of today"),
    N_("{device}: price at launch, not the price of today"),
    N_("{device}: price at launch in {year}"),
    N_("{device}: price at launch"),
    N_("{time} at {price}, price of {date}, {days} days old"),
    N_("{time} at {price}, price of {date}"),
    N_("{time} to start and to install (assumed)"),
    N_("{size} of data (as you said) at {rate} (assumed): {time}"),
    N_("{size} of data (reckoned from the samples) at {rate} (assumed): {time}"),
    N_("expected work lost to interruptions, saved after each epoch"),
    N_("billed in whole periods or for a least time"),
    N_("{size} GiB while the machine runs"),
    N_("{size} GiB while the machine runs, at the price of {place}"),
    N_("{size} GiB, in the range of other vendors"),
    N_("download of the network, {size} MiB, in the range of other vendors"),
    N_("download of the network, {size} MiB, at the price of {place}"),
    N_("download of the network, {size} MiB"),
    N_("{machine}, spot"),
    N_("{machine}, on demand"),
    N_("{machine} in {place}, spot"),
    N_("{machine} in {place}, on demand"),
)
WORK = (
    N_("nothing to do"),
    N_("fetch the tools, compile for hours, install the result"),
    N_("set a variable or change a line, start again"),
    N_("change a line, compare the accuracy"),
    N_("rewrite how the data are read"),
    N_("install another framework, convert, compare results"),
    N_("install a driver and a framework for the device, test it"),
    N_("install a framework for the device, whose driver works, test it"),
    N_("install a driver for the device, for which a framework is there, test it"),
    N_("start the program with the framework for the device that is there, test it"),
    N_("change the network and judge its results again"),
    N_("register, bring code and data, watch the session"),
    N_("account, quota, key, bring code and data, fetch results, stop it"),
    N_("choose, order, fit, install drivers and a framework"),
)
EVIDENCE = (
    N_("{fast} fast and {slow} slow cores ({share} of one) x {ghz} GHz x {n} flop per cycle ="
       " {rate} GFLOP/s at most, memory {bandwidth} GB/s"),
    N_("{cores} cores x {ghz} GHz x {n} flop per cycle = {rate} GFLOP/s at most, memory"
       " {bandwidth} GB/s"),
    N_("{kernel}: {rate} measured here, lower quartile of {n}, MAD {spread}"),
    # Of advice that was kept before the lower quartile was the figure.
    N_("{kernel}: {rate} measured here, best of {n}, MAD {spread}"),
    N_("{kernel}: {rate} measured here, median of {n}, MAD {spread}"),
    N_("Convolution"),
    N_("Recurrent"),
    N_("Stream copy"),
    N_("Stream scale"),
    N_("Stream add"),
    N_("Stream triad"),
    N_("Stream read"),
    N_("published: {low} to {high} times the speed ({why})"),
    N_("published: {low} to {high} times the speed"),
    N_("published: {figure} on {device} ({details})"),
    N_("{value} s per epoch"),
    N_("{value} s per step"),
    N_("{value} s per call"),
    N_("{value} samples per second"),
    N_("{value} times the time"),
    N_("runs of this network here, in processes of its own: {n}; {factor} times the speed ({low}"
       " to {high})"),
    N_("runs of this network here, in processes of its own: {n}"),
    N_("{n} networks tried on this machine ({dates}) took {share} more than predicted"),
    N_("{n} networks tried on this machine ({dates}) took {share} less than predicted"),
    N_("1 network tried on this machine ({dates}) took {share} more than predicted"),
    N_("1 network tried on this machine ({dates}) took {share} less than predicted"),
    N_("this network tried on this machine ({dates}) took {share} more than predicted"),
    N_("this network tried on this machine ({dates}) took {share} less than predicted"),
    N_("tried on this machine"),
    N_("measured on this machine"),
    N_("data sheet"),
    N_("own measurement of {date} on {machine}"),
    N_("a server VM with {processor}"),
    N_("arithmetic on the number of pixels"),
    N_("dense kernels compute zeros like any other value"),
)  # fmt: skip
ASSUMPTIONS = (
    N_("Kernels were timed here under this setting; the step follows from them."),
    N_("The step follows from the kernels of the network as it would be written."),
    N_("What memory given anew costs was timed here; the step without it follows."),
    N_("The time of a step is {share} longer for what was tried on this machine."),
    N_("The time of a step is {share} shorter for what was tried on this machine."),
    N_("What others gained with other networks holds for yours within the stated range."),
    N_("A framework for this device has kernels as fast as those timed here."),
    N_(
        "Kernels of this card were timed here through OpenCL; frameworks compute with the library "
        "of its vendor, so published times of such cards count."
    ),
    N_("The published ratio of the two devices holds for your network."),
    N_("Your software is about as fast as that of the published result."),
    N_("The published results are of {year}: newer software may differ."),
    N_("{cores} cores at {ghz} GHz against {own_cores} at {own_ghz} GHz here; by published thread"
       " sweeps {cores_again} cores do the work of {factor}."),
    N_("On two such GPUs together a step would be about {two} times as fast, on four {four}:"
       " gradients of {n} values over a bus of {rate} GiB/s."),
    N_("{factor} times the time of the data sheet's peak, from a usual value: no published result"
       " is near."),
    N_("{factor} times the time of the data sheet's peak, from published results on other"
       " {family} GPUs and devices like them."),
    N_("{factor} times the time of the data sheet's peak, from published results on other GPUs."),
    N_("{factor} times the time of the data sheet's peak, from published results on {device} and"
       " devices like it."),
    N_("The network is small: starting its kernels takes longer than computing them."),
    N_("Only {share} of the GPU is yours."),
    N_("{device} has no units for {format}: it computes in float32."),
    N_("Taken from published times in float16: {format} has units of the same rate there."),
    N_("One GPU does the work, also where the machine has several."),
    N_("The clock of the processor is not known: {ghz} GHz assumed."),
    N_("The microarchitecture is not known: its vector width is assumed."),
    N_("The processor behind this offer is not known exactly: a usual one is assumed."),
    N_("Memory bandwidth was not measured; a figure of the data sheet stands in."),
    N_("The fixed cost of a step was not measured; a usual value stands in."),
    N_(
        "Small operators that need not wait for each other are taken to run side by side in part."
    ),
    N_("No kernel of the framework was timed yet: the times follow from the data sheet."),
    N_("Layers that are not known are taken for an addition of two tensors."),
    N_("Some operators have no measured relative: a usual efficiency is assumed."),
    N_("The step is short: fixed costs decide it, and they vary."),
    N_("The weights are more than the caches hold: fetching them takes longer."),
    N_(
        "Results of more than 32 MiB get their memory anew from the system in every step: keeping"
        " it saves time."
    ),
    N_("Recurrent layers at a small batch are decided by their dispatch."),
    N_("Little was timed that is like the layers of this network."),
    N_(
        "Little was timed that is like those layers of this network that were not timed themselves."
    ),
    N_("Measured while other programs used the processor: repeat on a quiet machine."),
    N_("Measured while the host gave the processor to others: repeat at another time."),
    N_("Measured while the machine became slower: let it cool down and repeat."),
    N_("Measured on battery: repeat on mains power."),
    N_("A product timed throughout the run varied by {share}, more than on a quiet machine:"
       " repeat on one."),
    N_("Half of the kernels varied by more than {share}, more than on a quiet machine:"
       " repeat on one."),
)  # fmt: skip
NETWORK = (
    N_("The size of {input} is not fixed in the file: taken as {size}."),
    N_("Operations of the file that none of its outputs needs are not counted: {n}."),
    N_("{layer}: which of its parts runs depends on the data: the longer one counts."),
    N_("{layer}: how often it runs depends on the data: one trip counts."),
    N_("{layer}: the function {name} is not known and counts as an addition."),
    N_("{layer}: the work and the weights of this kind of layer are not known and count as nothing;"
       " the shape of its result is recorded in the file."),
    N_("{layer}: the work and the weights of this kind of layer are not known and count as nothing;"
       " the shape of its result is taken to be that of its input."),
    N_("{layer}: counts as products of matrices with as many operations; it may take longer."),
    N_("The first size, {size}, is taken for the batch."),
    N_("The second size, {size}, is taken for the batch."),
    N_("The third size, {size}, is taken for the batch."),
    N_("No size is taken for the batch: the file counts as one sample."),
    N_("{layer}: the work of this kind of layer is not known and counts as nothing; the shape of"
       " its result is described in the file."),
    N_("{layer}: the work of this kind of layer is not known and counts as nothing; the shape of"
       " its result is recorded in the file."),
    N_("{layer}: the work of this kind of layer is not known and counts as nothing; the shape of"
       " its result is taken to be that of its input."),
)  # fmt: skip
WHY_NOT = (
    N_(
        "the case of this machine has no room for a card: say how many hours a week you compute to"
        " have it compared"
    ),
    N_("Keras on TensorFlow, which the work is written in, has no official build for them"),
    N_("a device of this machine does the job sooner"),
    N_("a graphics card that the makers of frameworks support is in this machine"),
    N_("PyTorch, which the work would be in on this machine, has no official build for them"),
    N_(
        "TensorFlow, which the work is in, has no official build for them; with PyTorch in its"
        " place (KERAS_BACKEND=torch) they run it, and one that is in the machine is ranked so"
    ),
    N_(
        "a card needs a desktop with an x86 processor of 64 bits: say how many hours a week you"
        " compute to have it compared"
    ),
    N_(
        "this is a virtual machine, and a card needs a desktop: say how many hours a week you"
        " compute to have it compared"
    ),
    N_(
        "this machine has a battery, and a card needs a desktop: say how many hours a week you"
        " compute to have it compared"
    ),
    N_("family of the GPU not known"),
    N_("the software of its maker serves this GPU"),
    N_("no difference to speak of"),
    N_("unofficial"),
    N_("No figure is known for what this gains."),
    N_("Try it on your own network."),
    N_("Use a smaller batch."),
    N_("The job needs {needed} GiB, the device may use {size} GiB."),
    N_("The job needs {needed} GiB, the device has {size} GiB."),
    N_("{option}: the hardware is not named."),
    N_("{machine}: the number of vCPUs is not known."),
    N_("No specification of the accelerator {name} is known."),
    N_("Cores or clock of {device} are not known."),
    N_("{device}: times of such a device cannot be predicted."),
    N_("The peak rate of {device} is not known."),
)
MISSING = (
    N_("no kernel driver serves {name}"),
    N_("update the kernel or install the vendor's driver"),
    N_("load the amdgpu driver: {how}"),
    N_("your iGPU ({name}) is older than any OpenCL driver that still works"),
    N_("your GPU ({name}) is older than any OpenCL driver that still works"),
    N_("your iGPU ({name}) has no OpenCL driver"),
    N_("your GPU ({name}) has no OpenCL driver"),
    N_("{command}; the amdgpu driver is faster: {how}"),
    N_("{command}; then start the app with {setting} set"),
    N_("boot with {setting}"),
    N_("this user may not open {name}"),
    N_("{command}, then log in again"),
    N_("the system does not tell"),
    N_("set it by hand with an override of {name}"),
    N_("update or remove the OpenCL driver {name}"),
    N_("the list did not come"),
    N_("the OpenCL driver of {name} tells no clock that can be true"),
    N_("PowerShell gave no answer"),
    N_("allow powershell.exe to run"),
    N_("Windows tells few CPU flags; the rest follows from the model of the CPU"),
    N_("install the vendor's driver"),
)
ROUTES = (N_("others measured {gpu} on it against {cpu} on the processor beside it ({workload})"),)
TIMES = (N_("over {n} years"), N_("{n} years"), N_("1 year"))
# What a table says of a system in a few words.
SYSTEMS = (
    N_("general knowledge, no page was checked"),
    N_("the NPU of a Core Ultra with OpenVINO"),
    N_("Hailo-8L or Hailo-8 on a Raspberry Pi 5"),
    N_("Hailo-8L on a Raspberry Pi 5"),
    N_("the NPU of a Core Ultra"),
    N_("a Xeon or EPYC with AVX-512 or AMX"),
    N_("Take PyTorch with ROCm instead"),
    N_("Take Vulkan, or LiteRT with a GPU or NPU delegate"),
    N_("Take PyTorch: ROCm for Radeon, XPU for Arc, CUDA for NVIDIA"),
    N_("active; on Linux immature"),
    N_("Windows ML VitisAI EP, or Ryzen AI software"),
    N_("use PyTorch ROCm for Windows or PyTorch XPU instead"),
    N_("arithmetic: one more forward pass of three equal passes"),
    N_("data sheet of {vendor}: {device}"),
    N_("figures as generally known, checked {date}"),
    N_("StackOverflow question on non-NVIDIA speed-up, {year}"),
    N_("{name} (one {part} of two)"),
)
SENTENCES = (
    *OPTION_TITLES, *STEPS, *MONEY, *WORK, *EVIDENCE, *ASSUMPTIONS, *NETWORK, *WHY_NOT, *MISSING,
    *ROUTES, *TIMES, *SYSTEMS, *RUN_SENTENCES,
)  # fmt: skip
