// Lines that run a command which does not stand in them as one.
import { describe, expect, test } from "vitest";
import type { TrustLevel, Verdict } from "../core/types.ts";
import { judge } from "./judge.ts";
import { parseRules } from "./rule.ts";

function decide(line: string, trust: TrustLevel, ...texts: string[]): Verdict["decision"] {
  const rules = parseRules(texts.map((text) => ({ text, source: "options" })));
  const call = { tool: "run_command", danger: "dangerous", effect: "change", protection: "none" } as const;
  return judge({ ...call, subjects: [line] }, { trust, rules }).decision;
}

describe("an allow for a builtin", () => {
  const BUILTINS = "echo printf test read : export readonly set head mapfile hash trap unset wait getopts";
  const allows = BUILTINS.split(" ").map((name) => `allow run_command(${name} *)`);

  test.each([
    "SRANDOM='a[$(id)]'; echo",
    "HISTCMD='a[$(id)]'; echo",
    "RANDOM=x; echo",
    "OPTIND='a[$(id)]'; getopts a x -a",
    "for RANDOM in 'a[$(id)]'; do echo; done",
    "x='a[$(id)]'; printf -v \"$x\" 1",
    "x='a[$(id)]'; printf -v y[x] 1",
    "x='-va[$(id)]'; printf \"$x\" 1",
    "x='a[$(id)]'; read y[x] <<< 1",
    "x='a[$(id)]'; read $x <<< 1",
    "x='a[$(id)]'; : {y[x]}>f",
    "x='a[$(id)]'; test -v $x",
    'op=-v; x=\'a[$(id)]\'; test "$op" "$x"',
    "x='a[$(id)]'; [[ -v $x ]]; echo",
    "x='a[$(id)]'; y=1; unset y[x]",
    "x='-pa[$(id)]'; wait \"$x\"",
    "printf -v PS4 '$(id)'; set -x; echo",
    "printf -v BASH_CMDS[head] x; head",
    "export -a 'x=($(id))'",
    "readonly -a 'x=($(id))'",
    "readonly RANDOM='a[$(id)]'",
    "mapfile -C id -c 1 <<< x",
    "hash -p x head; head",
    "trap 'echo' DEBUG",
    "alias head=id; echo",
    "enable -f x head; head",
    "echo >&'$(id)'",
    "x='$(id)'; echo >&$x",
    "echo >&x*",
  ])("covers no line in which the shell evaluates or runs something else: %j", (line) => {
    expect(decide(line, "supervised", ...allows)).toBe("ask");
  });

  test.each([
    "x='a[$(id)]'; echo",
    'printf -v x %s "$y"',
    "read -r x y <<< 1",
    ": {x}>f",
    'test -v x; test "$x" = "$y"',
    "[[ -v x ]]; echo",
    "unset x; wait $!; hash -r",
    "export A=1; readonly B='x y'",
    "mapfile -t x <<< y",
    "for x in a; do echo; done",
    "echo >&x.log; echo 2>&1 >&-; echo >&'2'",
  ])("covers plain names: %j", (line) => {
    expect(decide(line, "supervised", ...allows)).toBe("allow");
  });
});

describe("a deny and the built-in deny list see", () => {
  test.each([
    "bash <<< 'CMD x'",
    "bash - <<< 'CMD x'",
    "bash -s y <<< 'CMD x'",
    "bash /dev/stdin <<< 'CMD x'",
    ". /dev/stdin <<< 'CMD x'",
    "bash -oc pipefail 'CMD x'",
    "bash <<E\necho \\`CMD x\\`\nE",
    "rbash -c 'CMD x'",
    "jobs -x CMD x",
    "compgen -C 'CMD x'",
    "mapfile -C 'CMD x' -c 1 y",
    "flock y CMD x",
    "flock y -c 'CMD x'",
    "taskset 1 CMD x",
    "chrt -o 0 CMD x",
    "setpriv --nnp CMD x",
    "prlimit -n10 CMD x",
    "setarch -R CMD x",
    "unshare -r CMD x",
    "chroot / CMD x",
    "nsenter -t 1 -m CMD x",
    "nsenter -t $$ -m CMD x",
    "runuser -u root CMD x",
    "su -c 'CMD x'",
    "script -qc 'CMD x' y",
    "strace -f CMD x",
    "env a-b%=1 CMD x",
    "env =1 CMD x",
    "env A=1 -b=1 CMD x",
    "env /a=1 CMD x",
  ])("the command in %j", (template) => {
    expect(decide(template.replace("CMD", "evil"), "autonomous", "deny run_command(evil *)")).toBe("deny");
    expect(decide(template.replace("CMD", "reboot"), "autonomous")).toBe("deny");
    expect(decide(template.replace("CMD", "good"), "autonomous", "deny run_command(evil *)")).not.toBe(
      "deny",
    );
  });
});

