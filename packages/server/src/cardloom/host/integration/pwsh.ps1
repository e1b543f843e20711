# Cardloom's start-up script for PowerShell: marks prompts and commands. The profile has run already; the user's prompt
# stays and is called from ours.

$Global:__CardloomNonce = $env:CARDLOOM_NONCE
Remove-Item Env:CARDLOOM_NONCE
$Global:__CardloomPrompt = $function:prompt
$Global:__CardloomRan = $false

function Global:__CardloomMark([string] $Body) {
  return "$([char]27)]633;$Body;$Global:__CardloomNonce$([char]7)"
}

function Global:__CardloomEscaped([string] $Text) {
  $cut = $Text.Substring(0, [Math]::Min($Text.Length, 4096))
  return -join ($cut.ToCharArray() | ForEach-Object {
    if ($_ -eq '\') { '\\' }
    elseif ($_ -eq ';') { '\x3b' }
    elseif ([int] $_ -lt 32 -or [int] $_ -eq 127) { '\x{0:x2}' -f [int] $_ }
    else { $_ }
  })
}

function Global:prompt {
  $worked = $?
  $last = $Global:LASTEXITCODE
  $code = if ($worked) { 0 } elseif ($last) { $last } else { 1 }
  $text = ''
  if ($Global:__CardloomRan) { $text += __CardloomMark "D;$code" }
  $Global:__CardloomRan = $true
  $text += __CardloomMark 'A'
  $text += (& $Global:__CardloomPrompt) -join ''
  $text += __CardloomMark 'B'
  $Global:LASTEXITCODE = $last
  return $text
}

if (Get-Module PSReadLine) {
  $Global:__CardloomReadLine = $function:PSConsoleHostReadLine
  function Global:PSConsoleHostReadLine {
    $line = & $Global:__CardloomReadLine
    [Console]::Write((__CardloomMark ('E;' + (__CardloomEscaped $line))) + (__CardloomMark 'C'))
    return $line
  }
}
