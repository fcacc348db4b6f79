import sys
import zipfile

with zipfile.ZipFile("/tmp/lib.zip", "w") as archive:
    archive.writestr("packed.py", "def f():\n    return __file__\n")
sys.path.insert(0, "/tmp/lib.zip")
import packed  # noqa: E402

print(packed.f(), type(packed.__loader__).__name__)
