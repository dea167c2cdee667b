"""python -m sinew.sweep: what `sinew sweep` calls."""
import sys

from .command import main

sys.exit(main())
