import urllib.error
import urllib.request

try:
    urllib.request.urlopen("http://example.com/", timeout=3)
except urllib.error.URLError as error:
    print(type(error.reason).__name__, error)
