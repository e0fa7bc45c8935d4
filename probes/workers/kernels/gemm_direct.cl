// Products of operands as they lie in memory: for few rows, where a copy into panels would cost
// more than the product. C[m,n] = A[m,k] B[k,n], C row-major.
//
// A work-item has MR rows and NV vectors of columns (B_BY_DEPTH: NC single columns) over a chunk
// of the depth. Dimension 2 goes over batch x splits, as in gemm.cl. Rows and columns beyond the
// edge repeat the last one and are not stored. Macros: REAL, ACC, VW, MR, NV or NC.

#include "vectors.cl"

#if VW == 1
#define LOAD(p) ((ACC)*(p))
#else
#ifdef USE_HALF
#define LOAD(p) JOIN(convert_, SUM)(JOIN(vload, VW)(0, p))
#else
#define LOAD(p) JOIN(vload, VW)(0, p)
#endif
#endif

#ifdef B_BY_DEPTH
#define COLUMNS NC
#else
#define COLUMNS (NV * VW)
#endif

ACC total(SUM value)
{
    ACC part[VW];
    *(SUM *)part = value;
    ACC sum = part[0];
    for (int i = 1; i < VW; i++) {
        sum += part[i];
    }
    return sum;
}

// Element (row, d) of A lies at row*a_row + d*a_depth, element (d, column) of B at
// column*b_column + d*b_depth. One stride of B is 1; B_BY_DEPTH needs a_depth and b_depth 1.
__kernel void gemm_direct(__global const REAL *a, __global const REAL *b, __global RESULT *c,
                          int m, int n, int depth, int splits, int chunk, int a_row, int a_depth,
                          int b_column, int b_depth, int a_stride, int b_stride, int c_stride)
{
    const int first_column = get_global_id(0) * COLUMNS;
    const int first_row = get_global_id(1) * MR, z = get_global_id(2);
    const int batch = z / splits, k_first = (z - batch * splits) * chunk;
    const int k_last = min(k_first + chunk, depth);
    if (first_column >= n || first_row >= m) {
        return;
    }
    a += batch * a_stride;
    b += batch * b_stride;
    c += z * c_stride;
    int a_at[MR];
#pragma unroll
    for (int i = 0; i < MR; i++) {
        a_at[i] = min(first_row + i, m - 1) * a_row;
    }
#ifdef B_BY_DEPTH
    int b_at[NC];
    SUM sum[MR][NC];
#pragma unroll
    for (int j = 0; j < NC; j++) {
        b_at[j] = min(first_column + j, n - 1) * b_column;
#pragma unroll
        for (int i = 0; i < MR; i++) {
            sum[i][j] = (SUM)(0);
        }
    }
    int k = k_first;
    for (; k + VW <= k_last; k += VW) {
#pragma unroll
        for (int i = 0; i < MR; i++) {
            const SUM left = LOAD(a + a_at[i] + k);
#pragma unroll
            for (int j = 0; j < NC; j++) {
                sum[i][j] = MAD(left, LOAD(b + b_at[j] + k), sum[i][j]);
            }
        }
    }
    for (int i = 0; i < MR && first_row + i < m; i++) {
        for (int j = 0; j < NC && first_column + j < n; j++) {
            ACC rest = total(sum[i][j]);
            for (int r = k; r < k_last; r++) {
                rest += (ACC)a[a_at[i] + r] * (ACC)b[b_at[j] + r];
            }
            c[(first_row + i) * n + first_column + j] = (RESULT)rest;
        }
    }
#else
    // n >= VW here: a vector that would reach beyond the edge begins earlier.
    int b_at[NV];
    SUM sum[MR][NV];
#pragma unroll
    for (int j = 0; j < NV; j++) {
        b_at[j] = min(first_column + j * VW, n - VW);
#pragma unroll
        for (int i = 0; i < MR; i++) {
            sum[i][j] = (SUM)(0);
        }
    }
    for (int k = k_first; k < k_last; k++) {
        SUM right[NV];
#pragma unroll
        for (int j = 0; j < NV; j++) {
            right[j] = LOAD(b + k * b_depth + b_at[j]);
        }
#pragma unroll
        for (int i = 0; i < MR; i++) {
            const SUM left = (SUM)((ACC)a[a_at[i] + k * a_depth]);
#pragma unroll
            for (int j = 0; j < NV; j++) {
                sum[i][j] = MAD(left, right[j], sum[i][j]);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < MR; i++) {
#pragma unroll
        for (int j = 0; j < NV; j++) {
            ACC part[VW];
            *(SUM *)part = sum[i][j];
            if (first_row + i < m && first_column + j * VW < n) {
                for (int v = 0; v < VW; v++) {
                    c[(first_row + i) * n + b_at[j] + v] = (RESULT)part[v];
                }
            }
        }
    }
#endif
}
