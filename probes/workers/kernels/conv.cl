// Convolutions, channels last, filters [r, s, c, k].
//
// A kernel goes from a source image to a target image: forward from input to output, with GRADIENT
// from the gradient of the output to that of the input. Filters and gradients come as panels
// (pack.cl) of TN channels. Geometry comes as an array of integers: programs are compiled once for
// all shapes.
// With GRADIENT the pixels of a target are taken in CLASSES_Y x CLASSES_X classes, by their place
// modulo the stride: all of a class get something from the same filter taps, nothing is multiplied
// by zeros in between.
//
// Macros: REAL, ACC, VW, LX, LY, MR, NR as in gemm.cl.

#include "panels.cl"
#include "geometry.cl"

// Place in the source that tap `tap` of a target place looks at.
#ifdef GRADIENT
#define SOURCE_PLACE(place, tap, stride, dilation, pad) (((place) + (pad) - (tap) * (dilation)) / (stride))
#else
#define SOURCE_PLACE(place, tap, stride, dilation, pad) ((place) * (stride) + (tap) * (dilation) - (pad))
#endif

void store(__global REAL *c, SUM value, int columns)
{
    ACC part[VW];
    *(SUM *)part = value;
    for (int i = 0; i < min(columns, VW); i++) {
        c[i] = (REAL)part[i];
    }
}

// Dimension 2 goes over groups x classes. `zeros` holds zeros for TAPS_X pixels of a group.
__kernel void conv_tiles(__global const REAL *source, __global const REAL *filters,
                         __global REAL *target, __global const REAL *zeros,
                         __global const int *g, int filters_stride)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int panel_m = y / LY, panel_n = x / LX;
    const int ly = y - panel_m * LY, lx = x - panel_n * LX;
    const int classes_x = CLASSES_X, classes = CLASSES_Y * classes_x;
    const int group = z / classes, class_y = (z - group * classes) / classes_x;
    const int class_x = z % classes_x;
    const int rows_w = (TARGET_W + classes_x - 1) / classes_x;
    const int rows_h = (TARGET_H + CLASSES_Y - 1) / CLASSES_Y;
    const int rows = IMAGES * rows_h * rows_w;
    const int channels = GROUP_SOURCE_C, columns = GROUP_TARGET_C;
    if (panel_m * TM >= rows || panel_n * TN >= columns) {
        return;
    }
    source += group * channels;
    filters += group * filters_stride + panel_n * TN * TAPS_Y * TAPS_X * channels;
    target += group * columns;

    int image[MR], at_y[MR], at_x[MR];
#pragma unroll
    for (int i = 0; i < MR; i++) {
        const int row = panel_m * TM + ly * MR + i;
        const int rest = row % (rows_h * rows_w);
        image[i] = row / (rows_h * rows_w);
        at_y[i] = (rest / rows_w) * CLASSES_Y + class_y;
        at_x[i] = (rest % rows_w) * classes_x + class_x;
        if (row >= rows || at_y[i] >= TARGET_H || at_x[i] >= TARGET_W) {
            image[i] = -1;
        }
    }
    SUM sum[MR][NV];
#pragma unroll
    for (int i = 0; i < MR; i++) {
#pragma unroll
        for (int j = 0; j < NV; j++) {
            sum[i][j] = (SUM)(0);
        }
    }
    __global const VEC *b_now = (__global const VEC *)filters + lx;
    // Taps of a row lie side by side in the source: where none is outside, they are one run.
    int run = 1;
#ifndef GRADIENT
    if (DILATION_X == 1 && channels == SOURCE_C) {
        run = TAPS_X;
#pragma unroll
        for (int i = 0; i < MR; i++) {
            const int from_x = at_x[i] * STRIDE_X - PAD_X;
            if (image[i] >= 0 && (from_x < 0 || from_x + TAPS_X > SOURCE_W)) {
                run = 1;
            }
        }
    }
