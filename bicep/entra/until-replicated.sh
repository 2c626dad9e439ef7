# Sourced by the scripts of this folder and of bicep/:
#
#   until_replicated COMMAND...   waits two minutes at most until a directory has what was just created
#   until_permitted COMMAND...    waits five minutes at most until a role that was just assigned has taken effect
#   until_free COMMAND...         waits an hour at most until an earlier deployment of the same name has ended
#   unless_there COMMAND...       succeeds, too, where the error says that what it creates is there
#
# They print what the command prints; any other error, and one that lasts, end with the error of the command.

too_many='Too Many Requests|TooManyRequests|HTTP 429'
# Entra's directory and GitHub are replicated: for up to minutes, an object that was just created can be missing for the next
# call, whose error is then a 404, or a 400 with one of the texts below (github.com/Azure/azure-cli issues 23367 and 28009,
# github.com/microsoft/AzureTRE issue 802). So is a role assignment for an identity that was just created (PrincipalNotFound).
# The same call succeeds later.
replication_errors="does not exist|do not exist|not found in the directory|Request_ResourceNotFound|ResourceNotFound|PrincipalNotFound|404 - File or directory|permissions that are either invalid or out of date|must in the local tenant|HTTP 404|$too_many"
# The vault's texts: "Forbidden", "Caller is not authorized to perform action on resource", "ForbiddenByRbac".
permission_errors="forbidden|caller is not authorized|$too_many"

until_replicated() { wait_out "$replication_errors" 13 10 "$@"; }
# A deployment goes on in Azure after the terminal or the job that began it has ended, and the next of its name is rejected
# meanwhile (github.com/Azure/azure-dev issue 2977, github.com/Azure/bicep-deploy issue 328).
until_free() { wait_out 'DeploymentActive|is still active' 121 30 "$@"; }
until_permitted() { wait_out "$permission_errors" 11 30 "$@"; }

# wait_out <errors that pass> <attempts> <seconds between them> COMMAND...
wait_out() {
  local passing=$1 attempts=$2 seconds=$3 attempt errors status
  shift 3
  for ((attempt = 1; attempt <= attempts; attempt++)); do
    status=0
    # No file, which a script that is killed would leave.
    { errors=$("$@" 2>&1 >&3 3>&-); } 3>&1 || status=$?
    [ "$status" -ne 0 ] || return 0
    if [ "$attempt" -eq "$attempts" ] || ! grep --quiet --ignore-case --extended-regexp "$passing" <<<"$errors"; then
      [ -z "$errors" ] || printf '%s\n' "$errors" >&2
      return "$status"
    fi
    sleep "$seconds"
  done
}

unless_there() {
  local output
  # The texts of Microsoft Graph ("Permission being assigned already exists on the object") and Resource Manager.
  output=$("$@" 2>&1) || grep --quiet --ignore-case 'already exists\|RoleAssignmentExists' <<<"$output" || {
    printf '%s\n' "$output" >&2
    return 1
  }
}

# The service principal of a registration, which is created if there is none.
ensure_principal() {
  az ad sp show --id "$1" --output none 2>/dev/null || until_replicated az ad sp create --id "$1" --output none
}
