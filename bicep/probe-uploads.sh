#!/usr/bin/env bash
# Finds out what cannot be known before the first deployment (README, "How uploads reach the host"):
#
#   streaming   whether an upload through the gateway reaches the service while it is still being sent. Sends 20 MiB in
#               20 s with a folder name that does not exist, so nothing is stored, and looks up how long the service was at
#               it: about as long when the body streamed, hardly at all when the host had held it whole before.
#   size        whether the host takes a request of MAX_UPLOAD_BYTES (default 250 MiB). Uploads such a file past the
#               gateway into the project's folder 01_Angebote, and deletes it again.
#
# Needs TOKEN (an access token of a user who may upload) and PROJECT_ID (a project to try on); streaming also GATEWAY_URL,
# APPLICATION_INSIGHTS_NAME and AZURE_RESOURCE_GROUP; size FUNCTION_APP_NAME, AZURE_RESOURCE_GROUP and KEY_VAULT_NAME,
# and a way to the function app. Ends with 0 for yes, 1 for no, 2 where the answer is not known. Prints no token or key.
set -euo pipefail
umask 077

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
unknown() {
  echo "not known: $1" >&2
  exit 2
}

# On its command line every process could read token and key.
printf 'authorization: Bearer %s\n' "$TOKEN" >"$directory/headers"

streaming() {
  local mebibytes=${PROBE_MIB:-20} id duration
  id=probe-$(cat /proc/sys/kernel/random/uuid)
  head -c "$((mebibytes * 1048576))" /dev/zero >"$directory/file"
  status=$(curl --silent --show-error --limit-rate 1M --max-time 200 --header "@$directory/headers" --header "x-request-id: $id" \
    --form folderName=probe --form "file=@$directory/file;filename=probe.bin" --output "$directory/body" --write-out '%{http_code}' \
    "$GATEWAY_URL/api/v1/documents/projects/$PROJECT_ID/upload") || unknown 'curl failed'
  [ "$status" = 400 ] || unknown "the gateway answers $status, not the 400 of an unknown folder: $(cat "$directory/body")"
  echo "Sent. Waiting for the telemetry of $id, which takes some minutes." >&2
  for attempt in {1..20}; do
    # Asked by a name that is in no other event of the request.
    duration=$(AZURE_EXTENSION_USE_DYNAMIC_INSTALL=yes_without_prompt az monitor app-insights query \
      --app "$APPLICATION_INSIGHTS_NAME" --resource-group "$AZURE_RESOURCE_GROUP" --query 'tables[0].rows[0][0]' --output tsv --analytics-query \
      "traces | extend f = parse_json(message) | where f.requestId == '$id' and f.event == 'request' | project toint(f.durationMs)")
    [ -z "$duration" ] || break
    [ "$attempt" -lt 20 ] || unknown 'no telemetry of the request within ten minutes'
    sleep 30
  done
  if [ "$duration" -ge $((mebibytes * 500)) ]; then
    echo "yes: the service was at it for $duration ms of the $mebibytes s, so the body streamed."
  else
    echo "no: the service was at it for $duration ms of the $mebibytes s, so the host had held the body whole. Keep GATEWAY_UPLOAD_BOUND_MIB above 0."
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
  # Chunked, so that the host streams it instead of holding it.
  status=$(curl --silent --show-error --max-time 230 --header "@$directory/headers" --header 'transfer-encoding: chunked' \
    --form folderName=01_Angebote --form conflictBehavior=rename --form "file=@$directory/file;filename=probe.bin" \
    --output "$directory/body" --write-out '%{http_code}' "https://$host/api/v1/documents/projects/$PROJECT_ID/upload") || unknown 'curl failed'
  if [ "$status" = 201 ]; then
    id=$(jq --raw-output .id "$directory/body")
    curl --fail --silent --show-error --header "@$directory/headers" --request DELETE "https://$host/api/v1/documents/$id" >/dev/null ||
      echo "The file probe.bin of the project could not be deleted; delete it by hand." >&2
    echo "yes: the host takes $bytes bytes."
  elif detail=$(jq --raw-output 'select(.code) | .detail' "$directory/body" 2>/dev/null) && [ -n "$detail" ]; then
    unknown "the service itself answers $status: $detail"
  else
    echo "no: $status without an answer of the service. Set MAX_UPLOAD_BYTES=209715200 and deploy."
    exit 1
  fi
}

case "${1:-}" in
streaming | size) "$1" ;;
*)
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
  ;;
esac
