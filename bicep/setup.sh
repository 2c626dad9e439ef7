#!/usr/bin/env bash
# From a subscription to the first response. Asks for at most six values, keeps the values in <environment>.env, and can
# be ended and repeated at any time: it reads again what is there, in a new terminal too.
#
#   az login
#   bash bicep/setup.sh <dev or prod> [phase]...    all but records without a phase
#
# questions         what only you know
# registration    the API and the verification client in Entra ID, and your roles
# library         site and document library in SharePoint
# repository      GitHub repository and environment, and the identity of its pipeline
# infrastructure  everything in Azure but code and API; half an hour
# secrets         what the vault needs, and the key of the first agent
# console         the registration of the console
# code            a release, or with RELEASE_URL=source what is built here
# api             the API inside API Management
# pipeline        the variables of the pipeline
# protection      a lock on what holds data, and a budget (MONTHLY_BUDGET)
# accept          whether the deployment does what front end and agent need
# records         the registration of a system of record (README.md, "A system of record")
#
# In prod, the phases after infrastructure run inside its network. Requires az, curl, jq, openssl, npm, and gh for GitHub.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@" # started by sh, which can be another shell, or bash without a part of its syntax
set +o posix
set -euo pipefail
here=$(dirname "$0")
. "$here/entra/registered.sh"
. "$here/lib/environment.sh"

