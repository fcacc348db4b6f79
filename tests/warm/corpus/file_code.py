import os

for folder, folders, files in os.walk("/code"):
    print(folder, sorted(folders), sorted(files), oct(os.stat(folder).st_mode))
print(os.access("/code", os.W_OK), os.access("/code/script.py", os.W_OK), os.stat("/code/script.py").st_uid)
