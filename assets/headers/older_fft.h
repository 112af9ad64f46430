// Results of cuFFT that CUDA 13 has no more: helper_cuda.h of older samples names them.
#ifndef TILESCOPE_OLDER_FFT
#define TILESCOPE_OLDER_FFT
#define CUFFT_INCOMPLETE_PARAMETER_LIST ((cufftResult)10)
#define CUFFT_PARSE_ERROR ((cufftResult)12)
#define CUFFT_LICENSE_ERROR ((cufftResult)15)
#endif
