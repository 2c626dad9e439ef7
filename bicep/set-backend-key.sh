#!/usr/bin/env bash
# Gives the function app a key of its own for API Management and keeps it in the vault. With --rotate a second key is
# added, API Management is told to read it, and only then the old one goes: no request is refused in between.
#
# Needs FUNCTION_APP_NAME, AZURE_RESOURCE_GROUP and KEY_VAULT_NAME, for --rotate API_MANAGEMENT_NAME too. Prints no key,
# and hands keys over in files that nobody else can read: a command line is there for every process of the machine.
set -euo pipefail
umask 077

secret=backend-function-key
named_value=backend-function-key
app=(--name "$FUNCTION_APP_NAME" --resource-group "$AZURE_RESOURCE_GROUP")
here=$(dirname "$0")
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# Asking a freshly deployed host for its keys fails now and then with a 400 until it has started.
with_patience() {
  for attempt in 1 2 3 4 5 6; do
    "$@" && return 0
    echo "attempt $attempt failed, the host may still be starting" >&2
    sleep 20
  done
  return 1
}
key_names() {
  az functionapp keys list "${app[@]}" --query "keys(functionKeys)[?starts_with(@, 'api-management')]" --output tsv
}
# The key of that name from the file key. Not `az functionapp keys set`, which takes it on the command line.
set_key() {
  local id
  id=$(az functionapp show "${app[@]}" --query id --output tsv)
  jq --raw-input --slurp --arg name "$1" '{properties: {name: $name, value: .}}' "$directory/key" >"$directory/body.json"
  with_patience az rest --method put --url "$id/host/default/functionKeys/$1?api-version=2024-11-01" \
    --body "@$directory/body.json" --output none
}

if [ "${1:-}" != "--rotate" ]; then
  if key=$(az keyvault secret show --vault-name "$KEY_VAULT_NAME" --name "$secret" --query value --output tsv 2>/dev/null); then
    name=$(az keyvault secret show --vault-name "$KEY_VAULT_NAME" --name "$secret" --query 'tags.keyName' --output tsv)
    printf '%s' "$key" >"$directory/key"
    set_key "$name"
    exit 0
  fi
fi

name=api-management-$(date -u +%Y%m%d%H%M%S)
printf '%s' "$(openssl rand -base64 32)" >"$directory/key"
old=''
[ "${1:-}" != "--rotate" ] || old=$(with_patience key_names)
set_key "$name"
bash "$here/put-secret.sh" "$secret" "keyName=$name" <"$directory/key"
[ "${1:-}" = "--rotate" ] || exit 0

gateway=$(az apim show --name "$API_MANAGEMENT_NAME" --resource-group "$AZURE_RESOURCE_GROUP" --query id --output tsv)
az rest --method post --url "$gateway/namedValues/$named_value/refreshSecret?api-version=2024-05-01" --output none
# Until every gateway instance has the new value.
sleep 120
for previous in $old; do
  [ "$previous" = "$name" ] || az functionapp keys delete "${app[@]}" --key-type functionKeys --key-name "$previous" --output none
done
