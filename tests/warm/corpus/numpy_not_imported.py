# needs: numpy
# status: 1
# Preloaded or not, a name that was not imported does not exist.
print(np.ones(3))  # noqa: F821
