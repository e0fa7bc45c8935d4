"""The sentences of all reasons and caveats: one or several for each code, the most telling first.

Placeholders name parameters; the unit in a name decides how its number is written. Sentences carry
no full stop.
Leaves to others: choosing one and filling it in (`advisor.report.reasons`).
"""

from advisor.i18n import N_
from advisor.model.recommendation import ReasonCode

_R = ReasonCode

REASONS: dict[ReasonCode, tuple[str, ...]] = {
    _R.FASTEST: (N_("Done soonest ({hours}) with this network, all work and waiting counted"),
        N_("Done soonest with this network, all work and waiting counted"),),
    _R.CHEAPEST: (N_("None is cheaper"),),
    _R.NO_COST_NO_CHANGE: (N_("Changes nothing and needs no money but for electricity"),),
    _R.FASTER_THAN_NOW: (
        N_("{factor_x} the speed of now (between {low_x} and {high_x})"),
        N_("{factor_x} the speed of now"),
        N_("Faster than now"),
    ),
    _R.SLOWER_THAN_NOW: (N_("{factor_x} slower than now"), N_("Slower than now")),
    _R.UNCERTAIN_SPEED: (
        N_("By published times of others like it {low_x} to {high_x} the speed of now: measure it"),
        N_("Its speed is not certain: measure it"),
    ),
    _R.TIE_WITH: (
        N_("A tie with {option}: less than 10 % apart in time and in what you asked for"),
        N_("A tie: less than 10 % apart in time and in what you asked for"),
    ),
    _R.MEASURED_HERE: (
        N_("Measured on this machine: {figure}"),
        N_("Measured on this machine"),
    ),
    _R.PUBLISHED_EFFECT: (
        N_("Others measured {workload} in {precision}: {device} against {cpu} on the CPU,"
           " {factor_x} its speed"),
        N_("Measured elsewhere: {low_x} to {high_x} the speed"),
        N_("Measured elsewhere: {low_x} the speed"),
        N_("Measured elsewhere: an effect"),
    ),
    _R.NO_FIGURE: (
        N_("Nobody has published a figure; support is {support}"),
        N_("Nobody has published a figure: measure before you believe it"),
    ),
    _R.BREAK_EVEN_HOURS: (
        N_("Pays after {hours} of computing, {jobs} such jobs, against {against}: about {date} at"
           " your {use_hours} a week"),
        N_("Pays after {hours} of computing, {jobs} such jobs, against {against}: about {date}"
           " with one on each working day"),
        N_("Pays after {hours} of computing ({jobs} such jobs) against {against}"),
        N_("Pays when the whole job takes more than {hours} here"),
        N_("Pays after {hours} of computing"),
        N_("Never pays"),
    ),
    _R.CHEAPEST_WITHIN: (
        N_("The cheapest of those done within {percent} % of the soonest, work counted"),
        N_("The cheapest of those done soon: paying for another machine has to save an hour"),
    ),
    _R.OVER_BUDGET: (N_("Costs {usd}, your limit is {limit_usd}"), N_("Over your budget")),
    _R.OVER_DEADLINE: (
        N_("Takes {hours} with setting up, your deadline is {limit_hours}"),
        N_("Over your deadline"),
    ),
    _R.REGION_NOT_CHOSEN: (
        N_("{n_offers} offers are outside the regions you chose"),
        N_("Outside the regions you chose"),
    ),
    _R.CLOUD_NOT_ALLOWED: (N_("You asked for no rented machines"),),
    _R.BUYING_NOT_ALLOWED: (N_("You asked for no purchases"),),
    _R.PRICE_UNKNOWN: (
        N_("{n_offers} offers have no known price"),
        N_("The price is not known"),
    ),
    _R.TIME_UNKNOWN: (
        N_("The time cannot be told: {why}"),
        N_("The time of {n_offers} offers cannot be told"),
        N_("The time cannot be told"),
    ),
    _R.MEMORY_TOO_SMALL: (
        N_("Needs {needed_bytes}, there are {available_bytes}: a batch of {batch} fits"),
        N_("Needs {needed_bytes}, there are {available_bytes}"),
        N_("{n_offers} offers have too little memory"),
        N_("Too little memory"),
    ),
    _R.WRONG_SYSTEM: (N_("Works on {needed_systems}; this is {system}"), N_("Not for this system")),
    _R.WRONG_PHASE: (N_("Only for {needed}"), N_("Not for this kind of job")),
    _R.ISA_MISSING: (
        N_("This processor lacks {needed}"),
        N_("This processor lacks the instructions"),
    ),
    _R.GPU_MISSING: (N_("Needs a GPU or an NPU that is not here"),),
    _R.NO_DRIVER: (N_("{device} has no driver. {remedy}"), N_("No driver serves it")),
    _R.FRAMEWORK_DOES_NOT_RUN: (
        N_("No framework for {phase} runs on {device}. Advice: {advice}"),
        N_("No framework for {phase} runs on {device}"),
        N_("No framework runs on it"),
    ),
    _R.EXCLUDED: (N_("Does not apply here: {condition}"), N_("Does not apply here")),
    _R.RETIRED: (N_("{n_offers} offers are of retired series"), N_("A retired series")),
    _R.BURSTABLE: (
        N_("{n_offers} offers are throttled under steady load"),
        N_("Throttled under steady load"),
    ),
    _R.DOMINATED: (
        N_("{option} is faster and cheaper"),
        N_("{n_offers} offers are slower and dearer than another one"),
        N_("Another option is faster and cheaper"),
    ),
    _R.MEASURED_SLOWER: (
        N_("Measured on this machine: {factor_x} slower"),
        N_("Measured on this machine: slower"),
    ),
    _R.PUBLISHED_SLOWER: (
        N_("Others measured {workload}: {device} against {cpu} on the CPU, {factor_x} slower"),
        N_("Measured elsewhere: {low_x} to {high_x} the speed"),
        N_("Measured elsewhere: {factor_x} slower"),
        N_("Measured elsewhere: slower"),
    ),
    _R.TABLE_SAYS_AVOID: (N_("{why}"), N_("Known to do harm")),
    _R.NOT_APPLICABLE: (N_("Does not apply: {why}"), N_("Does not apply")),
    _R.SLOWER_THAN_FIRST: (
        N_("With all work and waiting {factor_x} the time of the first"),
        N_("Slower than the first"),
    ),
    _R.DEARER_THAN_FIRST: (
        N_("{usd} more than the first"),
        N_("Dearer than the first"),
    ),
    _R.SAVES_TOO_LITTLE: (
        N_("{usd} less than the first, too little for its work: nothing is done sooner by it"),
        N_("Saves too little for its work"),
    ),
    _R.CHANGES_THE_NETWORK: (
        N_("Changes the network: its accuracy must be judged again"),
    ),
    _R.ALREADY_SO: (N_("Already so on {system}"), N_("Already so")),
    _R.DEPENDS_ON_YOUR_CODE: (
        N_("Depends on what your code already does ({framework})"),
        N_("Depends on what your code already does"),
    ),
    _R.FRAMEWORK_NOT_FOUND: (
        N_("Needs {framework} {needed}, which was not found here"),
        N_("Needs {framework}, which was not found here"),
        N_("Needs a framework that was not found here"),
    ),
    _R.FRAMEWORK_TOO_OLD: (
        N_("Needs {framework} {needed}, found {found}"),
        N_("Needs a newer framework"),
    ),
    _R.PAYS_BELOW_PRICE: (
        N_("Its price is not known; for {jobs} such jobs it pays below {usd} against {against}"),
        N_("Pays if you get it for less than {usd}"),
        N_("Pays at a lower price"),
    ),
    _R.PAYS_TOO_LATE: (
        N_("Would pay after {jobs} such jobs against {against}; in {years} years there are"
           " {limit_jobs}"),
        N_("Never pays against {against}: renting costs less than its electricity"),
        N_("Too little computing for a purchase"),
    ),
    _R.GAINS_TOO_LITTLE: (
        N_("About {factor_x} the speed of now: too little to buy it, as no such card was timed"
           " on this work"),
        N_("Gains too little for a purchase"),
    ),
    _R.WORK_MINUTES: (
        N_("About {minutes} minutes of your work: {basis}"),
        N_("About {minutes} minutes of your work"),
        N_("Some of your work"),
    ),
    _R.FREE_LIMIT: (
        N_("A session ends after {session_h} h at most, a week has {week_h} h (as of {date}):"
           " {hours} on a {device} take at least {n_sessions} sessions in {n_weeks} weeks, with"
           " checkpoints"),
        N_("A session ends after {session_h} h at most (as of {date}): {hours} on a {device}"
           " take at least {n_sessions} sessions, with checkpoints"),
        N_("A session ends after {session_h} h at most (as of {date}): {hours} on a {device} fit"
           " in one, {most_hours} at the upper end do not: save checkpoints"),
        N_("A session ends after {session_h} h at most (as of {date}): {hours} on a {device} fit"
           " in one"),
        N_("Its sessions are limited in time"),
    ),
}  # fmt: skip


