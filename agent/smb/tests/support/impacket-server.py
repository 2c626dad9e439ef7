"""impacket's smbserver with one account and two shares, for tests.

impacket responds to every negotiation with SMB 2.0.2. Its messages are those of SMB 2.1 without the large-MTU
capability, so the dialect number is changed here: argv[1] is the dialect to respond with (0x0202 or 0x0210). impacket
also never grants the NTLM flag NEGOTIATE_SIGN, although it signs with the key that the flag implies; every Windows and
Samba server grants it.
"""

import sys
import threading

from impacket import ntlm, smb3structs as smb2, smbserver

dialect, port, user, password, template, projects = sys.argv[1:]
smb2.SMB2_DIALECT_002 = int(dialect, 16)
# One of the flags that it always sets in its challenge, extended by the missing one.
ntlm.NTLMSSP_REQUEST_TARGET |= ntlm.NTLMSSP_NEGOTIATE_SIGN

server = smbserver.SimpleSMBServer(listenAddress="127.0.0.1", listenPort=int(port))
server.addShare("TEMPLATE", template)
server.addShare("PROJECTS", projects)
server.setSMB2Support(True)
server.addCredential(user, 0, ntlm.compute_lmhash(password), ntlm.compute_nthash(password))
server.setLogFile("")


def end_with_parent():
    sys.stdin.read()
    server.stop()


threading.Thread(target=end_with_parent, daemon=True).start()

server.start()
