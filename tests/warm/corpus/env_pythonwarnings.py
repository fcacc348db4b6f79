# env: PYTHONWARNINGS=error::UserWarning
# warm: auto
# status: 1
import sys
import warnings

print(sys.warnoptions)
warnings.warn("becomes an error")
