#!/usr/bin/env bash
# Keeps the storage account with the tables from being deleted, and has mails sent when the environment costs more than it
# should. Once for each environment, and again to change the amount.
#
#   bash bicep/protect.sh <amount a month, in the currency of the subscription>
#
# A phase of setup.sh, which has the amount from MONTHLY_BUDGET. Requires the outputs of the deployment, ALERT_EMAIL, and an owner of
# the subscription.
set -euo pipefail
here=$(dirname "$0")
. "$here/lib/environment.sh"
[[ ${1:-} =~ ^[1-9][0-9]*$ ]] || {
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
need_outputs

subscription=$(az account show --query id --output tsv)
budgets=/subscriptions/$subscription/resourceGroups/$AZURE_RESOURCE_GROUP/providers/Microsoft.Consumption/budgets
version=api-version=2026-06-01
# The start of a budget cannot be changed, and a new one must not start before this month
# (github.com/Azure/azure-quickstart-templates issue 7095).
former=$(az rest --method get --url "$budgets?$version" --query "value[?name=='projektordner'].name" --output tsv)
[ -z "$former" ] || az rest --method delete --url "$budgets/projektordner?$version" --output none
deploy_to_group --name projektordner-protection --template-file "$here/protection.bicep" \
  --parameters storageAccountName="$STORAGE_ACCOUNT_NAME" alertEmail="$ALERT_EMAIL" monthlyBudget="$1"
