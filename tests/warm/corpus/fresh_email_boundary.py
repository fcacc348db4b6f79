# differs: yes
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

message = MIMEMultipart()
message.attach(MIMEText("x"))
print(message.as_string().splitlines()[0])
