# Verifies the signature of the email on standard input with the DNS record given as the argument.
import sys

import dkim

record = sys.argv[1].encode()
mail = sys.stdin.buffer.read()
sys.exit(0 if dkim.verify(mail, dnsfunc=lambda name, timeout=5: record) else 1)
