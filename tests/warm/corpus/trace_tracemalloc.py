import tracemalloc

print(tracemalloc.is_tracing(), tracemalloc.get_traced_memory())
tracemalloc.start()
x = [bytes(1000) for _ in range(10)]
top = tracemalloc.take_snapshot().statistics("filename")
print(sorted({t.traceback[0].filename for t in top if t.size > 5000}))
