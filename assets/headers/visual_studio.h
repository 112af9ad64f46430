// What Visual Studio's compiler knows and g++ does not: where a function is exported from a DLL,
// and how it is called. Neither means anything on Linux.
#pragma once

#ifndef _MSC_VER
#define __declspec(where)
#define __stdcall
#define __cdecl
#define __fastcall
#define __vectorcall
#define __forceinline inline
#endif
