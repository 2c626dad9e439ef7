#!/usr/bin/env bash
# Stores one secret in the vault. Reads the value from standard input, or prompts for it without echo. The value never
# appears on a command line, where any process of the machine can read it.
#
#   openssl rand -base64 32 | bash bicep/put-secret.sh NAME [options of az keyvault secret set]
#
# With --expires, an alert reports the end of the secret 30 days before. Requires the outputs of the deployment. Prints no secret.
set -euo pipefail
umask 077
. "$(dirname "$0")/lib/environment.sh"

need_outputs
name=${1:?"the name of the secret, for example ai-api-key"}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

if [ -t 0 ]; then
  read -r -s -p "Value of $name: " value
  echo >&2
else
  # Command substitution removes the newline at the end of a command's output.
  value=$(cat)
fi
[ -n "$value" ] || {
  echo "$name: the value is empty" >&2
  exit 1
}
printf '%s' "$value" >"$directory/value"
vault secret set --name "$name" --file "$directory/value" --encoding utf-8 \
  "${@:2}" --output none
