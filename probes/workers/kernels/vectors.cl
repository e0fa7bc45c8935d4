// Vectors of VW numbers: VEC of those in memory (REAL), SUM of those in sums (ACC), WIDEN from one to
// the other.

#include "numbers.cl"

#if VW == 1
#define VEC REAL
#define SUM ACC
#else
#define VEC JOIN(REAL, VW)
#define SUM JOIN(ACC, VW)
#endif
#ifdef USE_HALF
#define WIDEN(v) JOIN(convert_, SUM)(v)
#else
#define WIDEN(v) (v)
#endif
