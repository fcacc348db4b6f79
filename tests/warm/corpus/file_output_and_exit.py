# flags: -v {out}:/output
# status: 3
# A file that was not closed is flushed when it dies at exit.
import sys

file = open("/output/open", "w")  # noqa: SIM115
file.write("not closed")
sys.exit(3)
