import fractions
import statistics

print(fractions.Fraction(1, 3) + 1, statistics.median([3, 1, 2]), statistics.NormalDist(0, 1).cdf(1))
