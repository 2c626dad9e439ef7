// What operators look at: the queue, its agents, requests and providers, from the same events as the alerts.

param location string
param tags object
param applicationInsightsId string

resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  // The name has to be a GUID; the same one at each deployment, so that it is the same workbook.
  name: guid(applicationInsightsId, 'operations')
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: 'Operations: folder requests, agents, requests and providers'
    category: 'workbook'
    sourceId: applicationInsightsId
    version: 'Notebook/1.0'
    serializedData: string(loadJsonContent('../workbooks/operations.json'))
  }
}
