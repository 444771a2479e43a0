// Loops over what shall stay in registers.
#ifndef HEED_KERNELS_CPU_UNROLL_H_
#define HEED_KERNELS_CPU_UNROLL_H_

// Before a `for` of few, known turns: unrolls it whole, and early. Arrays of
// vectors that such loops index are registers then; otherwise GCC keeps a copy
// of them on the stack, which costs a tile of 32 products a tenth of its time.
#if defined(__clang__)
#define HEED_UNROLL _Pragma("unroll")
#else
#define HEED_UNROLL _Pragma("GCC unroll 32")
#endif

#endif  // HEED_KERNELS_CPU_UNROLL_H_
