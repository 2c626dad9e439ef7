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

display_name=${1:-Projektordner API}
graph_app_id=00000003-0000-0000-c000-000000000000
permissions=(Files.ReadWrite.All Sites.Read.All User.Read offline_access)
# What the commands of local/verify, local/accept, and local/records ask Graph for.
verification_permissions=(Files.ReadWrite.All Sites.Read.All User.Read)
if [ "${MAIL_DRAFTS:-false}" = true ]; then permissions+=(Mail.ReadWrite); fi

# The client id of the only registration with that name, which is created if there is none.
registered() {
  local quote="'" found
  # A filter, because --display-name matches every name with that prefix.
  found=$(az ad app list --filter "displayName eq '${1//$quote/$quote$quote}'" --query '[].appId' -o tsv)
  if [ "$(wc -l <<<"$found")" -gt 1 ]; then
    echo "There are several registrations named \"$1\": ${found//$'\n'/, }. Rename or delete all but one." >&2
    return 1
  fi
  [ -n "$found" ] || found=$(az ad app create --display-name "$1" --sign-in-audience AzureADMyOrg --query appId -o tsv)
  printf '%s' "$found"
}
app_id=$(registered "$display_name")
verification_id=$(registered "$display_name (verification)")

existing=$(az ad app show --id "$app_id" --query '{uris: identifierUris, roles: appRoles, scopes: api.oauth2PermissionScopes}' -o json)
# Who can have each role, its name, and what it is for.
roles=(
  User BackOffice 'Project documents and folder requests'
  User Management 'Project documents and folder requests'
  User ProjectManager 'Project documents'
  User Administrator 'Everything, the queue of folder requests included'
  User canCreateActivities 'Activities written by the AI text provider'
  Application Records.Sync 'Projects and contacts, for a system of record without a user'
)
# For the scope and each role that is new: jq has no random numbers.
new_ids=()
for ((at = 0; at <= ${#roles[@]}; at += 3)); do new_ids+=("$(</proc/sys/kernel/random/uuid)"); done

graph_scopes=$(az ad sp show --id "$graph_app_id" --query oauth2PermissionScopes -o json)
access_to() {
  jq -n --argjson scopes "$graph_scopes" '[$ARGS.positional[] as $value
    | first($scopes[] | select(.value == $value) | {id, type: "Scope"}) // error("Microsoft Graph has no scope \($value).")]' --args "$@"
}
# Assigned first: bash does not end at a command that fails inside an argument.
verification_access=$(access_to "${verification_permissions[@]}")
access=$(access_to "${permissions[@]}")

update() {
  az rest --method PATCH --url "https://graph.microsoft.com/v1.0/applications/$(az ad app show --id "$1" --query id -o tsv)" --body "$2"
  az ad sp show --id "$1" --output none 2>/dev/null || az ad sp create --id "$1" --output none
  az ad sp update --id "$1" --set appRoleAssignmentRequired=true
  az ad app permission admin-consent --id "$1"
}
# A public client: it has no secret, and a person signs in with a code on any device.
update "$verification_id" "$(jq -n --argjson access "$verification_access" --arg graph "$graph_app_id" \
  '{isFallbackPublicClient: true, requiredResourceAccess: [{resourceAppId: $graph, resourceAccess: $access}]}')"
# The ids of roles and scopes must be the same in every run, because assignments refer to them. An address with a domain of
# the tenant stays, because front ends request their scope by it.
app=$(jq --arg uri "api://$app_id" --arg new_ids "${new_ids[*]}" --arg graph "$graph_app_id" \
  --argjson access "$access" --arg verification "$verification_id" '
    def id_of($known; $value; $new): first($known[] | select(.value == $value) | .id) // $new;
    ($new_ids / " ") as $new
    | id_of(.scopes; "access_as_user"; $new[0]) as $scope_id
    | {
      identifierUris: (.uris - [$uri] + [$uri]),
      appRoles: [.roles as $known | range(0; $ARGS.positional | length; 3) as $at
        | $ARGS.positional[$at:$at + 3] as [$type, $value, $description]
        | {id: id_of($known; $value; $new[$at / 3 + 1]), value: $value, displayName: $value, description: $description,
          allowedMemberTypes: [$type], isEnabled: true}],
      api: {
        requestedAccessTokenVersion: 2,
        oauth2PermissionScopes: [{
          id: $scope_id, value: "access_as_user", type: "User", isEnabled: true,
          adminConsentDisplayName: "Call the API as the user",
          adminConsentDescription: "Lets the front end call the API on behalf of the signed-in user.",
          userConsentDisplayName: "Call the API as you",
          userConsentDescription: "Lets the front end call the API on your behalf."}],
        preAuthorizedApplications: [{appId: $verification, delegatedPermissionIds: [$scope_id]}]},
      requiredResourceAccess: [{resourceAppId: $graph, resourceAccess: $access}]}' --args "${roles[@]}" <<<"$existing")
update "$app_id" "$app"

# Codes can be used for phishing, so nobody but the operator can redeem one of this client.
bash "$(dirname "$0")/assign-role.sh" "$verification_id" - "$(az ad signed-in-user show --query id -o tsv)"

echo "IDP_TENANT_ID=$(az account show --query tenantId -o tsv)"
echo "IDP_API_CLIENT_ID=$app_id"
echo "VERIFICATION_CLIENT_ID=$verification_id"
