#!/usr/bin/env bash
# Determines what is unknown before the first deployment (bicep/README.md, "Uploads"):
#
#   streaming   whether an upload through the gateway reaches the service while the client is still sending it. Sends
#               20 MiB in 20 s with a folder name that does not exist, so nothing is stored, and queries how long the
#               service worked on the request: about 20 s if the body streamed, almost 0 if the host buffered it first.
#   size        whether the host accepts a request of MAX_UPLOAD_BYTES (default 250 MiB). Uploads such a file directly to
#               the app, into the project's folder 01_Angebote, and deletes it again.
#   disk        whether uploads are written to a disk of the instance or to its memory, and whether it has UPLOAD_DISK_BYTES.
#
# Requires TOKEN (an access token of a user with permission to upload, for disk of an administrator); disk also GATEWAY_URL;
# streaming also PROJECT_ID (a project for the test), GATEWAY_URL, APPLICATION_INSIGHTS_NAME, and AZURE_RESOURCE_GROUP; size
# also PROJECT_ID, FUNCTION_APP_NAME, AZURE_RESOURCE_GROUP, KEY_VAULT_NAME, and network access to the function app. Exits with
# 0 for yes, 1 for no, 2 if the result is unknown.
# Prints no token or key.
set -euo pipefail
umask 077

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
unknown() {
  echo "unknown: $1" >&2
  exit 2
}

# In a file, because any process can read token and key on a command line.
printf 'authorization: Bearer %s\n' "$TOKEN" >"$directory/headers"

streaming() {
  local mebibytes=${PROBE_MIB:-20} id duration
  id=probe-$(cat /proc/sys/kernel/random/uuid)
  head -c "$((mebibytes * 1048576))" /dev/zero >"$directory/file"
  status=$(curl --silent --show-error --limit-rate 1M --max-time 200 --header "@$directory/headers" --header "x-request-id: $id" \
    --form folderName=probe --form "file=@$directory/file;filename=probe.bin" --output "$directory/body" --write-out '%{http_code}' \
    "$GATEWAY_URL/api/v1/documents/projects/$PROJECT_ID/upload") || unknown 'curl failed'
  [ "$status" = 400 ] || unknown "the gateway responds with $status instead of the 400 for an unknown folder: $(cat "$directory/body")"
  echo "Sent. Waiting for the telemetry of $id, which takes a few minutes." >&2
  for attempt in {1..20}; do
    # Each request has exactly one event with this name.
    duration=$(AZURE_EXTENSION_USE_DYNAMIC_INSTALL=yes_without_prompt az monitor app-insights query \
      --app "$APPLICATION_INSIGHTS_NAME" --resource-group "$AZURE_RESOURCE_GROUP" --query 'tables[0].rows[0][0]' --output tsv --analytics-query \
      "traces | extend f = parse_json(message) | where f.requestId == '$id' and f.event == 'request' | project toint(f.durationMs)")
    [ -z "$duration" ] || break
    [ "$attempt" -lt 20 ] || unknown 'no telemetry of the request within ten minutes'
    sleep 30
  done
  if [ "$duration" -ge $((mebibytes * 500)) ]; then
    echo "yes: the service worked on the request for $duration ms of the $mebibytes s, so the body streamed."
  else
    echo "no: the service worked on the request for $duration ms of the $mebibytes s, so the host buffered the body. Keep GATEWAY_UPLOAD_BOUND_MIB above 0."
    exit 1
  fi
}

size() {
  local bytes=${MAX_UPLOAD_BYTES:-262144000} host key id detail
  host=$(az functionapp show --name "$FUNCTION_APP_NAME" --resource-group "$AZURE_RESOURCE_GROUP" \
    --query 'defaultHostName || properties.defaultHostName' --output tsv)
  key=$(az keyvault secret show --vault-name "$KEY_VAULT_NAME" --name backend-function-key --query value --output tsv)
  printf 'x-functions-key: %s\n' "$key" >>"$directory/headers"
  head -c "$bytes" /dev/zero >"$directory/file"
  # Chunked, so that the host streams the body instead of buffering it.
  status=$(curl --silent --show-error --max-time 230 --header "@$directory/headers" --header 'transfer-encoding: chunked' \
    --form folderName=01_Angebote --form conflictBehavior=rename --form "file=@$directory/file;filename=probe.bin" \
    --output "$directory/body" --write-out '%{http_code}' "https://$host/api/v1/documents/projects/$PROJECT_ID/upload") || unknown 'curl failed'
  if [ "$status" = 201 ]; then
    id=$(jq --raw-output .id "$directory/body")
    curl --fail --silent --show-error --header "@$directory/headers" --request DELETE "https://$host/api/v1/documents/$id" >/dev/null ||
      echo "The file probe.bin of the project could not be deleted; delete it by hand." >&2
    echo "yes: the host accepts $bytes bytes."
  elif detail=$(jq --raw-output 'select(.code) | .detail' "$directory/body" 2>/dev/null) && [ -n "$detail" ]; then
    unknown "the service itself responds with $status: $detail"
  else
    echo "no: $status without a response from the service. Set MAX_UPLOAD_BYTES=209715200 and deploy."
    exit 1
  fi
}

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
streaming | size | disk) "$1" ;;
*)
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
  ;;
esac
