#!/usr/bin/env bash
# Makes sure that the vault has the secrets the app refers to, and lets the app read them again. Without one of them the
# app refuses to start, so a deployment stops here and says what is missing.
#
# Needs FUNCTION_APP_NAME, AZURE_RESOURCE_GROUP and KEY_VAULT_NAME. Prints no secret.
set -euo pipefail

secrets=(idp-api-client-secret folder-agent-api-keys)
[ "${ACTIVITIES_ENABLED:-true}" = "false" ] || secrets+=(ai-api-key)

# A role given by the same deployment takes minutes to work; after that a refusal is one.
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  present=$(az keyvault secret list --vault-name "$KEY_VAULT_NAME" --query '[].name' --output tsv) && break
  [ "$attempt" -lt 10 ] || exit 1
  echo "attempt $attempt: the vault refuses its list of secrets, the role may be new" >&2
  sleep 30
done

missing=()
for secret in "${secrets[@]}"; do
  grep --quiet --line-regexp --fixed-strings "$secret" <<<"$present" || missing+=("$secret")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "Put these secrets into the vault $KEY_VAULT_NAME and run again (bicep/README.md, \"Secrets\"): ${missing[*]}" >&2
  exit 1
fi

# References are otherwise read once a day.
app=$(az functionapp show --name "$FUNCTION_APP_NAME" --resource-group "$AZURE_RESOURCE_GROUP" --query id --output tsv)
az rest --method post --url "$app/config/configreferences/appsettings/refresh?api-version=2022-03-01" --output none
