import os from "node:os";
import { afterEach, describe, expect, test, vi } from "vitest";
import { envFor, sanitizeEnv } from "./environment.ts";

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

afterEach(() => vi.unstubAllEnvs());

describe("envFor, 003's Safe Environment", () => {
  test("must not inherit the full host environment", () => {
    vi.stubEnv("SOMETHING_OF_THE_HOST", "x");
    expect(Object.keys(envFor({}))).toEqual(["PATH", "HOME"]);
  });

  test("must include PATH (system default), whatever the host's is", () => {
    vi.stubEnv("PATH", "/somewhere/else");
    expect(envFor({}).PATH).toBe(DEFAULT_PATH);
  });

  test("must include HOME (current user's home)", () => {
    expect(envFor({}).HOME).toBe(os.homedir());
  });

  test("must include configured secrets as environment variables", () => {
    const env = envFor({ WEATHER_API_KEY: "one\ntwo=three", EMPTY: "" });
    expect(env).toEqual({
      PATH: DEFAULT_PATH,
      HOME: os.homedir(),
      WEATHER_API_KEY: "one\ntwo=three",
      EMPTY: "",
    });
  });

  test.each([
    ["API keys", "OPENAI_API_KEY"],
    ["cloud credentials", "AWS_SECRET_ACCESS_KEY"],
    ["shell history paths", "HISTFILE"],
    ["editor configs", "VIMINIT"],
  ])("must not include: %s", (_, name) => {
    vi.stubEnv(name, "x");
    expect(envFor({})).not.toHaveProperty(name);
  });

  test.each([
    ["", /letters, digits and underscores/],
    ["A=B", /letters, digits and underscores/],
    ["BASH_FUNC_ls%%", /letters, digits and underscores/],
    ["PATH", /hotcell sets this variable/],
    ["HOME", /hotcell sets this variable/],
    ["LD_PRELOAD", /load or run/],
    ["NODE_OPTIONS", /load or run/],
  ])("refuses a secret named %j", (name, why) => {
    expect(() => envFor({ [name]: "value" })).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringMatching(why) }),
    );
  });

  test("refuses a value with a NUL, without telling the value", () => {
    expect(() => envFor({ KEY: "hidden\0" })).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        message: `Could not give a command the secret "KEY": its value contains a NUL character; remove it.`,
      }),
    );
  });
});

