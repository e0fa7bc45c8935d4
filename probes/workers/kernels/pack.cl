// Copies operands of matrix products into panels: panel p holds rows p*width .. p*width+width-1 of
// an operand (columns, for the right one) as [depth][width]. Products then read both in sequence,
// and edges are zeros. Transposition is the business of the copy alone.
//
// Element (row, d) of the source lies at offset + row*row_stride + (d / inner)*outer_stride
// + (d % inner)*depth_stride. Dimension 2 goes over the products of a batch.

#include "numbers.cl"

// Depths that one work-item of pack_rows copies.
#define PACK_DEPTH 16

// For operands whose rows are contiguous in memory: neighbours take neighbour rows.
__kernel void pack_rows(__global const REAL *source, __global REAL *panels, int rows,
                        int padded_rows, int depth, int padded_depth, int width, int offset,
                        int row_stride, int depth_stride, int inner, int outer_stride, int source_stride,
                        int panels_stride)
{
    const int row = get_global_id(0);
    const int first = get_global_id(1) * PACK_DEPTH;
    const int last = min(first + PACK_DEPTH, padded_depth);
    if (row >= padded_rows) {
        return;
    }
    const int panel = row / width;
    source += offset + get_global_id(2) * source_stride + row * row_stride;
    panels += get_global_id(2) * panels_stride + panel * padded_depth * width
              + (row - panel * width);
    int outer = first / inner, rest = first - outer * inner;
    for (int d = first; d < last; d++) {
        const bool is_inside = row < rows && d < depth;
        panels[d * width] = is_inside ? source[outer * outer_stride + rest * depth_stride] : (REAL)0;
        if (++rest == inner) {
            rest = 0;
            outer++;
        }
    }
}

// For operands whose depth is contiguous in memory: neighbours take neighbour depths.
__kernel void pack_depth(__global const REAL *source, __global REAL *panels, int rows,
                         int padded_rows, int depth, int padded_depth, int width, int offset,
                         int row_stride, int depth_stride, int inner, int outer_stride, int source_stride,
                         int panels_stride)
{
    const int d = get_global_id(0);
    const int panel = get_global_id(1);
    if (d >= padded_depth || panel * width >= padded_rows) {
        return;
    }
    const int outer = d / inner, rest = d - outer * inner;
    source += offset + get_global_id(2) * source_stride + outer * outer_stride + rest * depth_stride;
    panels += get_global_id(2) * panels_stride + (panel * padded_depth + d) * width;
    for (int i = 0; i < width; i++) {
        const int row = panel * width + i;
        const bool is_inside = row < rows && d < depth;
        panels[i] = is_inside ? source[row * row_stride] : (REAL)0;
    }
}

// Adds up the parts of a sum that several groups worked on, and what `result` holds if asked to.
__kernel void sum_parts(__global const ACC *parts, __global REAL *result, int count, int n_parts,
                        int accumulate)
{
    const int i = get_global_id(0), batch = get_global_id(1);
    if (i >= count) {
        return;
    }
    parts += batch * n_parts * count + i;
    ACC sum = accumulate ? (ACC)result[batch * count + i] : (ACC)0;
    for (int p = 0; p < n_parts; p++) {
        sum += parts[p * count];
    }
    result[batch * count + i] = (REAL)sum;
}
