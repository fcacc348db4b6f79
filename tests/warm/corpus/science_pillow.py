# needs: pillow
# flags: -v {out}:/output
from PIL import Image

Image.new("RGB", (4, 4), (1, 2, 3)).save("/output/x.png")
print(Image.open("/output/x.png").getpixel((0, 0)))
