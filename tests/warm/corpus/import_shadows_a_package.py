# files: email/__init__.py=X = "my mail"\n
# files: logging/__init__.py=X = "my log"\n
import email
import logging

print(email.X, logging.X, email.__path__)
