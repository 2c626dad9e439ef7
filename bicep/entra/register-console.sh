#!/usr/bin/env bash
# Registers the console in Entra ID: a separate single-page application that can call the API as its user.
# Safe to run again: updates an existing registration of the same name.
#
#   az login
#   ./register-console.sh <IDP_API_CLIENT_ID> <https://name-of-the-gateway.azure-api.net> [display name]
#
# Prints CONSOLE_CLIENT_ID.
set -euo pipefail
. "$(dirname "$0")/until-replicated.sh"

if [ $# -lt 2 ] || [[ ! $2 =~ ^https://[^/]+$ ]]; then
  echo "Usage: register-console.sh <client id of the API> <origin of the gateway: https://host> [display name]" >&2
  exit 2
fi
api_id=$1
origin=$2
display_name=${3:-Projektordner Konsole}

quote="'"
app_id=$(az ad app list --filter "displayName eq '${display_name//$quote/$quote$quote}'" --query '[].appId' -o tsv)
if [ "$(wc -l <<<"$app_id")" -gt 1 ]; then
  echo "There are several registrations named \"$display_name\": ${app_id//$'\n'/, }. Rename or delete all but one." >&2
  exit 1
fi
if [ -z "$app_id" ]; then
  app_id=$(az ad app create --display-name "$display_name" --sign-in-audience AzureADMyOrg --query appId -o tsv)
fi

scope_id=$(az ad app show --id "$api_id" --query '{scopes: api.oauth2PermissionScopes}' -o json |
  jq -r '.scopes[] | select(.value == "access_as_user") | .id')
if [ -z "$scope_id" ]; then
  echo "The API $api_id has no scope access_as_user: run register-app.sh first." >&2
  exit 1
fi

# The first address receives the response of a sign-in; a sign-out returns to the second. Only the type "spa" lets a page
# redeem its code.
object_id=$(until_replicated az ad app show --id "$app_id" --query id -o tsv)
until_replicated az rest --method PATCH --url "https://graph.microsoft.com/v1.0/applications/$object_id" --body "$(jq -n \
  --arg origin "$origin" --arg api "$api_id" --arg scope "$scope_id" '{
    spa: {redirectUris: [$origin + "/api/console/signed-in", $origin + "/api/console"]},
    requiredResourceAccess: [{resourceAppId: $api, resourceAccess: [{id: $scope, type: "Scope"}]}]}')"

ensure_principal "$app_id"
until_replicated az ad app permission admin-consent --id "$app_id"

echo "CONSOLE_CLIENT_ID=$app_id"
