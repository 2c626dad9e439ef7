#!/usr/bin/env bash
# Deploys an environment. Each phase can be repeated at any time, and reads what the phases before it have created again.
#
#   bash bicep/deploy.sh <dev or prod> [infrastructure] [secrets] [code] [api]    all four without a phase
#   bash bicep/deploy.sh <dev or prod> what-if                                    lists what infrastructure would change
#   bash bicep/deploy.sh <dev or prod> outputs                                    prints the names that Azure has given
#   bash bicep/deploy.sh <dev or prod> variables                                  prints what the pipeline has to have
#   bash bicep/deploy.sh <dev or prod> accept                                     whether it does what front end and agent need
#
# infrastructure  everything but the API inside API Management
# secrets         the vault has what the app refers to, and the app reads it again
# code            dist/functions.zip, its triggers, and the key with which API Management calls it
# api             the API inside API Management, which imports only what a running backend serves
#
# The variables (README.md) are those of the file <environment>.env in the current directory, of the JSON object VARIABLES in a
# pipeline of GitHub, and of the environment. Requires Azure CLI, curl, jq, openssl.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@" # started by sh, which can be another shell, or bash without a part of its syntax
set +o posix
set -euo pipefail
here=$(dirname "$0")
. "$here/entra/until-replicated.sh"
. "$here/lib/environment.sh"

usage() {
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
[[ ${1:-} =~ ^(dev|prod)$ ]] || usage
export ENVIRONMENT=$1
shift
[ $# -gt 0 ] || set -- infrastructure secrets code api
for phase in "$@"; do [[ $phase =~ ^(infrastructure|secrets|code|api|what-if|outputs|variables|accept)$ ]] || usage; done

# Only what a deployment keeps, so that no variable of a repository can change how this script runs. A variable that is not set
# is absent, and the templates have the defaults.
if [ -n "${VARIABLES:-}" ]; then
  mapfile -t names < <(variable_names)
  # Each ends with a NUL, which no value has; newlines at the end of a value are none of it.
  while IFS= read -r -d '' set; do export "$set"; done < <(
    jq --join-output '. as $all | $ARGS.positional[] | . as $name | $all[$name] | select(. != null and . != false and . != "")
      | "\($name)=\(tostring | sub("\n+\\z"; ""))\u0000"' --args "${names[@]}" <<<"$VARIABLES"
  )
elif [ -f "$ENVIRONMENT.env" ]; then
  read_variables "$ENVIRONMENT.env"
  use_subscription
fi
location=${AZURE_LOCATION:-germanywestcentral}

# How the account of the data is copied decides what it costs, and Azure does not change every kind into every other
# (learn.microsoft.com/azure/storage/common/redundancy-migration; github.com/MicrosoftDocs/azure-docs issue 96815). So an account that is
# there keeps what it has, also what a failover has left of it, unless the variable names another.
keep_redundancy() {
  local group exists account name sku
  group=rg-$(deployment_name)
  exists=$(az group exists --name "$group" --output tsv)
  [ "$exists" = true ] || return 0
  account=$(az storage account list --resource-group "$group" --query "[?!starts_with(name, 'sthost')].[name, sku.name]" --output tsv)
  read -r name sku <<<"$account"
  if [ -z "$sku" ] || [ "$sku" = "${STORAGE_REDUNDANCY:-}" ]; then return; fi
  if [ -n "${STORAGE_REDUNDANCY:-}" ]; then
    echo "   the storage account $name changes from $sku to $STORAGE_REDUNDANCY, which changes its price" >&2
  else
    [ "$sku" = Standard_RAGZRS ] || echo "   the storage account $name stays $sku; bicep/README.md, \"A lost region\", says how to have it copied to another region" >&2
    export STORAGE_REDUNDANCY=$sku
  fi
}

infrastructure() {
  # A federated sign-in is valid for some minutes, within which the token for the vault has to be taken, too, or the phases
  # after this long one end with AADSTS700024 (github.com/Azure/login issue 372).
  az account get-access-token --resource https://vault.azure.net --output none
  # The subnet of a Flex Consumption app is delegated to this provider, which no other step registers.
  az provider register --namespace Microsoft.App --wait
  # Before the next, because what an account has is no variable.
  keep_variables
  keep_redundancy
  until_free az deployment sub create --name "$(deployment_name)" --location "$location" --parameters "$here/main.bicepparam" --output none
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
  app deployment source config-zip --src dist/functions.zip --output none
  # Timers do not start while the platform has not read the triggers of the package (github.com/Azure/azure-functions-host
  # issue 10169); learn.microsoft.com, azure-functions/functions-deployment-technologies, "Trigger syncing".
  id=$(app show --query id --output tsv)
  az rest --method post --url "$id/syncfunctiontriggers?api-version=2025-03-01" --output none
  bash "$here/set-backend-key.sh"
  # Stops here with the names of the variables if the app cannot work with its settings.
  bash "$here/check-health.sh"
}
api() {
  # Every environment has it. Without its variables, the gateway would lose the front ends.
  [ -n "${ALERT_EMAIL:-}" ] || {
    echo "no variables of $ENVIRONMENT: $ENVIRONMENT.env is not in this folder; bash bicep/setup.sh $ENVIRONMENT questions restores it" >&2
    return 1
  }
  read_outputs
  [ -n "${API_PARAMETERS:-}" ] || {
    echo "the infrastructure is of an older release: run the phase infrastructure first" >&2
    return 1
  }
  # API Management may not have the permission to read the key of its backend yet: the same deployment assigns that role.
  until_permitted deploy_to_group --name projektordner-api --parameters "$here/api.bicepparam"
  bash "$here/check-health.sh" "$(gateway_url)"
}
what_if() {
  keep_redundancy
  # By default, what-if requires write access to every resource; who may only read can look, too.
  az deployment sub what-if --location "$location" --parameters "$here/main.bicepparam" --validation-level ProviderNoRbac
}

current=
# setup.sh says these lines itself.
if [ -z "${WITHIN_SETUP:-}" ]; then heading() { echo "== $1" >&2; }; else heading() { :; }; fi
trap '[ $? -eq 0 ] || [ -z "$current" ] || [ -n "${WITHIN_SETUP:-}" ] || echo "Stopped in the phase $current. To continue: bash bicep/deploy.sh $ENVIRONMENT $rest" >&2' EXIT
while [ $# -gt 0 ]; do
  current=$1
  rest=$*
  case $current in
  # The file that they are written to is read by bash; what the next phase alone reads is JSON.
  variables) variables ;;
  outputs) outputs | grep --invert-match '={' ;;
  accept)
    heading accept
    read_outputs
    run_acceptance --summary "${GITHUB_STEP_SUMMARY:-acceptance.md}"
    ;;
  *)
    heading "$current"
    "${current//-/_}"
    ;;
  esac
  shift
done
