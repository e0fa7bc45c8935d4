// Recurrent cells between their matrix products. Arrays are [sample][timestep][hidden]. A row of
// `gates` holds those of a sample at a timestep side by side, of the LSTM: input, forget,
// candidate, output. States have a timestep more, of zeros, which lies before the first: `slot` says where one goes.

#include "numbers.cl"

ACC sigmoid(ACC x)
{
    return (ACC)1 / ((ACC)1 + exp(-x));
}

// Applies the gates of timestep `t` in place (what they are after their functions is what the
// backward pass needs) and gives cell and hidden state. `before` is the timestep before, -1 none.
__kernel void lstm_step(__global REAL *gates, __global const REAL *bias, __global REAL *cells,
                        __global REAL *states, int samples, int hidden, int timesteps, int t,
                        int before, int slot)
{
    const int unit = get_global_id(0), sample = get_global_id(1);
    if (unit >= hidden || sample >= samples) {
        return;
    }
    const int row = sample * timesteps + t;
    __global REAL *gate = gates + row * 4 * hidden + unit;
    const ACC i = sigmoid((ACC)gate[0] + (ACC)bias[unit]);
    const ACC f = sigmoid((ACC)gate[hidden] + (ACC)bias[hidden + unit]);
    const ACC g = tanh((ACC)gate[2 * hidden] + (ACC)bias[2 * hidden + unit]);
    const ACC o = sigmoid((ACC)gate[3 * hidden] + (ACC)bias[3 * hidden + unit]);
    const ACC old = before < 0 ? (ACC)0 : (ACC)cells[(sample * timesteps + before) * hidden + unit];
    const ACC cell = f * old + i * g;
    gate[0] = (REAL)i;
    gate[hidden] = (REAL)f;
    gate[2 * hidden] = (REAL)g;
    gate[3 * hidden] = (REAL)o;
    cells[row * hidden + unit] = (REAL)cell;
    states[(sample * (timesteps + 1) + slot) * hidden + unit] = (REAL)(o * tanh(cell));
}

// Gradient of the gates at timestep `t`. `later` is the gradient of the state that comes from the
// timestep after (not read when t is the last), `cell_gradient` is carried from step to step.
__kernel void lstm_step_gradient(__global const REAL *gates, __global const REAL *cells,
                                 __global const REAL *state_gradients, __global const REAL *later,
                                 __global ACC *cell_gradient, __global REAL *gate_gradients,
                                 int samples, int hidden, int timesteps, int t, int before,
                                 int is_last, int has_own)
{
    const int unit = get_global_id(0), sample = get_global_id(1);
    if (unit >= hidden || sample >= samples) {
        return;
    }
    const int row = sample * timesteps + t, here = sample * hidden + unit;
    __global const REAL *gate = gates + row * 4 * hidden + unit;
    const ACC i = gate[0], f = gate[hidden], g = gate[2 * hidden], o = gate[3 * hidden];
    const ACC old = before < 0 ? (ACC)0 : (ACC)cells[(sample * timesteps + before) * hidden + unit];
    const ACC squashed = tanh((ACC)cells[row * hidden + unit]);
    ACC state = is_last ? (ACC)0 : (ACC)later[here];
    if (has_own) {
        state += (ACC)state_gradients[row * hidden + unit];
    }
    ACC cell = is_last ? (ACC)0 : cell_gradient[here];
    cell += state * o * ((ACC)1 - squashed * squashed);
    __global REAL *gradient = gate_gradients + row * 4 * hidden + unit;
    gradient[0] = (REAL)(cell * g * i * ((ACC)1 - i));
    gradient[hidden] = (REAL)(cell * old * f * ((ACC)1 - f));
    gradient[2 * hidden] = (REAL)(cell * i * ((ACC)1 - g * g));
    gradient[3 * hidden] = (REAL)(state * squashed * o * ((ACC)1 - o));
    cell_gradient[here] = cell * f;
}

