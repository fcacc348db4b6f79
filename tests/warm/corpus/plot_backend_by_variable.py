# needs: matplotlib
# env: MPLBACKEND=svg
# warm: auto
import matplotlib
import matplotlib.pyplot as plt

print(matplotlib.get_backend(), plt.figure().canvas.__class__.__name__)
