import socket
import ssl
import urllib.request

print(socket.getdefaulttimeout(), urllib.request._opener, ssl._create_default_https_context.__name__)
