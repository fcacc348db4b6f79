import cProfile
import pstats


def work():
    return sum(range(100))


profile = cProfile.Profile()
profile.runcall(work)
rows = pstats.Stats(profile).stats
print(sorted((name[2], calls[0]) for name, calls in rows.items()))
cProfile.run("work()", "/tmp/profile")
print(any(name[2] == "work" for name in pstats.Stats("/tmp/profile").stats))
