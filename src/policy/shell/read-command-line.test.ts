import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import type { CommandLine } from "./command-line.ts";
import { readCommandLine } from "./read-command-line.ts";

/** One text for each command: a word that is not known as `?`, one that the shell changes with `~` after it. */
function commandsOf(line: string): readonly string[] {
  const read = readable(line);
  return read.commands.map(({ words }) =>
    words.map(({ text, fixed }) => (text === null ? "?" : fixed ? text : `${text}~`)).join(" "),
  );
}

function readable(line: string): CommandLine & { readonly readable: true } {
  const read = readCommandLine(line);
  if (!read.readable) throw new Error(`${JSON.stringify(line)} was not read: ${read.fault}`);
  return read;
}

function faultOf(line: string): string {
  const read = readCommandLine(line);
  return read.readable ? "it was read" : read.fault;
}

describe("every simple command is found", () => {
  test.each([
    ["a", ["a"]],
    ["a | b |& c", ["a", "b", "c"]],
    ["a; b & c && d || e\nf", ["a", "b", "c", "d", "e", "f"]],
    ["(a); { b; }; ! c; time d", ["a", "b", "c", "d"]],
    ['echo $(a) `b` "$(c)" <(d)', ["echo ? ? ? ?", "a", "b", "c", "d"]],
    ["echo ${x:-$(a)} $((1+$(b)))", ["echo ? ?", "a", "b"]],
    ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]],
    ["for x in $(a); do b; done; for ((;;)); do c; done; select x in 1; do d; done", ["a", "b", "c", "d"]],
    ["case $(a) in x) b;; *) c;; esac", ["a", "b", "c"]],
    ["f() { a; }; coproc b", ["a", "b"]],
    ["cat <<E\n$(a) `b`\nE", ["cat", "a", "b"]],
    ["cat <<'E'\n$(a) `b`\nE", ["cat"]],
    ["x=$(a) y=($(b)) c > $(d)", ["c", "a", "b", "d"]],
    ["[[ $(a) == x ]] && b", ["a", "b"]],
    ["echo `a \\`b\\``", ["echo ?", "a ?", "b"]],
    ["a # ; b\nc", ["a", "c"]],
    ["!(a)", ["a"]],
    ["", []],
    ["x=1", []],
  ])("%j", (line, commands) => {
    expect(commandsOf(line)).toEqual(commands);
  });
});

describe("words are read as the command gets them", () => {
  test.each([
    ["'g'it \"sta\"tus", ["git status"]],
    ["\\git a\\;b", ["git a;b"]],
    ["gi\\\nt x", ["git x"]],
    ["g?t *.md {a,b} ~/x $'x'", ["g?t~ *.md~ {a,b}~ ~/x~ x~"]],
    ["'g?t' '*' \"~\"", ["g?t * ~"]],
    ['git$X "$Y" $(z)', ["? ? ?", "z"]],
    ["export A='b c' B=$X", ["export A=b c ?"]],
  ])("%j", (line, commands) => {
    expect(commandsOf(line)).toEqual(commands);
  });
});

