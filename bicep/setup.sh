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
# accept          whether the deployment does what front end and agent need
# records         the registration of a system of record (README.md, "A system of record")
#
# In prod, the phases after infrastructure run inside its network. Requires az, curl, jq, openssl, npm, and gh for GitHub.
set -euo pipefail
here=$(dirname "$0")
. "$here/entra/until-replicated.sh"

usage() {
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
  exit 2
}
[[ ${1:-} =~ ^(dev|prod)$ ]] || usage
environment=$1
shift
[ $# -gt 0 ] || set -- questions registration library repository infrastructure secrets console code api pipeline accept
for phase in "$@"; do [[ $phase =~ ^(questions|registration|library|repository|infrastructure|secrets|console|code|api|pipeline|accept|records)$ ]] || usage; done
file=$environment.env

say() { echo "   $*" >&2; }
read_file() {
  [ -f "$file" ] || return 0
  set -a
  . "./$file"
  set +a
}
# Sets a line of the file, which is complete at any time.
keep() {
  # Read by bash and by gh, which both take single quotes literally.
  local value=$2
  [[ $value =~ ^[A-Za-z0-9_.,:/@!+=-]*$ ]] || value="'$value'"
  [[ $2 != *\'* ]] || {
    echo "$1: the value has an apostrophe, which the file cannot have" >&2
    return 1
  }
  { grep --invert-match "^$1=" "$file" 2>/dev/null || true; } >"$file.new"
  printf '%s=%s\n' "$1" "$value" >>"$file.new"
  mv "$file.new" "$file"
  export "$1=$2"
}
# The lines NAME=value that a command prints, once it has succeeded.
keep_lines() {
  local lines line
  lines=$("$@")
  while IFS= read -r line; do
    [[ $line =~ ^([A-Z_]+)=(.+)$ ]] || continue
    keep "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    say "$line"
  done <<<"$lines"
}
# ask NAME <what it is> [default]: not again what the file has.
ask() {
  if [ -n "${!1+set}" ]; then
    grep --quiet "^$1=" "$file" 2>/dev/null || keep "$1" "${!1}"
    return 0
  fi
  local value
  printf '%s\n  %s%s: ' "$2" "$1" "${3:+ [$3]}" >&2
  IFS= read -r value || {
    echo "No value: set $1 in $file" >&2
    return 1
  }
  keep "$1" "${value:-${3:-}}"
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
deploy() { bash "$here/deploy.sh" "$environment" "$@"; }
read_outputs() {
  local lines line
  lines=$(deploy outputs)
  while IFS= read -r line; do export "${line?}"; done <<<"$lines"
}

questions() {
  local origin version
  version=$(jq --raw-output .version package.json)
  origin=$(git remote get-url origin 2>/dev/null || true)
  [[ $origin =~ ^https://github\.com/([A-Za-z0-9._-]+/[A-Za-z0-9._-]+)$ ]] && origin=https://github.com/${BASH_REMATCH[1]%.git}/releases/download/v$version || origin=
  ask ALERT_EMAIL "Who gets the alerts, as an email address?"
  ask SITE_ADDRESS "The SharePoint site with the document library, such as https://contoso.sharepoint.com/sites/Projekte"
  ask ACTIVITIES_ENABLED "Does an AI provider write letters and emails (true or false)?" true
  ask RELEASE_URL "The folder with the files of release $version; 'source' builds it here" "$origin"
  ask GITHUB_REPOSITORY "The GitHub repository for the pipeline, as owner/name; empty for none"
  [ -n "${PUBLISHER_EMAIL:-}" ] || keep PUBLISHER_EMAIL "$ALERT_EMAIL"
  [ -n "${AZURE_LOCATION:-}" ] || keep AZURE_LOCATION germanywestcentral
  need ALERT_EMAIL SITE_ADDRESS RELEASE_URL
  say "in $file; region $AZURE_LOCATION"
}
registration() {
  keep_lines bash "$here/entra/register-app.sh"
  local operator role
  operator=$(az ad signed-in-user show --query id -o tsv)
  for role in Administrator canCreateActivities; do bash "$here/entra/assign-role.sh" "$IDP_API_CLIENT_ID" "$role" "$operator"; done
  # Until there is a pipeline, only the operator writes secrets.
  [ -n "${VAULT_OFFICER_ID:-}" ] || keep VAULT_OFFICER_ID "$operator"
}
library() {
  need SITE_ADDRESS IDP_TENANT_ID VERIFICATION_CLIENT_ID
  local lines drives
  lines=$(npm run --silent library-ids -w tools -- "$SITE_ADDRESS")
  drives=$(grep --count '^DOCLIB_DRIVE_ID=' <<<"$lines" || true)
  keep_lines grep '^DOCLIB_SITE_ID=' <<<"$lines"
  if [ "$drives" -eq 1 ]; then
    keep_lines grep '^DOCLIB_DRIVE_ID=' <<<"$lines"
  else
    grep --invert-match '^DOCLIB_SITE_ID=' <<<"$lines" >&2 || true
    ask DOCLIB_DRIVE_ID "The site has $drives libraries: the id of one of them"
    need DOCLIB_DRIVE_ID
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
  if [ -z "${GITHUB_REPOSITORY:-}" ]; then
    say "no pipeline: deployments run here"
    return
  fi
  local found errors allows
  errors=$(mktemp)
  if ! found=$(gh api "repos/$GITHUB_REPOSITORY" 2>"$errors"); then
    grep --quiet 'HTTP 404' "$errors" || {
      cat "$errors" >&2
      rm -f "$errors"
      return 1
    }
    gh repo create "$GITHUB_REPOSITORY" --private >&2
    found=$(until_replicated gh api "repos/$GITHUB_REPOSITORY")
  fi
  rm -f "$errors"
  allows=$(plan_allows "$found")
  if [ "$allows" = none ]; then
    keep PIPELINE none
    say "a private repository on the plan Free has no environments: deployments run here (bash bicep/deploy.sh $environment)."
    say "With another plan, or a public repository, remove PIPELINE from $file and run the phases repository and pipeline."
    return
  fi
  keep_lines bash "$here/entra/register-pipeline.sh" "$environment" "$GITHUB_REPOSITORY"
  gh api --method PUT "repos/$GITHUB_REPOSITORY/environments/$environment" --silent --input - \
    <<<'{"deployment_branch_policy": {"protected_branches": false, "custom_branch_policies": true}}'
  local policies="repos/$GITHUB_REPOSITORY/environments/$environment/deployment-branch-policies"
  [ -n "$(gh api "$policies" --jq '.branch_policies[]? | select(.name == "main") | .name')" ] ||
    gh api --method POST "$policies" --silent -f name=main
  if [ "$environment" = prod ]; then
    if [ "$allows" = reviewers ]; then
      say "add reviewers to the environment prod: every push waits for them"
    else
      gh variable set PROD_BY_HAND --repo "$GITHUB_REPOSITORY" --body true
      say "the plan has no required reviewers: prod is deployed by 'gh workflow run deploy --repo $GITHUB_REPOSITORY' only (PROD_BY_HAND)"
    fi
  fi
  keep PIPELINE github
}
infrastructure() {
  deploy infrastructure
  read_outputs
  say "gateway: $GATEWAY_URL"
}
secrets() {
  need IDP_API_CLIENT_ID
  read_outputs
  local present end key
  present=$(until_permitted az keyvault secret list --vault-name "$KEY_VAULT_NAME" --query '[].name' --output tsv)
  is_missing() { ! grep --quiet --line-regexp --fixed-strings "$1" <<<"$present"; }
  if is_missing idp-api-client-secret; then
    end=$(date -u -d '+1 year' +%Y-%m-%dT%H:%M:%SZ)
    until_replicated az ad app credential reset --id "$IDP_API_CLIENT_ID" --append --end-date "$end" --query password -o tsv |
      bash "$here/put-secret.sh" idp-api-client-secret --expires "$end"
    say "idp-api-client-secret: until $end"
  fi
  if is_missing folder-agent-api-keys; then
    key=$(bash "$here/agent-keys.sh" add agent-1)
    echo "The key of the agent agent-1, which is not shown again: $key"
  else
    say "folder-agent-api-keys: there. If nobody has the key of agent-1: KEY_VAULT_NAME=$KEY_VAULT_NAME bash bicep/agent-keys.sh rotate agent-1"
  fi
  if [ "${ACTIVITIES_ENABLED:-true}" = true ] && is_missing ai-api-key; then
    if [ -n "${AI_API_KEY:-}" ]; then printf '%s' "$AI_API_KEY" | bash "$here/put-secret.sh" ai-api-key; else bash "$here/put-secret.sh" ai-api-key; fi
    say "ai-api-key: stored"
  fi
  deploy secrets
}
console() {
  read_outputs
  local before=${CONSOLE_CLIENT_ID:-} id
  # The first receives the response of a sign-in; a sign-out returns to the second.
  id=$(bash "$here/entra/register-page.sh" "$IDP_API_CLIENT_ID" 'Projektordner Konsole' "$GATEWAY_URL/api/console/signed-in" "$GATEWAY_URL/api/console")
  keep CONSOLE_CLIENT_ID "$id"
  # The service has to know the client.
  if [ "$before" != "$CONSOLE_CLIENT_ID" ] || [ "${CONSOLE_DEPLOYED:-}" != "$CONSOLE_CLIENT_ID" ]; then
    deploy infrastructure
    keep CONSOLE_DEPLOYED "$CONSOLE_CLIENT_ID"
  fi
  say "$GATEWAY_URL/api/console"
}
code() {
  need RELEASE_URL
  if [ "$RELEASE_URL" = source ]; then npm run package:functions >&2; else bash "$here/fetch-release.sh" "$RELEASE_URL" >&2; fi
  deploy code
}
api() { deploy api; }
pipeline() {
  if [ "${PIPELINE:-none}" = none ]; then
    say "none"
    return
  fi
  gh variable set --repo "$GITHUB_REPOSITORY" --env "$environment" --env-file "$file"
  if [ "$RELEASE_URL" != source ]; then gh variable set RELEASE_URL --repo "$GITHUB_REPOSITORY" --body "$RELEASE_URL"; fi
  say "from now on, this deploys: git push https://github.com/$GITHUB_REPOSITORY HEAD:main"
}
accept() {
  need DOCLIB_DRIVE_ID
  read_outputs
  npm run accept -- --base-url "$GATEWAY_URL" --service-url "$FUNCTION_APP_URL" --drive "$DOCLIB_DRIVE_ID" --summary acceptance.md
}
records() {
  local name='Projektordner records' id principal ids
  id=$(az ad app list --filter "displayName eq '$name'" --query '[].appId' -o tsv)
  [ -n "$id" ] || id=$(az ad app create --display-name "$name" --sign-in-audience AzureADMyOrg --query appId -o tsv)
  ensure_principal "$id"
  principal=$(until_replicated az ad sp show --id "$id" --query id -o tsv)
  bash "$here/entra/assign-role.sh" "$IDP_API_CLIENT_ID" Records.Sync "$principal"
  ids=${RECORDS_SYNC_CLIENT_IDS:-}
  [[ ,$ids, == *,$id,* ]] || keep RECORDS_SYNC_CLIENT_IDS "${ids:+$ids,}$id"
  say "client $id; give it a certificate or a federated credential, and run bash bicep/deploy.sh $environment"
}

read_file
current=
trap '[ $? -eq 0 ] || [ -z "$current" ] || echo "Stopped in the phase $current. To continue: bash bicep/setup.sh $environment $rest" >&2' EXIT
while [ $# -gt 0 ]; do
  current=$1
  rest=$*
  echo "== $current" >&2
  "$current"
  shift
done
