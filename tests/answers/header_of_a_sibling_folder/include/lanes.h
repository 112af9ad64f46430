#define LANES 32
