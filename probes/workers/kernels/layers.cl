// Layers that are bound by memory: element by element, channel statistics, rows, windows.
// Macros: REAL, ACC, VW (vector width), VEC and SUM (vectors of both), WIDEN and NARROW between
// them, LOAD and STORE of a vector of REAL anywhere, GROUP (work-items of a row).

#include "numbers.cl"

#ifdef APPLY
// One value of the result from up to 4 inputs; `i` is its index. Inputs that are missing repeat
// the first and are not read.
__kernel void elementwise(__global const VEC *a, __global const VEC *b, __global const VEC *c,
                          __global const VEC *d, __global VEC *result, int count)
{
    const int i = get_global_id(0);
    if (i >= count) {
        return;
    }
    const SUM x = WIDEN(a[i]);
#if N_INPUTS > 1
    const SUM y = WIDEN(b[i]);
#endif
#if N_INPUTS > 2
    const SUM z = WIDEN(c[i]);
#endif
#if N_INPUTS > 3
    const SUM w = WIDEN(d[i]);
#endif
    const SUM value = APPLY;
    result[i] = NARROW(value);
}
#endif

#ifdef GROUP

#define ROW                                                                                      \
    const int row = get_global_id(0) / GROUP, item = get_global_id(0) % GROUP;                   \
    const int vectors = columns / VW;                                                            \
    source += row * columns;                                                                     \
    target += row * columns;

