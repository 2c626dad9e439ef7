# Sourced by the scripts of this folder: until_replicated COMMAND..., prints what the command prints.
#
# Entra's directory is replicated: for up to minutes, an object that was just created can be missing for the next call, whose error
# is then a 404, or a 400 with one of the texts below (github.com/Azure/azure-cli issues 23367 and 28009,
# github.com/microsoft/AzureTRE issue 802). So is a role assignment for an identity that was just created (PrincipalNotFound).
# The same call succeeds later. Waits two minutes at most; any other error ends immediately.
replication_errors='does not exist|do not exist|not found in the directory|Request_ResourceNotFound|ResourceNotFound|PrincipalNotFound|404 - File or directory|permissions that are either invalid or out of date|must in the local tenant|Too Many Requests|TooManyRequests'

until_replicated() {
  local attempt errors status
  errors=$(mktemp)
  for attempt in {1..13}; do
    status=0
    "$@" 2>"$errors" || status=$?
    if [ "$status" -eq 0 ]; then
      rm -f "$errors"
      return 0
    fi
    if [ "$attempt" -eq 13 ] || ! grep --quiet --ignore-case --extended-regexp "$replication_errors" "$errors"; then
      cat "$errors" >&2
      rm -f "$errors"
      return "$status"
    fi
    sleep 10
  done
}

# The service principal of a registration, which is created if there is none.
ensure_principal() {
  az ad sp show --id "$1" --output none 2>/dev/null || until_replicated az ad sp create --id "$1" --output none
}
