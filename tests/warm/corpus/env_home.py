# env: HOME=/tmp/elsewhere
# warm: auto
import os
import pathlib
import tempfile

print(os.path.expanduser("~/x"), pathlib.Path.home(), tempfile.gettempdir())
