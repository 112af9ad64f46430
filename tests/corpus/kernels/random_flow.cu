// Made by random_flow.py: lanes part by their data, in if, switch, for and while, with break,
// continue and return, and meet again as the compiler has it.
extern "C" __global__ void flow_0(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  x ^= x << 4;
  for (int i1 = 0, end_i1 = (int)((x >> 2) & 7); i1 < end_i1; ++i1) {
    out[384 + t] = x;
    y ^= x >> 8;
    if ((x >> 5) & 1) {
      x = x * 15u + 737;
      if (((x >> 5) & 7) < 2) {
        x ^= x << 1;
        for (int w2 = 0; (x % 7 == 0) && w2 < 4; ++w2) {
          y ^= x >> 5;
          x += y;
          y ^= x >> 5;
          y = y * 5 + x;
        }
        switch ((x >> 1) & 3) {
          case 0:
            out[896 + t] = y;
            x ^= x << 4;
            break;
          case 1:
            x += y;
            out[640 + t] = x;
          case 2:
            y ^= x >> 2;
            x = x * 53u + 94;
            break;
          case 3:
            x += y;
            y ^= x >> 7;
            break;
        }
        out[1152 + t] ^= x;
      } else {
        x ^= x << 3;
        switch ((x >> 6) & 3) {
          case 0:
            x ^= x << 2;
            out[384 + t] = x;
            break;
          case 1:
            x ^= x << 6;
            y ^= x >> 1;
            break;
          case 2:
            out[128 + t] ^= x;
            out[1152 + t] = y;
            break;
          case 3:
            x += y;
            y = y * 5 + x;
            break;
        }
        if ((lane & 16) == 0) break;
      }
      switch ((x >> 3) & 1) {
        case 0:
          x = x * 67u + 334;
          out[1664 + t] = x;
        case 1:
          x += y;
          y ^= x >> 2;
          break;
      }
      switch ((x >> 2) & 3) {
        case 0:
          y ^= x >> 7;
          x ^= x << 2;
          break;
        case 1:
          x = x * 39u + 872;
          x = x * 75u + 323;
          break;
        case 2:
          y = y * 5 + x;
          out[640 + t] = x;
          break;
        case 3:
          y ^= x >> 6;
          out[128 + t] = y;
          break;
      }
    } else {
      out[1920 + t] = x;
      if (x % 2 == 0) continue;
      if (((x ^ lane) >> 3) & 1) {
        y = y * 5 + x;
        y = y * 5 + x;
      } else {
        out[1536 + t] ^= x;
        for (int i3 = 0, end_i3 = (int)(lane & 3); i3 < end_i3; ++i3) {
          x += y;
          out[0 + t] ^= x;
          out[768 + t] = x;
        }
        out[1792 + t] ^= x;
        out[1536 + t] ^= x;
      }
      for (int i4 = 0, end_i4 = (int)((x >> 7) & 7); i4 < end_i4; ++i4) {
        x = x * 5u + 349;
        out[1024 + t] = y;
        for (int i5 = 0, end_i5 = 5; i5 < end_i5; ++i5) {
          x = x * 31u + 134;
          y = y * 5 + x;
          y = y * 5 + x;
        }
        if ((x >> 3) & 1) {
          out[0 + t] = y;
          return;
        }
      }
    }
  }
  if ((x >> 7) & 1) {
    out[640 + t] = y;
    y ^= x >> 3;
    for (int i6 = 0, end_i6 = 3; i6 < end_i6; ++i6) {
      out[1792 + t] ^= x;
      x ^= x << 6;
    }
  } else {
    out[1920 + t] ^= x;
    for (int i7 = 0, end_i7 = (int)((x >> 1) & 7); i7 < end_i7; ++i7) {
      x += y;
      if ((x >> 7) & 1) break;
    }
    if (x % 8 == 0) {
      y = y * 5 + x;
      for (int w8 = 0; ((lane & 15) == 1) && w8 < 5; ++w8) {
        out[1664 + t] = y;
        if (((x >> 1) & 7) < 3) {
          x = x * 13u + 611;
          x = x * 99u + 8;
        }
      }
    } else {
      x ^= x << 4;
      out[768 + t] = y;
      for (int w9 = 0; (((x >> 8) & 7) < 6) && w9 < 5; ++w9) {
        x += y;
        if ((lane & 1) == 1) break;
      }
    }
    for (int i10 = 0, end_i10 = n; i10 < end_i10; ++i10) {
      x ^= x << 6;
      y = y * 5 + x;
    }
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_1(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  switch ((x >> 7) & 1) {
    case 0:
      y = y * 5 + x;
      switch ((x >> 3) & 1) {
        case 0:
          x = x * 7u + 915;
          y ^= x >> 4;
        case 1:
          x += y;
          x += y;
          break;
      }
      break;
    case 1:
      out[1152 + t] = y;
      x += y;
      break;
  }
  switch ((x >> 4) & 7) {
    case 0:
      out[128 + t] = x;
      if (((x >> 11) & 7) < 7) {
        x = x * 51u + 502;
        x += y;
        x ^= x << 4;
      }
      break;
    case 1:
      out[1792 + t] = x;
      for (int i1 = 0, end_i1 = n; i1 < end_i1; ++i1) {
        y = y * 5 + x;
        x = x * 47u + 2;
        out[640 + t] = y;
      }
      break;
    case 2:
      x = x * 13u + 889;
      switch ((x >> 3) & 3) {
        case 0:
          out[896 + t] = y;
          out[640 + t] = y;
          break;
        case 1:
          out[1152 + t] ^= x;
          out[1152 + t] = y;
          break;
        case 2:
          x = x * 81u + 443;
          y = y * 5 + x;
          break;
        case 3:
          x = x * 83u + 817;
          out[1280 + t] = y;
          break;
      }
    case 3:
      out[1152 + t] = y;
      switch ((x >> 4) & 7) {
        case 0:
          x += y;
          x += y;
          break;
        case 1:
          x += y;
          x ^= x << 1;
          break;
        case 2:
          x ^= x << 2;
          y ^= x >> 4;
          break;
        case 3:
          x += y;
          x += y;
          break;
        case 4:
          x ^= x << 3;
          y ^= x >> 8;
          break;
        case 5:
          x ^= x << 2;
          y ^= x >> 4;
        case 6:
          out[1408 + t] = y;
          y = y * 5 + x;
          break;
        case 7:
          y ^= x >> 7;
          y = y * 5 + x;
          break;
      }
      break;
    case 4:
      x ^= x << 6;
      y = y * 5 + x;
      break;
    case 5:
      out[256 + t] ^= x;
      x ^= x << 6;
      break;
    case 6:
      y ^= x >> 4;
      switch ((x >> 0) & 1) {
        case 0:
          y = y * 5 + x;
          out[128 + t] = y;
          break;
        case 1:
          x += y;
          y ^= x >> 5;
          break;
      }
      break;
    case 7:
      y ^= x >> 8;
      for (int i2 = 0, end_i2 = (int)((x >> 1) & 7); i2 < end_i2; ++i2) {
        y ^= x >> 6;
        x = x * 19u + 916;
        out[768 + t] = x;
        out[896 + t] ^= x;
      }
      break;
  }
  for (int i3 = 0, end_i3 = (int)(lane & 7); i3 < end_i3; ++i3) {
    y = y * 5 + x;
    out[1408 + t] = y;
    for (int w4 = 0; ((x >> 4) & 1) && w4 < 3; ++w4) {
      x += y;
      if (((y >> 10) & 3) != 2) {
        x ^= x << 5;
        x ^= x << 5;
      } else {
        y = y * 5 + x;
        y = y * 5 + x;
      }
    }
    for (int i5 = 0, end_i5 = 4; i5 < end_i5; ++i5) {
      y ^= x >> 2;
      for (int w6 = 0; ((lane & 16) == 1) && w6 < 5; ++w6) {
        out[640 + t] ^= x;
        x += y;
      }
    }
  }
  if ((x >> 8) & 1) {
    out[896 + t] = x;
    out[1152 + t] ^= x;
    switch ((x >> 6) & 3) {
      case 0:
        y = y * 5 + x;
        out[384 + t] = y;
      case 1:
        out[512 + t] = y;
        out[1408 + t] ^= x;
        break;
      case 2:
        out[1408 + t] ^= x;
        x += y;
      case 3:
        out[1792 + t] = y;
        x = x * 83u + 685;
        break;
    }
    for (int w7 = 0; (((y >> 5) & 3) != 2) && w7 < 2; ++w7) {
      y = y * 5 + x;
      switch ((x >> 6) & 1) {
        case 0:
          y = y * 5 + x;
          out[1152 + t] = x;
          break;
        case 1:
          y = y * 5 + x;
          out[256 + t] = x;
          break;
      }
      for (int i8 = 0, end_i8 = (int)((x >> 4) & 7); i8 < end_i8; ++i8) {
        x ^= x << 1;
        x += y;
        x ^= x << 5;
      }
    }
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_2(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  x += y;
  for (int i1 = 0, end_i1 = (int)(lane & 7); i1 < end_i1; ++i1) {
    x ^= x << 1;
    for (int w2 = 0; ((x >> 6) & 1) && w2 < 3; ++w2) {
      out[1280 + t] = x;
      out[1408 + t] = x;
      x += y;
    }
    if ((lane & 16) == 8) {
      out[896 + t] = y;
      x ^= x << 4;
      y ^= x >> 1;
    } else {
      y ^= x >> 4;
      y = y * 5 + x;
      x += y;
      x = x * 17u + 978;
    }
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_3(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  for (int i1 = 0, end_i1 = 4; i1 < end_i1; ++i1) {
    out[1920 + t] ^= x;
    switch ((x >> 0) & 7) {
      case 0:
        out[1536 + t] = x;
        x = x * 97u + 16;
        break;
      case 1:
        y = y * 5 + x;
        x = x * 21u + 900;
        break;
      case 2:
        out[768 + t] = y;
        x += y;
      case 3:
        x ^= x << 6;
        out[384 + t] = y;
        break;
      case 4:
        x ^= x << 1;
        y = y * 5 + x;
      case 5:
        x ^= x << 4;
        x = x * 67u + 242;
        break;
      case 6:
        out[128 + t] = y;
        y = y * 5 + x;
        break;
      case 7:
        out[1536 + t] = y;
        out[896 + t] = y;
        break;
    }
    if ((lane & 15) == 1) continue;
    for (int i2 = 0, end_i2 = 4; i2 < end_i2; ++i2) {
      out[128 + t] ^= x;
      for (int i3 = 0, end_i3 = (int)((x >> 2) & 7); i3 < end_i3; ++i3) {
        y = y * 5 + x;
        x += y;
      }
      for (int i4 = 0, end_i4 = (int)((x >> 3) & 7); i4 < end_i4; ++i4) {
        x ^= x << 1;
        x ^= x << 1;
        y ^= x >> 5;
      }
    }
  }
  x ^= x << 3;
  switch ((x >> 0) & 1) {
    case 0:
      out[1408 + t] = y;
      if (((x >> 10) & 7) < 4) {
        x += y;
        out[1152 + t] = y;
      } else {
        x = x * 9u + 36;
        x = x * 25u + 516;
      }
      break;
    case 1:
      out[1664 + t] = x;
      if (x % 3 == 0) {
        x = x * 25u + 246;
        out[1536 + t] = y;
        x = x * 9u + 485;
      }
      break;
  }
  out[128 + t] = x;
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_4(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  x = x * 65u + 159;
  if ((x >> 4) & 1) {
    out[1024 + t] = y;
    x ^= x << 1;
    for (int i1 = 0, end_i1 = n; i1 < end_i1; ++i1) {
      out[1024 + t] = y;
      for (int i2 = 0, end_i2 = n; i2 < end_i2; ++i2) {
        out[1152 + t] = y;
        out[128 + t] = y;
        x += y;
      }
      out[768 + t] = x;
      if ((x >> 11) & 1) {
        x ^= x << 1;
        x ^= x << 3;
      } else {
        y = y * 5 + x;
        out[256 + t] = y;
        x = x * 79u + 985;
        y ^= x >> 6;
      }
    }
  } else {
    x = x * 57u + 939;
    x = x * 79u + 694;
  }
  for (int i3 = 0, end_i3 = 3; i3 < end_i3; ++i3) {
    x += y;
    if (((x >> 7) & 7) < 1) {
      out[1920 + t] = y;
      for (int i4 = 0, end_i4 = (int)((x >> 6) & 7); i4 < end_i4; ++i4) {
        y ^= x >> 6;
        x += y;
        x ^= x << 6;
        y = y * 5 + x;
      }
    }
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_5(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  if (((x >> 11) & 7) < 7) {
    y ^= x >> 4;
    out[768 + t] = x;
    switch ((x >> 4) & 1) {
      case 0:
        out[512 + t] = x;
        out[0 + t] = x;
        break;
      case 1:
        x += y;
        out[1536 + t] = x;
    }
    x ^= x << 5;
  } else {
    out[1408 + t] ^= x;
    for (int i1 = 0, end_i1 = (int)(lane & 3); i1 < end_i1; ++i1) {
      y = y * 5 + x;
      switch ((x >> 4) & 7) {
        case 0:
          x += y;
          out[1792 + t] = y;
          break;
        case 1:
          x = x * 79u + 767;
          x ^= x << 2;
          break;
        case 2:
          out[256 + t] = x;
          out[512 + t] = x;
          break;
        case 3:
          x += y;
          x = x * 35u + 467;
        case 4:
          out[128 + t] = x;
          out[1664 + t] = x;
          break;
        case 5:
          out[1664 + t] = x;
          out[1792 + t] = y;
          break;
        case 6:
          out[1536 + t] = x;
          out[1920 + t] = y;
          break;
        case 7:
          x = x * 11u + 805;
          out[1408 + t] = y;
          break;
      }
      for (int w2 = 0; (((x ^ lane) >> 1) & 1) && w2 < 4; ++w2) {
        out[1792 + t] = y;
        out[1664 + t] ^= x;
        x ^= x << 2;
      }
      for (int w3 = 0; (((x ^ lane) >> 0) & 1) && w3 < 6; ++w3) {
        out[1024 + t] ^= x;
        x += y;
        x += y;
        y ^= x >> 7;
      }
    }
    for (int i4 = 0, end_i4 = (int)(lane & 3); i4 < end_i4; ++i4) {
      x ^= x << 1;
      for (int i5 = 0, end_i5 = (int)(lane & 7); i5 < end_i5; ++i5) {
        y = y * 5 + x;
        y = y * 5 + x;
        x = x * 21u + 624;
        y = y * 5 + x;
      }
    }
  }
  if (x % 5 == 0) {
    y = y * 5 + x;
    if (((y >> 4) & 3) != 0) {
      y = y * 5 + x;
      if (((x ^ lane) >> 1) & 1) {
        out[512 + t] ^= x;
        out[384 + t] = y;
        x ^= x << 4;
        out[512 + t] ^= x;
      }
    } else {
      out[768 + t] ^= x;
      if (((x ^ lane) >> 1) & 1) {
        out[0 + t] = y;
        out[512 + t] = x;
        y ^= x >> 4;
      }
      for (int i6 = 0, end_i6 = 2; i6 < end_i6; ++i6) {
        y ^= x >> 1;
        out[384 + t] ^= x;
      }
    }
  } else {
    x += y;
    for (int i7 = 0, end_i7 = 5; i7 < end_i7; ++i7) {
      y = y * 5 + x;
      if (((y >> 9) & 3) != 1) {
        x += y;
        out[896 + t] = x;
        out[1408 + t] = x;
      }
    }
  }
  for (int i8 = 0, end_i8 = 2; i8 < end_i8; ++i8) {
    x ^= x << 4;
    if (((y >> 0) & 3) != 1) break;
  }
  x += y;
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_6(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  switch ((x >> 3) & 1) {
    case 0:
      x ^= x << 6;
      y = y * 5 + x;
    case 1:
      y ^= x >> 5;
      out[1280 + t] ^= x;
      break;
  }
  for (int i1 = 0, end_i1 = (int)((x >> 1) & 7); i1 < end_i1; ++i1) {
    x = x * 65u + 956;
    x += y;
    out[1024 + t] ^= x;
  }
  out[768 + t] = x;
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_7(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  if ((x >> 0) & 1) {
    y ^= x >> 2;
    if ((x >> 9) & 1) {
      y ^= x >> 3;
      if (x % 2 == 0) {
        y = y * 5 + x;
        x += y;
        out[1152 + t] ^= x;
      } else {
        x ^= x << 2;
        x ^= x << 5;
      }
      if (((x ^ lane) >> 3) & 1) {
        out[1920 + t] = y;
        x ^= x << 6;
        x = x * 49u + 173;
        y = y * 5 + x;
      }
      if (x % 3 == 0) {
        y = y * 5 + x;
        out[640 + t] ^= x;
      }
    } else {
      x ^= x << 5;
      for (int i1 = 0, end_i1 = n; i1 < end_i1; ++i1) {
        y = y * 5 + x;
        x = x * 59u + 167;
      }
      x = x * 71u + 104;
      out[768 + t] = y;
    }
    for (int w2 = 0; ((lane & 2) == 0) && w2 < 5; ++w2) {
      x ^= x << 1;
      if (x % 3 == 0) {
        out[1152 + t] = y;
        x ^= x << 5;
        x += y;
        out[1920 + t] = y;
      } else {
        x ^= x << 4;
        x += y;
        y ^= x >> 6;
      }
      switch ((x >> 2) & 1) {
        case 0:
          out[1536 + t] = x;
          y = y * 5 + x;
          break;
        case 1:
          x = x * 95u + 163;
          x ^= x << 6;
          break;
      }
    }
    x += y;
  }
  x ^= x << 5;
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_8(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  for (int w1 = 0; ((lane & 2) == 1) && w1 < 2; ++w1) {
    x += y;
    y = y * 5 + x;
    if ((lane & 7) == 0) {
      x += y;
      if ((lane & 3) == 0) {
        out[768 + t] ^= x;
        x ^= x << 5;
        out[1920 + t] = x;
      } else {
        x += y;
        x = x * 41u + 352;
        y = y * 5 + x;
      }
    } else {
      y ^= x >> 3;
      if (x % 3 == 0) continue;
    }
  }
  if (((y >> 1) & 3) != 0) {
    out[384 + t] ^= x;
    for (int w2 = 0; (((y >> 1) & 3) != 0) && w2 < 4; ++w2) {
      out[1408 + t] ^= x;
      y = y * 5 + x;
    }
  } else {
    out[256 + t] ^= x;
    if (((y >> 1) & 3) != 0) {
      x += y;
      x = x * 17u + 111;
    }
  }
  for (int i3 = 0, end_i3 = 2; i3 < end_i3; ++i3) {
    y = y * 5 + x;
    for (int i4 = 0, end_i4 = 2; i4 < end_i4; ++i4) {
      y = y * 5 + x;
      switch ((x >> 2) & 3) {
        case 0:
          y ^= x >> 6;
          out[1408 + t] = y;
          break;
        case 1:
          x ^= x << 6;
          out[768 + t] = x;
          break;
        case 2:
          out[1024 + t] = y;
          y = y * 5 + x;
          break;
        case 3:
          x += y;
          y = y * 5 + x;
          break;
      }
      if ((x >> 6) & 1) break;
    }
    if (((x ^ lane) >> 0) & 1) {
      x ^= x << 6;
      switch ((x >> 2) & 1) {
        case 0:
          y ^= x >> 6;
          out[384 + t] = x;
          break;
        case 1:
          x += y;
          x = x * 47u + 768;
          break;
      }
    }
    for (int i5 = 0, end_i5 = n; i5 < end_i5; ++i5) {
      out[384 + t] = x;
      if (x % 2 == 0) {
        x ^= x << 5;
        out[1920 + t] = y;
        out[1920 + t] = y;
        out[1536 + t] ^= x;
      } else {
        out[1536 + t] = y;
        out[0 + t] = x;
        x = x * 57u + 578;
      }
    }
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_9(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  if (((x ^ lane) >> 0) & 1) {
    out[128 + t] ^= x;
    y ^= x >> 3;
    switch ((x >> 1) & 7) {
      case 0:
        y = y * 5 + x;
        switch ((x >> 0) & 3) {
          case 0:
            x += y;
            out[0 + t] = x;
            break;
          case 1:
            x = x * 97u + 929;
            out[768 + t] = x;
            break;
          case 2:
            x += y;
            out[1536 + t] = x;
            break;
          case 3:
            out[128 + t] = y;
            out[128 + t] = x;
            break;
        }
        break;
      case 1:
        x += y;
        if ((x >> 9) & 1) {
          y ^= x >> 5;
          y = y * 5 + x;
          y ^= x >> 4;
        } else {
          x ^= x << 5;
          x = x * 25u + 710;
          out[640 + t] = x;
          x = x * 61u + 214;
        }
      case 2:
        out[1408 + t] = y;
        y ^= x >> 5;
        break;
      case 3:
        out[1792 + t] = x;
        for (int i1 = 0, end_i1 = 4; i1 < end_i1; ++i1) {
          y ^= x >> 3;
          out[896 + t] ^= x;
        }
        break;
      case 4:
        out[1536 + t] = y;
        for (int i2 = 0, end_i2 = 2; i2 < end_i2; ++i2) {
          out[1152 + t] = x;
          x = x * 61u + 62;
        }
        break;
      case 5:
        x ^= x << 2;
        switch ((x >> 6) & 7) {
          case 0:
            x = x * 7u + 638;
            x = x * 79u + 71;
            break;
          case 1:
            out[640 + t] ^= x;
            y ^= x >> 2;
            break;
          case 2:
            out[0 + t] = x;
            x += y;
            break;
          case 3:
            y ^= x >> 4;
            x = x * 85u + 85;
            break;
          case 4:
            x = x * 51u + 896;
            x = x * 5u + 450;
          case 5:
            x ^= x << 4;
            out[896 + t] = y;
            break;
          case 6:
            out[640 + t] = y;
            y = y * 5 + x;
            break;
          case 7:
            x += y;
            y = y * 5 + x;
            break;
        }
        break;
      case 6:
        x += y;
        for (int i3 = 0, end_i3 = n; i3 < end_i3; ++i3) {
          x = x * 31u + 714;
          x = x * 97u + 332;
          x = x * 13u + 230;
          y = y * 5 + x;
        }
        break;
      case 7:
        x ^= x << 5;
        if (x % 8 == 0) {
          out[640 + t] ^= x;
          out[1664 + t] ^= x;
          x ^= x << 6;
          out[128 + t] = x;
        }
    }
  } else {
    x += y;
    x ^= x << 6;
    if (x % 7 == 0) {
      out[384 + t] = y;
      switch ((x >> 7) & 3) {
        case 0:
          x += y;
          x ^= x << 6;
          break;
        case 1:
          y ^= x >> 7;
          out[896 + t] = x;
          break;
        case 2:
          out[768 + t] = x;
          out[128 + t] ^= x;
          break;
        case 3:
          out[384 + t] = y;
          x = x * 71u + 15;
          break;
      }
    } else {
      out[384 + t] ^= x;
      if (((y >> 4) & 3) != 2) {
        x = x * 45u + 573;
        switch ((x >> 5) & 3) {
          case 0:
            out[256 + t] ^= x;
            y = y * 5 + x;
          case 1:
            y = y * 5 + x;
            out[768 + t] = x;
          case 2:
            y = y * 5 + x;
            x ^= x << 1;
            break;
          case 3:
            x ^= x << 4;
            y ^= x >> 3;
            break;
        }
      } else {
        out[0 + t] = y;
        for (int w4 = 0; (x % 7 == 0) && w4 < 2; ++w4) {
          out[0 + t] = y;
          y = y * 5 + x;
        }
      }
    }
    switch ((x >> 0) & 3) {
      case 0:
        x ^= x << 5;
        for (int w5 = 0; ((x >> 8) & 1) && w5 < 5; ++w5) {
          out[1280 + t] = x;
          out[1920 + t] = y;
          out[256 + t] = x;
        }
        break;
      case 1:
        x ^= x << 5;
        if (((x ^ lane) >> 2) & 1) {
          x = x * 15u + 984;
          out[1920 + t] ^= x;
          out[1536 + t] = x;
          out[384 + t] = y;
        } else {
          y ^= x >> 3;
          x ^= x << 3;
          x += y;
        }
        break;
      case 2:
        y ^= x >> 7;
        if ((lane & 1) == 8) {
          x ^= x << 4;
          y ^= x >> 2;
        } else {
          out[1792 + t] ^= x;
          x ^= x << 6;
          out[256 + t] = x;
          out[384 + t] = x;
        }
        break;
      case 3:
        out[1536 + t] ^= x;
        out[512 + t] ^= x;
        break;
    }
  }
  if (x % 3 == 0) {
    x += y;
    for (int i6 = 0, end_i6 = (int)((x >> 3) & 7); i6 < end_i6; ++i6) {
      out[0 + t] ^= x;
      switch ((x >> 0) & 1) {
        case 0:
          y ^= x >> 5;
          y ^= x >> 4;
          break;
        case 1:
          out[1280 + t] = y;
          out[384 + t] = y;
          break;
      }
    }
  } else {
    x = x * 21u + 784;
    if (((y >> 9) & 3) != 0) {
      out[1408 + t] = x;
      return;
    }
    for (int i7 = 0, end_i7 = n; i7 < end_i7; ++i7) {
      out[1920 + t] ^= x;
      if (((x ^ lane) >> 3) & 1) {
        x = x * 45u + 477;
        out[1408 + t] = y;
      } else {
        x += y;
        for (int i8 = 0, end_i8 = (int)((x >> 5) & 7); i8 < end_i8; ++i8) {
          y ^= x >> 1;
          x ^= x << 6;
          out[1792 + t] ^= x;
        }
        y ^= x >> 4;
      }
    }
  }
  if (((x ^ lane) >> 0) & 1) {
    y = y * 5 + x;
    x = x * 57u + 407;
  }
  for (int w9 = 0; (((x >> 11) & 7) < 4) && w9 < 2; ++w9) {
    y ^= x >> 7;
    if ((x >> 10) & 1) {
      out[1152 + t] ^= x;
      for (int w10 = 0; (((x >> 6) & 7) < 2) && w10 < 2; ++w10) {
        x += y;
        if ((x >> 3) & 1) break;
      }
      if (((y >> 8) & 3) != 1) {
        y ^= x >> 1;
        out[1024 + t] = x;
        if (((y >> 4) & 3) != 0) {
          x += y;
          y ^= x >> 6;
          x = x * 35u + 152;
          x = x * 83u + 548;
        } else {
          x = x * 13u + 340;
          out[128 + t] = y;
        }
      }
      for (int i11 = 0, end_i11 = (int)((x >> 3) & 7); i11 < end_i11; ++i11) {
        x = x * 27u + 463;
        switch ((x >> 2) & 7) {
          case 0:
            y ^= x >> 1;
            y = y * 5 + x;
            break;
          case 1:
            out[256 + t] = x;
            x += y;
          case 2:
            x = x * 45u + 77;
            x ^= x << 4;
          case 3:
            x ^= x << 6;
            out[1152 + t] = x;
            break;
          case 4:
            y ^= x >> 3;
            x = x * 23u + 981;
            break;
          case 5:
            y ^= x >> 2;
            out[1792 + t] = y;
            break;
          case 6:
            out[512 + t] ^= x;
            out[1920 + t] ^= x;
            break;
          case 7:
            out[1408 + t] ^= x;
            y ^= x >> 7;
        }
      }
    }
    x = x * 31u + 152;
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_10(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  if ((x >> 0) & 1) {
    x ^= x << 6;
    if ((lane & 15) == 8) {
      out[640 + t] ^= x;
      out[1536 + t] = x;
    } else {
      out[1152 + t] ^= x;
      x += y;
      y ^= x >> 2;
    }
  } else {
    out[1408 + t] ^= x;
    for (int w1 = 0; (((x >> 3) & 7) < 3) && w1 < 6; ++w1) {
      out[640 + t] = x;
      x = x * 47u + 336;
    }
  }
  for (int i2 = 0, end_i2 = (int)((x >> 5) & 7); i2 < end_i2; ++i2) {
    out[256 + t] = x;
    if (x % 6 == 0) {
      out[1920 + t] ^= x;
      return;
    }
    switch ((x >> 2) & 3) {
      case 0:
        y = y * 5 + x;
        x = x * 75u + 452;
      case 1:
        y ^= x >> 1;
        out[1792 + t] ^= x;
        break;
      case 2:
        out[1024 + t] = x;
        out[1280 + t] ^= x;
        break;
      case 3:
        out[384 + t] = y;
        out[128 + t] = x;
        break;
    }
  }
  if ((lane & 8) == 1) {
    y = y * 5 + x;
    for (int i3 = 0, end_i3 = 3; i3 < end_i3; ++i3) {
      x += y;
      out[256 + t] ^= x;
    }
    if (x % 6 == 0) {
      out[1024 + t] = y;
      x ^= x << 6;
      y ^= x >> 7;
    }
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_11(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  switch ((x >> 6) & 7) {
    case 0:
      out[1792 + t] ^= x;
      for (int i1 = 0, end_i1 = (int)(lane & 7); i1 < end_i1; ++i1) {
        y = y * 5 + x;
        for (int i2 = 0, end_i2 = 3; i2 < end_i2; ++i2) {
          x = x * 27u + 901;
          x = x * 69u + 240;
          y ^= x >> 7;
        }
        for (int i3 = 0, end_i3 = 4; i3 < end_i3; ++i3) {
          y ^= x >> 2;
          x = x * 91u + 1;
          out[1536 + t] = y;
        }
      }
      break;
    case 1:
      out[1152 + t] = x;
      out[384 + t] = x;
      break;
    case 2:
      out[768 + t] = x;
      if (x % 2 == 0) {
        y ^= x >> 3;
        for (int w4 = 0; ((lane & 1) == 2) && w4 < 2; ++w4) {
          x ^= x << 1;
          out[512 + t] = x;
          x += y;
        }
      } else {
        y ^= x >> 7;
        y = y * 5 + x;
        if (((x >> 9) & 7) < 4) {
          x += y;
          x = x * 37u + 422;
        } else {
          x ^= x << 1;
          x = x * 87u + 751;
        }
      }
    case 3:
      x = x * 49u + 718;
      for (int i5 = 0, end_i5 = (int)(lane & 3); i5 < end_i5; ++i5) {
        x ^= x << 4;
        if ((x >> 11) & 1) {
          x = x * 7u + 885;
          return;
        }
      }
      break;
    case 4:
      y ^= x >> 1;
      x ^= x << 6;
      break;
    case 5:
      x = x * 59u + 474;
      if (((x ^ lane) >> 0) & 1) {
        x += y;
        x += y;
        if (((x >> 10) & 7) < 3) {
          x ^= x << 4;
          out[1024 + t] = y;
        }
        switch ((x >> 3) & 7) {
          case 0:
            y ^= x >> 8;
            x ^= x << 5;
            break;
          case 1:
            x += y;
            y ^= x >> 3;
            break;
          case 2:
            out[1408 + t] ^= x;
            x += y;
            break;
          case 3:
            x += y;
            x = x * 19u + 462;
            break;
          case 4:
            y ^= x >> 4;
            x = x * 15u + 318;
            break;
          case 5:
            y = y * 5 + x;
            x = x * 7u + 224;
            break;
          case 6:
            out[1280 + t] = x;
            out[1792 + t] ^= x;
            break;
          case 7:
            out[1152 + t] = y;
            out[1536 + t] = y;
            break;
        }
      } else {
        x = x * 67u + 6;
        if ((x >> 8) & 1) {
          x += y;
          return;
        }
        if ((lane & 16) == 2) {
          x += y;
          out[1152 + t] ^= x;
        } else {
          x += y;
          out[0 + t] = x;
          x ^= x << 2;
          x += y;
        }
        switch ((x >> 0) & 3) {
          case 0:
            y = y * 5 + x;
            y = y * 5 + x;
            break;
          case 1:
            y ^= x >> 6;
            out[1280 + t] ^= x;
            break;
          case 2:
            x += y;
            y ^= x >> 3;
            break;
          case 3:
            x ^= x << 1;
            x ^= x << 2;
            break;
        }
      }
      break;
    case 6:
      x ^= x << 6;
      if (((y >> 3) & 3) != 0) {
        x ^= x << 5;
        if ((lane & 15) == 1) {
          x ^= x << 1;
          out[0 + t] = y;
          out[1152 + t] = x;
        }
        if ((x >> 7) & 1) {
          y = y * 5 + x;
          out[768 + t] = y;
          y ^= x >> 7;
          out[256 + t] = x;
        } else {
          out[640 + t] ^= x;
          out[1536 + t] = y;
          out[1024 + t] = y;
        }
      } else {
        y = y * 5 + x;
        switch ((x >> 7) & 7) {
          case 0:
            x += y;
            y ^= x >> 4;
          case 1:
            y ^= x >> 4;
            x ^= x << 1;
            break;
          case 2:
            y = y * 5 + x;
            out[1024 + t] = x;
          case 3:
            out[512 + t] = y;
            out[1408 + t] = y;
            break;
          case 4:
            x = x * 35u + 515;
            x = x * 37u + 266;
            break;
          case 5:
            out[1024 + t] = x;
            x ^= x << 2;
            break;
          case 6:
            x += y;
            out[1024 + t] = x;
            break;
          case 7:
            x ^= x << 4;
            out[1792 + t] ^= x;
            break;
        }
      }
      break;
    case 7:
      y ^= x >> 4;
      for (int i6 = 0, end_i6 = (int)((x >> 5) & 7); i6 < end_i6; ++i6) {
        y ^= x >> 6;
        for (int i7 = 0, end_i7 = n; i7 < end_i7; ++i7) {
          x ^= x << 1;
          x ^= x << 6;
          y ^= x >> 3;
        }
        if (x % 6 == 0) continue;
      }
  }
  out[1152 + t] = y;
  switch ((x >> 4) & 3) {
    case 0:
      y = y * 5 + x;
      y = y * 5 + x;
      break;
    case 1:
      y ^= x >> 8;
      for (int i8 = 0, end_i8 = 2; i8 < end_i8; ++i8) {
        x = x * 15u + 910;
        if (((y >> 0) & 3) != 1) {
          x += y;
          out[1152 + t] = y;
          out[1152 + t] ^= x;
        } else {
          out[1920 + t] = x;
          x += y;
          out[1024 + t] ^= x;
        }
        switch ((x >> 4) & 7) {
          case 0:
            x += y;
            out[768 + t] = y;
            break;
          case 1:
            out[128 + t] ^= x;
            out[1792 + t] = x;
            break;
          case 2:
            out[1280 + t] = y;
            x += y;
            break;
          case 3:
            y ^= x >> 6;
            x += y;
            break;
          case 4:
            y = y * 5 + x;
            y ^= x >> 5;
            break;
          case 5:
            y ^= x >> 2;
            y ^= x >> 8;
            break;
          case 6:
            out[0 + t] = y;
            out[1792 + t] = x;
            break;
          case 7:
            y = y * 5 + x;
            y ^= x >> 4;
            break;
        }
        for (int i9 = 0, end_i9 = 4; i9 < end_i9; ++i9) {
          out[384 + t] = x;
          x += y;
        }
      }
      break;
    case 2:
      y = y * 5 + x;
      if ((lane & 3) == 8) {
        x = x * 97u + 411;
        return;
      }
      break;
    case 3:
      y = y * 5 + x;
      out[1280 + t] = x;
      break;
  }
  for (int i10 = 0, end_i10 = (int)((x >> 2) & 7); i10 < end_i10; ++i10) {
    out[0 + t] = x;
    if (((x ^ lane) >> 2) & 1) {
      y ^= x >> 3;
      if (((x ^ lane) >> 2) & 1) {
        out[1408 + t] = x;
        return;
      }
      for (int i11 = 0, end_i11 = n; i11 < end_i11; ++i11) {
        y = y * 5 + x;
        for (int i12 = 0, end_i12 = n; i12 < end_i12; ++i12) {
          y = y * 5 + x;
          x = x * 37u + 250;
        }
        if (x % 4 == 0) break;
        for (int i13 = 0, end_i13 = n; i13 < end_i13; ++i13) {
          x ^= x << 5;
          y = y * 5 + x;
          y ^= x >> 2;
          out[896 + t] ^= x;
        }
      }
      for (int i14 = 0, end_i14 = (int)((x >> 4) & 7); i14 < end_i14; ++i14) {
        y = y * 5 + x;
        switch ((x >> 2) & 3) {
          case 0:
            out[1664 + t] = x;
            out[1792 + t] = y;
            break;
          case 1:
            y = y * 5 + x;
            x ^= x << 4;
            break;
          case 2:
            x += y;
            x = x * 29u + 324;
            break;
          case 3:
            x = x * 71u + 648;
            y = y * 5 + x;
            break;
        }
        if ((x >> 7) & 1) {
          out[768 + t] = y;
          out[384 + t] = x;
          y ^= x >> 2;
        } else {
          out[256 + t] = y;
          out[256 + t] = x;
          out[0 + t] ^= x;
          out[1536 + t] = x;
        }
        out[1408 + t] = y;
      }
    }
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_12(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  for (int i1 = 0, end_i1 = 4; i1 < end_i1; ++i1) {
    x += y;
    x += y;
    y = y * 5 + x;
    if ((lane & 24) == 1) break;
  }
  for (int i2 = 0, end_i2 = 3; i2 < end_i2; ++i2) {
    y = y * 5 + x;
    if (((x ^ lane) >> 0) & 1) {
      out[1408 + t] = y;
      if ((x >> 5) & 1) {
        y = y * 5 + x;
        if ((x >> 1) & 1) continue;
      } else {
        out[1408 + t] ^= x;
        out[1152 + t] = x;
        if (((x ^ lane) >> 1) & 1) {
          x = x * 25u + 248;
          x ^= x << 1;
        }
      }
    }
    if (((y >> 1) & 3) != 3) {
      x ^= x << 3;
      for (int i3 = 0, end_i3 = (int)(lane & 7); i3 < end_i3; ++i3) {
        out[0 + t] = y;
        out[768 + t] = y;
        if (((x ^ lane) >> 0) & 1) break;
      }
      if ((x >> 9) & 1) continue;
      for (int i4 = 0, end_i4 = (int)((x >> 1) & 7); i4 < end_i4; ++i4) {
        y ^= x >> 8;
        for (int i5 = 0, end_i5 = n; i5 < end_i5; ++i5) {
          y ^= x >> 6;
          out[640 + t] = x;
          x = x * 83u + 455;
        }
      }
    }
    if (((x ^ lane) >> 0) & 1) {
      out[768 + t] = x;
      if ((x >> 5) & 1) {
        out[896 + t] ^= x;
        return;
      }
      for (int i6 = 0, end_i6 = 2; i6 < end_i6; ++i6) {
        out[1280 + t] = y;
        x = x * 73u + 138;
      }
      if (((x >> 5) & 7) < 3) {
        y = y * 5 + x;
        if ((lane & 15) == 8) {
          y ^= x >> 4;
          out[128 + t] = y;
          out[1152 + t] = y;
        } else {
          out[640 + t] = y;
          y ^= x >> 1;
        }
        if (((y >> 7) & 3) != 0) {
          out[512 + t] = y;
          out[1536 + t] = y;
          y ^= x >> 6;
        }
      }
    } else {
      x ^= x << 2;
      x += y;
    }
  }
  x += y;
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_13(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  for (int i1 = 0, end_i1 = (int)((x >> 3) & 7); i1 < end_i1; ++i1) {
    out[640 + t] = y;
    if ((lane & 7) == 1) {
      x += y;
      switch ((x >> 3) & 7) {
        case 0:
          y ^= x >> 6;
          out[1024 + t] ^= x;
          break;
        case 1:
          x ^= x << 3;
          out[1024 + t] ^= x;
          break;
        case 2:
          y ^= x >> 6;
          x += y;
          break;
        case 3:
          y = y * 5 + x;
          out[1024 + t] = x;
        case 4:
          x = x * 95u + 509;
          out[128 + t] = y;
          break;
        case 5:
          x = x * 31u + 172;
          out[1280 + t] = y;
          break;
        case 6:
          x ^= x << 4;
          out[128 + t] ^= x;
          break;
        case 7:
          x = x * 31u + 686;
          x += y;
          break;
      }
      if ((lane & 15) == 1) {
        y ^= x >> 8;
        out[0 + t] ^= x;
      } else {
        y = y * 5 + x;
        out[128 + t] = y;
      }
    } else {
      y ^= x >> 6;
      if (((x >> 9) & 7) < 5) {
        x += y;
        x = x * 13u + 354;
      }
      for (int i2 = 0, end_i2 = n; i2 < end_i2; ++i2) {
        out[128 + t] = x;
        out[1408 + t] = y;
        x = x * 9u + 955;
        out[1024 + t] = y;
      }
    }
  }
  if ((lane & 7) == 8) {
    out[1024 + t] = y;
    return;
  }
  x += y;
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_14(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  for (int i1 = 0, end_i1 = (int)(lane & 7); i1 < end_i1; ++i1) {
    y = y * 5 + x;
    if (((x ^ lane) >> 1) & 1) break;
    for (int i2 = 0, end_i2 = (int)((x >> 2) & 7); i2 < end_i2; ++i2) {
      x ^= x << 5;
      y ^= x >> 8;
    }
  }
  switch ((x >> 2) & 1) {
    case 0:
      out[1408 + t] ^= x;
      out[768 + t] = y;
      break;
    case 1:
      out[384 + t] = y;
      y ^= x >> 2;
      break;
  }
  for (int i3 = 0, end_i3 = n; i3 < end_i3; ++i3) {
    out[1664 + t] ^= x;
    out[1920 + t] = y;
    for (int i4 = 0, end_i4 = 2; i4 < end_i4; ++i4) {
      out[1408 + t] = y;
      y ^= x >> 8;
      out[128 + t] = y;
    }
  }
  for (int i5 = 0, end_i5 = 4; i5 < end_i5; ++i5) {
    out[512 + t] = y;
    out[1280 + t] = x;
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_15(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  for (int i1 = 0, end_i1 = 2; i1 < end_i1; ++i1) {
    y ^= x >> 6;
    if (((x ^ lane) >> 3) & 1) {
      out[1280 + t] ^= x;
      if ((lane & 16) == 2) {
        out[256 + t] = x;
        y ^= x >> 8;
        out[1536 + t] = y;
        x += y;
      } else {
        x ^= x << 4;
        out[1024 + t] ^= x;
        y ^= x >> 2;
      }
      out[128 + t] ^= x;
    }
    if (((y >> 8) & 3) != 3) {
      x ^= x << 1;
      if ((lane & 16) == 2) {
        y = y * 5 + x;
        x += y;
        x ^= x << 5;
        y ^= x >> 3;
      }
      if ((lane & 8) == 0) break;
    }
  }
  for (int i2 = 0, end_i2 = 2; i2 < end_i2; ++i2) {
    x += y;
    for (int i3 = 0, end_i3 = (int)((x >> 5) & 7); i3 < end_i3; ++i3) {
      out[384 + t] = x;
      if (((x ^ lane) >> 3) & 1) {
        x += y;
        out[1024 + t] ^= x;
      }
      switch ((x >> 3) & 3) {
        case 0:
          y = y * 5 + x;
          out[640 + t] = x;
          break;
        case 1:
          y ^= x >> 3;
          x ^= x << 4;
          break;
        case 2:
          out[640 + t] ^= x;
          out[1280 + t] = y;
          break;
        case 3:
          x ^= x << 2;
          y ^= x >> 8;
          break;
      }
    }
    x ^= x << 6;
    if (((y >> 7) & 3) != 2) {
      out[896 + t] = x;
      for (int i4 = 0, end_i4 = 3; i4 < end_i4; ++i4) {
        out[896 + t] = y;
        out[1920 + t] ^= x;
        x ^= x << 4;
      }
      for (int i5 = 0, end_i5 = (int)((x >> 2) & 7); i5 < end_i5; ++i5) {
        out[896 + t] = y;
        out[1920 + t] ^= x;
        x ^= x << 5;
      }
    }
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_16(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  if (((x >> 6) & 7) < 2) {
    out[896 + t] = x;
    if ((lane & 1) == 1) {
      out[1792 + t] = y;
      if (x % 6 == 0) {
        x ^= x << 1;
        y ^= x >> 8;
      } else {
        out[1920 + t] ^= x;
        y ^= x >> 2;
      }
      if (((y >> 0) & 3) != 0) {
        y ^= x >> 8;
        y = y * 5 + x;
      }
    }
    out[128 + t] = x;
    for (int i1 = 0, end_i1 = 3; i1 < end_i1; ++i1) {
      y = y * 5 + x;
      switch ((x >> 5) & 7) {
        case 0:
          x += y;
          y ^= x >> 2;
          break;
        case 1:
          out[384 + t] = x;
          y = y * 5 + x;
          break;
        case 2:
          y = y * 5 + x;
          out[1664 + t] = y;
        case 3:
          out[256 + t] ^= x;
          y ^= x >> 8;
          break;
        case 4:
          out[384 + t] ^= x;
          x ^= x << 5;
          break;
        case 5:
          y = y * 5 + x;
          x = x * 61u + 215;
          break;
        case 6:
          out[1536 + t] = y;
          x += y;
          break;
        case 7:
          out[1024 + t] ^= x;
          x += y;
          break;
      }
      if (((y >> 10) & 3) != 0) break;
    }
  } else {
    y ^= x >> 2;
    for (int i2 = 0, end_i2 = n; i2 < end_i2; ++i2) {
      out[128 + t] = y;
      for (int i3 = 0, end_i3 = (int)(lane & 7); i3 < end_i3; ++i3) {
        x += y;
        x ^= x << 6;
        x += y;
      }
    }
  }
  for (int w4 = 0; (((y >> 2) & 3) != 3) && w4 < 5; ++w4) {
    x += y;
    if (((x >> 10) & 7) < 5) {
      out[1280 + t] = y;
      y ^= x >> 7;
      if (((y >> 2) & 3) != 3) {
        out[1280 + t] = y;
        return;
      }
    }
    for (int w5 = 0; ((lane & 1) == 0) && w5 < 4; ++w5) {
      x = x * 41u + 856;
      for (int i6 = 0, end_i6 = (int)((x >> 1) & 7); i6 < end_i6; ++i6) {
        out[896 + t] = y;
        x += y;
      }
      y ^= x >> 1;
    }
    if ((lane & 7) == 1) {
      out[1920 + t] = y;
      switch ((x >> 7) & 3) {
        case 0:
          x += y;
          x ^= x << 4;
        case 1:
          y = y * 5 + x;
          x ^= x << 3;
          break;
        case 2:
          x = x * 29u + 344;
          y = y * 5 + x;
          break;
        case 3:
          x += y;
          out[128 + t] ^= x;
      }
      for (int w7 = 0; (((x >> 3) & 7) < 3) && w7 < 4; ++w7) {
        x += y;
        y ^= x >> 3;
        x = x * 81u + 241;
      }
    } else {
      x ^= x << 6;
      x ^= x << 3;
    }
  }
  x += y;
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_17(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  for (int w1 = 0; (((y >> 4) & 3) != 3) && w1 < 5; ++w1) {
    y = y * 5 + x;
    for (int w2 = 0; (((y >> 0) & 3) != 0) && w2 < 2; ++w2) {
      out[1152 + t] = x;
      switch ((x >> 6) & 3) {
        case 0:
          x ^= x << 6;
          x += y;
          break;
        case 1:
          out[768 + t] = y;
          out[1024 + t] = y;
        case 2:
          out[1280 + t] = y;
          out[128 + t] = y;
          break;
        case 3:
          y ^= x >> 5;
          out[1920 + t] ^= x;
          break;
      }
      x = x * 23u + 693;
    }
  }
  switch ((x >> 7) & 3) {
    case 0:
      y ^= x >> 3;
      for (int i3 = 0, end_i3 = n; i3 < end_i3; ++i3) {
        out[256 + t] = y;
        y = y * 5 + x;
        switch ((x >> 4) & 3) {
          case 0:
            out[1664 + t] ^= x;
            x = x * 65u + 326;
          case 1:
            out[1664 + t] = x;
            x += y;
            break;
          case 2:
            y ^= x >> 2;
            out[768 + t] ^= x;
            break;
          case 3:
            x = x * 71u + 563;
            x ^= x << 3;
            break;
        }
        out[0 + t] = y;
      }
      break;
    case 1:
      x = x * 7u + 467;
      switch ((x >> 4) & 1) {
        case 0:
          out[1664 + t] = y;
          x = x * 73u + 596;
          break;
        case 1:
          out[1280 + t] = y;
          out[384 + t] = y;
          break;
      }
      break;
    case 2:
      x ^= x << 4;
      y = y * 5 + x;
      break;
    case 3:
      x ^= x << 2;
      if (((x >> 4) & 7) < 4) {
        out[1664 + t] = x;
        for (int w4 = 0; (((x ^ lane) >> 1) & 1) && w4 < 5; ++w4) {
          out[256 + t] = x;
          out[256 + t] = x;
        }
        for (int w5 = 0; ((lane & 15) == 2) && w5 < 2; ++w5) {
          x ^= x << 5;
          x = x * 43u + 415;
          y = y * 5 + x;
        }
      }
      break;
  }
  switch ((x >> 4) & 3) {
    case 0:
      x += y;
      out[1536 + t] = x;
    case 1:
      x += y;
      switch ((x >> 0) & 7) {
        case 0:
          x ^= x << 4;
          out[896 + t] = x;
          break;
        case 1:
          out[1920 + t] = x;
          out[1024 + t] = y;
          break;
        case 2:
          out[384 + t] = y;
          out[1024 + t] = y;
          break;
        case 3:
          y ^= x >> 5;
          x += y;
          break;
        case 4:
          out[384 + t] ^= x;
          y ^= x >> 1;
          break;
        case 5:
          y = y * 5 + x;
          out[1792 + t] ^= x;
          break;
        case 6:
          out[1024 + t] = x;
          x ^= x << 5;
          break;
        case 7:
          out[1664 + t] ^= x;
          out[1280 + t] ^= x;
      }
    case 2:
      y ^= x >> 8;
      switch ((x >> 5) & 3) {
        case 0:
          x += y;
          out[1664 + t] ^= x;
          break;
        case 1:
          y = y * 5 + x;
          x ^= x << 6;
          break;
        case 2:
          out[768 + t] ^= x;
          x = x * 49u + 833;
          break;
        case 3:
          out[384 + t] = y;
          x = x * 57u + 396;
          break;
      }
      break;
    case 3:
      x ^= x << 3;
      for (int i6 = 0, end_i6 = 4; i6 < end_i6; ++i6) {
        out[512 + t] = x;
        if ((x >> 0) & 1) {
          x = x * 27u + 208;
          return;
        }
        for (int i7 = 0, end_i7 = n; i7 < end_i7; ++i7) {
          out[896 + t] ^= x;
          y ^= x >> 4;
          y = y * 5 + x;
        }
      }
      break;
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_18(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  for (int i1 = 0, end_i1 = n; i1 < end_i1; ++i1) {
    out[1920 + t] = y;
    if (((x >> 11) & 7) < 1) {
      x += y;
      x += y;
      if (x % 8 == 0) break;
    } else {
      out[384 + t] = x;
      y ^= x >> 8;
    }
  }
  if ((x >> 3) & 1) {
    y ^= x >> 3;
    return;
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_19(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  out[768 + t] = x;
  for (int i1 = 0, end_i1 = (int)(lane & 7); i1 < end_i1; ++i1) {
    x = x * 17u + 792;
    for (int i2 = 0, end_i2 = n; i2 < end_i2; ++i2) {
      x = x * 97u + 76;
      out[1664 + t] = x;
    }
    if (((x >> 6) & 7) < 2) break;
    if (x % 5 == 0) {
      out[1920 + t] = x;
      out[0 + t] = y;
    }
  }
  if (((x ^ lane) >> 2) & 1) {
    y = y * 5 + x;
    if ((x >> 7) & 1) {
      out[256 + t] ^= x;
      out[1920 + t] = x;
    } else {
      x = x * 83u + 669;
      x ^= x << 5;
      x += y;
      out[1792 + t] = y;
    }
  }
  for (int i3 = 0, end_i3 = n; i3 < end_i3; ++i3) {
    y ^= x >> 1;
    for (int i4 = 0, end_i4 = n; i4 < end_i4; ++i4) {
      x ^= x << 4;
      y ^= x >> 1;
    }
    if ((x >> 5) & 1) {
      out[896 + t] ^= x;
      out[256 + t] = x;
      x += y;
      y ^= x >> 8;
    }
    if (((x ^ lane) >> 1) & 1) {
      out[512 + t] ^= x;
      y ^= x >> 4;
      out[1536 + t] ^= x;
    } else {
      out[1664 + t] = y;
      x += y;
      out[640 + t] = y;
      x += y;
    }
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_20(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  for (int i1 = 0, end_i1 = 2; i1 < end_i1; ++i1) {
    x ^= x << 2;
    for (int w2 = 0; (((x ^ lane) >> 1) & 1) && w2 < 5; ++w2) {
      y ^= x >> 8;
      for (int i3 = 0, end_i3 = 2; i3 < end_i3; ++i3) {
        out[768 + t] = y;
        x += y;
      }
    }
    out[1152 + t] ^= x;
  }
  if (((y >> 10) & 3) != 0) {
    y ^= x >> 6;
    return;
  }
  if ((x >> 0) & 1) {
    y = y * 5 + x;
    return;
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_21(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  for (int i1 = 0, end_i1 = n; i1 < end_i1; ++i1) {
    x = x * 67u + 541;
    for (int w2 = 0; ((lane & 4) == 1) && w2 < 5; ++w2) {
      out[1792 + t] ^= x;
      for (int i3 = 0, end_i3 = 4; i3 < end_i3; ++i3) {
        x ^= x << 5;
        y ^= x >> 8;
        out[768 + t] ^= x;
      }
    }
    for (int i4 = 0, end_i4 = (int)((x >> 3) & 7); i4 < end_i4; ++i4) {
      y = y * 5 + x;
      for (int w5 = 0; ((x >> 6) & 1) && w5 < 5; ++w5) {
        x ^= x << 5;
        x ^= x << 6;
        y ^= x >> 5;
        x = x * 57u + 384;
      }
      for (int i6 = 0, end_i6 = 3; i6 < end_i6; ++i6) {
        x += y;
        out[256 + t] ^= x;
      }
    }
  }
  out[1152 + t] = y;
  out[896 + t] = x;
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_22(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  x ^= x << 6;
  switch ((x >> 5) & 1) {
    case 0:
      out[896 + t] = x;
      for (int w1 = 0; (((x ^ lane) >> 3) & 1) && w1 < 5; ++w1) {
        x = x * 27u + 871;
        out[1024 + t] = x;
        x = x * 89u + 709;
      }
      break;
    case 1:
      out[128 + t] = y;
      for (int i2 = 0, end_i2 = (int)(lane & 3); i2 < end_i2; ++i2) {
        y = y * 5 + x;
        y = y * 5 + x;
        y ^= x >> 7;
        out[768 + t] = x;
      }
      break;
  }
  out[2048 + t] = x + y;
}

extern "C" __global__ void flow_23(const unsigned* in, unsigned* out, int n) {
  const unsigned lane = threadIdx.x & 31, t = threadIdx.x;
  unsigned x = in[t], y = in[t + 128];
  x += y;
  if ((lane & 1) == 0) {
    x = x * 69u + 643;
    switch ((x >> 6) & 3) {
      case 0:
        x ^= x << 5;
        out[1152 + t] = x;
        break;
      case 1:
        out[1792 + t] = x;
        y = y * 5 + x;
        break;
      case 2:
        x ^= x << 1;
        out[1152 + t] = x;
        break;
      case 3:
        x ^= x << 2;
        x = x * 53u + 172;
        break;
    }
  } else {
    x = x * 91u + 14;
    for (int w1 = 0; ((lane & 8) == 0) && w1 < 3; ++w1) {
      x += y;
      for (int w2 = 0; (((x ^ lane) >> 0) & 1) && w2 < 2; ++w2) {
        x ^= x << 4;
        out[1664 + t] = y;
        y ^= x >> 1;
      }
      out[512 + t] = x;
    }
    for (int w3 = 0; (((y >> 1) & 3) != 3) && w3 < 4; ++w3) {
      y = y * 5 + x;
      if ((lane & 15) == 0) break;
    }
    for (int i4 = 0, end_i4 = 3; i4 < end_i4; ++i4) {
      x = x * 11u + 885;
      for (int i5 = 0, end_i5 = (int)(lane & 7); i5 < end_i5; ++i5) {
        y = y * 5 + x;
        out[1920 + t] = y;
      }
      for (int i6 = 0, end_i6 = (int)((x >> 3) & 7); i6 < end_i6; ++i6) {
        out[1408 + t] = y;
        out[0 + t] ^= x;
        out[256 + t] = x;
        x ^= x << 5;
      }
    }
  }
  out[2048 + t] = x + y;
}
