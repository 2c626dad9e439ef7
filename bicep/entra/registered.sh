# Sourced by the scripts that register something in Entra ID:
#
#   registered DISPLAY_NAME    prints the client id of the only registration with that name, which is created if there is none
#
# A list is of a replica, which for up to minutes does not have what a run before has created and did not come to keep. So what
# creates is an upsert under a name that only one registration can have
# (learn.microsoft.com/graph/api/application-upsert): a repetition finds the first one, whatever the list says.
. "${BASH_SOURCE[0]%/*}/until-replicated.sh"

registered() {
  local quote="'" found unique url errors
  # A filter, because --display-name matches every name with that prefix.
  # bash does not end a function at a failure in it if a substitution calls it, and an empty list would register a second one.
  found=$(az ad app list --filter "displayName eq '${1//$quote/$quote$quote}'" --query '[].appId' -o tsv) || return
  if [ "$(wc -l <<<"$found")" -gt 1 ]; then
    echo "There are several registrations named \"$1\": ${found//$'\n'/, }. Rename or delete all but one." >&2
    return 1
  fi
  if [ -z "$found" ]; then
    unique=projektordner-$(printf '%s' "$1" | sha256sum | cut -c 1-32)
    url="https://graph.microsoft.com/v1.0/applications(uniqueName='$unique')"
    # "Another object with the same value for property uniqueName already exists": one that this replica does not have yet, or one
    # that was deleted, whose name is free after 30 days (github.com/microsoftgraph/msgraph-bicep-types issues 137 and 202).
    errors=$(until_replicated az rest --method PATCH --url "$url" --headers Prefer=create-if-missing --output none \
      --body "$(jq -n --arg name "$1" '{displayName: $name, signInAudience: "AzureADMyOrg"}')" 2>&1) || grep --quiet 'property uniqueName already exists' <<<"$errors" || {
      printf '%s\n' "$errors" >&2
      return 1
    }
    found=$(until_replicated az rest --method GET --url "$url?\$select=appId" --query appId -o tsv) || {
      echo "\"$1\" was registered before, and deleted within the last 30 days: restore it (Entra ID, App registrations, Deleted applications), or delete it there for good." >&2
      return 1
    }
  fi
  [ -n "$found" ] || return
  printf '%s' "$found"
}
