#!/usr/bin/env bash
# Gives people, groups, or other clients an app role of a registration. Safe to run again.
#
#   bash bicep/entra/assign-role.sh <client id of the registration> <app role, or - to only sign in> <who>...
#
# Each of the last arguments is the sign-in name of a person, or the object id of a person, a group, or a service principal.
set -euo pipefail
. "$(dirname "$0")/until-replicated.sh"

if [ $# -lt 3 ]; then
  echo "Usage: assign-role.sh <client id of the registration> <app role, or -> <sign-in name or object id>..." >&2
  exit 2
fi
role=$2
resource=$(until_replicated az ad sp show --id "$1" --query id -o tsv)
# The assignment to a registration without a role.
role_id=00000000-0000-0000-0000-000000000000
if [ "$role" != - ]; then
  id_of_role() {
    local id
    id=$(az ad sp show --id "$1" --query "appRoles[?value=='$role'].id | [0]" -o tsv) || return
    [ -n "$id" ] || {
      echo "The registration $1 has no app role $role." >&2
      return 1
    }
    printf '%s' "$id"
  }
  # Half a minute, because it may have been added just now.
  role_id=$(wait_out "has no app role|$replication_errors" 4 10 id_of_role "$1")
fi

for who in "${@:3}"; do
  id=$who
  if [[ $who == *@* ]]; then id=$(az ad user show --id "$who" --query id -o tsv); fi
  unless_there until_replicated az rest --method POST --url "https://graph.microsoft.com/v1.0/servicePrincipals/$resource/appRoleAssignedTo" \
    --body "{\"principalId\": \"$id\", \"resourceId\": \"$resource\", \"appRoleId\": \"$role_id\"}" --output none || {
    echo "$who has no role" >&2
    exit 1
  }
done