describe("what a command runs is found behind it", () => {
  test.each([
    ['env -i -- A=1 B="$X" x 1', ["x 1"]],
    ["env - x", ["x"]],
    ["env -u A x", ["x"]],
    ["/usr/bin/env x", ["x"]],
    ["timeout -k 5 --signal=KILL 10s x 1", ["x 1"]],
    ["nice x", ["x"]],
    ["nice -n 5 x", ["x"]],
    ["nice -10 x", ["x"]],
    ["ionice -c 2 -n 0 x", ["x"]],
    ["nohup x", ["x"]],
    ["setsid -w x", ["x"]],
    ["stdbuf -oL -e 0 x", ["x"]],
    ["\\time -f %e x", ["x"]],
    ["command -p x", ["x"]],
    ["command -v x", []],
    ["builtin x", ["x"]],
    ["exec -a y x", ["x"]],
    ["sudo -u root A=1 a.b=1 x", ["x"]],
    ["sudo /a=1 x", ["?", "/a=1 x", "x"]],
    ["doas -u root x", ["x"]],
    ["busybox x 1", ["x 1"]],
    ["nohup nice x", ["nice x", "x"]],
    ["xargs", []],
    ["xargs -0 -n1 x 1", ["x 1 ?"]],
    ["xargs -I{} x -{}", ["x ? ?"]],
    ["xargs -I % x % {}", ["x ? {} ?"]],
    ["xargs sh -c", ["sh -c ?", "?", "-c ?", "?"]],
    ["find . -name y -exec x {} + -o -okdir z \\;", ["x ?", "z"]],
    ["find . -exec {} \\;", ["?"]],
    ["sh -c 'x; y' z", ["x", "y"]],
    ["bash -o pipefail -lc x", ["x"]],
    ["sh -c \"sh -c 'x'\"", ["sh -c x", "x"]],
    ["sh x.sh", []],
    ["sh <<< 'x 1'", ["x 1"]],
    ["sh -s <<E\nx\nE", ["x"]],
    ["eval x '; y'", ["x", "y"]],
    ["trap 'x' EXIT", ["x"]],
    ["trap - EXIT", []],
    ["sh -s y <<< x", ["x"]],
    ["sh - <<< x", ["x"]],
    ["sh /dev/stdin <<< x", ["x"]],
    ["sh //proc/self/fd/./0 <<< x", ["x"]],
    [". /dev/stdin <<< x", ["x"]],
    ["source /dev/stdin <<< x", ["x"]],
    ["env bash <<< x", ["bash", "x"]],
    ["sh 3<<< y <<< x", ["x"]],
    ["sh <<E\necho \\`x\\`\nE", ["echo ?", "x"]],
    ["sh <<-E\n\ty <<F\n\tF\n\tx\n\tE", ["y", "x"]],
    ["bash -oc pipefail x", ["x"]],
    ["bash --version", []],
    ["rbash -c x", ["x"]],
    ["jobs -x x 1", ["x 1"]],
    ["jobs -l %1", []],
    ["compgen -C 'x 1'", ["x 1"]],
    ["mapfile -c 1 -C 'x 1' y", ["x 1"]],
    ["readarray -tCx y", ["x"]],
    ["flock -n -w 5 y x 1", ["x 1"]],
    ["flock y -c 'x 1'", ["x 1"]],
    ["taskset -c 0-3 x", ["x"]],
    ["chrt -f 10 x", ["x"]],
    ["setpriv --nnp --reuid 1 x", ["x"]],
    ["prlimit --nofile=10 -n10:20 x", ["x"]],
    ["setarch x86_64 -R x", ["x"]],
    ["setarch -R x", ["x"]],
    ["linux64 x", ["x"]],
    ["unshare -rm --fork x", ["x"]],
    ["chroot --userspec=1:1 / x", ["x"]],
    ["chroot --groups 1 / x", ["x"]],
    ["nsenter -t 1 --mount=y x", ["x"]],
    ["strace -f -e trace=y x", ["x"]],
    ["runuser -u y -- x 1", ["x 1"]],
    ["runuser y -c 'x 1'", ["x 1"]],
    ["su - y -c 'x 1'", ["x 1"]],
    ["su --command='x 1'", ["x 1"]],
    ["script -qc 'x 1' y", ["x 1"]],
    ["script -cx y", ["x"]],
  ])("%j", (line, behind) => {
    expect(commandsOf(line).slice(1)).toEqual(behind);
  });

  test.each([
    'sh -c "$X"',
    "eval $X",
    'sh <<< "$X"',
    "env $X y",
    "env -S 'y z'",
    "nice -n $X y",
    "timeout $X y",
    "sh -$X",
    "sh",
    "y | sh",
    "(sh) <<< y",
    "{ sh; } <<< y",
    "sh <<< y < z",
    "sh 3<<< y <&3",
    "sh /dev/fd/3 3<<< y",
    ". <(y)",
    "compgen -W '$(y)'",
    'mapfile -C "$X" y',
    "chroot /",
    "unshare",
    "su y",
    "su $X",
    "script y",
    "runuser y",
    "runuser - y -- -u",
    "strace -o '|y' x",
    "strace -EPATH=. x",
  ])("an ambiguous word is an unknown command: %j", (line) => {
    expect(commandsOf(line).slice(1)).toContain("?");
  });

  test("if the start of the command is ambiguous, every possible word counts", () => {
    expect(commandsOf("env -S a b c")).toEqual(["env -S a b c", "?", "-S a b c", "a b c", "b c", "c"]);
  });
});

