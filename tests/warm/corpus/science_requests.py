# needs: requests
import requests

try:
    requests.get("http://192.0.2.1/", timeout=2)
except requests.RequestException as error:
    print(type(error).__name__)
