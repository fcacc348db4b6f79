import tempfile

print(tempfile.tempdir, tempfile._name_sequence, tempfile.gettempdir(), tempfile.template)
