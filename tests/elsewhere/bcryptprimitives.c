// A library that Windows has and Wine only since version 9: the one function of it that Rust's standard library calls.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PUCHAR data, SIZE_T length) {
    return RtlGenRandom(data, (ULONG)length);
}
