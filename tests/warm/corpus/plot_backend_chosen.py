# needs: matplotlib
import matplotlib

matplotlib.use("pdf")
import matplotlib.pyplot as plt  # noqa: E402

print(matplotlib.get_backend(), plt.figure().canvas.__class__.__name__)
