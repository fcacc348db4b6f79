# A hook hears what happens from then on, and at the end, and nothing of an engine's.
import sys

heard = []
sys.addaudithook(lambda name, args: heard.append(name) if heard is not None else None)
open("/dev/null").close()
compile("1", "f", "eval")
print(heard)
