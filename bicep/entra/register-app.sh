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

existing=$(until_replicated az ad app show --id "$app_id" --query '{uris: identifierUris, roles: appRoles, scopes: api.oauth2PermissionScopes}' -o json)
graph_scopes=$(az ad sp show --id "$graph_app_id" --query oauth2PermissionScopes -o json)
new_ids=()
for _ in {1..7}; do
  read -r id </proc/sys/kernel/random/uuid
  new_ids+=("$id")
done
# Both bodies in one call, each a line: a start of jq 1.6 takes 20 ms. Assigned first, because bash does not end at a command that fails
# inside an argument.
bodies=$(jq -n -c \
  --arg uri "api://$app_id" --argjson existing "$existing" --arg new_ids "${new_ids[*]}" --arg graph "$graph_app_id" \
  --argjson graph_scopes "$graph_scopes" --arg permissions "${permissions[*]}" \
  --arg verification "$verification_id" --arg verification_permissions "${verification_permissions[*]}" '
  # The ids of roles and scopes must be the same in every run, because assignments refer to them.
  def id_of($list; $value; $at): first($list[]? | select(.value == $value) | .id) // ($new_ids | split(" ") | .[$at]);
  def access_to($values): [{resourceAppId: $graph, resourceAccess: [$values | split(" ")[] as $value
    | first($graph_scopes[] | select(.value == $value) | {id, type: "Scope"}) // error("Microsoft Graph has no scope \($value).")]}];
  [
    ["User", "BackOffice", "Project documents and folder requests"],
    ["User", "Management", "Project documents and folder requests"],
    ["User", "ProjectManager", "Project documents"],
    ["User", "Administrator", "Everything, the queue of folder requests included"],
    ["User", "canCreateActivities", "Activities written by the AI text provider"],
    ["Application", "Records.Sync", "Projects and contacts, for a system of record without a user"]
  ] as $roles
  | {
      id: id_of($existing.scopes; "access_as_user"; 6), value: "access_as_user", type: "User", isEnabled: true,
      adminConsentDisplayName: "Call the API as the user",
      adminConsentDescription: "Lets the front end call the API on behalf of the signed-in user.",
      userConsentDisplayName: "Call the API as you",
      userConsentDescription: "Lets the front end call the API on your behalf."
    } as $scope
  # A public client: it has no secret, and a person signs in with a browser, which responds to any port of localhost, or with a code
  # on any device.
  | {
      isFallbackPublicClient: true, publicClient: {redirectUris: ["http://localhost"]},
      requiredResourceAccess: access_to($verification_permissions)
    },
    # An address with a domain of the tenant stays, because front ends request their scope by it.
    {
      identifierUris: ($existing.uris - [$uri] + [$uri]),
      appRoles: [$roles | to_entries[] | .key as $at | .value as [$type, $value, $description] | {
        id: id_of($existing.roles; $value; $at), value: $value, displayName: $value, description: $description,
        allowedMemberTypes: [$type], isEnabled: true}],
      api: {
        requestedAccessTokenVersion: 2, oauth2PermissionScopes: [$scope],
        preAuthorizedApplications: [{appId: $verification, delegatedPermissionIds: [$scope.id]}]},
      requiredResourceAccess: access_to($permissions)
    }')
{
  read -r verification_body
  read -r body
} <<<"$bodies"

update() {
  local object
  object=$(until_replicated az ad app show --id "$1" --query id -o tsv)
  until_replicated az rest --method PATCH --url "https://graph.microsoft.com/v1.0/applications/$object" --body "$2"
  ensure_principal "$1"
  until_replicated az ad sp update --id "$1" --set appRoleAssignmentRequired=true
  until_replicated az ad app permission admin-consent --id "$1"
}
update "$verification_id" "$verification_body"
update "$app_id" "$body"

# Codes can be used for phishing, so nobody but the operator can redeem one of this client.
operator=$(az ad signed-in-user show --query id -o tsv)
bash "$(dirname "$0")/assign-role.sh" "$verification_id" - "$operator"

# Read first: a failure inside the argument of echo would not end the script.
tenant=$(az account show --query tenantId -o tsv)
echo "IDP_TENANT_ID=$tenant"
echo "IDP_API_CLIENT_ID=$app_id"
echo "VERIFICATION_CLIENT_ID=$verification_id"
