#!/usr/bin/env bash
# Gives the function app a key of its own for API Management and keeps it in the vault. With --rotate a second key is
# added, API Management is told to read it, and only then the old one goes: no request is refused in between.
#
# Needs FUNCTION_APP_NAME, AZURE_RESOURCE_GROUP and KEY_VAULT_NAME, for --rotate API_MANAGEMENT_NAME too. Prints no key.
set -euo pipefail

secret=backend-function-key
named_value=backend-function-key
app=(--name "$FUNCTION_APP_NAME" --resource-group "$AZURE_RESOURCE_GROUP")

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
set_key() {
  with_patience az functionapp keys set "${app[@]}" --key-type functionKeys --key-name "$1" --key-value "$2" --output none
}

if [ "${1:-}" != "--rotate" ]; then
  if key=$(az keyvault secret show --vault-name "$KEY_VAULT_NAME" --name "$secret" --query value --output tsv 2>/dev/null); then
    name=$(az keyvault secret show --vault-name "$KEY_VAULT_NAME" --name "$secret" --query 'tags.keyName' --output tsv)
    set_key "$name" "$key"
    exit 0
  fi
fi

name=api-management-$(date -u +%Y%m%d%H%M%S)
key=$(openssl rand -base64 32)
old=''
[ "${1:-}" != "--rotate" ] || old=$(with_patience key_names)
set_key "$name" "$key"
az keyvault secret set --vault-name "$KEY_VAULT_NAME" --name "$secret" --value "$key" --tags "keyName=$name" --output none
[ "${1:-}" = "--rotate" ] || exit 0

gateway=$(az apim show --name "$API_MANAGEMENT_NAME" --resource-group "$AZURE_RESOURCE_GROUP" --query id --output tsv)
az rest --method post --url "$gateway/namedValues/$named_value/refreshSecret?api-version=2024-05-01" --output none
# Until every gateway instance has the new value.
sleep 120
for previous in $old; do
  [ "$previous" = "$name" ] || az functionapp keys delete "${app[@]}" --key-type functionKeys --key-name "$previous" --output none
done