// The GRU: a row of `gates` holds update, reset and candidate of a sample at a timestep, and a row
// of `from_state` what the state before gives to each. `bias` is that of the first, then that of
// the second. The candidate's part of `from_state` is kept with its bias, for the backward pass.
__kernel void gru_step(__global REAL *gates, __global REAL *from_state, __global const REAL *bias,
                       __global REAL *states, int samples, int hidden, int timesteps, int t,
                       int is_first, int slot_before, int slot)
{
    const int unit = get_global_id(0), sample = get_global_id(1);
    if (unit >= hidden || sample >= samples) {
        return;
    }
    const int first = (sample * timesteps + t) * 3 * hidden + unit;
    const int state = sample * (timesteps + 1) * hidden + unit;
    __global REAL *gate = gates + first, *part = from_state + first;
    const ACC part_z = is_first ? (ACC)0 : (ACC)part[0];
    const ACC part_r = is_first ? (ACC)0 : (ACC)part[hidden];
    const ACC part_c = (is_first ? (ACC)0 : (ACC)part[2 * hidden]) + (ACC)bias[5 * hidden + unit];
    const ACC z = sigmoid((ACC)gate[0] + (ACC)bias[unit] + part_z + (ACC)bias[3 * hidden + unit]);
    const ACC r = sigmoid((ACC)gate[hidden] + (ACC)bias[hidden + unit] + part_r
                          + (ACC)bias[4 * hidden + unit]);
    const ACC c = tanh((ACC)gate[2 * hidden] + (ACC)bias[2 * hidden + unit] + r * part_c);
    const ACC old = (ACC)states[state + slot_before * hidden];
    gate[0] = (REAL)z;
    gate[hidden] = (REAL)r;
    gate[2 * hidden] = (REAL)c;
    part[2 * hidden] = (REAL)part_c;
    states[state + slot * hidden] = (REAL)(z * old + ((ACC)1 - z) * c);
}

// Gradients at timestep `t` of the gates, and of what the state is multiplied into. `later` is that
// of the state by the product of the timestep after, `carried` what passes by the gates.
__kernel void gru_step_gradient(__global const REAL *gates, __global const REAL *from_state,
                                __global const REAL *states, __global const REAL *state_gradients,
                                __global const REAL *later, __global ACC *carried,
                                __global REAL *gate_gradients, __global REAL *part_gradients,
                                int samples, int hidden, int timesteps, int t, int slot_before,
                                int is_last, int has_own)
{
    const int unit = get_global_id(0), sample = get_global_id(1);
    if (unit >= hidden || sample >= samples) {
        return;
    }
    const int row = sample * timesteps + t, here = sample * hidden + unit;
    const int first = row * 3 * hidden + unit;
    const ACC z = gates[first], r = gates[first + hidden], c = gates[first + 2 * hidden];
    const ACC old = (ACC)states[(sample * (timesteps + 1) + slot_before) * hidden + unit];
    ACC state = is_last ? (ACC)0 : (ACC)later[here] + carried[here];
    if (has_own) {
        state += (ACC)state_gradients[row * hidden + unit];
    }
    const ACC of_c = state * ((ACC)1 - z) * ((ACC)1 - c * c);
    const ACC of_z = state * (old - c) * z * ((ACC)1 - z);
    const ACC of_r = of_c * (ACC)from_state[first + 2 * hidden] * r * ((ACC)1 - r);
    gate_gradients[first] = (REAL)of_z;
    gate_gradients[first + hidden] = (REAL)of_r;
    gate_gradients[first + 2 * hidden] = (REAL)of_c;
    part_gradients[first] = (REAL)of_z;
    part_gradients[first + hidden] = (REAL)of_r;
    part_gradients[first + 2 * hidden] = (REAL)(of_c * r);
    carried[here] = state * z;
}

// Sums of columns, for the gradient of the bias: one part of the rows each.
__kernel void sum_rows(__global const REAL *values, __global ACC *parts, int rows, int columns,
                       int rows_of_part)
{
    const int column = get_global_id(0), part = get_global_id(1);
    const int first = part * rows_of_part;
    if (column >= columns || first >= rows) {
        return;
    }
    ACC sum = 0;
    for (int row = first; row < min(first + rows_of_part, rows); row++) {
        sum += (ACC)values[row * columns + column];
    }
    parts[part * columns + column] = sum;
}
