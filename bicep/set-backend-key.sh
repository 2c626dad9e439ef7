#!/usr/bin/env bash
# Gives the function app a key of its own for API Management and keeps it in the vault. Run again to rotate it:
# the new key is in the vault before API Management is told to read it, and requests in between still find the old one
# accepted until the host has refreshed its keys.
#
# Needs FUNCTION_APP_NAME, AZURE_RESOURCE_GROUP and KEY_VAULT_NAME. Prints no key.
set -euo pipefail

secret=backend-function-key
if [ "${1:-}" != "--rotate" ] && az keyvault secret show --vault-name "$KEY_VAULT_NAME" --name "$secret" --output none 2>/dev/null; then
  key=$(az keyvault secret show --vault-name "$KEY_VAULT_NAME" --name "$secret" --query value -o tsv)
else
  key=$(openssl rand -base64 32)
  az keyvault secret set --vault-name "$KEY_VAULT_NAME" --name "$secret" --value "$key" --output none
fi

# Asking a freshly deployed host for its keys fails now and then with a 400 until it has started.
for attempt in 1 2 3 4 5 6; do
  if az functionapp keys set --name "$FUNCTION_APP_NAME" --resource-group "$AZURE_RESOURCE_GROUP" \
    --key-type functionKeys --key-name api-management --key-value "$key" --output none; then
    exit 0
  fi
  echo "attempt $attempt failed, the host may still be starting" >&2
  sleep 20
done
exit 1
