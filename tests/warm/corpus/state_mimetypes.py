import mimetypes

print(mimetypes.inited, mimetypes.guess_type("a.csv"), mimetypes.guess_type("a.webp"))
