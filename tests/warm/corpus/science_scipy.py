# needs: scipy
from scipy import optimize, stats

print(round(optimize.brentq(lambda x: x * x - 2, 0, 2), 6), stats.norm.cdf(0))