describe("sanitizeEnv, 004's ValidateBashEnv", () => {
  test("AC-7: the result contains PATH but not MY_API_KEY", () => {
    expect(sanitizeEnv({ MY_API_KEY: "secret", PATH: "/usr/bin" })).toEqual({ PATH: "/usr/bin" });
  });

  test.each([
    ["API_KEY", "TEST_API_KEY", "ApiKey", "OPENAI_KEY", "AWS_ACCESS_KEY_ID", "STRIPE_KEYS"],
    ["TOKEN", "GITHUB_TOKEN", "npm_token", "AWS_SESSION_TOKEN", "GH_PAT"],
    ["SECRET", "CLIENT_SECRET", "Secrets", "AWS_SECRET_ACCESS_KEY"],
    ["PASSWORD", "PGPASSWORD", "DB_PASSWD", "DB_PASS", "MYSQL_PWD", "PGPASSFILE"],
    ["CREDENTIAL", "GOOGLE_APPLICATION_CREDENTIALS", "HTTP_AUTH", "SENTRY_DSN", "SESSION_COOKIE"],
    ["SSH_AUTH_SOCK", "KUBECONFIG", "DOCKER_HOST", "DBUS_SESSION_BUS_ADDRESS", "HISTFILE"],
  ])("strips %s and its like by name, in whatever case", (...names) => {
    expect(sanitizeEnv(valued(names))).toEqual({});
    expect(sanitizeEnv(valued(names.map((name) => name.toLowerCase())))).toEqual({});
  });

  test.each([
    ["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "GLIBC_TUNABLES"],
    ["BASH_ENV", "ENV", "IFS", "PS4", "PROMPT_COMMAND", "SHELLOPTS", "BASH_FUNC_ls%%", "ZDOTDIR"],
    ["NODE_OPTIONS", "NODE_PATH", "npm_config_script_shell"],
    ["PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB"],
    ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH", "RUSTC_WRAPPER", "MAKEFLAGS"],
    ["GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "GIT_EXTERNAL_DIFF", "GIT_DIR", "SSH_ASKPASS"],
    ["EDITOR", "VISUAL", "PAGER", "MANPAGER", "LESSOPEN", "SUDO_ASKPASS", "VIMINIT", "INPUTRC"],
  ])("strips %s and its like, which make programs load or run something", (...names) => {
    expect(sanitizeEnv(valued(names))).toEqual({});
  });

  test.each([
    ["a URL with a password", "postgres://user:hunter2@db/x"],
    ["a key of a known shape", "sk-abcdefghijklmnopqrstuvwx"],
    ["a private key", "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----"],
  ])("strips a variable whose value is %s", (_, value) => {
    expect(sanitizeEnv({ HARMLESS: value, LANG: "C" })).toEqual({ LANG: "C" });
  });

  test("preserves non-sensitive variables", () => {
    const env = {
      ...{
        PATH: "/usr/bin:/bin",
        HOME: "/home/me",
        PWD: "/src",
        OLDPWD: "/",
        SHELL: "/bin/bash",
        TERM: "dumb",
      },
      ...{ LANG: "C.UTF-8", LC_ALL: "C", TZ: "UTC", USER: "me", CI: "true", NO_COLOR: "1", TMPDIR: "/tmp" },
      ...{ GIT_AUTHOR_NAME: "me", GIT_COMMITTER_EMAIL: "me@example.org", GIT_TERMINAL_PROMPT: "0" },
      ...{ NODE_ENV: "test", PYTHONUNBUFFERED: "1", JAVA_HOME: "/usr/lib/jvm", GOPATH: "/go", EMPTY: "" },
      ...{ KEYBOARD_LAYOUT: "us", COMPASS: "north", AUTHOR: "me", XDG_SESSION_ID: "3", MONKEY: "x" },
      ...{ HTTP_PROXY: "http://proxy:3128", LS_COLORS: "di=01;34:*.key=00;32", PATTERN: "a" },
    };
    expect(sanitizeEnv(env)).toEqual(env);
  });

  test("leaves out what has no value, and does not change what it was given", () => {
    const env = { PATH: "/bin", TOKEN: "x", NOTHING: undefined };
    expect(sanitizeEnv(env)).toEqual({ PATH: "/bin" });
    expect(env).toEqual({ PATH: "/bin", TOKEN: "x", NOTHING: undefined });
  });
});

describe("rows of test/corpus/output.jsonl about environments", () => {
  test.each([
    ["out-043", ["API_KEY", "MY_API_KEY", "apikey", "Api-Key"]],
    ["out-044", ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "NPM_TOKEN", "PGPASSWORD"]],
    ["out-047", ["LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "GIT_DIR", "GIT_SSH", "GIT_CONFIG_GLOBAL"]],
    ["out-048", ["BASH_FUNC_x%%"]],
    ["out-051", ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DOCKER_HOST"]],
  ])("%s: %j are in no environment that we make", (_, names) => {
    for (const name of names) vi.stubEnv(name, "x");
    expect(Object.keys(envFor({}))).toEqual(["PATH", "HOME"]);
    expect(sanitizeEnv(valued(names))).toEqual({});
  });

  test("out-044: a DATABASE_URL with a password is stripped, and one without stays", () => {
    const env = (url: string) => sanitizeEnv({ DATABASE_URL: url });
    expect(env("postgres://me:hunter2@db/x")).toEqual({});
    expect(env("postgres://db/x")).toEqual({ DATABASE_URL: "postgres://db/x" });
  });

  test.each([
    ["out-045", ["TOKENIZERS_PARALLELISM", "SECRETARY", "KEYBOARD"]],
    ["out-046", ["PATH", "HOME", "LANG", "TERM", "TZ"]],
  ])("%s: %j are no secrets, and stay", (_, names) => {
    expect(sanitizeEnv(valued(names))).toEqual(valued(names));
  });

  test("out-049: a newline and an equals sign in a value are passed exactly", () => {
    const value = "one\ntwo=three";
    expect(envFor({ GIVEN: value }).GIVEN).toBe(value);
    expect(sanitizeEnv({ GIVEN: value })).toEqual({ GIVEN: value });
  });
});

function valued(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, "x"]));
}
