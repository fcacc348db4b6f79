# flags: --tmpfs /scratch
# env: TMPDIR=/scratch
import tempfile

print(tempfile.gettempdir(), tempfile.mkdtemp().startswith("/scratch/"))
