@export()
@description('Values of the service settings that differ from customer to customer.')
type serviceSettings = {
  @description('Tenant whose users can call the API.')
  tenantId: string
  @description('Client id of the API\'s app registration.')
  apiClientId: string
  @description('Client id of the console\'s app registration; empty for no console.')
  consoleClientId: string
  @description('Client ids of the front ends, comma-separated; empty for customers with the console only.')
  frontEndClientIds: string
  @description('Client id of the verification client, with which an operator\'s commands sign in; empty for none.')
  verificationClientId: string
  @description('Client ids of the systems of record, comma-separated; empty for none.')
  recordsSyncClientIds: string
  @description('The library\'s site: {hostname},{siteId},{webId}.')
  librarySiteId: string
  @description('The library\'s drive.')
  libraryDriveId: string
  @description('Largest upload; the host accepts 10 MiB more.')
  maxUploadBytes: int
  @description('False disables activities, while the vault has no key of the AI provider.')
  activitiesEnabled: bool
  @description('Address of the AI provider.')
  aiBaseUrl: string
  @description('Model of the AI provider; empty for the default, which exists for OpenAI only.')
  aiModel: string
  @description('False keeps the names of contacts and senders from the AI provider.')
  aiSendsNames: bool
  @description('How the company writes; empty for no such rules.')
  @maxLength(2000)
  aiHouseStyle: string
  @description('Further Word templates beside brief.docx, name=URL;name=URL; may be empty.')
  wordTemplates: string
  @description('Signature of emails: full adds company, address and phone to emails.')
  emailSignature: string
  @description('True lets callers have emails as drafts in their mailbox; requires consent for Mail.ReadWrite.')
  mailDrafts: bool
  @description('Shards of the queue; can be raised at any time; lowering it later loses nothing.')
  @minValue(1)
  @maxValue(16)
  folderQueueShards: int
  @description('Days after which ended folder requests, FULFILLED and FAILED, are deleted; 0 keeps them.')
  @minValue(0)
  @maxValue(36500)
  folderRequestRetentionDays: int
}

@export()
@description('Every client whose tokens are accepted, by the gateway and by the service (IDP_TOKEN_CLIENT_IDS). Each element is a comma-separated list.')
func tokenClientIds(lists string[]) string[] => union(listed(join(lists, ',')), [])

@export()
@description('The entries of a comma-separated list.')
func listed(text string) string[] => filter(map(split(toLower(text), ','), id => trim(id)), id => !empty(id))
