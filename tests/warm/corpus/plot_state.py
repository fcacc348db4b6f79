# needs: matplotlib
import matplotlib
import matplotlib.pyplot as plt

print(matplotlib.get_backend(), plt.get_fignums(), plt.figure().number, matplotlib.is_interactive())
print(plt.rcParams == matplotlib.rcParamsDefault)
