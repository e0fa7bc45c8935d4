// The LSTM between its matrix products. A row of `gates` holds the four gates of a sample at a
// timestep side by side: input, forget, candidate, output. Arrays are [sample][timestep][hidden].
// States have a timestep more, of zeros, which lies before the first: `slot` says where one goes.

#ifdef USE_HALF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

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
