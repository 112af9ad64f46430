#pragma once
struct Ray {
  float from, to;
  __device__ float at(float t) const;
};
__device__ float shade(const Ray& ray, float t);
