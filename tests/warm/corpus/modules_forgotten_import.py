# status: 1
# `import xml` alone does not give xml.etree: a wrong program must fail as it does cold.
import xml

xml.etree.ElementTree.fromstring("<a/>")
