# needs: matplotlib
import matplotlib.pyplot as plt

plt.plot([1])
plt.show()
print("shown to nobody")
