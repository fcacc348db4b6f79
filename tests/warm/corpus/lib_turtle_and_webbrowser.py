import webbrowser

print(webbrowser.open("http://localhost/"))
