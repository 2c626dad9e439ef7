#!/usr/bin/env bash
# Determines what is unknown before the first deployment (bicep/README.md, "Uploads"):
#
#   disk        whether uploads are written to a disk of the instance or to its memory, and whether it has UPLOAD_DISK_BYTES.
#
# Requires TOKEN (an access token of an administrator) and GATEWAY_URL. Exits with 0 for yes, 1 for no, 2 if the result is
# unknown. Prints no token.
set -euo pipefail
umask 077

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
unknown() {
  echo "unknown: $1" >&2
  exit 2
}

# In a file, because any process can read a token on a command line.
printf 'authorization: Bearer %s\n' "$TOKEN" >"$directory/headers"

disk() {
  local found
  status=$(curl --silent --show-error --max-time 60 --header "@$directory/headers" --output "$directory/body" \
    --write-out '%{http_code}' "$GATEWAY_URL/api/v1/health/parts") || unknown 'curl failed'
  [ "$status" = 200 ] || unknown "the gateway responds with $status instead of 200: $(cat "$directory/body")"
  found=$(jq --raw-output '.parts[]? | select(.part == "uploadDisk") | .uses // .state' "$directory/body")
  case "$found" in
  disk) echo 'yes: uploads are written to a disk that has UPLOAD_DISK_BYTES.' ;;
  memory)
    echo 'no: the folder for temporary files is memory of the instance. Its memory must also hold UPLOAD_DISK_BYTES; lower that, or set TMPDIR to a folder on a disk.'
    exit 1
    ;;
  failing)
    echo 'no: the disk accepts no file, or has less space than UPLOAD_DISK_BYTES. Lower that.'
    exit 1
    ;;
  *) unknown "the service says nothing about the disk: $(cat "$directory/body")" ;;
  esac
}

case "${1:-}" in
disk) disk ;;
*)
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
  ;;
esac
