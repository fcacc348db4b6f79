import pathlib

p = pathlib.Path("/tmp/a/b")
p.mkdir(parents=True)
(p / "f.txt").write_text("x")
print(sorted(pathlib.Path("/tmp").rglob("*")), pathlib.Path.cwd(), pathlib.Path(__file__).parent)
