import hashlib
import hmac

print(hashlib.sha256(b"x").hexdigest(), hmac.new(b"k", b"m", "sha1").hexdigest(), hashlib.pbkdf2_hmac("sha256", b"p", b"s", 10).hex())
