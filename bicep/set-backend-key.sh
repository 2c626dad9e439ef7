#!/usr/bin/env bash
# Sets a function app key for API Management and stores it in the vault. With --rotate, adds a second key, makes API
# Management read it, and deletes the old key only after that, so no request is rejected in between.
#
# Requires the outputs of the deployment. Prints no key, and passes keys in files that only the current user can read, because any process can read a command line.
set -euo pipefail
umask 077

secret=backend-function-key
named_value=backend-function-key
here=$(dirname "$0")
. "$here/entra/until-replicated.sh"
. "$here/lib/environment.sh"
need_outputs
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# Until a newly deployed host has started, requests for its keys occasionally fail with a 400.
with_retries() {
  for attempt in 1 2 3 4 5 6; do
    "$@" && return 0
    echo "attempt $attempt failed, the host may still be starting" >&2
    sleep 20
  done
  return 1
}
key_names() {
  app keys list --query "keys(functionKeys)[?starts_with(@, 'api-management')]" --output tsv
}
# Sets the key with that name from the file key. `az functionapp keys set` would need the key on the command line.
set_key() {
  local id
  id=$(app show --query id --output tsv)
  jq --raw-input --slurp --arg name "$1" '{properties: {name: $name, value: .}}' "$directory/key" >"$directory/body.json"
  with_retries az rest --method put --url "$id/host/default/functionKeys/$1?api-version=2025-03-01" \
    --body "@$directory/body.json" --output none
}

name=api-management-$(date -u +%Y%m%d%H%M%S)
if [ "${1:-}" != "--rotate" ]; then
  # The list tells an absent secret from one that cannot be read.
  names=$(until_permitted vault secret list --query '[].name' --output tsv)
  if grep --quiet --line-regexp --fixed-strings "$secret" <<<"$names"; then
    key=$(vault secret show --name "$secret" --query value --output tsv)
    known=$(vault secret show --name "$secret" --query 'tags.keyName' --output tsv)
    printf '%s' "$key" >"$directory/key"
    if [[ $known =~ ^[A-Za-z0-9-]+$ ]]; then
      set_key "$known"
    else
      echo "$secret has no tag keyName: the app gets its key as $name" >&2
      set_key "$name"
      bash "$here/put-secret.sh" "$secret" --tags "keyName=$name" <"$directory/key"
    fi
    exit 0
  fi
fi

printf '%s' "$(openssl rand -base64 32)" >"$directory/key"
old=''
[ "${1:-}" != "--rotate" ] || old=$(with_retries key_names)
set_key "$name"
bash "$here/put-secret.sh" "$secret" --tags "keyName=$name" <"$directory/key"
[ "${1:-}" = "--rotate" ] || exit 0

gateway=$(gateway_id)
az rest --method post --url "$gateway/namedValues/$named_value/refreshSecret?api-version=2024-05-01" --output none
# By then, every gateway instance has the new value.
sleep 120
for previous in $old; do
  [ "$previous" = "$name" ] || app keys delete --key-type functionKeys --key-name "$previous" --output none
done
