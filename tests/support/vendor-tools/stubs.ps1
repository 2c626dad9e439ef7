# What agent/package/register-folder-agent.ps1 uses of PowerShell's modules, which are not in the package of its core: the
# same effect on real files. And the commands of Windows: each call is printed as one JSON line.

function Join-Path([string] $Path, [string] $ChildPath) { [IO.Path]::Combine($Path, $ChildPath.Replace('\', [IO.Path]::DirectorySeparatorChar)) }
function Split-Path([switch] $Parent, [switch] $Leaf, [Parameter(Position = 0)] [string] $Path) {
    if ($Leaf) { [IO.Path]::GetFileName($Path) } else { [IO.Path]::GetDirectoryName($Path) }
}
function Test-Path([string] $LiteralPath, [string] $PathType) {
    [IO.Directory]::Exists($LiteralPath) -or ($PathType -ne 'Container' -and [IO.File]::Exists($LiteralPath))
}
function Resolve-Path([string] $LiteralPath) {
    if (-not (Test-Path -LiteralPath $LiteralPath)) { throw "Cannot find path '$LiteralPath' because it does not exist." }
    [pscustomobject] @{ ProviderPath = [IO.Path]::GetFullPath($LiteralPath) }
}
function Get-Content([Parameter(Position = 0)] [string] $Path, [string] $LiteralPath) { [IO.File]::ReadAllLines($Path + $LiteralPath) }
function Get-ChildItem([switch] $Force, [string] $LiteralPath) { [IO.DirectoryInfo]::new($LiteralPath).GetFileSystemInfos() }
function New-Item([string] $ItemType, [switch] $Force, [string] $Path) {
    if ($ItemType -eq 'File') { [IO.File]::WriteAllText($Path, '') } else { [IO.Directory]::CreateDirectory($Path) }
}
function Remove-Item([string] $LiteralPath) { [IO.File]::Delete($LiteralPath) }
function Get-FileHash([string] $Algorithm, [string] $LiteralPath) {
    $bytes = [Security.Cryptography.SHA256]::HashData([IO.File]::ReadAllBytes($LiteralPath))
    [pscustomobject] @{ Hash = [Convert]::ToHexString($bytes) }
}
function Select-Object([int] $First = -1, [int] $Skip = 0) {
    $all = @($input)
    if ($First -ge 0) { $all[0..($First - 1)] } elseif ($Skip -lt $all.Count) { $all[$Skip..($all.Count - 1)] }
}
function Write-Output([Parameter(Position = 0)] $InputObject) { $InputObject }
function Start-Sleep { }
function Get-Date { [DateTime]::new(2026, 1, 2, 3, 4, 5) }
function New-TimeSpan([int] $Minutes) { [TimeSpan]::FromMinutes($Minutes) }
function New-Object([string] $TypeName) {
    if ($TypeName -notin 'System.Security.AccessControl.DirectorySecurity', 'System.Security.AccessControl.FileSecurity') {
        throw "New-Object $TypeName is not imitated here"
    }
    $security = [pscustomobject] @{ Type = $TypeName; Sddl = '' }
    $security.PSObject.Methods.Add([psscriptmethod]::new('SetSecurityDescriptorSddlForm', { param($sddl) $this.Sddl = $sddl }))
    $security
}

function Set-Acl([string] $LiteralPath, $AclObject) { Write-Call 'Set-Acl' @($LiteralPath, $AclObject.Type, $AclObject.Sddl) }

# The task that is registered already, and the processes of its agent until they are ended.
function Get-ScheduledTask {
    if ($env:REGISTERED) { [pscustomobject] @{ Actions = @([pscustomobject] @{ Arguments = $env:REGISTERED }) } }
}
function Get-CimInstance {
    # The agent ends on the signal of this number, which it takes by removing the file.
    if ($env:ENDS_ON_SIGNAL -and "$env:REGISTERED" -match '--log-file=([^"]+)' -and [IO.File]::Exists("$($Matches[1]).stop")) {
        [IO.File]::Delete("$($Matches[1]).stop")
        Write-Call 'signal' @()
        $global:signals += 1
        if ($global:signals -eq $env:ENDS_ON_SIGNAL) { $global:ended = $true }
    }
    [pscustomobject] @{ ProcessId = 11; CommandLine = 'another program' }
    if (-not $global:ended) { [pscustomobject] @{ ProcessId = 12; CommandLine = $env:REGISTERED } }
}
function Stop-Process([int] $Id, [switch] $Force, $ErrorAction) {
    Write-Call 'Stop-Process' @("$Id")
    $global:ended = $true
}
$global:ended = $false
$global:signals = 0

$windows = 'New-ScheduledTaskAction', 'New-ScheduledTaskTrigger', 'New-ScheduledTaskPrincipal', 'New-ScheduledTaskSettingsSet',
    'Register-ScheduledTask', 'Unregister-ScheduledTask', 'Start-ScheduledTask', 'Stop-ScheduledTask',
    'Disable-ScheduledTask', 'icacls.exe', 'schtasks.exe'
foreach ($name in $windows) {
    . ([scriptblock]::Create("function $name { Write-Call '$name' `$args }"))
}

function Write-Call([string] $Name, $Arguments) {
    [string[]] $call = @($Name) + $Arguments
    [Console]::Out.WriteLine([Text.Json.JsonSerializer]::Serialize($call, [string[]], [Text.Json.JsonSerializerOptions] $null))
    $global:LASTEXITCODE = 0
    # What the script passes on, or searches for the identifier of the task.
    if ($Name -like 'New-*') { $Name }
    if ($Name -eq 'schtasks.exe') { "ERFOLGREICH: Die SID `"$env:SHOWN_SID`" wurde berechnet." }
}
