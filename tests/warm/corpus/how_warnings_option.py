# how: $ python3 -W error /code/script.py
# warm: auto
# status: 1
import warnings

warnings.warn("error")
