#!/usr/bin/env bash
# Adds, rotates, and removes the keys of one agent in the vault, and leaves those of the others as they are.
#
#   bash bicep/agent-keys.sh add hamburg       prints a key for a new agent
#   bash bicep/agent-keys.sh rotate hamburg    prints a second key; the one before stays valid
#   bash bicep/agent-keys.sh retire hamburg    removes all keys of the agent but the newest
#   bash bicep/agent-keys.sh remove hamburg    removes the agent
#
# Then run bicep/refresh-secrets.sh. Requires the outputs of the deployment (README.md, "Secrets"). The keys are read first: if they cannot be, nothing is written.
set -euo pipefail
umask 077
. "$(dirname "$0")/lib/environment.sh"

usage() {
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
[ $# -eq 2 ] && [[ $1 =~ ^(add|rotate|retire|remove)$ ]] || usage
command=$1
agent=$2
[[ $agent =~ ^[A-Za-z0-9._-]{1,64}$ ]] || {
  echo "$agent: the id of an agent has 1 to 64 of the characters A-Z a-z 0-9 . _ -" >&2
  exit 2
}
need_outputs
secret=folder-agent-api-keys
# The list tells an absent secret from one that cannot be read.
names=$(vault secret list --query '[].name' --output tsv)
pairs=()
if grep --quiet --line-regexp --fixed-strings "$secret" <<<"$names"; then
  stored=$(vault secret show --name "$secret" --query value --output tsv)
  [ -n "$stored" ] || {
    echo "$secret: the vault returned no value; nothing is written" >&2
    exit 1
  }
  IFS=, read -r -a pairs <<<"$stored"
fi

own=()
others=()
for pair in "${pairs[@]}"; do
  if [ "${pair%%:*}" = "$agent" ]; then own+=("$pair"); else others+=("$pair"); fi
done
if [ "$command" = add ] && [ ${#own[@]} -gt 0 ]; then
  echo "$agent has a key already: rotate adds another" >&2
  exit 1
fi
if [ "$command" != add ] && [ ${#own[@]} -eq 0 ]; then
  echo "$agent has no key" >&2
  exit 1
fi

key=''
case $command in
add | rotate)
  key=$(openssl rand -base64 32 | tr -d '=+/')
  own+=("$agent:$key")
  ;;
retire) own=("${own[-1]}") ;;
remove) own=() ;;
esac

value=$(
  IFS=,
  all=("${others[@]}" "${own[@]}")
  printf '%s' "${all[*]}"
)
[ -n "$value" ] || {
  echo "$agent is the only agent: the service needs at least one key, so add the next one first" >&2
  exit 1
}
# A secret of the vault has at most 25 KB (learn.microsoft.com/azure/key-vault/secrets/about-secrets).
[ ${#value} -le 25000 ] || {
  echo "The keys of all agents are one secret of at most 25,000 characters; with this one they have ${#value} (docs/scale.md)." >&2
  exit 1
}
printf '%s' "$value" | bash "$(dirname "$0")/put-secret.sh" "$secret"
[ -z "$key" ] || printf '%s\n' "$key"
