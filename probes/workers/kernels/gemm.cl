// Products of packed operands (pack.cl): C[m,n] = A[m,k] B[k,n], C row-major.
//
// Macros: REAL and ACC (numbers in memory and in sums), VW (vector width), LX x LY work-items on a
// tile, each with MR rows and NR columns; with USE_LOCAL a group keeps KB slices of its tile in
// local memory. A lone work-item on a tile (LX = LY = 1) suits processors with caches and wide
// registers.
// Dimension 2 goes over batch x splits: a split takes `chunk` of the depth and has a result of its
// own (of sums not yet rounded), to be added up by sum_parts.

#include "panels.cl"

void store(__global RESULT *c, SUM value, int columns, int accumulate)
{
    ACC part[VW];
    *(SUM *)part = value;
    for (int i = 0; i < min(columns, VW); i++) {
        c[i] = (RESULT)(accumulate ? (ACC)c[i] + part[i] : part[i]);
    }
}

__kernel
#ifdef USE_LOCAL
__attribute__((reqd_work_group_size(LX, LY, 1)))
#endif
void gemm_tiles(__global const REAL *a, __global const REAL *b, __global RESULT *c, int m, int n,
                int depth, int splits, int chunk, int a_stride, int b_stride, int c_stride,
                int c_row_stride, int c_offset, int accumulate)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int panel_m = y / LY, panel_n = x / LX;
    const int ly = y - panel_m * LY, lx = x - panel_n * LX;
    const int batch = z / splits, k_first = (z - batch * splits) * chunk;
    const int k_count = min(chunk, depth - k_first);
#ifndef USE_LOCAL
    if (panel_m * TM >= m || panel_n * TN >= n) {
        return;
    }
#endif
    a += batch * a_stride + (panel_m * depth + k_first) * TM;
    b += batch * b_stride + (panel_n * depth + k_first) * TN;
    c += z * c_stride + c_offset;

    SUM sum[MR][NV];
#pragma unroll
    for (int i = 0; i < MR; i++) {
#pragma unroll
        for (int j = 0; j < NV; j++) {
            sum[i][j] = (SUM)(0);
        }
    }
#ifdef USE_LOCAL
    __local VEC a_tile[KB * TM / VW];
    __local VEC b_tile[KB * TN / VW];
    const int item = ly * LX + lx;
    for (int k0 = 0; k0 < k_count; k0 += KB) {
        for (int i = item; i < KB * TM / VW; i += LX * LY) {
            a_tile[i] = ((__global const VEC *)(a + k0 * TM))[i];
        }
        for (int i = item; i < KB * TN / VW; i += LX * LY) {
            b_tile[i] = ((__global const VEC *)(b + k0 * TN))[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        __local const REAL *a_now = (__local const REAL *)a_tile + ly * MR;
        __local const VEC *b_now = b_tile + lx;
#pragma unroll 4
        for (int k = 0; k < KB; k++, a_now += TM, b_now += TN / VW) {
#else
    {
        __global const REAL *a_now = a + ly * MR;
        __global const VEC *b_now = (__global const VEC *)b + lx;
        for (int k = 0; k < k_count; k++, a_now += TM, b_now += TN / VW) {
#endif
            SUM right[NV];
#pragma unroll
            for (int j = 0; j < NV; j++) {
                right[j] = WIDEN(b_now[j * LX]);
            }
#pragma unroll
            for (int i = 0; i < MR; i++) {
                const SUM left = (SUM)((ACC)a_now[i]);
#pragma unroll
                for (int j = 0; j < NV; j++) {
                    sum[i][j] = MAD(left, right[j], sum[i][j]);
                }
            }
        }
#ifdef USE_LOCAL
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
#pragma unroll
    for (int i = 0; i < MR; i++) {
        const int row = panel_m * TM + ly * MR + i;
#pragma unroll
        for (int j = 0; j < NV; j++) {
            const int column = panel_n * TN + (j * LX + lx) * VW;
            if (row < m) {
                store(c + row * c_row_stride + column, sum[i][j], n - column, accumulate);
            }
        }
    }
}
