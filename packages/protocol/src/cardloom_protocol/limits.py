"""Every number that Cardloom promises, once: name, value, unit, reason and source.

`CARD_LIMITS` is what a card is told in its context, under the wire names of the card host contract.
`OWN_LIMITS` holds Cardloom's own numbers. Code takes its numbers from here by `limit("messageBytes")`,
and hands them on as arguments, so that a test can set a small one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_KIB = 1 << 10
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limit:
    """One promised number. `name` is its wire name; `unit` says what is counted, `reason` what it protects."""

    name: str
    value: int
    unit: str
    reason: str
    source: str


def _table(source: str, rows: tuple[tuple[str, int, str, str], ...]) -> Mapping[str, Limit]:
    return MappingProxyType({name: Limit(name, value, unit, reason, source) for name, value, unit, reason in rows})


# Messages count UTF-16 units of compact JSON (unit "json units"), files count bytes.
LIMITS: Mapping[str, Limit] = _table(
    "card host contract 1.3",
    (
        ("messageBytes", _MIB, "json units", "one envelope of an ordinary method"),
        ("largeMessageBytes", 12 * _MIB, "json units", "one envelope of a method that carries file or HTTP bodies"),
        ("inFlightRequests", 64, "requests", "unanswered requests of one connection; the rest wait at the sender"),
        ("requestsPerSecond", 200, "requests/s", "refill of a connection's request bucket"),
        ("requestBurst", 400, "requests", "size of a connection's request bucket"),
        ("valueDepth", 64, "levels", "nesting of any JSON value, the root being level 0"),
        ("valueNodes", 200_000, "nodes", "values inside one JSON value, counting itself"),
        ("tarballBytes", 50 * _MIB, "bytes", "a package archive as downloaded"),
        ("unpackedBytes", 100 * _MIB, "bytes", "a package once unpacked"),
        ("fileBytes", 20 * _MIB, "bytes", "one file of a package"),
        ("files", 5000, "files", "files of a package"),
        ("pathDepth", 20, "segments", "depth of a package path"),
        ("pathChars", 240, "utf-16 units", "length of a package path"),
        ("manifestBytes", 256 * _KIB, "bytes", "the manifest file"),
        ("iconBytes", 128 * _KIB, "bytes", "the package icon"),
        ("storageKeyChars", 256, "utf-16 units", "a storage key"),
        ("storageValueBytes", _MIB, "json units", "one stored value"),
        ("storageKeys", 10_000, "keys", "keys of one storage scope"),
        ("instanceStorageBytes", 5 * _MIB, "json units", "all that one card stores for itself"),
        ("packageStorageBytes", 20 * _MIB, "json units", "all that the cards of one package share"),
        ("settings", 40, "settings", "settings of a manifest"),
        ("portsPerDirection", 16, "ports", "inputs of a card, and outputs"),
        ("toolsPerPackage", 32, "tools", "tools of a manifest"),
        ("permissionHosts", 32, "hosts", "host patterns of the network permission, all entries together"),
        ("schemaNodes", 500, "nodes", "sub-schemas of one schema"),
        ("schemaDepth", 16, "levels", "nesting of one schema"),
        ("schemaEnumOptions", 256, "values", "options of one enum"),
        ("schemaEnumBytes", 16 * _KIB, "json units", "one enum as JSON"),
        ("schemaConstBytes", 4 * _KIB, "json units", "one const as JSON"),
        ("menuItems", 12, "items", "entries a card adds to its menu"),
        ("netRequestBodyBytes", 5 * _MIB, "bytes", "body of an outgoing request"),
        ("netResponseBytes", 10 * _MIB, "bytes", "body of an answer; the rest is cut and marked"),
        ("netConcurrent", 6, "requests", "outgoing requests of a card at once"),
        ("netPerMinute", 120, "requests/min", "outgoing requests of a card"),
        ("netRedirects", 5, "redirects", "redirects followed for one request"),
        ("netTimeoutMs", 30_000, "ms", "an outgoing request that names no timeout"),
        ("netMaxTimeoutMs", 120_000, "ms", "the longest timeout a request may name"),
        ("netStreams", 4, "streams", "streamed answers of a card at once"),
        ("fsReadBytes", 10 * _MIB, "bytes", "one file read"),
        ("fsWriteBytes", 10 * _MIB, "bytes", "one file write"),
        ("fsListEntries", 5000, "entries", "one folder listing"),
        ("fsWatchers", 20, "watchers", "watches of a card"),
        ("promptChars", 20_000, "utf-16 units", "a prompt sent to an agent"),
        ("promptsPerMinute", 6, "prompts/min", "prompts of one card"),
        ("terminalWriteChars", 20_000, "utf-16 units", "one write to a terminal"),
        ("terminalRunTimeoutMs", 120_000, "ms", "the longest wait for a command"),
        ("screenLines", 500, "lines", "lines of a screen read"),
        ("outputFlushMs", 100, "ms", "how long output is gathered before it is sent"),
        ("outputFlushBytes", 64 * _KIB, "utf-16 units", "how much output is gathered before it is sent"),
        ("toolResultBytes", _MIB, "json units", "a tool's result"),
        ("toolTimeoutMs", 30_000, "ms", "a tool call whose tool names no timeout"),
        ("toolMaxTimeoutMs", 120_000, "ms", "the longest timeout a tool may name"),
        ("portMessagesPerSecond", 20, "messages/s", "messages of one output"),
        ("retainedValueBytes", 256 * _KIB, "json units", "a value kept for cards that connect later"),
        ("portRequestTimeoutMs", 30_000, "ms", "a port request that names no timeout"),
        ("attentionIntervalMs", 10_000, "ms", "gap between two calls for attention"),
        ("focusIntervalMs", 5000, "ms", "gap between two focus moves"),
        ("toastIntervalMs", 2000, "ms", "gap between two toasts"),
        ("clipboardIntervalMs", 1000, "ms", "gap between two clipboard writes"),
        ("clipboardChars", _MIB, "utf-16 units", "a clipboard text"),
        ("spawnsPerInstance", 4, "cards", "living children of a card"),
        ("resizeIntervalMs", 500, "ms", "gap between two resizes by the card"),
        ("titleChars", 120, "utf-16 units", "a card's title"),
        ("chromeUpdatesPerMinute", 120, "updates/min", "changes of title, status, badge and overview"),
        ("statusChars", 80, "utf-16 units", "a status text"),
        ("overviewChars", 160, "utf-16 units", "a text of the overview tile"),
        ("toastChars", 280, "utf-16 units", "a toast"),
        ("confirmChars", 1000, "utf-16 units", "the text of a question to the user"),
        ("logLineChars", 2000, "utf-16 units", "a line of a card's log; the rest is cut"),
        ("logLinesPerSecond", 50, "lines/s", "log lines of a card; the rest is dropped"),
        ("liveFrames", 24, "frames", "card frames alive at once"),
        ("backgroundFrames", 8, "frames", "frames that may keep running out of sight"),
        ("hiddenSuspendMs", 60_000, "ms", "time out of sight after which a frame sleeps"),
        ("suspendGraceMs", 1000, "ms", "time a card gets to save before it sleeps"),
        ("frameTokenTtlMs", 30_000, "ms", "time until a frame's address must be used"),
        ("readyTimeoutMs", 10_000, "ms", "time a frame gets to complete the handshake"),
        ("heartbeatMs", 5000, "ms", "gap between two checks that a frame answers"),
        ("unresponsiveMs", 15_000, "ms", "silence after which a frame is shown as not answering"),
        ("frameMountsPerFrame", 2, "mounts", "how often one frame address may be loaded"),
    ),
)

OWN_LIMITS: Mapping[str, Limit] = _table(
    "Cardloom",
    (
        ("journalDays", 30, "days", "how long the journal keeps an entry"),
        ("journalBytes", 500 * _MIB, "bytes", "what the journal may fill on disk"),
        ("journalBodyBytes", 64 * _KIB, "bytes", "a body kept whole; larger ones are kept as hash and head"),
        ("cascadeHops", 32, "hops", "deliveries one cause may trigger in a row"),
        ("cascadePerSecond", 200, "deliveries/s", "deliveries of one chain"),
        ("causeMs", 5000, "ms", "how long what a custom card sends counts as caused by what it received last"),
        ("activityMs", 100, "ms", "gap between two pulses of an arrow on the pages"),
        ("statsStoreMs", 3000, "ms", "gap between two writes of the arrows' counts"),
        ("peersSettleMs", 30, "ms", "how long changes of the canvas are gathered before cards are told of their peers"),
        ("journalPruneMs", 600_000, "ms", "gap between two looks for journal entries to forget"),
        ("replayEntries", 10_000, "entries", "journal entries that one replay takes"),
        ("builtinOutputsPerSecond", 4, "messages/s", "an output of a built-in card; the last state always goes out"),
        ("todoItems", 200, "items", "items of a to-do card"),
        ("queuedPrompts", 10, "prompts", "card prompts waiting for one agent"),
        ("wakeTimeoutMs", 10_000, "ms", "time a sleeping card gets to wake for a call"),
        ("bufferedMessages", 100, "messages", "port messages a card keeps until it listens"),
        ("fileResponseBytes", 29 * _MIB // 2, "json units", "an answer of fs.read or fs.list: 10 MiB as base64"),
        ("linkHops", 40, "links", "symbolic links followed inside one path"),
        ("fsWatchersOfPage", 200, "watchers", "watches of one connection of the owner"),
        ("fsWatchGatherMs", 100, "ms", "how long changes below a watched path are gathered before they are told"),
        ("fsWatchPaths", 10_000, "paths", "changed paths that wait for one watch; beyond, they give way to a rescan"),
        ("fsWatchFolders", 20_000, "folders", "folders that one watch may hold"),
        ("terminalColumnsMin", 20, "columns", "narrowest terminal"),
        ("terminalColumnsMax", 1000, "columns", "widest terminal"),
        ("terminalRowsMin", 5, "rows", "lowest terminal"),
        ("terminalRowsMax", 500, "rows", "highest terminal"),
        (
            "terminalReadBytesPerSecond",
            16 * _MIB,
            "bytes/s",
            "output taken from one terminal; beyond it the program waits",
        ),
        ("terminalScrollbackBytes", 1_500_000, "bytes", "memory for the lines that scrolled away in one terminal"),
        ("terminalRepaintChars", 400_000, "characters", "repaint of one terminal; older lines are left out of it"),
        ("terminalUnacknowledgedChars", 512 * _KIB, "characters", "output sent to a viewer that it has not drawn yet"),
        ("terminalGatherMs", 8, "ms", "how long output is gathered for viewers"),
        ("terminalPieceChars", 64 * _KIB, "characters", "output gathered into one event for viewers"),
        ("terminalInputBytes", _MIB, "bytes", "typed and not yet read by the program"),
        ("terminalEndGraceMs", 1500, "ms", "time a program gets to end before it is killed"),
        ("outputUnreadChars", 256 * _KIB, "characters", "events unread by a card before it loses output"),
        ("terminalRunTimeoutMinMs", 1000, "ms", "the shortest wait for a command"),
        ("terminalRunOutputBytes", 64 * _KIB, "utf-16 units", "output returned with a finished command"),
        ("schemaIssues", 20, "issues", "issues reported for one value or one schema"),
        ("manifestIssues", 50, "issues", "issues reported for one manifest"),
        ("paramsIssues", 10, "issues", "issues reported for the params of one call"),
        ("schemaBudget", 200_000, "steps", "work spent on checking one value"),
        ("schemaRefHops", 33, "hops", "references followed in a row"),
        ("dialogTimeoutMs", 120_000, "ms", "how long a question to the owner waits; silence is a refusal"),
        ("cardDialogTimeoutMs", 60_000, "ms", "how long a card's question to the owner waits; silence is a refusal"),
        ("clipboardAnswerMs", 5000, "ms", "how long a page has to copy a text for a card"),
        ("secretChars", 8192, "characters", "a secret of a card, as it fits into a header"),
        (
            "storageEvents",
            500,
            "keys",
            "keys named one by one when a store is emptied; beyond, one event stands for all",
        ),
        ("netUnreadChars", 256 * _KIB, "characters", "chunks unread by a card before its stream waits"),
        ("helloTimeoutMs", 10_000, "ms", "time until the first message of a page's or a program's socket"),
        ("stallTimeoutMs", 30_000, "ms", "how long a socket may refuse to read before it is closed"),
        ("socketMessageBytes", 40 * _MIB, "bytes", "one socket message as it comes in, before anything is read of it"),
        ("outboxEvents", 2000, "events", "events that wait for one connection; beyond, they give way to one gap mark"),
        ("outboxBytes", 8 * _MIB, "utf-16 units", "size of the events that wait for one connection"),
        (
            "outboxReplyBytes",
            4 * _MIB,
            "utf-16 units",
            "unread answers beyond which nothing more is read from the peer",
        ),
        ("accessCodeMs", 600_000, "ms", "how long a one-time code opens a page"),
        ("accessCodes", 16, "codes", "one-time codes good at the same time; the oldest gives way"),
        ("canvasResponseBytes", 512 * _MIB, "json units", "an answer that holds a whole canvas"),
        ("workspaceCards", 5000, "cards", "cards of one workspace"),
        ("workspaceArrows", 20_000, "arrows", "arrows of one workspace"),
        ("removedDays", 30, "days", "how long undo can bring a removed card back"),
        ("folderCheckMs", 5000, "ms", "gap between two looks at the folders of open workspaces"),
        ("cardLogLines", 1000, "lines", "lines kept of what a card logs and prints"),
        ("cardLogFlushMs", 100, "ms", "how long a card's log lines are gathered before they are told"),
        ("cardLogFlushLines", 100, "lines", "log lines of a card told at once; the rest is counted"),
        ("programConnectMs", 20_000, "ms", "time a program gets to connect before its card says that it has not"),
        ("programRestartFirstMs", 500, "ms", "wait before a program that ended by itself is started again"),
        ("programRestartLastMs", 30_000, "ms", "longest wait before a program is started again"),
        ("programSteadyMs", 60_000, "ms", "time a program must run for the waits to begin anew"),
        ("programStopMs", 2000, "ms", "time a program gets to end when it is asked to"),
        ("frameLookMs", 1000, "ms", "gap between two looks at which frames are out of sight"),
        (
            "archiveInflatedBytes",
            500 * _MIB,
            "bytes",
            "all that an archive holds once unpacked, packages beside it included",
        ),
        ("archiveMetaBytes", _MIB, "bytes", "one extended header of an archive"),
        ("archiveEntries", 100_000, "entries", "entries of an archive, headers included"),
        ("archiveNameChars", 1024, "characters", "one name inside an archive, inside the package or beside it"),
        ("gitFetchMs", 300_000, "ms", "time to fetch a package's repository"),
        ("gitFetchBytes", 500 * _MIB, "bytes", "one file that fetching a repository may write"),
        ("downloadMs", 120_000, "ms", "time to download an archive or a catalogue"),
        ("catalogueBytes", 8 * _MIB, "bytes", "a catalogue of packages"),
        ("packageVersions", 5, "versions", "versions of a package kept to return to, the current one included"),
        ("inspectedPackages", 8, "packages", "packages that were looked at and wait to be installed"),
        ("shownFiles", 200, "files", "changed files named one by one in an update's difference"),
        ("packageIconsChars", 512 * _KIB, "characters", "all icons in the list of packages; the rest is left out"),
        ("schemaPatternChars", 256, "utf-16 units", "one pattern of our own schemas"),
    ),
)

CARD_LIMITS: dict[str, int] = {row.name: row.value for row in LIMITS.values()}


def limit(name: str) -> int:
    """The value of a card limit, else of one of Cardloom's own; KeyError names an unknown limit."""
    row = LIMITS.get(name) or OWN_LIMITS[name]
    return row.value