usage() {
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
[[ ${1:-} =~ ^(dev|prod)$ ]] || usage
export ENVIRONMENT=$1
environment=$1
shift
[ $# -gt 0 ] || set -- questions registration library repository infrastructure secrets console code api pipeline protection accept
for phase in "$@"; do [[ $phase =~ ^(questions|registration|library|repository|infrastructure|secrets|console|code|api|pipeline|protection|accept|records)$ ]] || usage; done
file=$environment.env

say() { echo "   $*" >&2; }
plain='[A-Za-z0-9_.,:/@!+=-]'
# Sets a line of the file, which is complete at any time.
keep() {
  # Read by bash and by gh, which both take single quotes literally.
  local value=$2
  [[ $value =~ ^$plain*$ ]] || value="'$value'"
  [[ $2 != *\'* ]] || {
    echo "$1: the value has an apostrophe, which the file cannot have" >&2
    return 1
  }
  {
    # What follows a line without its end would be part of it.
    if [ -f "$file" ]; then sed "/^[[:space:]]*\(export  *\)\{0,1\}$1=/d; \$a\\" "$file"; fi && printf '%s=%s\n' "$1" "$value"
  } >"$file.new" && mv "$file.new" "$file" || {
    echo "$file cannot be written" >&2
    return 1
  }
  export "$1=$2"
}
# The lines NAME=value that a command prints, once it has succeeded.
keep_lines() {
  local lines line
  lines=$("$@") || return
  while IFS= read -r line; do
    [[ $line =~ ^([A-Z_]+)=(.+)$ ]] || continue
    keep "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    say "$line"
  done <<<"$lines"
}
# ask NAME <what it is> <pattern> [default]: not again what the file has.
ask() {
  local value
  if [ -n "${!1+set}" ]; then
    [[ ${!1} =~ ^($3)$ ]] || {
      echo "$1 in $file is not what is asked for: $2" >&2
      return 1
    }
    grep --quiet "^$1=" "$file" 2>/dev/null || keep "$1" "${!1}"
    return
  fi
  while :; do
    printf '%s\n  %s%s: ' "$2" "$1" "${4:+ [$4]}" >&2
    IFS= read -r value || {
      printf '\nNo value: set %s in %s\n' "$1" "$file" >&2
      return 1
    }
    value=$(trimmed "$value")
    value=${value:-${4:-}}
    if [[ $value =~ ^($3)$ && $value != *\'* ]]; then
      keep "$1" "$value"
      return
    fi
    say "'$value' is not what is asked for"
  done
}
need() {
  local name
  for name in "$@"; do
    [ -n "${!name:-}" ] || {
      echo "$name is missing in $file: run the phases before this one" >&2
      return 1
    }
  done
}
# Those who could write secrets stay, also those that somebody has written to the file.
add_officers() {
  local id officers=
  for id in "$@"; do [[ ,$officers, == *",$id,"* ]] || officers=${officers:+$officers,}$id; done
  [ "${VAULT_OFFICER_ID:-}" = "$officers" ] || keep VAULT_OFFICER_ID "$officers"
}
# az works in one tenant at a time. Where Microsoft 365 is in another than the subscription, what is registered is there.
use_users_tenant() {
  local current account
  current=$(az account show --query tenantId -o tsv)
  if [ -z "${IDP_TENANT_ID:-}" ] || [ "$current" = "$IDP_TENANT_ID" ]; then return; fi
  account=$(az account list --query "[?tenantId=='$IDP_TENANT_ID'].id | [0]" -o tsv)
  if [ -z "$account" ]; then
    say "now sign in to the tenant of Microsoft 365, $IDP_TENANT_ID, as an Application Administrator"
    az login --tenant "$IDP_TENANT_ID" --allow-no-subscriptions --output none
    account=$(az account list --query "[?tenantId=='$IDP_TENANT_ID'].id | [0]" -o tsv)
  fi
  az account set --subscription "$account"
  say "az works in the tenant $IDP_TENANT_ID of Microsoft 365 for this"
}
deploy() { WITHIN_SETUP=true bash "$here/deploy.sh" "$environment" "$@"; }

# What another person, or another machine, has deployed: without its variables, a deployment would undo what they do.
restore_file() {
  local found line name
  [ ! -f "$file" ] || return 0
  found=$(az deployment sub list --query "[?name=='$(deployment_name)'].name" -o tsv)
  [ -n "$found" ] || return 0
  read_outputs
  while IFS= read -r line; do
    name=${line%%=*}
    if [ -z "${!name:-}" ]; then keep "$name" "${line#*=}" || say "$name is not in $file: ${line#*=}"; fi
  done < <(jq --raw-output 'to_entries[] | "\(.key)=\(.value)"' <<<"${DEPLOYED_VARIABLES:-{\}}")
  say "$file has the variables of the last deployment; one that was begun and has not ended is not among them"
}
questions() {
  local origin version subscription tenant name host domains users_tenant
  subscription=$(az account show --query id -o tsv)
  tenant=$(az account show --query tenantId -o tsv)
  name=$(az account show --query name -o tsv)
  say "in the subscription \"$name\", $subscription (another: Ctrl-C, and az account set --subscription …)"
  version=$(jq --raw-output .version package.json)
  origin=$(git remote get-url origin 2>/dev/null || true)
  [[ $origin =~ ^https://github\.com/([A-Za-z0-9._-]+/[A-Za-z0-9._-]+)$ ]] && origin=https://github.com/${BASH_REMATCH[1]%.git}/releases/download/v$version || origin=
  ask ALERT_EMAIL "Who gets the alerts, as an email address?" '[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+'
  # What is written here decides where every later run works.
  [ -n "${AZURE_SUBSCRIPTION_ID:-}" ] || keep AZURE_SUBSCRIPTION_ID "$subscription"
  ask SITE_ADDRESS "The SharePoint site with the document library, such as https://contoso.sharepoint.com/sites/Projekte" 'https://[^/[:space:]]+(/.*)?'
  ask ACTIVITIES_ENABLED "Does an AI provider write letters and emails (true or false)?" 'true|false' true
  ask RELEASE_URL "The folder with the files of release $version; 'source' builds it here" 'source|https://[^[:space:]]+' "$origin"
  ask REPOSITORY "The GitHub repository for the pipeline, as owner/name; empty for none" '([A-Za-z0-9._-]+/[A-Za-z0-9._-]+)?'
  # The host of SharePoint is the name of a domain of the tenant, after a rename too
  # (learn.microsoft.com/powershell/module/sharepoint-online/start-spotenantrename).
  host=${SITE_ADDRESS#https://}
  host=${host%%[./]*}
  domains=$(az rest --method GET --url "https://graph.microsoft.com/v1.0/organization?\$select=verifiedDomains" --query 'value[0].verifiedDomains[].name' -o tsv) || domains=
  if [ -z "${IDP_TENANT_ID:-}" ] && ! grep --quiet --ignore-case --line-regexp --fixed-strings "$host.onmicrosoft.com" <<<"$domains"; then
    users_tenant=$(curl --silent --fail --max-time 20 "https://login.microsoftonline.com/$host.onmicrosoft.com/v2.0/.well-known/openid-configuration" |
      jq --raw-output '.issuer | capture("/(?<id>[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})/").id') || users_tenant=
    if [ -n "$users_tenant" ]; then keep IDP_TENANT_ID "$users_tenant"; fi
    ask IDP_TENANT_ID "The id of the tenant of Microsoft 365 with $host; Enter if the subscription is in the same" '[0-9A-Za-z-]+' "$tenant"
    [ "$IDP_TENANT_ID" = "$tenant" ] || say "Microsoft 365 is in the tenant $IDP_TENANT_ID, the subscription in $tenant: you sign in to both"
  fi
  # What an environment costs at most by the table of README.md, "Costs", and the AI provider.
  if [ -z "${MONTHLY_BUDGET:-}" ]; then keep MONTHLY_BUDGET "$([ "$environment" = prod ] && echo 1000 || echo 300)"; fi
  [ -n "${PUBLISHER_EMAIL:-}" ] || keep PUBLISHER_EMAIL "$ALERT_EMAIL"
  [ -n "${AZURE_LOCATION:-}" ] || keep AZURE_LOCATION germanywestcentral
  say "in $file; region $AZURE_LOCATION, budget $MONTHLY_BUDGET a month in the currency of the subscription"
}
registration() {
  use_users_tenant
  keep_lines bash "$here/entra/register-app.sh"
  local operator role
  operator=$(az ad signed-in-user show --query id -o tsv)
  for role in Administrator canCreateActivities; do bash "$here/entra/assign-role.sh" "$IDP_API_CLIENT_ID" "$role" "$operator"; done
  use_subscription
}
library() {
  need SITE_ADDRESS VERIFICATION_CLIENT_ID
  local lines drives
  lines=$(npm run --silent library-ids -w tools -- "$SITE_ADDRESS")
  drives=$(grep --count '^DOCLIB_DRIVE_ID=' <<<"$lines" || true)
  keep_lines grep '^DOCLIB_SITE_ID=' <<<"$lines"
  if [ "$drives" -eq 1 ]; then
    keep_lines grep '^DOCLIB_DRIVE_ID=' <<<"$lines"
  else
    grep --invert-match '^DOCLIB_SITE_ID=' <<<"$lines" >&2 || true
    ask DOCLIB_DRIVE_ID "The site has $drives libraries: the id of one of them" '[^[:space:]]+'
  fi
}

# What the plan of a private repository has: none, environments, or reviewers too; environments where the plan is not visible.
# https://docs.github.com/actions/reference/environments
plan_allows() {
  local owner type private plan
  read -r owner type private < <(jq --raw-output '[.owner.login, .owner.type, .private] | @tsv' <<<"$1")
  if [ "$private" = false ]; then
    echo reviewers
    return
  fi
  if [ "$type" = Organization ]; then plan=$(gh api "orgs/$owner" --jq '.plan.name // ""' 2>/dev/null || true); else plan=$(gh api user --jq '.plan.name // ""' 2>/dev/null || true); fi
  case $plan in
  free) echo none ;;
  enterprise*) echo reviewers ;;
  *) echo environments ;;
  esac
}
repository() {
  if [ -z "${REPOSITORY:-}" ]; then
    say "no pipeline: deployments run here"
    return
  fi
  local found errors allows officers
  errors=$(mktemp)
  if ! found=$(gh api "repos/$REPOSITORY" 2>"$errors"); then
    grep --quiet 'HTTP 404' "$errors" || {
      cat "$errors" >&2
      rm -f "$errors"
      return 1
    }
    gh repo create "$REPOSITORY" --private >&2
    found=$(until_replicated gh api "repos/$REPOSITORY")
  fi
  rm -f "$errors"
  allows=$(plan_allows "$found")
  if [ "$allows" = none ]; then
    keep PIPELINE none
    say "a private repository on the plan Free has no environments: deployments run here (bash bicep/deploy.sh $environment)."
    say "With another plan, or a public repository, remove PIPELINE from $file and run the phases repository and pipeline."
    return
  fi
  officers=${VAULT_OFFICER_ID:-}
  keep_lines bash "$here/entra/register-pipeline.sh" "$environment" "$REPOSITORY"
  add_officers ${officers//,/ } ${VAULT_OFFICER_ID//,/ }
  gh api --method PUT "repos/$REPOSITORY/environments/$environment" --silent --input - \
    <<<'{"deployment_branch_policy": {"protected_branches": false, "custom_branch_policies": true}}'
  local policies="repos/$REPOSITORY/environments/$environment/deployment-branch-policies"
  [ -n "$(gh api "$policies" --jq '.branch_policies[]? | select(.name == "main") | .name')" ] ||
    gh api --method POST "$policies" --silent -f name=main
  if [ "$environment" = prod ]; then
    if [ "$allows" = reviewers ]; then
      say "add reviewers to the environment prod: every push waits for them"
    else
      gh variable set PROD_BY_HAND --repo "$REPOSITORY" --body true
      say "the plan has no required reviewers: prod is deployed by 'gh workflow run deploy --repo $REPOSITORY' only (PROD_BY_HAND)"
    fi
  fi
  keep PIPELINE github
}
infrastructure() {
  local operator officers
  # Who runs this writes the secrets in the next phase.
  operator=$(az ad signed-in-user show --query id -o tsv)
  officers=${VAULT_OFFICER_ID:-}
  add_officers ${officers//,/ } "$operator"
  deploy infrastructure
  read_outputs
  say "gateway: $(gateway_url)"
}
secrets() {
  need IDP_API_CLIENT_ID
  read_outputs
  local present end key value
  present=$(until_permitted vault secret list --query '[].name' --output tsv)
  is_missing() { ! grep --quiet --line-regexp --fixed-strings "$1" <<<"$present"; }
  if is_missing idp-api-client-secret; then
    end=$(date -u -d '+1 year' +%Y-%m-%dT%H:%M:%SZ)
    use_users_tenant
    value=$(until_replicated az ad app credential reset --id "$IDP_API_CLIENT_ID" --append --end-date "$end" --query password -o tsv)
    use_subscription
    printf '%s' "$value" | bash "$here/put-secret.sh" idp-api-client-secret --expires "$end"
    say "idp-api-client-secret: until $end"
  fi
  if is_missing folder-agent-api-keys; then
    key=$(bash "$here/agent-keys.sh" add agent-1)
    echo "The key of the agent agent-1, which is not shown again: $key"
  else
    say "folder-agent-api-keys: there. If nobody has the key of agent-1 (bicep/README.md, \"Secrets\"): bash bicep/agent-keys.sh rotate agent-1"
  fi
  if [ "${ACTIVITIES_ENABLED:-true}" = true ] && is_missing ai-api-key; then
    if [ -n "${AI_API_KEY:-}" ]; then printf '%s' "$AI_API_KEY" | bash "$here/put-secret.sh" ai-api-key; else bash "$here/put-secret.sh" ai-api-key; fi
    say "ai-api-key: stored"
  fi
  deploy secrets
  say "the vault has what the function app refers to"
}
console() {
  read_outputs
  local before=${CONSOLE_CLIENT_ID:-} id url
  url=$(gateway_url)/api/console
  use_users_tenant
  # The first receives the response of a sign-in; a sign-out returns to the second.
  id=$(bash "$here/entra/register-page.sh" "$IDP_API_CLIENT_ID" 'Projektordner Konsole' "$url/signed-in" "$url")
  use_subscription
  keep CONSOLE_CLIENT_ID "$id"
  # The service has to know the client.
  if [ "$before" != "$CONSOLE_CLIENT_ID" ] || [ "${CONSOLE_DEPLOYED:-}" != "$CONSOLE_CLIENT_ID" ]; then
    deploy infrastructure
    keep CONSOLE_DEPLOYED "$CONSOLE_CLIENT_ID"
  fi
  say "$url"
}
code() {
  need RELEASE_URL
  if [ "$RELEASE_URL" = source ]; then npm run package:functions >&2; else bash "$here/fetch-release.sh" "$RELEASE_URL" >&2; fi
  deploy code
  say "the function app has the package, its triggers, and the key of the gateway, and responds"
}
api() {
  deploy api
  say "the API responds at $(read_outputs && gateway_url)"
}
pipeline() {
  if [ "${PIPELINE:-none}" = none ]; then
    say "none"
    return
  fi
  # Not all of the file: it can have a secret, and what is empty has the same meaning as what is not set.
  local names directory
  names=$(printf '%s|' $(variable_names))
  directory=$(mktemp -d)
  grep --extended-regexp "^(${names%|})=." "$file" >"$directory/variables"
  gh variable set --repo "$REPOSITORY" --env "$environment" --env-file "$directory/variables"
  rm -r "$directory"
  if [ "$RELEASE_URL" != source ]; then gh variable set RELEASE_URL --repo "$REPOSITORY" --body "$RELEASE_URL"; fi
  say "from now on, this deploys: git push https://github.com/$REPOSITORY HEAD:main"
}
# Ends no other phase: a subscription that is new has no budgets for two days.
protection() {
  read_outputs
  if bash "$here/protect.sh" "${MONTHLY_BUDGET:-0}"; then
    say "the tables cannot be deleted; a mail at 80 % of $MONTHLY_BUDGET a month"
  else
    say "no lock or no budget; the other phases go on"
    unprotected=true
  fi
}
accept() {
  need DOCLIB_DRIVE_ID
  read_outputs
  run_acceptance --drive "$DOCLIB_DRIVE_ID" --summary acceptance.md
}
records() {
  local name='Projektordner records' id principal ids
  use_users_tenant
  id=$(registered "$name")
  ensure_principal "$id"
  principal=$(until_replicated az ad sp show --id "$id" --query id -o tsv)
  bash "$here/entra/assign-role.sh" "$IDP_API_CLIENT_ID" Records.Sync "$principal"
  use_subscription
  ids=${RECORDS_SYNC_CLIENT_IDS:-}
  [[ ,$ids, == *,$id,* ]] || keep RECORDS_SYNC_CLIENT_IDS "${ids:+$ids,}$id"
  say "client $id; give it a certificate or a federated credential, and run bash bicep/deploy.sh $environment"
}

if [ -f "$file" ]; then
  read_variables "$file"
  # bash and gh read it, too, and would run or cut what is not quoted.
  if grep --quiet $'^\xEF\xBB\xBF\|\r$' "$file"; then sed --in-place $'1s/^\xEF\xBB\xBF//; s/\r$//' "$file"; fi
  while IFS= read -r line || [ -n "$line" ]; do
    [[ $line =~ ^[[:space:]]*(export +)?([A-Za-z_][A-Za-z0-9_]*)= ]] || continue
    name=${BASH_REMATCH[2]}
    [[ ${line#"$name="} =~ ^($plain*|\'[^\']*\')$ || ${!name} == *\'* ]] || keep "$name" "${!name}"
  done <"$file"
fi
use_subscription
unprotected=
current=
# bash would end without the line below.
trap 'exit 130' INT
trap 'exit 143' TERM HUP
trap '[ $? -eq 0 ] || [ -z "$current" ] || echo "Stopped in the phase $current. To continue: bash bicep/setup.sh $environment${unprotected:+ protection}${rest:+ $rest}" >&2' EXIT
while [ $# -gt 0 ]; do
  current=$1
  rest=$*
  echo "== $current" >&2
  restore_file
  "$current"
  shift
done
if [ -n "$unprotected" ]; then
  current=protection
  rest=
  exit 1
fi
