#!/usr/bin/env bash
# tools/time_compiler.sh COMPILER ARGUMENT... - compiles, and notes the processor time in compile_seconds.txt
# The launcher of preset ci. A line: user and system seconds, object. tools/check_build_times.py reads them.
exec 3>&1 4>&2
TIMEFORMAT='%U %S'
spent=$({ time "$@" >&3 2>&4; } 2>&1)
status=$?
while (($# > 1)); do
  [[ $1 == -o ]] && echo "$spent $2" >>compile_seconds.txt
  shift
done
exit $status
