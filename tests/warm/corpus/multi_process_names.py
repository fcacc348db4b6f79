import multiprocessing

print([multiprocessing.Process(target=print).name for _ in range(3)])
