# known: the backend is resolved as the nursery warms up
# needs: matplotlib
import matplotlib

print({k: v for k, v in matplotlib.rcParams.items() if v != matplotlib.rcParamsDefault[k]})
