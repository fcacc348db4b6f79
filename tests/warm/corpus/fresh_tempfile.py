# differs: yes
import tempfile

print(tempfile.mkdtemp(), tempfile.mktemp())
