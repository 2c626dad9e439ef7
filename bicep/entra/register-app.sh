#!/usr/bin/env bash
# Registers the API in Entra ID with the Azure CLI, for users who cannot use the Graph extension of main.bicep.
# Safe to run again: updates an existing registration of the same name.
#
#   az login
#   ./register-app.sh [display name]
#
# Prints IDP_TENANT_ID and IDP_API_CLIENT_ID. Create the client secret separately, directly into the vault:
#   az ad app credential reset --id <client id> --append --years 1 --query password -o tsv | bash bicep/put-secret.sh idp-api-client-secret
set -euo pipefail

display_name=${1:-Projektordner API}
graph_app_id=00000003-0000-0000-c000-000000000000
roles=(BackOffice Management ProjectManager Administrator canCreateActivities)
application_roles=(Records.Sync)
permissions=(Files.ReadWrite.All Sites.Read.All User.Read offline_access)
if [ "${MAIL_DRAFTS:-false}" = true ]; then permissions+=(Mail.ReadWrite); fi

# A filter, because --display-name matches every name with that prefix.
quote="'"
app_id=$(az ad app list --filter "displayName eq '${display_name//$quote/$quote$quote}'" --query '[].appId' -o tsv)
if [ "$(wc -l <<<"$app_id")" -gt 1 ]; then
  echo "There are several registrations named \"$display_name\": ${app_id//$'\n'/, }. Rename or delete all but one." >&2
  exit 1
fi
if [ -z "$app_id" ]; then
  app_id=$(az ad app create --display-name "$display_name" --sign-in-audience AzureADMyOrg --query appId -o tsv)
fi

# The ids of roles and scopes must be the same in every run, because assignments refer to them.
existing=$(az ad app show --id "$app_id" --query '{roles: appRoles, scopes: api.oauth2PermissionScopes}' -o json)
id_of() {
  local id
  id=$(jq -r --arg value "$2" "(.$1[] | select(.value == \$value) | .id) // empty" <<<"$existing")
  printf '%s' "${id:-$(cat /proc/sys/kernel/random/uuid)}"
}

app_roles='[]'
add_roles() {
  local type=$1 role
  for role in "${@:2}"; do
    app_roles=$(jq --arg id "$(id_of roles "$role")" --arg value "$role" --arg type "$type" \
      '. + [{id: $id, value: $value, displayName: $value, description: $value, allowedMemberTypes: [$type], isEnabled: true}]' <<<"$app_roles")
  done
}
add_roles User "${roles[@]}"
add_roles Application "${application_roles[@]}"

scope=$(jq -n --arg id "$(id_of scopes access_as_user)" '{
  id: $id, value: "access_as_user", type: "User", isEnabled: true,
  adminConsentDisplayName: "Call the API as the user",
  adminConsentDescription: "Lets the front end call the API on behalf of the signed-in user.",
  userConsentDisplayName: "Call the API as you",
  userConsentDescription: "Lets the front end call the API on your behalf."}')

graph_scopes=$(az ad sp show --id "$graph_app_id" --query oauth2PermissionScopes -o json)
access='[]'
for permission in "${permissions[@]}"; do
  access=$(jq --argjson scopes "$graph_scopes" --arg value "$permission" \
    '. + [{id: ($scopes[] | select(.value == $value) | .id), type: "Scope"}]' <<<"$access")
done

object_id=$(az ad app show --id "$app_id" --query id -o tsv)
az rest --method PATCH --url "https://graph.microsoft.com/v1.0/applications/$object_id" --body "$(jq -n \
  --arg uri "api://$app_id" --argjson roles "$app_roles" --argjson scope "$scope" --argjson access "$access" \
  --arg graph "$graph_app_id" '{
    identifierUris: [$uri], appRoles: $roles,
    api: {requestedAccessTokenVersion: 2, oauth2PermissionScopes: [$scope]},
    requiredResourceAccess: [{resourceAppId: $graph, resourceAccess: $access}]}')"

az ad sp show --id "$app_id" --output none 2>/dev/null || az ad sp create --id "$app_id" --output none
az ad sp update --id "$app_id" --set appRoleAssignmentRequired=true
az ad app permission admin-consent --id "$app_id"

echo "IDP_TENANT_ID=$(az account show --query tenantId -o tsv)"
echo "IDP_API_CLIENT_ID=$app_id"
