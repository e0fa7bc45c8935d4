// Copies an image into panels as the left operand of a matrix product (im2col), and depthwise
// convolutions. Geometry as in conv.cl. Panels were filled with zeros before: what lies outside the
// image, or pads rows and depth, is not written again.

#include "numbers.cl"

#include "geometry.cl"

// Sets `from` to where tap `tap` of target pixel `pixel` looks in the source, or returns.
#define FIND_SOURCE(pixel, tap)                                                                  \
    const int image = (pixel) / (TARGET_H * TARGET_W);                                           \
    const int rest = (pixel) - image * (TARGET_H * TARGET_W);                                    \
    const int at_y = rest / TARGET_W, at_x = rest - at_y * TARGET_W;                             \
    const int tap_y = (tap) / TAPS_X, tap_x = (tap) - tap_y * TAPS_X;                            \
    const int from_y = at_y * STRIDE_Y + tap_y * DILATION_Y - PAD_Y;                             \
    const int from_x = at_x * STRIDE_X + tap_x * DILATION_X - PAD_X;                             \
    if (from_y < 0 || from_y >= SOURCE_H || from_x < 0 || from_x >= SOURCE_W) {                  \
        return;                                                                                  \
    }                                                                                            \
    __global const REAL *from = source + ((image * SOURCE_H + from_y) * SOURCE_W + from_x) * SOURCE_C;

// Rows of the operand are pixels of the target, its depth is taps x channels.
__kernel void pack_pixels(__global const REAL *source, __global REAL *panels, __global const int *g,
                          int width, int depth)
{
    const int row = get_global_id(0), tap = get_global_id(1);
    if (row >= IMAGES * TARGET_H * TARGET_W || tap >= TAPS_Y * TAPS_X) {
        return;
    }
    FIND_SOURCE(row, tap)
    const int panel = row / width, channels = SOURCE_C;
    panels += (panel * depth + tap * channels) * width + (row - panel * width);
    for (int c = 0; c < channels; c++) {
        panels[c * width] = from[c];
    }
}

// Rows of the operand are taps x channels, its depth is pixels of the target.
__kernel void pack_taps(__global const REAL *source, __global REAL *panels, __global const int *g,
                        int width, int depth)
{
    const int pixel = get_global_id(0), tap = get_global_id(1);
    if (pixel >= IMAGES * TARGET_H * TARGET_W || tap >= TAPS_Y * TAPS_X) {
        return;
    }
    FIND_SOURCE(pixel, tap)
    const int channels = SOURCE_C;
    int panel = (tap * channels) / width, inside = tap * channels - panel * width;
    for (int c = 0; c < channels; c++) {
        panels[(panel * depth + pixel) * width + inside] = from[c];
        if (++inside == width) {
            inside = 0;
            panel++;
        }
    }
}

#ifdef VEC

// Each channel has a filter of its own. A work-item has a vector of channels of a pixel.
// With GRADIENT from the gradient of the output to that of the input.
__kernel void depthwise(__global const VEC *source, __global const VEC *filters,
                        __global VEC *target, __global const int *g, int vectors)
{
    const int vector = get_global_id(0), pixel = get_global_id(1);
    if (vector >= vectors || pixel >= IMAGES * TARGET_H * TARGET_W) {
        return;
    }
    const int image = pixel / (TARGET_H * TARGET_W);
    const int rest = pixel - image * (TARGET_H * TARGET_W);
    const int at_y = rest / TARGET_W, at_x = rest - at_y * TARGET_W;
    VEC sum = (VEC)((REAL)0);
    for (int r = 0; r < TAPS_Y; r++) {
#ifdef GRADIENT
        const int over_y = at_y + PAD_Y - r * DILATION_Y;
        const int from_y = over_y / STRIDE_Y;
        if (over_y < 0 || from_y * STRIDE_Y != over_y || from_y >= SOURCE_H) {
            continue;
        }
#else
        const int from_y = at_y * STRIDE_Y + r * DILATION_Y - PAD_Y;
        if (from_y < 0 || from_y >= SOURCE_H) {
            continue;
        }
#endif
        for (int s = 0; s < TAPS_X; s++) {
#ifdef GRADIENT
            const int over_x = at_x + PAD_X - s * DILATION_X;
            const int from_x = over_x / STRIDE_X;
            if (over_x < 0 || from_x * STRIDE_X != over_x || from_x >= SOURCE_W) {
                continue;
            }
#else
            const int from_x = at_x * STRIDE_X + s * DILATION_X - PAD_X;
            if (from_x < 0 || from_x >= SOURCE_W) {
                continue;
            }
#endif
            const VEC value = source[((image * SOURCE_H + from_y) * SOURCE_W + from_x) * vectors + vector];
            sum += value * filters[(r * TAPS_X + s) * vectors + vector];
        }
    }
    target[pixel * vectors + vector] = sum;
}

#ifndef GRADIENT

// Gradient of the filters of a depthwise convolution, over a part of the rows of the output.
__kernel void depthwise_filters(__global const VEC *source, __global const VEC *gradients,
                                __global SUM *parts, __global const int *g, int vectors,
                                int rows_of_part)
{
    const int vector = get_global_id(0), tap = get_global_id(1), z = get_global_id(2);
    if (vector >= vectors || tap >= TAPS_Y * TAPS_X) {
        return;
    }
    const int r = tap / TAPS_X, s = tap - r * TAPS_X;
    SUM sum = (SUM)((ACC)0);
    for (int row = z * rows_of_part; row < min((z + 1) * rows_of_part, IMAGES * TARGET_H); row++) {
        const int image = row / TARGET_H;
        const int from_y = (row - image * TARGET_H) * STRIDE_Y + r * DILATION_Y - PAD_Y;
        if (from_y < 0 || from_y >= SOURCE_H) {
            continue;
        }
        for (int x = 0; x < TARGET_W; x++) {
            const int from_x = x * STRIDE_X + s * DILATION_X - PAD_X;
            if (from_x >= 0 && from_x < SOURCE_W) {
                sum += WIDEN(source[((image * SOURCE_H + from_y) * SOURCE_W + from_x) * vectors + vector])
                       * WIDEN(gradients[(row * TARGET_W + x) * vectors + vector]);
            }
        }
    }
    parts[(z * TAPS_Y * TAPS_X + tap) * vectors + vector] = sum;
}

#endif
#endif
