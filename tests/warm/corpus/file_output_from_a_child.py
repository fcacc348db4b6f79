# flags: -v {out}:/output -w /output
import subprocess

subprocess.run("echo child > here; mkdir -p d/e; touch d/e/f", shell=True)
print(open("here").read())
