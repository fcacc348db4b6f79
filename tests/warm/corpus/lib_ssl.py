import ssl

try:
    context = ssl.create_default_context()
    print(context.verify_mode, context.check_hostname, len(context.get_ca_certs()) > 0)
except (OSError, ssl.SSLError) as error:
    print(type(error), error)
print(ssl.OPENSSL_VERSION, ssl.get_default_verify_paths())
