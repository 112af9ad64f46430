// The console of Windows: programs wait for a key at their end. Nobody presses one here.
#pragma once
#include <stdio.h>

static inline int _getch(void) { return getchar(); }
static inline int _getche(void) { return getchar(); }
static inline int _kbhit(void) { return 0; }
#define getch _getch
#define getche _getche
#define kbhit _kbhit
