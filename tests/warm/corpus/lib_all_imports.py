# Every module that is quick to import, imported: none fails that does not fail cold.
import importlib

names = "abc aifc argparse ast base64 binascii bisect calendar cmath cmd codeop configparser copy dis difflib email.message enum filecmp fnmatch ftplib getopt glob graphlib gzip heapq hmac http.client imaplib inspect ipaddress keyword locale mailbox netrc numbers operator optparse plistlib poplib pprint pstats queue quopri sched secrets selectors shelve shlex shutil smtplib socketserver stat stringprep symtable tabnanny tarfile textwrap timeit token tokenize tomllib types unicodedata urllib.request uu venv wave wsgiref.simple_server xmlrpc.client zipapp".split()
print([importlib.import_module(n).__name__ == n for n in names].count(True), len(names))
