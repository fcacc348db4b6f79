# mask: "(wall_ms|[a-z_]*(ms|id|bytes|time|peak|seconds|started|ended)[a-z_]*)": *[^,}]*
# Measured values.
# flags: --json
# status: 3
import sys

print("out")
print("err", file=sys.stderr)
sys.exit(3)
