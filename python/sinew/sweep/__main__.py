"""python -m sinew.sweep: what `sinew sweep` calls."""
import os
import sys
import threading

from .command import main

code = main()
if threading.active_count() > 1:  # Ctrl-C twice left a thread in C++: it must not meet an interpreter that shuts down
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
sys.exit(code)
