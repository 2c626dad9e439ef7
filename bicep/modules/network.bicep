param name string
param location string
param tags object

param addressPrefix string = '10.40.0.0/22'

@description('Service that the subnet of the runner is delegated to; empty for self-hosted machines.')
param runnerDelegation string

var zoneNames = {
  blob: 'privatelink.blob.${environment().suffixes.storage}'
  queue: 'privatelink.queue.${environment().suffixes.storage}'
  table: 'privatelink.table.${environment().suffixes.storage}'
  vault: 'privatelink.vaultcore.azure.net'
  sites: 'privatelink.azurewebsites.net'
}

resource endpointRules 'Microsoft.Network/networkSecurityGroups@2025-05-01' = {
  name: 'nsg-${name}-endpoints'
  location: location
  tags: tags
  properties: {
    securityRules: [
      {
        name: 'only-https-from-inside'
        properties: {
          priority: 100
          direction: 'Inbound'
          access: 'Allow'
          protocol: 'Tcp'
          sourceAddressPrefix: 'VirtualNetwork'
          sourcePortRange: '*'
          destinationAddressPrefix: 'VirtualNetwork'
          destinationPortRange: '443'
        }
      }
      {
        name: 'nothing-else'
        properties: {
          priority: 4096
          direction: 'Inbound'
          access: 'Deny'
          protocol: '*'
          sourceAddressPrefix: '*'
          sourcePortRange: '*'
          destinationAddressPrefix: '*'
          destinationPortRange: '*'
        }
      }
    ]
  }
}

resource gatewayRules 'Microsoft.Network/networkSecurityGroups@2025-05-01' = {
  name: 'nsg-${name}-gateway'
  location: location
  tags: tags
}

// The default rules block traffic from the internet, and a runner makes only outgoing connections.
resource runnerRules 'Microsoft.Network/networkSecurityGroups@2025-05-01' = {
  name: 'nsg-${name}-runner'
  location: location
  tags: tags
}

// From 2025-07-01 on, the subnets of a new network cannot reach the internet unless each says that it can
// (techcommunity.microsoft.com, "Private subnets by default in Azure virtual networks").
resource vnet 'Microsoft.Network/virtualNetworks@2025-05-01' = {
  name: 'vnet-${name}'
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: [addressPrefix] }
    // Inline, because the next deployment of the network removes subnets that are separate resources. Conversely, a
    // deployment removes a subnet that is not in this list, or fails if the subnet is in use.
    subnets: [
      {
        name: 'app'
        properties: {
          addressPrefix: cidrSubnet(addressPrefix, 24, 0)
          delegations: [
            {
              name: 'flex-consumption'
              properties: { serviceName: 'Microsoft.App/environments' }
            }
          ]
        }
      }
      {
        name: 'endpoints'
        properties: {
          addressPrefix: cidrSubnet(addressPrefix, 24, 1)
          networkSecurityGroup: { id: endpointRules.id }
          privateEndpointNetworkPolicies: 'NetworkSecurityGroupEnabled'
        }
      }
      {
        name: 'gateway'
        properties: {
          addressPrefix: cidrSubnet(addressPrefix, 24, 2)
          networkSecurityGroup: { id: gatewayRules.id }
          delegations: [
            {
              name: 'api-management'
              properties: { serviceName: 'Microsoft.Web/serverFarms' }
            }
          ]
        }
      }
      {
        // For the runner that deploys: vault, storage, and function app are reachable only from inside.
        name: 'runner'
        properties: {
          addressPrefix: cidrSubnet(addressPrefix, 24, 3)
          networkSecurityGroup: { id: runnerRules.id }
          // It must reach GitHub or Azure DevOps, npm, and Azure's own API.
          defaultOutboundAccess: true
          delegations: empty(runnerDelegation)
            ? []
            : [
                {
                  name: 'runner'
                  properties: { serviceName: runnerDelegation }
                }
              ]
        }
      }
    ]
  }

  resource app 'subnets' existing = {
    name: 'app'
  }

  resource endpoints 'subnets' existing = {
    name: 'endpoints'
  }

  resource gateway 'subnets' existing = {
    name: 'gateway'
  }
}

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for zone in items(zoneNames): {
    name: zone.value
    location: 'global'
    tags: tags
  }
]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (zone, index) in items(zoneNames): {
    parent: zones[index]
    name: vnet.name
    location: 'global'
    tags: tags
    properties: {
      registrationEnabled: false
      virtualNetwork: { id: vnet.id }
    }
  }
]

output appSubnetId string = vnet::app.id
output endpointSubnetId string = vnet::endpoints.id
output gatewaySubnetId string = vnet::gateway.id
output zoneIds object = toObject(items(zoneNames), zone => zone.key, zone => resourceId('Microsoft.Network/privateDnsZones', zone.value))
