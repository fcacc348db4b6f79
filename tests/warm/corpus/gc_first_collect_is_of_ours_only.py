# Garbage of somebody else with a __del__ must not speak in the script's process.
import gc

gc.set_debug(gc.DEBUG_UNCOLLECTABLE)
gc.collect()
print(gc.garbage)
