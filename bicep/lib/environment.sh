# Sourced by the scripts of bicep/: the variables of one environment, and what belongs to it in Azure. Only this script knows the names
# that a deployment gives, which are the outputs of main.bicep.
#
#   read_variables FILE     exports the lines NAME=value of a file, which is read and not run
#   variable_names          prints the names of the variables that a pipeline needs
#   variables               prints those that are set, as NAME=value
#   keep_variables          has the next deployment keep them, for somebody who has no file of the environment
#   read_outputs            exports the outputs of the deployment of $ENVIRONMENT
#   use_subscription        has az work in $AZURE_SUBSCRIPTION_ID, if that is set
#   need_outputs            ends with what to run where they are not there
#   vault …, app …          az keyvault …, az functionapp …, of the environment
#   deploy_to_group …       az deployment group create …, into its resource group
#   run_acceptance …        npm run accept … for it

if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
  echo "bash $BASH_VERSION is too old: 4.4 or newer, such as that of Azure Cloud Shell" >&2
  exit 2
fi
bicep=${BASH_SOURCE[0]%/*}/..
. "$bicep/entra/until-replicated.sh"

# A file that was edited by hand, or on Windows: with another order, blanks, CRLF, a byte order mark, and either quotes.
read_variables() {
  local line number=0 pattern='^(export )?([A-Za-z_][A-Za-z0-9_]*)=(.*)$' value
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    line=${line#$'\xEF\xBB\xBF'}
    line=$(trimmed "$line")
    [[ -n $line && $line != \#* ]] || continue
    [[ $line =~ $pattern ]] || {
      echo "$1, line $number, is not NAME=value" >&2
      return 1
    }
    value=${BASH_REMATCH[3]}
    if [[ $value =~ ^\'([^\']*)\'$ || $value =~ ^\"([^\"]*)\"$ ]]; then value=${BASH_REMATCH[1]}; fi
    line=${line#export }
    export "${line%%=*}=$value"
  done <"$1"
}
trimmed() {
  local text=$1
  text=${text#"${text%%[![:space:]]*}"}
  printf '%s' "${text%"${text##*[![:space:]]}"}"
}

# The variables that the templates read, and the values that setup.sh asks for. None is a secret; a file can have others.
variable_names() {
  printf '%s\n' AZURE_CLIENT_ID AZURE_SUBSCRIPTION_ID AZURE_TENANT_ID MONTHLY_BUDGET PIPELINE RELEASE_URL REPOSITORY SITE_ADDRESS
  grep --no-filename --only-matching --extended-regexp "readEnvironmentVariable\('[A-Z_]+'" "$bicep"/*.bicepparam |
    cut -d "'" -f 2 | grep --invert-match --line-regexp 'ENVIRONMENT\|API_PARAMETERS\|DEPLOYED_VARIABLES' | sort --unique
}
variables() {
  local name
  for name in $(variable_names); do [ -z "${!name:-}" ] || printf '%s=%s\n' "$name" "${!name}"; done
}
keep_variables() {
  DEPLOYED_VARIABLES=$(variables | jq --null-input --raw-input --compact-output '[inputs | capture("^(?<key>[^=]+)=(?<value>.*)$")] | from_entries')
  export DEPLOYED_VARIABLES
}

# With another subscription, which az has had since another sign-in, a deployment would create the environment a second time.
use_subscription() {
  local wanted=${AZURE_SUBSCRIPTION_ID:-} current
  [ -n "$wanted" ] || return 0
  current=$(az account show --query id --output tsv) || return
  [ "$current" != "$wanted" ] || return 0
  az account set --subscription "$wanted" || {
    echo "$ENVIRONMENT is in the subscription $wanted, where az is not signed in: az login" >&2
    return 1
  }
  echo "   az works in the subscription $wanted from here on, the one of $ENVIRONMENT" >&2
}

# Its location cannot change: an environment in another region has another word in its names.
deployment_name() { printf '%s' "${WORKLOAD:-projektordner}-$ENVIRONMENT"; }
outputs() {
  local found
  found=$(az deployment sub show --name "$(deployment_name)" --query properties.outputs --output json) || return
  # Resource Manager changes the case of the names: aZURE_RESOURCE_GROUP.
  jq --raw-output 'to_entries[] | "\(.key | ascii_upcase)=\(.value.value | tostring)"' <<<"$found"
}
read_outputs() {
  local lines line
  lines=$(outputs) || return
  while IFS= read -r line; do export "${line?}"; done <<<"$lines"
}
# Before anything is changed, for a script that is called by itself.
need_outputs() { known AZURE_RESOURCE_GROUP && known FUNCTION_APP_NAME && known KEY_VAULT_NAME; }
known() {
  [ -n "${!1:-}" ] || {
    echo "$1 is not set: bash bicep/deploy.sh <dev or prod> outputs > dev.outputs && set -a && . ./dev.outputs && set +a" >&2
    return 1
  }
}

vault() {
  known KEY_VAULT_NAME || return
  az keyvault "$@" --vault-name "$KEY_VAULT_NAME"
}
app() {
  known FUNCTION_APP_NAME && known AZURE_RESOURCE_GROUP || return
  az functionapp "$@" --name "$FUNCTION_APP_NAME" --resource-group "$AZURE_RESOURCE_GROUP"
}
gateway_id() {
  known API_MANAGEMENT_NAME && known AZURE_RESOURCE_GROUP || return
  az apim show --name "$API_MANAGEMENT_NAME" --resource-group "$AZURE_RESOURCE_GROUP" --query id --output tsv
}
deploy_to_group() {
  known AZURE_RESOURCE_GROUP || return
  until_free az deployment group create --resource-group "$AZURE_RESOURCE_GROUP" "$@" --output none
}
gateway_url() {
  known GATEWAY_URL || return
  printf '%s' "$GATEWAY_URL"
}
run_acceptance() {
  known FUNCTION_APP_URL || return
  npm run accept -- --base-url "$(gateway_url)" --service-url "$FUNCTION_APP_URL" "$@"
}
