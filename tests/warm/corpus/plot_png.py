# needs: matplotlib
# flags: -v {out}:/output
import matplotlib.pyplot as plt

plt.plot([1, 3, 2])
plt.title("title")
plt.savefig("/output/plot.png", metadata={"Software": None})
print(plt.get_fignums())
