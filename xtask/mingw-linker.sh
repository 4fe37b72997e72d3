#!/bin/sh
# Links for Windows by MinGW, with the C++ library in the program: Windows has none.
for word; do
    shift
    case $word in -lstdc++) word=-l:libstdc++.a ;; esac
    set -- "$@" "$word"
done
exec x86_64-w64-mingw32-gcc "$@"