describe("where a rule denies or asks about commands, a line in which the shell evaluates text again asks", () => {
  const LINES = [
    "[ -v 'a[$(id)]' ]",
    "test -v 'a[$(id)]'",
    "[[ 'a[$(id)]' -eq 0 ]]",
    "[[ -v 'a[$(id)]' ]]",
    "y='a[$(id)]'; echo $((y))",
    "y='a[$(id)]'; ((y))",
    "y='a[$(id)]'; for ((; y < 0;)); do :; done",
    "y='a[$(id)]'; echo $[y]",
    "y='a[$(id)]'; echo ${z:y}",
    "y='a[$(id)]'; echo ${z[y]}",
    "y='a[$(id)]'; z[y]=1",
    "y='a[$(id)]'; z=([y]=1)",
    "y='a[$(id)]'; echo ${!y}",
    "x='$(id)'; echo ${x@P}",
    "printf -v 'a[$(id)]' x",
    "read 'a[$(id)]' <<< x",
    "let 'a[$(id)]=1'",
    "declare -n r='a[$(id)]'; echo $r",
    "declare -i r='a[$(id)]'",
    "local -i r='a[$(id)]'",
    "export -i r",
    "unset 'a[$(id)]'",
    "PS4='$(id)'; set -x; echo",
    "PS4='$(id)' bash -xc echo",
    "RANDOM='a[$(id)]'",
    "builtin test -v 'a[$(id)]'",
    "shopt -s expand_aliases\nalias x=id\nx",
    "echo >&'$(id)'",
    "echo >&'`id`'",
    "echo >&'>(id)'",
    'echo 1>&"\\$(id)"',
    "echo 01>&'$(id)'",
    "echo >&\\$\\(id\\)",
    "echo >&$'\\x24(id)'",
    "echo >&'x$((a[$(id)]))'",
    "x='$(id)'; echo >&$x",
    "x='$(id)'; { echo; } >&\"$x\"",
    "HOME='$(id)'; echo >&~",
    "echo >&'\"gen\"/x'",
    "env 'BASH_FUNC_ls%%=() { id; }' bash -c ls",
    "nice env -i A=1 'BASH_FUNC_ls%%=() { id; }' bash x.sh",
  ];

  test.each(LINES)("%j", (line) => {
    for (const trust of ["guided", "autonomous"] as const) {
      for (const rule of ["deny run_command(id *)", "ask run_command(id *)", "deny write_file(gen/**)"])
        expect(decide(line, trust, rule)).toBe("ask");
      expect(decide(line, trust, "deny run_command(id *)", "allow run_command")).toBe("ask");
    }
  });

  test("unless the built-in deny list denies it", () => {
    expect(decide("sudo ls $((y))", "autonomous", "deny run_command(id *)")).toBe("deny");
  });

  test("and says why", () => {
    const rules = parseRules([{ text: "deny run_command(id *)", source: "options" }]);
    const call = { tool: "run_command", danger: "dangerous", effect: "change", protection: "none" } as const;
    const line = "y='a[$(id)]'; echo $((y))";
    expect(judge({ ...call, subjects: [line] }, { trust: "autonomous", rules })).toEqual({
      decision: "ask",
      rule: { text: "unknown commands", source: "built-in" },
      reason:
        'hotcell cannot know what the line runs, because the shell evaluates the value of a variable in "y", so it needs approval.',
    });
  });

  test.each<readonly [string, string]>([
    ...LINES.map((line) => [line, "allow run_command"] as const),
    ["env my-var=1 org.gradle.x=2 =3 make", "deny run_command(id *)"],
    ["f() { ls; }; f", "deny run_command(id *)"],
    ["PATH=. NODE_OPTIONS=x npm test", "deny run_command(id *)"],
    ["trap 'rm x' EXIT; echo", "deny run_command(id *)"],
    ["for x in a b; do echo $x; done", "deny run_command(id *)"],
    ['[ "$x" = y ] && test -f x', "deny run_command(id *)"],
    ["echo >&x; echo 1>&2 >&- 2>&$x >$x 3>&'$x' &>$x", "deny run_command(id *)"],
  ])("otherwise not: %j under %s", (line, rule) => {
    expect(decide(line, "autonomous", rule)).toBe("allow");
  });
});
