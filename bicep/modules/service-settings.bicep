@export()
@description('Values of the service settings that differ from customer to customer.')
type serviceSettings = {
  @description('Tenant whose users can call the API: IDP_TENANT_ID.')
  tenantId: string
  @description('Client id of the API\'s app registration: IDP_API_CLIENT_ID.')
  apiClientId: string
  @description('CONSOLE_CLIENT_ID: client id of the console\'s app registration; empty for no console.')
  consoleClientId: string
  @description('Client ids of the front ends, comma-separated; empty for customers with the console only.')
  frontEndClientIds: string
  @description('Client id of the verification client, with which an operator\'s commands sign in; empty for none.')
  verificationClientId: string
  @description('RECORDS_SYNC_CLIENT_IDS: client ids of the systems of record, comma-separated; empty for none.')
  recordsSyncClientIds: string
  @description('DOCLIB_SITE_ID: {hostname},{siteId},{webId}.')
  librarySiteId: string
  @description('DOCLIB_DRIVE_ID.')
  libraryDriveId: string
  @description('MAX_UPLOAD_BYTES; the host accepts 10 MiB more.')
  maxUploadBytes: int
  @description('False disables activities, while the vault has no key of the AI provider.')
  activitiesEnabled: bool
  @description('AI_BASE_URL.')
  aiBaseUrl: string
  @description('AI_MODEL; empty for the default, which exists for OpenAI only.')
  aiModel: string
  @description('AI_SEND_NAMES: false keeps the names of contacts and senders from the AI provider.')
  aiSendsNames: bool
  @description('AI_HOUSE_STYLE: how the company writes; empty for no such rules.')
  @maxLength(2000)
  aiHouseStyle: string
  @description('WORD_TEMPLATES: further Word templates beside brief.docx, name=URL;name=URL; may be empty.')
  wordTemplates: string
  @description('EMAIL_SIGNATURE: full adds company, address and phone to emails.')
  emailSignature: string
  @description('MAIL_DRAFTS: true lets callers have emails as drafts in their mailbox; requires consent for Mail.ReadWrite.')
  mailDrafts: bool
  @description('FOLDER_QUEUE_SHARDS; can be raised at any time; lowering it later loses nothing.')
  @minValue(1)
  @maxValue(16)
  folderQueueShards: int
  @description('FOLDER_REQUEST_RETENTION_DAYS: days after which ended folder requests, FULFILLED and FAILED, are deleted; 0 keeps them.')
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
