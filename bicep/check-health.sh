#!/usr/bin/env bash
# Exits with 0 if the service works, otherwise with 1 and prints the reason. An app with invalid settings runs, but
# responds to every request with 503 not_configured, and /health names the variables.
#
#   bash bicep/check-health.sh                   calls the app directly, with API Management's key
#   bash bicep/check-health.sh https://gateway   calls the app through the gateway
#
# Requires curl and jq; without an address also the outputs of the deployment. Prints no key. HEALTH_ATTEMPTS is how often it asks, 20 by default, 6 s apart.
set -euo pipefail
umask 077
. "$(dirname "$0")/lib/environment.sh"

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# curl reads the header from a file, because any process can read the key on a command line.
: >"$directory/headers"
base=${1:-}
if [ -z "$base" ]; then
  host=$(app show --query 'defaultHostName || properties.defaultHostName' --output tsv)
  key=$(vault secret show --name backend-function-key --query value --output tsv)
  printf 'x-functions-key: %s\n' "$key" >"$directory/headers"
  base=https://$host
fi

# Two minutes, for an app that restarts or a gateway whose API is new.
attempts=${HEALTH_ATTEMPTS:-20}
for ((attempt = 1; attempt <= attempts; attempt += 1)); do
  : >"$directory/body"
  status=$(curl --silent --show-error --max-time 20 --header "@$directory/headers" --output "$directory/body" \
    --write-out '%{http_code}' "$base/api/v1/health" 2>"$directory/error") || true
  [ "$status" != 200 ] || exit 0
  [ "$attempt" -eq "$attempts" ] || sleep 6
done

if [ "$status" = 000 ]; then
  echo "$base does not respond: $(cat "$directory/error")" >&2
elif reason=$(jq --raw-output 'select(.code) | [.code, .detail] + [.errors[]? | "\(.path): \(.message)"] | map(strings) | join("\n  ")' "$directory/body" 2>/dev/null) && [ -n "$reason" ]; then
  echo "$base responds with $status $reason" >&2
else
  echo "$base responds with $status and no reason from the service: is the code deployed, and is the address correct?" >&2
fi
exit 1
