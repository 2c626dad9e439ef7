#!/usr/bin/env bash
# Third phase of a deployment: the API inside API Management. Retries while the gateway has no permission to read the key of
# its backend yet: the same deployment assigns that role, and a role assignment takes minutes to take effect. Any other
# failure ends the script.
#
# Requires AZURE_RESOURCE_GROUP and the variables that bicep/api.bicepparam reads.
set -euo pipefail

parameters=$(dirname "$0")/api.bicepparam
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  if output=$(az deployment group create --name projektordner-api --resource-group "$AZURE_RESOURCE_GROUP" \
    --parameters "$parameters" --output none 2>&1); then
    exit 0
  fi
  echo "$output" >&2
  # The vault's texts: "Forbidden", "Caller is not authorized to perform action on resource", "ForbiddenByRbac".
  grep --quiet --ignore-case --extended-regexp 'forbidden|caller is not authorized' <<<"$output" || exit 1
  [ "$attempt" -lt 10 ] || exit 1
  echo "attempt $attempt: the role assignment of API Management for its key may be too recent" >&2
  sleep 30
done
