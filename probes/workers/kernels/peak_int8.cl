// Arithmetic on bytes without memory traffic: sums of products in 32 bits, as any device has them.
// Each product is of another byte than the one before, and the step by which the bytes move comes
// from outside, so nothing can be left out. Macros: VW (vector width), CHAINS.

#include "numbers.cl"

#if VW == 1
#define WHOLE int
#define BYTES char
#define MOVED(x, step) ((char)((uchar)(x) + (uchar)(step)))
#define WIDEN(x) ((int)(x))
#else
#define WHOLE JOIN(int, VW)
#define BYTES JOIN(char, VW)
#define UBYTES JOIN(uchar, VW)
#define MOVED(x, step) JOIN(as_, BYTES)(JOIN(as_, UBYTES)(x) + (UBYTES)((uchar)(step)))
#define WIDEN(x) JOIN(convert_, WHOLE)(x)
#endif

// `n` times 4 steps of each chain: sum += x * factor, then x moves.
__kernel void peak_int8(__global WHOLE *result, int moved, int n)
{
    const int item = get_global_id(0);
    const BYTES factor = (BYTES)((char)(3 + 2 * moved));
    BYTES x[CHAINS];
    WHOLE sum[CHAINS];
#pragma unroll
    for (int i = 0; i < CHAINS; i++) {
        x[i] = (BYTES)((char)(i + (item & 15)));
        sum[i] = (WHOLE)(0);
    }
    for (int step = 0; step < n; step++) {
#pragma unroll
        for (int repeat = 0; repeat < 4; repeat++) {
#pragma unroll
            for (int i = 0; i < CHAINS; i++) {
                sum[i] += WIDEN(x[i]) * WIDEN(factor);
                x[i] = MOVED(x[i], moved);
            }
        }
    }
    WHOLE total = sum[0];
#pragma unroll
    for (int i = 1; i < CHAINS; i++) {
        total ^= sum[i];
    }
    result[item] = total;
}
