#!/usr/bin/env bash
# Deploys an environment. Each phase can be repeated at any time, and reads what the phases before it have created again.
#
#   bash bicep/deploy.sh <dev or prod> [infrastructure] [secrets] [code] [api]    all four without a phase
#   bash bicep/deploy.sh <dev or prod> what-if                                    lists what infrastructure would change
#   bash bicep/deploy.sh <dev or prod> outputs                                    prints the names that Azure has given
#
# infrastructure  everything but the API inside API Management
# secrets         the vault has what the app refers to, and the app reads it again
# code            dist/functions.zip, its triggers, and the key with which API Management calls it
# api             the API inside API Management, which imports only what a running backend serves
#
# The variables (README.md) are those of the file <environment>.env in the current directory, of the JSON object VARIABLES in a
# pipeline of GitHub, and of the environment. Requires Azure CLI, curl, jq, openssl.
set -euo pipefail
here=$(dirname "$0")
. "$here/entra/until-replicated.sh"

usage() {
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
  exit 2
}
[[ ${1:-} =~ ^(dev|prod)$ ]] || usage
export ENVIRONMENT=$1
shift
[ $# -gt 0 ] || set -- infrastructure secrets code api
for phase in "$@"; do [[ $phase =~ ^(infrastructure|secrets|code|api|what-if|outputs)$ ]] || usage; done

# Only what the templates read, so that no variable of a repository can change how this script runs. A variable that is not set
# is absent, and the templates have the defaults.
if [ -n "${VARIABLES:-}" ]; then
  while IFS= read -r name; do
    if value=$(jq --exit-status --raw-output --arg name "$name" '.[$name] | select(. != null and . != "")' <<<"$VARIABLES"); then export "$name=$value"; fi
  done < <(grep --no-filename --only-matching --extended-regexp "readEnvironmentVariable\('[A-Z_]+'" "$here"/*.bicepparam | cut -d "'" -f 2 | grep --invert-match --line-regexp ENVIRONMENT | sort --unique)
elif [ -f "$ENVIRONMENT.env" ]; then
  set -a
  . "./$ENVIRONMENT.env"
  set +a
fi
location=${AZURE_LOCATION:-germanywestcentral}
# Its location cannot change: an environment in another region has another word in its names.
deployment=${WORKLOAD:-projektordner}-$ENVIRONMENT

outputs() {
  az deployment sub show --name "$deployment" --query properties.outputs --output json |
    # Resource Manager changes the case of the names: aZURE_RESOURCE_GROUP.
    jq --raw-output 'to_entries[] | "\(.key | ascii_upcase)=\(.value.value)"'
}
read_outputs() {
  local lines line
  lines=$(outputs)
  while IFS= read -r line; do export "${line?}"; done <<<"$lines"
}

infrastructure() {
  # A federated sign-in is valid for some minutes, within which the token for the vault has to be taken, too, or the phases
  # after this long one end with AADSTS700024 (github.com/Azure/login issue 372).
  az account get-access-token --resource https://vault.azure.net --output none
  # The subnet of a Flex Consumption app is delegated to this provider, which no other step registers.
  az provider register --namespace Microsoft.App --wait
  az deployment sub create --name "$deployment" --location "$location" --parameters "$here/main.bicepparam" --output none
}
secrets() {
  read_outputs
  bash "$here/refresh-secrets.sh" --before-code
}
code() {
  read_outputs
  [ -f dist/functions.zip ] || {
    echo "dist/functions.zip is missing: bash bicep/fetch-release.sh, or npm run package:functions" >&2
    return 1
  }
  az functionapp deployment source config-zip --name "$FUNCTION_APP_NAME" --resource-group "$AZURE_RESOURCE_GROUP" \
    --src dist/functions.zip --output none
  # Timers do not start while the platform has not read the triggers of the package (github.com/Azure/azure-functions-host
  # issue 10169); learn.microsoft.com, azure-functions/functions-deployment-technologies, "Trigger syncing".
  app=$(az functionapp show --name "$FUNCTION_APP_NAME" --resource-group "$AZURE_RESOURCE_GROUP" --query id --output tsv)
  az rest --method post --url "$app/syncfunctiontriggers?api-version=2025-03-01" --output none
  bash "$here/set-backend-key.sh"
  # Stops here with the names of the variables if the app cannot work with its settings.
  bash "$here/check-health.sh"
}
api() {
  read_outputs
  # API Management may not have the permission to read the key of its backend yet: the same deployment assigns that role.
  until_permitted az deployment group create --name projektordner-api --resource-group "$AZURE_RESOURCE_GROUP" \
    --parameters "$here/api.bicepparam" --output none
  bash "$here/check-health.sh" "$GATEWAY_URL"
}
what_if() {
  # By default, what-if requires write access to every resource; who may only read can look, too.
  az deployment sub what-if --location "$location" --parameters "$here/main.bicepparam" --validation-level ProviderNoRbac
}

current=
trap '[ $? -eq 0 ] || [ -z "$current" ] || echo "Stopped in the phase $current. To continue: bash bicep/deploy.sh $ENVIRONMENT $rest" >&2' EXIT
while [ $# -gt 0 ]; do
  current=$1
  rest=$*
  [ "$current" = outputs ] || echo "== $current" >&2
  "${current//-/_}"
  shift
done
