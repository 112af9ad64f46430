// What programs with CUDA use of Windows' API, on Linux: its names for numbers, its clocks and
// waiting. Windows, threads and files of its own are not there.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int BOOL;
typedef unsigned char BYTE, UCHAR, BOOLEAN;
typedef unsigned short WORD, USHORT;
typedef short SHORT;
typedef int INT, LONG;  // 32 bits there
typedef unsigned int UINT, DWORD, ULONG;
typedef float FLOAT;
typedef char CHAR;
typedef long long LONGLONG, INT64, LONG64;
typedef unsigned long long ULONGLONG, UINT64, DWORD64, DWORDLONG;
typedef size_t SIZE_T;
typedef void *HANDLE, *LPVOID, *PVOID;
typedef char *LPSTR, *PSTR;
typedef const char *LPCSTR, *PCSTR;

#ifndef TRUE
#define TRUE 1
#define FALSE 0
#endif
#ifndef MAX_PATH
#define MAX_PATH 260
#endif
#define CP_UTF8 65001
#define WINAPI
#define CALLBACK

typedef union {
  struct {
    DWORD LowPart;
    LONG HighPart;
  };
  struct {
    DWORD LowPart;
    LONG HighPart;
  } u;
  LONGLONG QuadPart;
} LARGE_INTEGER;
typedef union {
  struct {
    DWORD LowPart;
    DWORD HighPart;
  };
  ULONGLONG QuadPart;
} ULARGE_INTEGER;
typedef struct {
  DWORD dwLowDateTime;
  DWORD dwHighDateTime;
} FILETIME;
typedef struct {
  WORD wYear, wMonth, wDayOfWeek, wDay, wHour, wMinute, wSecond, wMilliseconds;
} SYSTEMTIME;
typedef struct {
  LONG Bias;  // minutes from local time to UTC
} TIME_ZONE_INFORMATION;
typedef struct {
  DWORD dwPageSize;
  DWORD dwNumberOfProcessors;
} SYSTEM_INFO;

static inline LONGLONG tilescope_nanoseconds(clockid_t which) {
  struct timespec now;
  clock_gettime(which, &now);
  return (LONGLONG)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Of 100 ns, as there.
static inline BOOL QueryPerformanceFrequency(LARGE_INTEGER* frequency) {
  frequency->QuadPart = 10000000;
  return TRUE;
}
static inline BOOL QueryPerformanceCounter(LARGE_INTEGER* count) {
  count->QuadPart = tilescope_nanoseconds(CLOCK_MONOTONIC) / 100;
  return TRUE;
}
static inline ULONGLONG GetTickCount64(void) {
  return (ULONGLONG)tilescope_nanoseconds(CLOCK_MONOTONIC) / 1000000;
}
static inline DWORD GetTickCount(void) { return (DWORD)GetTickCount64(); }
static inline DWORD timeGetTime(void) { return GetTickCount(); }
static inline void Sleep(DWORD milliseconds) { usleep(milliseconds * 1000); }

// Since 1601, in 100 ns.
static inline void GetSystemTimeAsFileTime(FILETIME* time) {
  const ULONGLONG now =
      (ULONGLONG)tilescope_nanoseconds(CLOCK_REALTIME) / 100 + 116444736000000000ULL;
  time->dwLowDateTime = (DWORD)now;
  time->dwHighDateTime = (DWORD)(now >> 32);
}
#define GetSystemTimePreciseAsFileTime GetSystemTimeAsFileTime
static inline void tilescope_write_time(const struct tm* parts, SYSTEMTIME* time) {
  time->wYear = (WORD)(parts->tm_year + 1900);
  time->wMonth = (WORD)(parts->tm_mon + 1);
  time->wDayOfWeek = (WORD)parts->tm_wday;
  time->wDay = (WORD)parts->tm_mday;
  time->wHour = (WORD)parts->tm_hour;
  time->wMinute = (WORD)parts->tm_min;
  time->wSecond = (WORD)parts->tm_sec;
  time->wMilliseconds = (WORD)(tilescope_nanoseconds(CLOCK_REALTIME) / 1000000 % 1000);
}
static inline void GetLocalTime(SYSTEMTIME* local) {
  const time_t now = time(NULL);
  tilescope_write_time(localtime(&now), local);
}
static inline void GetSystemTime(SYSTEMTIME* universal) {
  const time_t now = time(NULL);
  tilescope_write_time(gmtime(&now), universal);
}
static inline DWORD GetTimeZoneInformation(TIME_ZONE_INFORMATION* zone) {
  const time_t now = time(NULL);
  zone->Bias = (LONG)(-localtime(&now)->tm_gmtoff / 60);
  return 0;
}
static inline void GetSystemInfo(SYSTEM_INFO* info) {
  info->dwPageSize = (DWORD)sysconf(_SC_PAGESIZE);
  info->dwNumberOfProcessors = (DWORD)sysconf(_SC_NPROCESSORS_ONLN);
}
static inline DWORD GetLastError(void) { return 0; }
static inline BOOL SetConsoleOutputCP(UINT page) { return page == CP_UTF8; }
static inline BOOL SetConsoleCP(UINT page) { return page == CP_UTF8; }
static inline void OutputDebugStringA(LPCSTR text) { fputs(text, stderr); }
#define OutputDebugString OutputDebugStringA
#define ZeroMemory(to, bytes) memset(to, 0, bytes)
#define CopyMemory(to, from, bytes) memcpy(to, from, bytes)
#define FillMemory(to, bytes, value) memset(to, value, bytes)
