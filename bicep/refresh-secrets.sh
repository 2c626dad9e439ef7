#!/usr/bin/env bash
# Checks that the vault has the secrets the app refers to, makes the app read them again, and then checks that the app works
# with them. If one of them is missing, the app serves only the reason, so the deployment stops here and names what is
# missing.
#
#   --before-code   does not check the app: code that is about to be replaced may not support the new settings
#
# Requires the outputs of the deployment. Prints no secret.
set -euo pipefail
here=$(dirname "$0")
. "$here/entra/until-replicated.sh"
. "$here/lib/environment.sh"

need_outputs
secrets=(idp-api-client-secret folder-agent-api-keys)
[ "${ACTIVITIES_ENABLED:-true}" = "false" ] || secrets+=(ai-api-key)

# The same deployment may have assigned the role.
present=$(until_permitted vault secret list --query '[].name' --output tsv)

missing=()
for secret in "${secrets[@]}"; do
  grep --quiet --line-regexp --fixed-strings "$secret" <<<"$present" || missing+=("$secret")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "Store these secrets in the vault and run this again (bicep/README.md, \"Secrets\"): ${missing[*]}" >&2
  exit 1
fi

# Without this call, the app reads references once a day.
id=$(app show --query id --output tsv)
az rest --method post --url "$id/config/configreferences/appsettings/refresh?api-version=2022-03-01" --output none

[ "${1:-}" != "--before-code" ] || exit 0
# The app restarts; a response of the old process would not reflect the new values.
sleep 30
bash "$here/check-health.sh"
