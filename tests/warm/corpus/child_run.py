import subprocess

done = subprocess.run(["echo", "hello"], capture_output=True, text=True)
print(done)
