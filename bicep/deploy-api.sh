#!/usr/bin/env bash
# Third phase of a deployment: the API inside API Management. Repeats while the gateway may not read the key of its backend
# yet: it is given that role by the same deployment, and a role takes minutes to work. Any other failure ends it.
#
# Needs AZURE_RESOURCE_GROUP and what bicep/api.bicepparam reads.
set -euo pipefail

parameters=$(dirname "$0")/api.bicepparam
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  if said=$(az deployment group create --name projektordner-api --resource-group "$AZURE_RESOURCE_GROUP" \
    --parameters "$parameters" --output none 2>&1); then
    exit 0
  fi
  echo "$said" >&2
  # The vault's words: "Forbidden", "Caller is not authorized to perform action on resource", "ForbiddenByRbac".
  grep --quiet --ignore-case --extended-regexp 'forbidden|caller is not authorized' <<<"$said" || exit 1
  [ "$attempt" -lt 10 ] || exit 1
  echo "attempt $attempt: the role of API Management on its key may be new" >&2
  sleep 30
done
