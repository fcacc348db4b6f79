# mask: '/tmp/fixed[^']*'
# The name of the directory is random.
import tempfile

keep = tempfile.TemporaryDirectory(dir="/tmp", prefix="fixed")
print("end")
