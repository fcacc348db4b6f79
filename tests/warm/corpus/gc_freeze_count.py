# known: what the nursery imported is frozen
# A parent that called gc.freeze() shows here; gc.unfreeze() in the child hides it.
import gc

print(gc.get_freeze_count())
