# status: 1
import warnings

warnings.simplefilter("error")
warnings.warn("raises")
