#!/usr/bin/env bash
# Ends with 0 when the service is able to work, otherwise with 1 and the reason: an app whose settings are faulty runs,
# but answers every request with 503 not_configured, and /health names the variables.
#
#   bash bicep/check-health.sh                   asks the app itself, with the key that API Management has
#   bash bicep/check-health.sh https://gateway   asks through the gateway
#
# Needs curl and jq, without an address also FUNCTION_APP_NAME, AZURE_RESOURCE_GROUP and KEY_VAULT_NAME. Prints no key.
set -euo pipefail
umask 077

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# curl reads the header from the file: on its command line every process could read the key.
: >"$directory/headers"
base=${1:-}
if [ -z "$base" ]; then
  host=$(az functionapp show --name "$FUNCTION_APP_NAME" --resource-group "$AZURE_RESOURCE_GROUP" --query 'defaultHostName || properties.defaultHostName' --output tsv)
  key=$(az keyvault secret show --vault-name "$KEY_VAULT_NAME" --name backend-function-key --query value --output tsv)
  printf 'x-functions-key: %s\n' "$key" >"$directory/headers"
  base=https://$host
fi

# Two minutes: an app that restarts, or a gateway that has just got its API.
for attempt in {1..20}; do
  rm -f "$directory/body"
  status=$(curl --silent --show-error --max-time 20 --header "@$directory/headers" --output "$directory/body" \
    --write-out '%{http_code}' "$base/api/v1/health" 2>"$directory/error") || true
  [ "$status" != 200 ] || exit 0
  [ "$attempt" -eq 20 ] || sleep 6
done

if [ "$status" = 000 ]; then
  echo "$base does not answer: $(cat "$directory/error")" >&2
elif reason=$(jq --raw-output 'select(.code) | [.code, .detail] + [.errors[]? | "\(.path): \(.message)"] | map(strings) | join("\n  ")' "$directory/body" 2>/dev/null) && [ -n "$reason" ]; then
  echo "$base answers $status $reason" >&2
else
  echo "$base answers $status without a reason of the service: is the code deployed, the address right?" >&2
fi
exit 1
