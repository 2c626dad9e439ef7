// What keeps the data of an environment, and its costs, from accidents. Apart from main.bicep, because a pipeline, which is a
// contributor, can write no lock, and because a budget cannot be deployed again in a later month. protect.sh deploys it.

@description('Output STORAGE_ACCOUNT_NAME of the first phase.')
param storageAccountName string

@description('Address that receives the mails of the budget.')
param alertEmail string

@description('Costs of the resource group within a month, in the currency of the subscription, that are expected at most.')
@minValue(1)
param monthlyBudget int

@description('Only a month that has not ended is accepted.')
param budgetStart string = utcNow('yyyy-MM-01')

resource account 'Microsoft.Storage/storageAccounts@2025-06-01' existing = {
  name: storageAccountName
}

resource lock 'Microsoft.Authorization/locks@2020-05-01' = {
  name: 'keep-tables'
  scope: account
  properties: {
    level: 'CanNotDelete'
    notes: 'The tables of the service, and their backups. See "Deleting an environment" in bicep/README.md.'
  }
}

resource budget 'Microsoft.Consumption/budgets@2026-06-01' = {
  name: 'projektordner'
  properties: {
    category: 'Cost'
    amount: monthlyBudget
    timeGrain: 'Monthly'
    timePeriod: { startDate: budgetStart }
    notifications: {
      spent: {
        enabled: true
        operator: 'GreaterThan'
        threshold: 80
        thresholdType: 'Actual'
        contactEmails: [alertEmail]
      }
      expected: {
        enabled: true
        operator: 'GreaterThan'
        threshold: 100
        thresholdType: 'Forecasted'
        contactEmails: [alertEmail]
      }
    }
  }
}
