// Memory traffic. A group goes over a stretch of SPAN vectors for each of its work-items, its
// items side by side. Macros: VEC (vector of REAL), SPAN; for reading also ABREAST, the loads of a
// work-item that do not wait for each other (a GPU hides the latency of its memory by them).

#ifndef ABREAST
#define ABREAST 1
#endif

#include "numbers.cl"

// Index of this work-item's first vector, and of the vector behind its group's stretch.
#define STRETCH                                                                      \
    const int group = get_global_id(0) / get_local_size(0);                          \
    const int step = get_local_size(0);                                              \
    const int first = group * step * SPAN + get_local_id(0);                         \
    const int last = min((group + 1) * step * SPAN, count);

__kernel void stream_copy(__global const VEC *a, __global VEC *c, int count)
{
    STRETCH
    for (int i = first; i < last; i += step) {
        c[i] = a[i];
    }
}

__kernel void stream_scale(__global const VEC *a, __global VEC *c, int count, float s)
{
    STRETCH
    for (int i = first; i < last; i += step) {
        c[i] = (REAL)s * a[i];
    }
}

__kernel void stream_add(__global const VEC *a, __global const VEC *b, __global VEC *c, int count)
{
    STRETCH
    for (int i = first; i < last; i += step) {
        c[i] = a[i] + b[i];
    }
}

__kernel void stream_triad(__global const VEC *a, __global const VEC *b, __global VEC *c, int count,
                           float s)
{
    STRETCH
    for (int i = first; i < last; i += step) {
        c[i] = a[i] + (REAL)s * b[i];
    }
}

// Every work-item leaves the sum of what it read.
__kernel void stream_read(__global const VEC *a, __global VEC *c, int count)
{
    STRETCH
    VEC parts[ABREAST];
#pragma unroll
    for (int k = 0; k < ABREAST; k++) {
        parts[k] = (VEC)((REAL)0);
    }
    int i = first;
    for (; i + (ABREAST - 1) * step < last; i += ABREAST * step) {
#pragma unroll
        for (int k = 0; k < ABREAST; k++) {
            parts[k] += a[i + k * step];
        }
    }
    for (; i < last; i += step) {
        parts[0] += a[i];
    }
    VEC sum = parts[0];
#pragma unroll
    for (int k = 1; k < ABREAST; k++) {
        sum += parts[k];
    }
    c[get_global_id(0)] = sum;
}

// Each work-item reads and writes its own column of the local memory, in an order that comes from
// outside, so it cannot be kept in registers.
__kernel void stream_local(__local VEC *memory, __global VEC *c, int rows, int stride, int n, float s)
{
    const int step = get_local_size(0);
    __local VEC *own = memory + get_local_id(0);
    for (int row = 0; row < rows; row++) {
        own[row * step] = (VEC)((REAL)(row + 1));
    }
    int row = 0;
    for (int i = 0; i < n; i++) {
        own[row * step] = own[row * step] * (REAL)s;
        row += stride;
        row = row >= rows ? row - rows : row;
    }
    VEC sum = (VEC)((REAL)0);
    for (int r = 0; r < rows; r++) {
        sum += own[r * step];
    }
    c[get_global_id(0)] = sum;
}

__kernel void nothing(void)
{
}
