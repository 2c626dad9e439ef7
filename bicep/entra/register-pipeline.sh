#!/usr/bin/env bash
# Registers the identity of a pipeline, with a federated credential instead of a secret and its roles on the subscription.
# Safe to run again.
#
#   bash bicep/entra/register-pipeline.sh <environment> <owner>/<repository>
#   bash bicep/entra/register-pipeline.sh <environment> <subject> <issuer>
#
# For GitHub, create the repository first: what its tokens name as their subject depends on when it was created, renamed, or
# transferred, and GitHub's API says it (gh has to be signed in). For Azure DevOps, subject and issuer are those that the dialog
# of a service connection displays.
# Prints the variables of the pipeline. Requires az login as an owner of the subscription.
set -euo pipefail
. "$(dirname "$0")/registered.sh"

if [ $# -lt 2 ] || { [ $# -eq 2 ] && [[ ! $2 =~ ^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$ ]]; }; then
  echo "Usage: register-pipeline.sh <environment: dev or prod> <owner>/<repository>
       register-pipeline.sh <environment> <subject> <issuer>" >&2
  exit 2
fi
environment=$1
if [ $# -eq 2 ]; then
  issuer=https://token.actions.githubusercontent.com
  # {"use_default": true, "sub_claim_prefix": "repo:owner@id/repository@id"}; without the prefix on a GitHub Enterprise Server,
  # and before it had immutable subjects (github.com/Azure/azure-dev issue 9382).
  customization=$(gh api "repos/$2/actions/oidc/customization/sub") || {
    echo "GitHub does not say what the tokens of $2 name as their subject: create the repository first, and sign in with gh auth login." >&2
    exit 1
  }
  if [ "$(jq -r '.use_default' <<<"$customization")" = false ] && [ "$(jq -r '.include_claim_keys // [] | length' <<<"$customization")" -gt 0 ]; then
    echo "$2 has a subject of its own ($(jq -r '.include_claim_keys | join(", ")' <<<"$customization")): give the subject and the issuer $issuer." >&2
    exit 1
  fi
  subject=$(jq -r --arg name "repo:$2" '.sub_claim_prefix // $name' <<<"$customization"):environment:$environment
else
  subject=$2
  issuer=$3
fi
name="projektordner-pipeline-$environment"

subscription=$(az account show --query id -o tsv)
scope="/subscriptions/$subscription"
app_id=$(registered "$name")
ensure_principal "$app_id"
principal=$(until_replicated az ad sp show --id "$app_id" --query id -o tsv)

existing=$(until_replicated az ad app federated-credential list --id "$app_id" --query "[].subject" -o tsv)
if ! grep --quiet --line-regexp --fixed-strings "$subject" <<<"$existing"; then
  # The list, too, is of a replica.
  unless_there until_replicated az ad app federated-credential create --id "$app_id" --output none --parameters "$(jq -n --arg name "pipeline-$(date -u +%Y%m%d%H%M%S)" \
    --arg issuer "$issuer" --arg subject "$subject" \
    '{name: $name, issuer: $issuer, subject: $subject, audiences: ["api://AzureADTokenExchange"]}')"
fi

assign() {
  # An Azure CLI of before autumn 2025 ends with an error if the assignment is there, because Azure has changed the text of its
  # response (github.com/Azure/azure-cli issue 31995).
  unless_there until_replicated az role assignment create --assignee-object-id "$principal" \
    --assignee-principal-type ServicePrincipal --scope "$scope" --output none --role "$@"
}
assign Contributor
# The roles that the templates assign, and no other: Storage Blob Data Owner, Storage Blob Data Contributor, Storage Queue
# Data Contributor, Storage Table Data Contributor, Monitoring Metrics Publisher, Key Vault Secrets User and Officer.
roles='b7e6dc6d-f1e8-4753-8033-0f276bb0955b, ba92f5b4-2d11-453d-a403-e96b0029c9fe, 974c5e8b-45b9-4653-ba55-5f855dd0fb88, 0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3, 3913510d-42f4-4e42-8a64-420c390055eb, 4633458b-17de-408a-b874-0445c86b69e6, b86a8fe4-44ce-4948-aee5-eccb2c155cd7'
changes='Microsoft.Authorization/roleAssignments'
assign 'Role Based Access Control Administrator' --condition-version 2.0 --condition \
  "((!(ActionMatches{'$changes/write'})) OR (@Request[$changes:RoleDefinitionId] ForAnyOfAnyValues:GuidEquals {$roles})) AND ((!(ActionMatches{'$changes/delete'})) OR (@Resource[$changes:RoleDefinitionId] ForAnyOfAnyValues:GuidEquals {$roles}))"

tenant=$(az account show --query tenantId -o tsv)
operator=$(az ad signed-in-user show --query id -o tsv)
echo "AZURE_TENANT_ID=$tenant"
echo "AZURE_SUBSCRIPTION_ID=$subscription"
echo "AZURE_CLIENT_ID=$app_id"
echo "VAULT_OFFICER_ID=$principal,$operator"
