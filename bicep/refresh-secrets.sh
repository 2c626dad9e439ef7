#!/usr/bin/env bash
# Makes sure that the vault has the secrets the app refers to, lets the app read them again, and then asks it whether it
# can work with them. Without one of them the app serves nothing but the reason, so a deployment stops here and says what
# is missing.
#
#   --before-code   does not ask the app: code that is about to be replaced may not know the settings of the new one
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

[ "${1:-}" != "--before-code" ] || exit 0
# The app restarts; an answer of the old process would say nothing about the new values.
sleep 30
bash "$(dirname "$0")/check-health.sh"