// Adds up (or takes the largest of) what the work-items of a row have.
ACC over_group(__local ACC *shared, int item, ACC value, int is_maximum)
{
#if GROUP > 1
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[item] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_group = GROUP / 2; half_group > 0; half_group /= 2) {
        if (item < half_group) {
            const ACC other = shared[item + half_group];
            shared[item] = is_maximum ? fmax(shared[item], other) : shared[item] + other;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return shared[0];
#else
    return value;
#endif
}

ACC sum_of(SUM value)
{
    ACC part[VW];
    *(SUM *)part = value;
    ACC sum = part[0];
    for (int i = 1; i < VW; i++) {
        sum += part[i];
    }
    return sum;
}

ACC largest_of(SUM value)
{
    ACC part[VW];
    *(SUM *)part = value;
    ACC largest = part[0];
    for (int i = 1; i < VW; i++) {
        largest = fmax(largest, part[i]);
    }
    return largest;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void softmax(__global const REAL *source, __global REAL *target, int columns)
{
    __local ACC shared[GROUP];
    ROW
    SUM most = (SUM)(-INFINITY);
    for (int i = item; i < vectors; i += GROUP) {
        most = fmax(most, WIDEN(LOAD(source + i * VW)));
    }
    ACC largest = largest_of(most);
    for (int i = vectors * VW + item; i < columns; i += GROUP) {
        largest = fmax(largest, (ACC)source[i]);
    }
    largest = over_group(shared, item, largest, 1);
    SUM sums = (SUM)(0);
    for (int i = item; i < vectors; i += GROUP) {
        const SUM value = exp(WIDEN(LOAD(source + i * VW)) - largest);
        sums += value;
        STORE(NARROW(value), target + i * VW);
    }
    ACC sum = sum_of(sums);
    for (int i = vectors * VW + item; i < columns; i += GROUP) {
        const ACC value = exp((ACC)source[i] - largest);
        sum += value;
        target[i] = (REAL)value;
    }
    const ACC factor = (ACC)1 / over_group(shared, item, sum, 0);
    for (int i = item; i < vectors; i += GROUP) {
        STORE(NARROW(WIDEN(LOAD(target + i * VW)) * factor), target + i * VW);
    }
    for (int i = vectors * VW + item; i < columns; i += GROUP) {
        target[i] = (REAL)((ACC)target[i] * factor);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void layer_norm(__global const REAL *source, __global REAL *target, __global const REAL *scale,
                __global const REAL *shift, int columns, float epsilon)
{
    __local ACC shared[GROUP];
    ROW
    SUM sums = (SUM)(0);
    for (int i = item; i < vectors; i += GROUP) {
        sums += WIDEN(LOAD(source + i * VW));
    }
    ACC sum = sum_of(sums);
    for (int i = vectors * VW + item; i < columns; i += GROUP) {
        sum += (ACC)source[i];
    }
    const ACC mean = over_group(shared, item, sum, 0) / columns;
    sums = (SUM)(0);
    for (int i = item; i < vectors; i += GROUP) {
        const SUM distance = WIDEN(LOAD(source + i * VW)) - mean;
        sums += distance * distance;
    }
    sum = sum_of(sums);
    for (int i = vectors * VW + item; i < columns; i += GROUP) {
        const ACC distance = (ACC)source[i] - mean;
        sum += distance * distance;
    }
    const ACC factor = rsqrt(over_group(shared, item, sum, 0) / columns + (ACC)epsilon);
    for (int i = item; i < vectors; i += GROUP) {
        const SUM value = (WIDEN(LOAD(source + i * VW)) - mean) * factor;
        STORE(NARROW(value * WIDEN(LOAD(scale + i * VW)) + WIDEN(LOAD(shift + i * VW))),
              target + i * VW);
    }
    for (int i = vectors * VW + item; i < columns; i += GROUP) {
        const ACC value = ((ACC)source[i] - mean) * factor;
        target[i] = (REAL)(value * (ACC)scale[i] + (ACC)shift[i]);
    }
}

#endif

// Sums and sums of squares of vectors of channels over a part of the rows.
__kernel void channel_sums(__global const VEC *source, __global SUM *sums, __global SUM *squares,
                           int rows, int vectors, int rows_of_part)
{
    const int vector = get_global_id(0), part = get_global_id(1);
    const int first = part * rows_of_part;
    if (vector >= vectors || first >= rows) {
        return;
    }
    SUM sum = (SUM)(0), square = (SUM)(0);
    for (int row = first; row < min(first + rows_of_part, rows); row++) {
        const SUM value = WIDEN(source[row * vectors + vector]);
        sum += value;
        square += value * value;
    }
    sums[part * vectors + vector] = sum;
    squares[part * vectors + vector] = square;
}

// Mean and spread of each channel from the sums of all parts, as a factor and an offset.
__kernel void channel_statistics(__global const ACC *sums, __global const ACC *squares,
                                 __global const REAL *scale, __global const REAL *shift,
                                 __global ACC *factors, __global ACC *offsets, int rows,
                                 int channels, int n_parts, float epsilon)
{
    const int channel = get_global_id(0);
    if (channel >= channels) {
        return;
    }
    ACC sum = 0, square = 0;
    for (int part = 0; part < n_parts; part++) {
        sum += sums[part * channels + channel];
        square += squares[part * channels + channel];
    }
    const ACC mean = sum / rows;
    const ACC factor = (ACC)scale[channel] * rsqrt(square / rows - mean * mean + (ACC)epsilon);
    factors[channel] = factor;
    offsets[channel] = (ACC)shift[channel] - mean * factor;
}

__kernel void scale_channels(__global const VEC *source, __global VEC *target,
                             __global const SUM *factors, __global const SUM *offsets, int rows,
                             int vectors)
{
    const int vector = get_global_id(0), row = get_global_id(1);
    if (vector >= vectors || row >= rows) {
        return;
    }
    const int i = row * vectors + vector;
    target[i] = NARROW(WIDEN(source[i]) * factors[vector] + offsets[vector]);
}

// A work-item has a vector of channels of a pixel of the result. What lies outside the image does
// not count, for averages neither. Geometry as in conv.cl.
__kernel void pool(__global const VEC *source, __global VEC *target, __global const int *g,
                   int vectors, int is_maximum)
{
    const int vector = get_global_id(0), pixel = get_global_id(1);
    const int source_h = g[1], source_w = g[2], target_h = g[4], target_w = g[5];
    if (vector >= vectors || pixel >= g[0] * target_h * target_w) {
        return;
    }
    const int image = pixel / (target_h * target_w);
    const int rest = pixel - image * (target_h * target_w);
    const int first_y = (rest / target_w) * g[9] - g[13], first_x = (rest % target_w) * g[10] - g[14];
    const int y_from = max(first_y, 0), y_to = min(first_y + g[7], source_h);
    const int x_from = max(first_x, 0), x_to = min(first_x + g[8], source_w);
    SUM value = (SUM)(is_maximum ? -INFINITY : 0.0f);
    for (int y = y_from; y < y_to; y++) {
        for (int x = x_from; x < x_to; x++) {
            const SUM here
                = WIDEN(source[((image * source_h + y) * source_w + x) * vectors + vector]);
            value = is_maximum ? fmax(value, here) : value + here;
        }
    }
    if (!is_maximum) {
        value /= (ACC)max(1, (y_to - y_from) * (x_to - x_from));
    }
    target[pixel * vectors + vector] = NARROW(value);
}
