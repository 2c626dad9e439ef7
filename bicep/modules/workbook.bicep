// The operators' dashboard: the queue, its agents, requests, and providers, from the same events as the alerts.

param location string
param tags object
param applicationInsightsId string

resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  // The name must be a GUID, and the same one in each deployment to update the same workbook.
  name: guid(applicationInsightsId, 'operations')
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: 'Operations: folder requests, agents, requests, and providers'
    category: 'workbook'
    sourceId: applicationInsightsId
    version: 'Notebook/1.0'
    serializedData: string(loadJsonContent('../workbooks/operations.json'))
  }
}
