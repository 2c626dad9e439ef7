#!/usr/bin/env bash
# Registers a page in Entra ID, such as the console or a front end: a separate single-page application that can call the API as
# its user. Safe to run again: updates an existing registration of the same name.
#
#   az login
#   bash bicep/entra/register-page.sh <client id of the API> <display name> <https address to return to after a sign-in>...
#
# Prints its client id.
set -euo pipefail
. "$(dirname "$0")/registered.sh"

usage() {
  echo "Usage: register-page.sh <client id of the API> <display name> <https address to return to after a sign-in>..." >&2
  exit 2
}
[ $# -ge 3 ] || usage
api_id=$1
display_name=$2
addresses=("${@:3}")
for address in "${addresses[@]}"; do [[ $address =~ ^https://[^/]+/ ]] || usage; done

app_id=$(registered "$display_name")

scope_id=$(until_replicated az ad app show --id "$api_id" --query '{scopes: api.oauth2PermissionScopes}' -o json |
  jq -r '.scopes[] | select(.value == "access_as_user") | .id')
if [ -z "$scope_id" ]; then
  echo "The API $api_id has no scope access_as_user: run register-app.sh first." >&2
  exit 1
fi

# Only the type "spa" lets a page redeem its code.
object_id=$(until_replicated az ad app show --id "$app_id" --query id -o tsv)
until_replicated az rest --method PATCH --url "https://graph.microsoft.com/v1.0/applications/$object_id" --body "$(jq -n \
  --arg api "$api_id" --arg scope "$scope_id" '{
    spa: {redirectUris: $ARGS.positional},
    requiredResourceAccess: [{resourceAppId: $api, resourceAccess: [{id: $scope, type: "Scope"}]}]}' --args "${addresses[@]}")"

ensure_principal "$app_id"
until_replicated az ad app permission admin-consent --id "$app_id"

echo "$app_id"
