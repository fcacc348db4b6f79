import warnings

warnings.simplefilter("always")
open("/dev/null")  # noqa: SIM115
print("end")