#endif
    for (int r = 0; r < TAPS_Y; r++) {
        for (int s = 0; s < TAPS_X; s += run) {
#ifdef GRADIENT
            if ((class_y + PAD_Y - r * DILATION_Y) % STRIDE_Y != 0
                || (class_x + PAD_X - s * DILATION_X) % STRIDE_X != 0) {
                b_now += channels * (TN / VW);
                continue;
            }
#endif
            __global const REAL *a[MR];
#pragma unroll
            for (int i = 0; i < MR; i++) {
                const int from_y = SOURCE_PLACE(at_y[i], r, STRIDE_Y, DILATION_Y, PAD_Y);
                const int from_x = SOURCE_PLACE(at_x[i], s, STRIDE_X, DILATION_X, PAD_X);
                const bool is_inside = image[i] >= 0 && from_y >= 0 && from_y < SOURCE_H
                                       && from_x >= 0 && from_x < SOURCE_W;
                a[i] = is_inside
                           ? source + ((image[i] * SOURCE_H + from_y) * SOURCE_W + from_x) * SOURCE_C
                           : zeros;
            }
            for (int c = 0; c < channels * run; c++, b_now += TN / VW) {
                SUM right[NV];
#pragma unroll
                for (int j = 0; j < NV; j++) {
                    right[j] = WIDEN(b_now[j * LX]);
                }
#pragma unroll
                for (int i = 0; i < MR; i++) {
                    const SUM left = (SUM)((ACC)a[i][c]);
#pragma unroll
                    for (int j = 0; j < NV; j++) {
                        sum[i][j] = MAD(left, right[j], sum[i][j]);
                    }
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < MR; i++) {
        __global REAL *pixel
            = target + ((image[i] * TARGET_H + at_y[i]) * TARGET_W + at_x[i]) * TARGET_C;
#pragma unroll
        for (int j = 0; j < NV; j++) {
            const int column = panel_n * TN + (j * LX + lx) * VW;
            if (image[i] >= 0) {
                store(pixel + column, sum[i][j], columns - column);
            }
        }
    }
}

#ifndef GRADIENT

// Gradient of the filters: a work-item has MR channels and NR filters at one tap, over a part of
// the rows of the output. `gradients` are panels of the gradient of the output, [k][pixel].
// Dimension 1 goes over taps x parts of the channels, dimension 2 over parts of the rows.
__kernel void conv_filter_tiles(__global const REAL *source, __global const REAL *gradients,
                                __global ACC *parts, __global const int *g, int rows_of_part)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int panel_n = x / LX, lx = x - panel_n * LX;
    const int channels = SOURCE_C, columns = TARGET_C, width = TARGET_W;
    const int tiles_c = (channels + MR - 1) / MR;
    const int tap = y / tiles_c, first_c = (y - tap * tiles_c) * MR;
    const int r = tap / TAPS_X, s = tap - r * TAPS_X;
    const int all_rows = IMAGES * TARGET_H;
    if (tap >= TAPS_Y * TAPS_X || panel_n * TN >= columns) {
        return;
    }
    int a_at[MR];
#pragma unroll
    for (int i = 0; i < MR; i++) {
        a_at[i] = min(first_c + i, channels - 1);
    }
    SUM sum[MR][NV];
#pragma unroll
    for (int i = 0; i < MR; i++) {
#pragma unroll
        for (int j = 0; j < NV; j++) {
            sum[i][j] = (SUM)(0);
        }
    }
    // Columns of the output whose tap falls inside the input.
    const int shift = s * DILATION_X - PAD_X;
    const int x_first = shift < 0 ? (-shift + STRIDE_X - 1) / STRIDE_X : 0;
    const int x_last = shift < SOURCE_W ? min(width, (SOURCE_W - 1 - shift) / STRIDE_X + 1) : 0;
    gradients += panel_n * TN * all_rows * width;
    const int a_step = STRIDE_X * channels;
    for (int row = z * rows_of_part; row < min((z + 1) * rows_of_part, all_rows); row++) {
        const int image = row / TARGET_H;
        const int from_y = (row - image * TARGET_H) * STRIDE_Y + r * DILATION_Y - PAD_Y;
        if (from_y < 0 || from_y >= SOURCE_H) {
            continue;
        }
        __global const REAL *a_now
            = source + ((image * SOURCE_H + from_y) * SOURCE_W + shift + x_first * STRIDE_X) * channels;
        __global const VEC *b_now
            = (__global const VEC *)gradients + (row * width + x_first) * (TN / VW) + lx;
        for (int column = x_first; column < x_last; column++, a_now += a_step, b_now += TN / VW) {
            SUM right[NV];
#pragma unroll
            for (int j = 0; j < NV; j++) {
                right[j] = WIDEN(b_now[j * LX]);
            }
#pragma unroll
            for (int i = 0; i < MR; i++) {
                const SUM left = (SUM)((ACC)a_now[a_at[i]]);
#pragma unroll
                for (int j = 0; j < NV; j++) {
                    sum[i][j] = MAD(left, right[j], sum[i][j]);
                }
            }
        }
    }
    parts += (z * TAPS_Y * TAPS_X + tap) * channels * columns;
#pragma unroll
    for (int i = 0; i < MR; i++) {
#pragma unroll
        for (int j = 0; j < NV; j++) {
            const int column = panel_n * TN + (j * LX + lx) * VW;
            ACC part[VW];
            *(SUM *)part = sum[i][j];
            if (first_c + i < channels) {
                for (int v = 0; v < VW && column + v < columns; v++) {
                    parts[(first_c + i) * columns + column + v] = part[v];
                }
            }
        }
    }
}

#endif
