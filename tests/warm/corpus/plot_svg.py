# needs: matplotlib
# flags: -v {out}:/output
import matplotlib
import matplotlib.pyplot as plt

matplotlib.rcParams["svg.hashsalt"] = "fixed"
plt.bar(["a", "b"], [1, 2])
plt.savefig("/output/plot.svg", metadata={"Date": None})
