// Every limit with its default, in one place. What is configurable is a key of the configuration too.

export const LIMITS = {
  /** Text of one call's arguments, in bytes of UTF-8. */
  maxCallBytes: 16 * 1024 * 1024,
  /** Nesting of objects and arrays in arguments. */
  maxCallDepth: 64,
  /** Objects, arrays, and what stands in them: a wrong one may cost an error message each. */
  maxCallEntries: 100_000,
  /** Calls in one batch. */
  maxBatchCalls: 128,
  /** Reads of one batch that run side by side. */
  maxParallelReads: 8,
  maxCallIdBytes: 256,
  maxToolNameBytes: 128,
  maxPathBytes: 4096,
  maxNameBytes: 255,
  maxLinksFollowed: 40,
  /** A command line that rules can read: no longer than the kernel takes as one argument. */
  maxCommandBytes: 128 * 1024,
  /** Nodes of its syntax tree, one within the other. */
  maxCommandDepth: 256,
  maxCommandBraces: 1000,
  /** Simple commands in it, with those that others run. */
  maxSimpleCommands: 1000,
  /** All their words: one that others run is counted with each of them. */
  maxCommandChars: 1024 * 1024,
  /** `read_file` without a range. */
  maxReadBytes: 1024 * 1024,
  /** Above this size a file's sha256 and count of lines are not taken. */
  maxHashBytes: 256 * 1024 * 1024,
  /** What is looked at to tell text from binary. */
  binaryProbeBytes: 8 * 1024,
  maxListEntries: 1000,
  /** All .gitignore and .ignore files above a path together, one line of them, and their rules: what is over is passed over. */
  maxIgnoreBytes: 256 * 1024,
  maxIgnoreLineBytes: 4096,
  maxIgnoreRules: 10_000,
  /** Tools on mount paths, unless the agent has others. */
  mounts: { maxReadBytes: 50_000, maxWriteBytes: 100_000, maxEntries: 200, maxMatches: 50 },
  /** What an agent may be given there: an answer has to fit into one observation. */
  mostOnMounts: {
    maxReadBytes: 1024 * 1024,
    maxWriteBytes: 8 * 1024 * 1024,
    maxEntries: 10_000,
    maxMatches: 1000,
  },
  /** Text and context of all matches that one `fs.search` shows. */
  maxMatchChars: 1024 * 1024,
  /** Matching with look-around or back-references, all files together: such a pattern may take for ever. */
  backtrackingMs: 5000,
  /** How long the processes of a search are kept for the next one. */
  searchIdleMs: 5000,
  /** Changed paths in one observation's meta. */
  maxReportedChanges: 100,
  /** A directory's own size, which grows with its names: some 200,000 long ones, or a million short ones. */
  maxDirectoryBytes: 32 * 1024 * 1024,
  /** Layers of a session that are mounted one by one: the kernel takes 500, and a page of their names. */
  maxLayers: 100,
  /** A larger file is compared, but its lines are not shown. */
  maxDiffFileBytes: 1024 * 1024,
  /** All hunks of one diff; files beyond are shown without their lines. */
  maxDiffTextChars: 32 * 1024 * 1024,
  /** Work to find the shortest difference of two texts; beyond it the changed part is one replacement. */
  maxDiffSteps: 8_000_000,
  /** One file that is whole in a patch. */
  maxPatchFileBytes: 64 * 1024 * 1024,
  /** A pattern to search for, and the nesting of its groups. */
  maxPatternChars: 4096,
  maxPatternDepth: 250,
  /** States of its automaton; counted repeats are written out. */
  maxPatternStates: 20_000,
  /** How many of them are looked at for each byte that is searched, and once more: some seconds. */
  maxWorkPerByte: 500,
  maxSpareWork: 300_000_000,
  /** What a search keeps of the automaton that it makes while it reads: 4 bytes and 2 bytes each. */
  maxTableEntries: 1024 * 1024,
  maxSetEntries: 4 * 1024 * 1024,
  /** One observation as JSON; what is over becomes an artifact. */
  maxObservationBytes: 2 * 1024 * 1024,
  /** The YAML at the beginning of a Markdown file. */
  maxFrontmatterChars: 256 * 1024,
  maxFrontmatterDepth: 64,
  /** Its values; what an alias stands for is counted each time. */
  maxFrontmatterEntries: 100_000,
  toolTimeoutMs: 60_000,
  /** What a command writes out: of each stream so much is shown, its head and its tail. */
  maxShownOutputBytes: 100 * 1024,
  /** The longest that setTimeout keeps: beyond it timers fire at once. */
  maxTimeoutMs: 2_147_483_647,
  /** One log file; then the next one begins. */
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
  /** How long closing a cell waits for what a cancelled call still does. */
  closeWaitMs: 5000,
  /** How long what a cancelled call changed is still looked at; the next call goes on with the rest. */
  noteWaitMs: 1000,
  /** How long a writer waits for another process's lock. */
  lockWaitMs: 5000,
} as const;
