// Arithmetic without memory traffic: chains x = x*x + c. A quadratic chain has no shorter form, and
// its result is stored, so nothing can be left out.
// Macros: REAL, VW (vector width), CHAINS (independent ones that hide the latency), and MAD.

#include "vectors.cl"

// `n` times 4 steps of each chain; the addend comes from outside, so it cannot be folded.
__kernel void peak(__global VEC *result, float addend, int n)
{
    const int item = get_global_id(0);
    const VEC c = (VEC)((REAL)addend);
    VEC x[CHAINS];
#pragma unroll
    for (int i = 0; i < CHAINS; i++) {
        x[i] = (VEC)((REAL)(0.01f * (float)(i + (item & 15))));
    }
    for (int step = 0; step < n; step++) {
#pragma unroll
        for (int repeat = 0; repeat < 4; repeat++) {
#pragma unroll
            for (int i = 0; i < CHAINS; i++) {
                x[i] = MAD(x[i], x[i], c);
            }
        }
    }
    VEC sum = x[0];
#pragma unroll
    for (int i = 1; i < CHAINS; i++) {
        sum += x[i];
    }
    result[item] = sum;
}
