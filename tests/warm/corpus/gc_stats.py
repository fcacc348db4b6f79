# A fresh process has collected a few times at most.
import gc

print([s["collections"] < 100 for s in gc.get_stats()], [s["uncollectable"] for s in gc.get_stats()])
