"""python -m sinew: version, and where the manual and the examples are."""
import pathlib

import sinew


def main() -> None:
    here = pathlib.Path(sinew.__file__).parent
    print(f"sinew {sinew.__version__}")
    for name in ("manual", "examples"):
        folder = here / name
        print(f"{name}: {folder if folder.is_dir() else 'not beside this build; docs/ and examples/ of the sources'}")


if __name__ == "__main__":
    main()
