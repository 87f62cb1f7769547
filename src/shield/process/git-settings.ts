// Passes git settings to commands by environment variables, which override git's configuration files. Settings of the
// caller in the same variables come later, and git uses the last value of a key.

/**
 * In a copy of a project every file has another inode number and change time than git recorded. git would treat all
 * files as possibly changed, and git diff would rewrite the index: an unrequested change in the session.
 */
export const IGNORE_FILE_IDENTITY = ["core.checkStat", "minimal"] as const;

/** Adds these settings before the caller's. Returns the variables unchanged if git would reject the caller's settings. */
export function withGitSettings(
  settings: readonly (readonly [key: string, value: string])[],
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const { GIT_CONFIG_COUNT: count = "0", ...others } = env;
  const all = [...settings];
  for (let index = 0; index < Number(count); index++) {
    const [key, value] = [others[`GIT_CONFIG_KEY_${index}`], others[`GIT_CONFIG_VALUE_${index}`]];
    if (key === undefined || value === undefined) return { ...env };
    all.push([key, value]);
  }
  if (!/^\d+$/.test(count)) return { ...env };
  const variables = all.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...others, ...Object.fromEntries(variables), GIT_CONFIG_COUNT: `${all.length}` };
}
