# known: the backend is resolved by the nursery's rehearsal
# needs: matplotlib
import matplotlib

print({k: v for k, v in matplotlib.rcParams.items() if v != matplotlib.rcParamsDefault[k]})
