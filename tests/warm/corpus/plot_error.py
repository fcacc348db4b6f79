# needs: matplotlib
# status: 1
import matplotlib.pyplot as plt

plt.plot([1, 2], [1, 2, 3])
