"""Writes the wheel of a program that is already built, as maturin would: the module, and the program as a script.

usage: wheel.py <program> <folder for the wheel>

It saves the tests a build of their own. Releases are built by maturin.
"""

import base64
import hashlib
import pathlib
import re
import sys
import sysconfig
import zipfile

REPOSITORY = pathlib.Path(__file__).parent.parent.parent


def main(program, folder):
    version = re.search(r'^version = "(.*)"$', (REPOSITORY / "Cargo.toml").read_text(), flags=re.M)[1]
    tag = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    record, info = [], f"extractable-{version}.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / f"extractable-{version}-{tag}.whl", "w", zipfile.ZIP_STORED) as wheel:

        def write(name, content, mode=0o644):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}\n")

        for path in sorted((REPOSITORY / "python/extractable").glob("*")):
            if path.is_file():
                write(f"extractable/{path.name}", path.read_bytes())
        write(f"extractable-{version}.data/scripts/{program.name}", program.read_bytes(), 0o755)
        write(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: extractable\nVersion: {version}\n".encode())
        write(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        wheel.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
