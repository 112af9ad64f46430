# CUDA's headers and NVRTC. Everything is loaded at run time, so the build takes headers alone:
# target tilescope_cuda_headers. Where the libraries lie is told to the program, in
# TILESCOPE_CUDA_LIBRARY_HINTS and TILESCOPE_CUDA_INCLUDE_HINTS (':'-separated), TILESCOPE_NVDISASM_HINT,
# TILESCOPE_PTXAS_HINT.

add_library(tilescope_cuda_headers INTERFACE)
set(TILESCOPE_CUDA_LIBRARY_HINTS "")
set(TILESCOPE_CUDA_INCLUDE_HINTS "")
set(TILESCOPE_NVDISASM_HINT "")
set(TILESCOPE_PTXAS_HINT "")

if(TILESCOPE_USE_CUDA_TOOLKIT)
  find_package(CUDAToolkit 12.4 QUIET)
endif()
if(CUDAToolkit_FOUND)
  file(GLOB nvrtc_libraries "${CUDAToolkit_LIBRARY_DIR}/libnvrtc.so*")
endif()
if(nvrtc_libraries)
  message(STATUS "CUDA toolkit ${CUDAToolkit_VERSION}: ${CUDAToolkit_LIBRARY_DIR}")
  set(cuda_includes ${CUDAToolkit_INCLUDE_DIRS})
  list(APPEND TILESCOPE_CUDA_LIBRARY_HINTS "${CUDAToolkit_LIBRARY_DIR}")
  find_program(nvdisasm nvdisasm HINTS "${CUDAToolkit_BIN_DIR}" NO_CACHE)
  find_program(ptxas ptxas HINTS "${CUDAToolkit_BIN_DIR}" NO_CACHE)
else()
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    message(FATAL_ERROR "Install NVIDIA's CUDA toolkit (12.4 or newer): the headers and NVRTC that "
      "are downloaded in its place are pinned for x86_64 alone.")
  endif()
  # One set of versions, as NVIDIA releases them together (CUDA 13.0 update 2).
  set(cuda_linux manylinux2014_x86_64.manylinux_2_17_x86_64)
  tilescope_fetch(nvrtc nvidia-cuda-nvrtc 13.0.88
    ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575
    nvidia_cuda_nvrtc-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl)
  tilescope_fetch(runtime nvidia-cuda-runtime 13.0.96
    7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548
    nvidia_cuda_runtime-13.0.96-py3-none-${cuda_linux}.whl)
  tilescope_fetch(crt nvidia-cuda-crt 13.0.88
    2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4
    nvidia_cuda_crt-13.0.88-py3-none-${cuda_linux}.whl)
  tilescope_fetch(cccl nvidia-cuda-cccl 13.0.85
    e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649
    nvidia_cuda_cccl-13.0.85-py3-none-${cuda_linux}.whl)
  set(cuda_includes "")
  foreach(wheel IN ITEMS "${runtime}" "${crt}" "${nvrtc}" "${cccl}")
    list(APPEND cuda_includes "${wheel}/nvidia/cu13/include")
  endforeach()
  list(APPEND TILESCOPE_CUDA_LIBRARY_HINTS "${nvrtc}/nvidia/cu13/lib")

  # cuBLAS is the reference of a measurement, and 400 MB: fetched only where a GPU can use it.
  set(has_gpu OFF)
  if(EXISTS "/dev/nvidiactl")
    set(has_gpu ON)
  endif()
  option(TILESCOPE_FETCH_CUBLAS "Download cuBLAS when no toolkit is used" ${has_gpu})
  if(TILESCOPE_FETCH_CUBLAS)
    tilescope_fetch(cublas nvidia-cublas 13.1.0.3
      ee8722c1f0145ab246bccb9e452153b5e0515fd094c3678df50b2a0888b8b171
      nvidia_cublas-13.1.0.3-py3-none-manylinux_2_27_x86_64.whl)
    list(APPEND TILESCOPE_CUDA_LIBRARY_HINTS "${cublas}/nvidia/cu13/lib")
  endif()
  message(STATUS "CUDA: no toolkit used, NVIDIA's wheels 13.0 in ${TILESCOPE_CACHE_DIR}")
endif()

# A program of a wheel; wheels carry no modes.
function(tilescope_let_run program)
  file(CHMOD "${program}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endfunction()

if(NOT nvdisasm AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  tilescope_fetch(disassembler nvidia-cuda-nvdisasm 13.2.78
    b4ebcd3c5046bf8039ac52675b9dbefd843600969649ecaab0a42b0713a61dae
    nvidia_cuda_nvdisasm-13.2.78-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl)
  set(nvdisasm "${disassembler}/nvidia/cu13/bin/nvdisasm")
  tilescope_let_run("${nvdisasm}")
endif()
if(NOT ptxas AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  tilescope_fetch(assembler nvidia-cuda-nvcc 13.0.88
    56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03
    nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl)
  set(ptxas "${assembler}/nvidia/cu13/bin/ptxas")
  tilescope_let_run("${ptxas}")
endif()

target_include_directories(tilescope_cuda_headers SYSTEM INTERFACE ${cuda_includes})
list(JOIN TILESCOPE_CUDA_LIBRARY_HINTS ":" TILESCOPE_CUDA_LIBRARY_HINTS)
list(JOIN cuda_includes ":" TILESCOPE_CUDA_INCLUDE_HINTS)
set(TILESCOPE_NVDISASM_HINT "${nvdisasm}")
set(TILESCOPE_PTXAS_HINT "${ptxas}")
