#!/usr/bin/env bash
# Registers the API in Entra ID, and the verification client with which an operator's commands sign in. Safe to run again:
# updates existing registrations of the same names.
#
#   az login
#   bash bicep/entra/register-app.sh [display name]
#
# Prints IDP_TENANT_ID, IDP_API_CLIENT_ID, and VERIFICATION_CLIENT_ID. The person who runs it is the operator: the only one who
# can sign in with the verification client.
set -euo pipefail
. "$(dirname "$0")/registered.sh"

display_name=${1:-Projektordner API}
graph_app_id=00000003-0000-0000-c000-000000000000
permissions=(Files.ReadWrite.All Sites.Read.All User.Read offline_access)
# What the commands of tools/verify and tools/import ask Graph for.
verification_permissions=(Files.ReadWrite.All Sites.Read.All User.Read)
if [ "${MAIL_DRAFTS:-false}" = true ]; then permissions+=(Mail.ReadWrite); fi

app_id=$(registered "$display_name")
verification_id=$(registered "$display_name (verification)")

# The ids of roles and scopes must be the same in every run, because assignments refer to them.
existing=$(until_replicated az ad app show --id "$app_id" --query '{uris: identifierUris, roles: appRoles, scopes: api.oauth2PermissionScopes}' -o json)
id_of() {
  local id
  id=$(jq -r --arg value "$2" "(.$1[] | select(.value == \$value) | .id) // empty" <<<"$existing")
  printf '%s' "${id:-$(cat /proc/sys/kernel/random/uuid)}"
}

app_roles='[]'
add_role() {
  app_roles=$(jq --arg id "$(id_of roles "$2")" --arg type "$1" --arg value "$2" --arg description "$3" \
    '. + [{id: $id, value: $value, displayName: $value, description: $description, allowedMemberTypes: [$type], isEnabled: true}]' <<<"$app_roles")
}
add_role User BackOffice 'Project documents and folder requests'
add_role User Management 'Project documents and folder requests'
add_role User ProjectManager 'Project documents'
add_role User Administrator 'Everything, the queue of folder requests included'
add_role User canCreateActivities 'Activities written by the AI text provider'
add_role Application Records.Sync 'Projects and contacts, for a system of record without a user'

scope=$(jq -n --arg id "$(id_of scopes access_as_user)" '{
  id: $id, value: "access_as_user", type: "User", isEnabled: true,
  adminConsentDisplayName: "Call the API as the user",
  adminConsentDescription: "Lets the front end call the API on behalf of the signed-in user.",
  userConsentDisplayName: "Call the API as you",
  userConsentDescription: "Lets the front end call the API on your behalf."}')

graph_scopes=$(az ad sp show --id "$graph_app_id" --query oauth2PermissionScopes -o json)
access_to() {
  jq -n --argjson scopes "$graph_scopes" '[$ARGS.positional[] as $value
    | first($scopes[] | select(.value == $value) | {id, type: "Scope"}) // error("Microsoft Graph has no scope \($value).")]' --args "$@"
}
# Assigned first: bash does not end at a command that fails inside an argument.
verification_access=$(access_to "${verification_permissions[@]}")
access=$(access_to "${permissions[@]}")

update() {
  local object
  object=$(until_replicated az ad app show --id "$1" --query id -o tsv)
  until_replicated az rest --method PATCH --url "https://graph.microsoft.com/v1.0/applications/$object" --body "$2"
  ensure_principal "$1"
  until_replicated az ad sp update --id "$1" --set appRoleAssignmentRequired=true
  until_replicated az ad app permission admin-consent --id "$1"
}
# A public client: it has no secret, and a person signs in with a browser, which responds to any port of localhost, or with a code on
# any device.
update "$verification_id" "$(jq -n --argjson access "$verification_access" --arg graph "$graph_app_id" \
  '{isFallbackPublicClient: true, publicClient: {redirectUris: ["http://localhost"]}, requiredResourceAccess: [{resourceAppId: $graph, resourceAccess: $access}]}')"
# An address with a domain of the tenant stays, because front ends request their scope by it.
update "$app_id" "$(jq -n \
  --arg uri "api://$app_id" --argjson existing "$existing" --argjson roles "$app_roles" --argjson scope "$scope" --arg graph "$graph_app_id" \
  --argjson access "$access" --arg verification "$verification_id" '{
    identifierUris: ($existing.uris - [$uri] + [$uri]), appRoles: $roles,
    api: {requestedAccessTokenVersion: 2, oauth2PermissionScopes: [$scope],
      preAuthorizedApplications: [{appId: $verification, delegatedPermissionIds: [$scope.id]}]},
    requiredResourceAccess: [{resourceAppId: $graph, resourceAccess: $access}]}')"

# Codes can be used for phishing, so nobody but the operator can redeem one of this client.
operator=$(az ad signed-in-user show --query id -o tsv)
bash "$(dirname "$0")/assign-role.sh" "$verification_id" - "$operator"

# Read first: a failure inside the argument of echo would not end the script.
tenant=$(az account show --query tenantId -o tsv)
echo "IDP_TENANT_ID=$tenant"
echo "IDP_API_CLIENT_ID=$app_id"
echo "VERIFICATION_CLIENT_ID=$verification_id"
