#!/bin/sh
# sh samba.sh COMMAND...: runs a command against a Samba server of its own, without a container and without root. The server has
# the share "files", listens on 127.0.0.1 only, and ends with the command. Needs the package samba of Debian or Ubuntu.
set -eu
PATH=$PATH:/usr/sbin
export SMB_HOST=127.0.0.1 SMB_PORT="${SMB_PORT:-4450}" SMB_SHARE=files SMB_USER=smb SMB_PASSWORD=smb
folder=$(mktemp -d)
mkdir -p "$folder/state/ncalrpc" "$folder/files"
cat > "$folder/smb.conf" <<END
[global]
server role = standalone server
interfaces = 127.0.0.1/8
bind interfaces only = yes
smb ports = $SMB_PORT
disable netbios = yes
load printers = no
disable spoolss = yes
passdb backend = tdbsam:$folder/state/passdb.tdb
username map = $folder/users.map
private dir = $folder/state
lock directory = $folder/state
state directory = $folder/state
cache directory = $folder/state
pid directory = $folder/state
ncalrpc dir = $folder/state/ncalrpc
log file = $folder/log.smbd
[files]
path = $folder/files
read only = no
END
echo "$(id -un) = $SMB_USER" > "$folder/users.map"
printf '%s\n%s\n' "$SMB_PASSWORD" "$SMB_PASSWORD" |
  pdbedit -s "$folder/smb.conf" -a -t -u "$(id -un)" > "$folder/pdbedit.log"
smbd -F -s "$folder/smb.conf" < /dev/null &
server=$!
stop() {
  status=$?
  # smbd starts a second server when a client lists the shares.
  kill $server $(cat "$folder/state/samba-dcerpcd.pid" 2> /dev/null) 2> /dev/null || true
  wait $server 2> /dev/null || true
  rm -rf "$folder"
  exit $status
}
trap stop EXIT
trap 'exit 130' INT TERM
listens='require("net").connect(process.env.SMB_PORT, process.env.SMB_HOST).on("error", () => process.exit(1)).on("connect", () => process.exit())'
until node -e "$listens"; do
  kill -0 $server || { cat "$folder/log.smbd" >&2; exit 1; }
  sleep 0.1
done
"$@"