CAVEATS: dict[str, tuple[str, ...]] = {
    "run_cancelled": (
        N_("The run was cancelled: {n_measured} of {n_asked} measurements are there. Run it to the"
           " end before you rely on these times."),
    ),
    "trial_taken": (
        N_("Taken in: the times that were measured when this job was tried here on {date}."),
    ),
    "trial_not_taken": (
        N_("Not taken in: this job was tried on {date} with {then}, here is {now} now. Try it"
           " again."),
        N_("Not taken in: such a job was tried on {date} with other data, training settings or"
           " software. Try it again."),
    ),
    "not_measured": (
        N_("Nothing was measured on this machine: every time comes from data sheets and published"
           " figures. Measure before you spend money."),
    ),
    "only_tried": (
        N_("Beside what was tried nothing was measured on this machine: all other times come from"
           " data sheets and published figures. Measure before you spend money."),
    ),
    "some_failed": (
        N_("Kernels without a figure: {n_failed}; the reasons stand under Measured here."),
    ),
    "some_failed_elsewhere": (
        N_("Kernels without a figure: {n_failed}; `recommend` tells the reasons."),
    ),
    "unsteady_measurements": (
        N_("The measurements were disturbed: {warning}."),
    ),
    "job_assumed": (
        N_("No number of samples and epochs was given: {samples} samples and {epochs} epochs are"
           " assumed. Hours and money of the whole job follow from that."),
        N_("No number of samples was given: {samples} are assumed. Hours and money of the whole"
           " job follow from that."),
        N_("No number of epochs was given: {epochs} are assumed. Hours and money of the whole job"
           " follow from that."),
    ),
    "busy_machine": (
        N_("The machine was busy ({busy_percent} % of its processor time) when it was looked at."),
    ),
    "int8_needs_quantising": (
        N_("Keras computes no network in int8 by itself: the times are those of its products after"
           " the model was quantised, by one of the ways that are worth trying."),
    ),
    "float16_is_imitated": (
        N_("This processor has no instructions for float16 and converts each number to float32 and"
           " back: a step takes longer. The times of this machine are those of float32: compute"
           " in it here."),
    ),
    "bfloat16_is_imitated": (
        N_("This processor has no instructions for bfloat16 and imitates it: a step takes 4 to 22"
           " times as long as in float32. The times of this machine are those of float32: compute"
           " in it here."),
    ),
    "virtual_machine": (
        N_("This is a virtual machine ({hypervisor}): its host may slow it down at any time."),
    ),
    "container": (
        N_("This is a container ({container}): it may see fewer processors or less memory than the"
           " machine has."),
    ),
    "cpu_limit": (N_("A container limits this process to {cpus} processors."),),
    "on_battery": (N_("The machine ran on battery: plugged in it may be faster."),),
    "opencl_device_is_cpu": (
        N_("The OpenCL device {device} is the processor itself: it is measured to check OpenCL,"
           " and is no way to a faster network."),
    ),
    "overridden": (N_("You replaced what was found for: {names}."),),
    "memory_too_small": (
        N_("The job needs {needed_bytes} with its framework, this machine has {available_bytes}:"
           " here it would run with a batch of {batch} at most."),
        N_("The job needs {needed_bytes} with its framework, this machine has {available_bytes}:"
           " it does not run here with any batch."),
        N_("The job needs {needed_bytes}, more than this machine has free."),
    ),
    "onnx_file_inference": (
        N_("The times of this machine are those of the same network in Keras on TensorFlow. ONNX"
           " Runtime, which runs the file as it is, was faster where both were measured."),
    ),
    "onnx_file_training": (
        N_("An ONNX file is made for inference. The times are those of training the same network"
           " in Keras on TensorFlow; it is trained in the framework that it was exported from."),
    ),
    "tensorflow_needs_avx": (
        N_("TensorFlow's ready-made builds stop at once on this processor, which has no AVX. The"
           " times are as if it ran: take another framework (PyTorch, ONNX Runtime), or a rented"
           " machine."),
    ),
    "tensorflow_has_no_build": (
        N_("There is no ready-made build of TensorFlow for this machine ({machine}). The times are"
           " as if there were one: take another framework, or a rented machine."),
    ),
    "workload_note": (N_("{note}"),),
    "condition_unknown": (
        N_("It is not known whether {condition}: look whether the options about it are for you."),
        N_("Whether some options apply could not be decided."),
    ),
    "nothing_fits": (
        N_("Nothing that is known can do this job: take a smaller batch, network or input."),
    ),
    "nothing_within_limits": (N_("Nothing fits your limits: loosen one of them."),),
    "only_other_jobs": (
        N_("Nothing that does this job as you asked for it is left: what is ranked computes"
           " something smaller instead, and its accuracy must be judged again."),
    ),
    "first_takes_long": (
        N_("Even the first option computes for {hours}. If that is too long: look at what your"
           " limits leave out, at buying and at free services, or take a smaller network or fewer"
           " epochs."),
    ),
    "interval_wide": (
        N_("The time of this machine is uncertain: the ends of its interval differ {factor_x}."),
    ),
    "first_uncertain": (
        N_("The time of the first option may be off by more than 3 times: try it before you rely"
           " on it."),
    ),
    "pays_in_longer_jobs": (
        N_("{option}: {factor_x} the speed of now while it computes; with its {minutes} minutes of"
           " your work counted, this job is not done more than a tenth sooner. It pays in longer"
           " jobs and in those that you run again."),
    ),
    "prices_older_than_90_days": (
        N_("The oldest list price used is {days} days old: look at the vendor's page before you"
           " rent."),
    ),
    "spot_prices_older_than_7_days": (
        N_("The oldest spot price used is {days} days old; spot prices change daily: take them as"
           " a guide."),
    ),
    "price_is_not_availability": (
        N_("A price is not availability: new accounts often have no quota for GPUs."),
    ),
    "first_may_exceed_budget": (
        N_("The first option costs up to {usd} at the upper end of its interval; your limit is"
           " {limit_usd}."),
    ),
    "first_may_exceed_deadline": (
        N_("The first option is done after {hours} at the upper end of its interval; your deadline"
           " is {limit_hours}."),
    ),
    "electricity_decides": (
        N_("Electricity of this machine is not counted. The first option takes about {kwh} kWh:"
           " from {usd} a kWh on, {option} costs less. Give your price to have it counted."),
    ),
    "electricity_not_counted": (
        N_("Electricity of this machine is not counted; give its price to have it added."),
    ),
    "purchase_price_not_of_today": (
        N_("Prices of hardware are launch prices where known, never today's."),
    ),
}  # fmt: skip
