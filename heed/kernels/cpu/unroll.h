// Unrolling of loops whose arrays must stay in registers.
#ifndef HEED_KERNELS_CPU_UNROLL_H_
#define HEED_KERNELS_CPU_UNROLL_H_

// Fully unrolls the following `for` of few, constant iterations. Arrays of
// vectors indexed in such loops then stay in registers; otherwise GCC keeps
// them on the stack, which makes a tile of 32 products a tenth slower.
#if defined(__clang__)
#define HEED_UNROLL _Pragma("unroll")
#else
#define HEED_UNROLL _Pragma("GCC unroll 32")
#endif

#endif  // HEED_KERNELS_CPU_UNROLL_H_
