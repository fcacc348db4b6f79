# needs: seaborn
import matplotlib
import seaborn

print(matplotlib.rcParams["axes.grid"], seaborn.color_palette()[0])
