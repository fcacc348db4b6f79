import gc

gc.collect()
print(gc.collect(), gc.garbage)
