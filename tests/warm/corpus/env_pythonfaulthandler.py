# env: PYTHONFAULTHANDLER=1
# warm: auto
import faulthandler

print(faulthandler.is_enabled())
