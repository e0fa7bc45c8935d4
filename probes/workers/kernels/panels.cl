// Tiles of products of packed operands (pack.cl): TM rows by TN columns, of which a work-item has NV
// vectors in each of its rows. Macros: VW, LX, LY, MR, NR as in gemm.cl.

#include "vectors.cl"

#define NV (NR / VW)
#define TM (LY * MR)
#define TN (LX * NR)
