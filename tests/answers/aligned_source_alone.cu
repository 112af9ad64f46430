// Rows of 38 shorts (76 B) are copied to other rows in pieces of 16 B once the source is aligned; the
// target is taken to be aligned alike. Row 3 to row 5: 228 B is 4 past a multiple of 16, so 6 shorts
// go first; 380 + 12 = 392 B is 8 past one: the store is misaligned. Rows 0, 1 and 2 keep their
// places and are aligned where the source is. Checking both ends it.
// trace: --grid 4 --block 32 --arg i16[228]=iota --arg i16[228]=zero
// trace 1: -D SOURCE_ALONE
// mutant 1: misaligned at piece (block 3 stores 16 B at byte 392)
// says 1: no multiple of 16
__global__ void to_their_places(const short* in, short* out) {
  const int row = blockIdx.x, place = row == 3 ? 5 : row;
  const short* from = in + row * 38;
  short* to = out + place * 38;
  const int start = static_cast<int>(reinterpret_cast<unsigned long long>(from) % 16);
  int head = (16 - start) % 16 / 2;
#ifndef SOURCE_ALONE
  if ((reinterpret_cast<unsigned long long>(to) - start) % 16 != 0) head = 38;
#endif
  for (int i = threadIdx.x; i < head; i += 32) to[i] = from[i];
  const int pieces = (38 - head) / 8;
  for (int i = threadIdx.x; i < pieces; i += 32)
    reinterpret_cast<int4*>(to + head)[i] = reinterpret_cast<const int4*>(from + head)[i];  //@piece
  for (int i = head + pieces * 8 + threadIdx.x; i < 38; i += 32) to[i] = from[i];
}
