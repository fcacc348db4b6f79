# An archive with a first line for the kernel, made and started by the script.
import subprocess
import sys
import zipapp
from pathlib import Path

Path("/tmp/app").mkdir()
Path("/tmp/app/__main__.py").write_text("import sys; print(sys.argv, __file__)")
zipapp.create_archive("/tmp/app", "/tmp/app.pyz", interpreter=sys.executable)
print(subprocess.run([sys.executable, "/tmp/app.pyz", "a"], capture_output=True, text=True))
