import html
import xml.etree.ElementTree as tree

print(tree.tostring(tree.fromstring("<a b='1'><c/>t</a>")), html.unescape("&lt;&uuml;"))
