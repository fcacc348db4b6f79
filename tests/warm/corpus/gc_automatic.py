import gc

seen = []
gc.callbacks.append(lambda phase, info: seen.append(info["generation"]))
keep = [[] for _ in range(5000)]
print(len(seen) > 3, min(seen))
