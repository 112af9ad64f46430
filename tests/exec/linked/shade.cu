#include "shade.cuh"
__device__ float Ray::at(float t) const { return from + t * to; }
__device__ float shade(const Ray& ray, float t) { return ray.at(t) * 0.5f; }