describe("redirects", () => {
  test.each([
    ["a > b >> c 2> d &> e &>> f >| g <> h {fd}> i", ["b", "c", "d", "e", "f", "g", "h", "i"], []],
    ["a >& b", ["b"], []],
    ["a < b", [], ["b"]],
    ["a 2>&1 >&- <&3 >&3-", [], []],
    ["{ a; } > b; (c) > d; while e; do f; done > g", ["b", "d", "g"], []],
    ["> a", ["a"], []],
    ["a > $X > ~/b > c*", ["$X", "~/b", "c*"], []],
  ])("%j", (line, writes, reads) => {
    const { redirects } = readable(line);
    const of = (access: string) =>
      redirects.filter((at) => at.access === access).map((at) => at.target.source);
    expect([of("write"), of("read")]).toEqual([writes, reads]);
  });

  test.each([
    ["a > b", true],
    ["a > 'b c'", true],
    ["a > $X", false],
    ["a > ~/b", false],
    ["a > c*", false],
  ])("%j has a target that is fixed: %s", (line, fixed) => {
    expect(readable(line).redirects[0]!.target.fixed).toBe(fixed);
  });
});

describe("hazards", () => {
  const EVALUATED = "the shell evaluates the value of a variable in";
  const SET = "is set, and programs run or load the value of such a variable";

  test.each([
    ["f() { a; }", '"f" is defined as a function'],
    ["function f { a; }", '"f" is defined as a function'],
    ["coproc a", "a coprocess is started"],
    ["PATH=. a", `"PATH" ${SET}`],
    ["PATH+=:. a", `"PATH" ${SET}`],
    ["export LD_PRELOAD=x", `"LD_PRELOAD" ${SET}`],
    ["env IFS=x a", `"IFS" ${SET}`],
    ['env PATH="$X" a', `"PATH" ${SET}`],
    ["for BASH_ENV in x; do a; done", `"BASH_ENV" ${SET}`],
    ["a ${PATH:=x}", `"PATH" ${SET}`],
    ["a {PATH}> x", `"PATH" ${SET}`],
    ["a $((x + 1))", `${EVALUATED} "x"`],
    ["((x))", `${EVALUATED} "x"`],
    ["a $[x]", `${EVALUATED} "x"`],
    ["a ${x@P}", `${EVALUATED} "\${x@P}"`],
    ["a ${!x}", `${EVALUATED} "\${!x}"`],
    ["a ${x[y]}", `${EVALUATED} "\${x[y]}"`],
    ["a ${x:y}", `${EVALUATED} "\${x:y}"`],
    ["x[y]=1", `${EVALUATED} "x[y]=1"`],
    ["[[ x -eq 1 ]]", `${EVALUATED} "x"`],
    ["[[ -v x[y] ]]", `${EVALUATED} "x[y]"`],
    ["find . {-exec,a} \\;", 'find may get an action from "{-exec,a}"'],
    ["find . $x", 'find may get an action from "$x"'],
    ["[[ -v $x ]]", `${EVALUATED} "$x"`],
    ["a {y[x]}> b", `${EVALUATED} "y[x]"`],
  ])("%j: %s", (line, hazard) => {
    expect(readable(line).hazards.map(({ text }) => text)).toEqual([hazard]);
  });

  test.each([
    "NODE_ENV=test CI=1 TZ=UTC LC_ALL=C FORCE_COLOR=0 X=1 a",
    "a $((1 + 2)) ${x[0]} ${x[@]} ${x:1:2} ${#x} ${x%.js} ${x:-y} ${!x*}",
    'for x in *; do a "$x"; done',
    "[[ -f x && $y == z ]]",
    'find "$x" -name *.md',
    "PID=1 random=2 seconds=3 LINES=4 a",
  ])("%j has none", (line) => {
    expect(readable(line).hazards.map(({ text }) => text)).toEqual([]);
  });

  test.each(
    "PATH LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV IFS PS4 SHELLOPTS BASHOPTS PROMPT_COMMAND CDPATH HOME SHELL EDITOR VISUAL GIT_EDITOR PAGER GIT_DIR GIT_CONFIG_COUNT GIT_SSH_COMMAND SSH_ASKPASS NODE_OPTIONS NODE_PATH npm_config_script_shell NPM_CONFIG_PREFIX PYTHONPATH PYTHONSTARTUP PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS _JAVA_OPTIONS LESSOPEN MAKEFLAGS MANPAGER http_proxy HTTPS_PROXY ALL_PROXY XDG_CONFIG_HOME RUSTC_WRAPPER GOFLAGS CC CLASSPATH TAR_OPTIONS RSYNC_RSH BROWSER TERMINFO RANDOM SRANDOM SECONDS HISTCMD OPTIND LINENO EPOCHSECONDS BASH_CMDS BASH_ALIASES BASHPID DIRSTACK FUNCNAME GROUPS COMP_WORDS PS0 POSIXLY_CORRECT".split(
      " ",
    ),
  )("%s makes programs do something else", (name) => {
    expect(readable(`${name}=x a`).hazards.map(({ text }) => text)).toEqual([`"${name}" ${SET}`]);
  });
});

