# differs: yes
import email.utils

print(email.utils.make_msgid())
