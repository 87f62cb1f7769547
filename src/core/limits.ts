// All limits with their defaults. A configurable limit is also a key of the configuration.

export const LIMITS = {
  /** Text of one call's arguments, in bytes of UTF-8. */
  maxCallBytes: 16 * 1024 * 1024,
  /** Nesting of objects and arrays in arguments. */
  maxCallDepth: 64,
  /** Objects, arrays and their members: each wrong one may produce an error message. */
  maxCallEntries: 100_000,
  /** Calls in one batch. */
  maxBatchCalls: 128,
  /** Reads of one batch that run in parallel. */
  maxParallelReads: 8,
  maxCallIdBytes: 256,
  maxToolNameBytes: 128,
  maxPathBytes: 4096,
  maxNameBytes: 255,
  maxLinksFollowed: 40,
  /** A command line that rules can parse: the kernel's limit for one argument. */
  maxCommandBytes: 128 * 1024,
  /** Nesting of its syntax tree. */
  maxCommandDepth: 256,
  maxCommandBraces: 1000,
  /** Simple commands in it, including those that other commands run. */
  maxSimpleCommands: 1000,
  /** All their words. A command that others run counts once for each of them. */
  maxCommandChars: 1024 * 1024,
  /** `read_file` without a range. */
  maxReadBytes: 1024 * 1024,
  /** Above this size a file's sha256 and line count are not computed. */
  maxHashBytes: 256 * 1024 * 1024,
  /** Bytes that are read to distinguish text from binary. */
  binaryProbeBytes: 8 * 1024,
  maxListEntries: 1000,
  /** All .gitignore and .ignore files above a path together, one line of them, and their rules; the excess is ignored. */
  maxIgnoreBytes: 256 * 1024,
  maxIgnoreLineBytes: 4096,
  maxIgnoreRules: 10_000,
  /** Defaults for tools with mount paths; an agent may have other limits. */
  mounts: { maxReadBytes: 50_000, maxWriteBytes: 100_000, maxEntries: 200, maxMatches: 50 },
  /** The maximum of these limits for an agent: a result has to fit in one observation. */
  mostOnMounts: {
    maxReadBytes: 1024 * 1024,
    maxWriteBytes: 8 * 1024 * 1024,
    maxEntries: 10_000,
    maxMatches: 1000,
  },
  /** Text and context of all matches that one `fs.search` shows. */
  maxMatchChars: 1024 * 1024,
  /** Matching with look-around or back-references, over all files: such a pattern may never finish. */
  backtrackingMs: 5000,
  /** How long search workers wait for the next search. */
  searchIdleMs: 5000,
  /** Changed paths in one observation's meta. */
  maxReportedChanges: 100,
  /** The size of a directory itself: about 200,000 long names, or a million short ones. */
  maxDirectoryBytes: 32 * 1024 * 1024,
  /** Layers of a session that are mounted one by one. The kernel's limits are 500, and one page for their names. */
  maxLayers: 100,
  /** A larger file is compared, but its lines are not shown. */
  maxDiffFileBytes: 1024 * 1024,
  /** All hunks of one diff; further files are shown without their lines. */
  maxDiffTextChars: 32 * 1024 * 1024,
  /** Work to find the shortest difference of two texts; beyond it the changed part is one replacement. */
  maxDiffSteps: 8_000_000,
  /** A file with its whole content in a patch. */
  maxPatchFileBytes: 64 * 1024 * 1024,
  /** A search pattern, and the nesting of its groups. */
  maxPatternChars: 4096,
  maxPatternDepth: 250,
  /** States of its automaton; counted repeats are expanded. */
  maxPatternStates: 20_000,
  /** States visited for each byte of input, and an extra allowance once: some seconds. */
  maxWorkPerByte: 500,
  maxSpareWork: 300_000_000,
  /** Cache of the lazily built automaton: entries of 4 bytes and of 2 bytes. */
  maxTableEntries: 1024 * 1024,
  maxSetEntries: 4 * 1024 * 1024,
  /** One observation as JSON; an artifact keeps a longer one. */
  maxObservationBytes: 2 * 1024 * 1024,
  /** The YAML at the beginning of a Markdown file. */
  maxFrontmatterChars: 256 * 1024,
  maxFrontmatterDepth: 64,
  /** Its values; the target of an alias counts each time. */
  maxFrontmatterEntries: 100_000,
  toolTimeoutMs: 60_000,
  /** The shown output of a command: head and tail of each stream. */
  maxShownOutputBytes: 100 * 1024,
  /** The maximum of setTimeout: longer timers fire at once. */
  maxTimeoutMs: 2_147_483_647,
  /** One log file; then it is rotated. */
  maxLogFileBytes: 64 * 1024 * 1024,
  /** Cells that are open on one project at once, in mode `host`. */
  maxOpenLogs: 1000,
  /** Strings in the log longer than this are logged as size, hash and preview. */
  maxLoggedStringBytes: 256,
  logPreviewChars: 80,
  /** One line of the log; the limits below keep every record under it. */
  maxLogRecordBytes: 64 * 1024,
  /** One input or one output in a record. */
  maxLoggedValueBytes: 20 * 1024,
  maxLoggedItems: 16,
  maxLoggedMembers: 64,
  maxLoggedDepth: 8,
  maxLoggedStackChars: 1500,
  maxConfigBytes: 1024 * 1024,
  /** Nesting of objects and arrays in a configuration or policy test file. */
  maxConfigDepth: 32,
  /** How long closing a cell waits for cancelled calls that still run. */
  closeWaitMs: 5000,
  /** How long the changes of a cancelled call are recorded; the next call records the rest. */
  noteWaitMs: 1000,
  /** How long a writer waits for a lock of another process. */
  lockWaitMs: 5000,
} as const;
