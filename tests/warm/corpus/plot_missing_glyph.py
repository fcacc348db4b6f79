# needs: matplotlib
# flags: -v {out}:/scratch
import matplotlib.pyplot as plt

plt.title("日本")
plt.savefig("/tmp/x.png")