describe("what can't be read says why", () => {
  const nested = (opening: string, times: number, closing: string) =>
    `${opening.repeat(times)}a${closing.repeat(times)}`;

  test.each([
    ["an open quote", "a 'b", /^it can't be parsed: "/],
    ["an open substitution", "echo $(", /^it can't be parsed: "/],
    ["a stray parenthesis", "a )", /^it can't be parsed: "/],
    ["a broken script in a word", "sh -c 'a \"'", /^it can't be parsed: "/],
    ["a broken script in a substitution", "a $(if)", /^it can't be parsed: "/],
    ["a NUL", "a\0", /^it has a control character in it$/],
    ["a carriage return", "a\rb", /^it has a control character in it$/],
    ["a terminal's escape", "a\x1b[2J", /^it has a control character in it$/],
    ["more than the kernel takes", `a ${"b".repeat(128 * 1024)}`, /^it is too long$/],
    ["more than a thousand commands", "a;".repeat(1001), /^it has too many commands$/],
    ["more than a thousand that others run", "env ".repeat(1002), /^it has too many commands$/],
    ["more than a thousand that could be one", `env -S ${"a ".repeat(1001)}`, /^it has too many commands$/],
    [
      "a long one that many others run",
      `${"env ".repeat(20)}${"a".repeat(100_000)}`,
      /^it has too many commands$/,
    ],
    ["braces without end", "{a,".repeat(1001), /^it has too many braces$/],
    ["brackets without end", "$[".repeat(200), /^it has too many braces$/],
    ["deep substitutions", nested("$(", 100, ")"), /^it is nested too deep$/],
    ["deep subshells", nested("( ", 200, ")"), /^it is nested too deep$/],
    [
      "a deep script in a deep line",
      nested("( ", 50, ")").replace("a", `sh -c '${nested("( ", 50, ")")}'`),
      /deep$/,
    ],
    ["deeper than the parser goes", "$( ".repeat(40_000), /^it can't be parsed|deep$/],
  ])("%s", (_, line, fault) => {
    expect(faultOf(line)).toMatch(fault);
  });

  test("and what is just within the limits is read", () => {
    expect(commandsOf("a;".repeat(1000))).toHaveLength(1000);
    expect(commandsOf(nested("( ", 50, ")"))).toEqual(["a"]);
    expect(commandsOf(nested("$(", 25, ")"))).toContain("a");
    expect(commandsOf(`a ${"b".repeat(128 * 1024 - 2)}`)).toHaveLength(1);
  });
});

describe("whatever the line", () => {
  const PIECES =
    "a|b| |;|\n|&|&&|(|)|{ |; }|$(|`|\"|'|\\|#|<(|$((|))|<<E\n|\nE\n|<<<|> o|2>&1|if |; then |; fi|for x in y; do |; done|case a in a) |;; esac|!|!(|@(|time |$x|${x:-|}|$'|[[ |]]|((|x=|x=(|*|{a,b}|eval |env |\\\n|-c |sh |xargs |find |-exec |~|$[|]|coproc |f() |\t|é|\u2028".split(
      "|",
    );
  const lines = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom(...PIECES, "|"), { maxLength: 30 }).map((pieces) => pieces.join("")),
  );

  test("it is read or it says why, and nothing is thrown", () => {
    assertProperty(
      fc.property(lines, (line) => {
        const read = readCommandLine(line);
        expect(read.line).toBe(line);
        if (read.readable) expect(read.commands.every(({ words }) => words.length > 0)).toBe(true);
        else expect(read.fault).toMatch(/^[^\p{C}]+$/u);
      }),
      { numRuns: 2000 },
    );
  });

  const quoted = (script: string) => `'${script.replaceAll("'", "'\\''")}'`;
  const POSITIONS: readonly ((command: string) => string)[] = [
    (command) => `y; ${command}`,
    (command) => `{ ${command}\n} | y`,
    (command) => `y && { ${command}\n} &`,
    (command) => `( ${command}\n)`,
    (command) => `{ ${command}\n}`,
    (command) => `! { ${command}\n}`,
    (command) => `y $( ${command}\n)`,
    (command) => `y "$( ${command}\n)"`,
    (command) => `y <( ${command}\n)`,
    (command) => `y > $( ${command}\n)`,
    (command) => `y "\${z:-$( ${command}\n)}"`,
    (command) => `z=$( ${command}\n)`,
    (command) => `if ${command}\nthen y; fi`,
    (command) => `for z in 1; do ${command}\ndone`,
    (command) => `while y; do ${command}\ndone`,
    (command) => `case y in *) ${command}\n;; esac`,
    (command) => `f() { ${command}\n}`,
    (command) => `y <<E${command.length}\n$( ${command}\n)\nE${command.length}\n`,
    (command) => `sh -c ${quoted(command)}`,
    (command) => `eval ${quoted(command)}`,
    (command) => `env A=1 timeout 5 nice bash -c ${quoted(command)}`,
    (command) => `find . -exec sh -c ${quoted(command)} \\;`,
    (command) => `sh <<< ${quoted(command)}`,
    (command) => `trap ${quoted(command)} EXIT`,
  ];

  test("the command in it is found, in whatever it is wrapped", () => {
    const wrapped = fc.array(fc.constantFrom(...POSITIONS), { maxLength: 4 });
    assertProperty(
      fc.property(wrapped, (positions) => {
        const line = positions.reduce((inner, wrap) => wrap(inner), "hidden --now");
        expect(commandsOf(line)).toContain("hidden --now");
      }),
      { numRuns: 1000 },
    );
  });
});
