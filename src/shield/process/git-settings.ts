// Settings of git that commands have by variables, whatever configuration git finds. Those that a caller gives in
// the same way come after them: git takes the last one of a key.

/**
 * In a copy of a project every file has another number and change time than git noted. By these git would take all of
 * them for maybe changed, and git diff would write the index: a change of the session that nobody asked for.
 */
export const IGNORE_FILE_IDENTITY = ["core.checkStat", "minimal"] as const;

/** The variables with these settings before the caller's; as they are where git itself would refuse the caller's. */
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
