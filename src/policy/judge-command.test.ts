import { describe, expect, test } from "vitest";
import { TRUST_LEVELS, type TrustLevel, type Verdict } from "../core/types.ts";
import { type Judged, judge } from "./judge.ts";
import { createProtection } from "./protected.ts";
import { parseRules } from "./rule.ts";

const command = (line: string, tool = "run_command"): Judged => ({
  tool,
  danger: "dangerous",
  effect: "change",
  subjects: [line],
  protection: "none",
});

const policy = (trust: TrustLevel, ...rules: string[]) => ({
  trust,
  rules: parseRules(rules.map((text) => ({ text, source: "options" }))),
});

const decide = (line: string, trust: TrustLevel, ...rules: string[]) =>
  judge(command(line), policy(trust, ...rules)).decision;

const reasonFor = (line: string, trust: TrustLevel, ...rules: string[]) =>
  judge(command(line), policy(trust, ...rules)).reason;

describe("a rule on a command line", () => {
  test.each([
    ["git push origin", "deny"],
    ["git pull", "deny"],
    ["git log", "allow"],
    ["git diff --stat", "allow"],
    ["git show", "ask"],
    ["find . -name {}", "allow"],
  ])("with braces stands for each of its choices: %s", (line, decision) => {
    const rules = ["deny run_command(git {push,pull} *)", "allow run_command({git log,git diff} *)"];
    expect(decide(line, "guided", ...rules, "allow run_command(find . -name {})")).toBe(decision);
  });

  test("with too many choices in braces is refused", () => {
    const many = `{${Array.from({ length: 33 }, (_, index) => index).join(",")}}`;
    expect(() => policy("guided", `deny run_command(git ${many})`)).toThrow(
      expect.objectContaining({ code: "POLICY_INVALID" }),
    );
  });

  test.each([
    ["git -C . push", "deny"],
    ["git -c a.b=c --git-dir=x --work-tree y -p push origin main", "deny"],
    ["/usr/bin/git --no-pager -C sub push", "deny"],
    ['git -C "$DIR" push', "deny"],
    ["git -C push log", "allow"],
    ["git log push", "allow"],
  ])("meets git's subcommand behind git's own options: %s", (line, decision) => {
    expect(decide(line, "autonomous", "deny run_command(git push *)")).toBe(decision);
  });

  test("that allows a subcommand of git does not cover options before it", () => {
    expect(decide("git -c core.pager=x log", "guided", "allow run_command(git log *)")).toBe("ask");
  });

  test.each([
    ["git push", "ask", "ask run_command"],
    ["sudo ls", "deny", "deny run_command(sudo *)"],
    ["git log", "ask", "ask run_command"],
  ])(
    "that asks and came with the project leaves the built-in deny list as it is: %s",
    (line, ...expected) => {
      const rules = parseRules([{ text: "ask run_command", source: "hotcell.config.json", ofProject: true }]);
      const { decision, rule } = judge(command(line), { trust: "autonomous", rules });
      expect([decision, rule.text]).toEqual(expected);
    },
  );

  test("000 pitfall 3: a command behind a metacharacter is not carried along by the one before it", () => {
    const lines = [
      "ls; rm x",
      "ls && rm x",
      "ls || rm x",
      "ls | rm x",
      "ls `rm x`",
      "ls $(rm x)",
      "echo hello; echo pwned",
    ];
    for (const line of lines)
      expect([line, decide(line, "guided", "allow run_command(ls *)")]).toEqual([line, "ask"]);
    for (const line of lines.slice(0, 6))
      expect(decide(line, "autonomous", "deny run_command(rm *)")).toBe("deny");
  });

  test.each([
    ["git status | head", "allow"],
    ["git status > out.txt 2>&1", "allow"],
    ["git status 2>/dev/null", "allow"],
    ['for f in *; do head "$f"; done', "allow"],
    ["nice git status", "ask"],
    ["git status; cat x", "ask"],
    ["git status > /etc/x", "ask"],
    ["git status > ../x", "ask"],
    ["git status > a/../../x", "ask"],
    ["git status > $X", "ask"],
    ["git status > ~/x", "ask"],
    ["head < /etc/passwd", "ask"],
    ["PATH=. git status", "ask"],
    ["git() { head; }", "ask"],
    ["git $((x))", "ask"],
    ["> x", "ask"],
    ["", "ask"],
  ])("as an allow covers a line only when it covers all of it: %j %s", (line, decision) => {
    expect(decide(line, "guided", "allow run_command(git *)", "allow run_command(head *)")).toBe(decision);
  });

  test("as a deny goes before an ask, and both before an allow, wherever in the line", () => {
    const rules = [
      "allow run_command(*)",
      "ask run_command(git push *)",
      "deny run_command(git push --force *)",
    ];
    expect(decide("ls; git pull", "guided", ...rules)).toBe("allow");
    expect(decide("ls; git push", "autonomous", ...rules)).toBe("ask");
    expect(decide("git push; nice git push --force", "autonomous", ...rules)).toBe("deny");
  });

  test("for the whole tool decides, whatever the line", () => {
    for (const line of ["a 'b", "$X", "PATH=. a", "sudo a"]) {
      expect(decide(line, "supervised", "allow run_command")).toBe("allow");
      expect(decide(line, "autonomous", "deny run_command")).toBe("deny");
      expect(decide(line, "autonomous", "ask *")).toBe("ask");
    }
    expect(decide("a\x1b[2J", "autonomous", "allow run_command")).toBe("ask");
  });

  test("of another tool is not about it, but one of a caller's own command tool is read the same way", () => {
    const deploy = { name: "deploy", subject: "command", danger: "dangerous" } as const;
    const rules = parseRules([{ text: "deny deploy(prod *)", source: "options" }], [deploy]);
    const call = { ...command("ls; prod eu", "deploy"), subject: "command" } as const;
    expect(judge(call, { trust: "autonomous", rules }).decision).toBe("deny");
    expect(judge(command("prod eu"), { trust: "autonomous", rules }).decision).toBe("allow");
  });

  test("for a call with several lines: one is enough to deny, all must be allowed", () => {
    const both = { ...command(""), subjects: ["ls", "git push"] };
    expect(judge(both, policy("autonomous", "deny run_command(git *)")).decision).toBe("deny");
    expect(judge(both, policy("guided", "allow run_command(ls *)")).decision).toBe("ask");
    expect(judge(both, policy("guided", "allow run_command(ls)", "allow run_command(git *)")).decision).toBe(
      "allow",
    );
  });
});

describe("what can't be known before it runs", () => {
  test.each([
    "a 'b",
    "echo $(",
    "a\x1b[2J",
    "git\0status",
    "${X}do ls",
    'sh -c "$X"',
    "eval $X",
    "g?t x",
    "env $X ls",
    "bash",
    "echo ls | bash",
    "(bash) <<< ls",
    "{ bash; } <<< ls",
    'bash <<< "$X"',
    "bash /dev/fd/3 3<<< ls",
    "source <(echo ls)",
    "compgen -W '$(ls)'",
    "chroot /",
    "su root",
  ])("asks at every trust level, though a pattern allows everything: %j", (line) => {
    for (const trust of TRUST_LEVELS) expect(decide(line, trust, "allow run_command(*)")).toBe("ask");
  });

  test("says what it is", () => {
    expect(judge(command("ls 'x"), policy("autonomous"))).toEqual({
      decision: "ask",
      rule: { text: "unknown commands", source: "built-in" },
      reason: expect.stringMatching(
        /^The command line can't be read, for it can't be parsed: ".+", so it needs approval\.$/,
      ),
    });
    expect(reasonFor("ls; ${X}do", "autonomous")).toBe(
      'The command that "${X}do" in "ls; ${X}do" runs is known only at run time, so it needs approval.',
    );
  });
});

describe("redirects are writes", () => {
  test.each<[string, string, Verdict["decision"]]>([
    ["deny write_file(gen/**)", "echo x > gen/a", "deny"],
    ["deny write_file(gen/**)", "echo x >> ./gen//a", "deny"],
    ["deny write_file(gen/**)", "echo x &> src/../gen/a", "deny"],
    ["deny write_file(gen/**)", "{ echo x; } > GEN/a", "deny"],
    ["ask write_file(gen/**)", "echo x > gen/a", "ask"],
    ["deny write_file", "echo x > $X", "deny"],
    ["deny write_file(gen/**)", "cat < gen/a", "allow"],
    ["deny write_file(gen/**)", "echo x > src/a", "allow"],
    ["deny write_file", "echo x > /dev/null 2>&1", "allow"],
    ["deny file_write(gen/**)", "echo x > gen/a", "allow"],
  ])("%s and %j: %s", (rule, line, decision) => {
    expect(decide(line, "autonomous", rule)).toBe(decision);
  });

  test("for bash the rules of its own toolset's writer count", () => {
    const judged = command("echo x > gen/a", "bash");
    expect(judge(judged, policy("autonomous", "deny file_write(gen/**)")).decision).toBe("deny");
    expect(judge(judged, policy("autonomous", "deny write_file(gen/**)")).decision).toBe("allow");
  });

  test.each([".env", ".git/hooks/pre-commit", "a/.ssh/config", "config/secrets.json"])(
    "no rule opens a protected path: %s",
    (path) => {
      const rules = ["allow run_command", "allow write_file"];
      expect(judge(command(`echo x > ${path}`), policy("autonomous", ...rules))).toEqual({
        decision: "deny",
        rule: { text: "protected paths", source: "built-in" },
        reason: `"${path}" is a protected path, and no rule allows writes to it.`,
      });
    },
  );

  test("one whose writes ask does so, and gives way to a rule", () => {
    const line = "echo x > docs/secretary.md";
    expect(judge(command(line), policy("autonomous"))).toEqual({
      decision: "ask",
      rule: { text: "protected paths", source: "built-in" },
      reason: '"docs/secretary.md" is a protected path, so a write needs approval.',
    });
    expect(decide(line, "autonomous", "allow run_command(echo *)")).toBe("allow");
  });

  test("the configured table of protected paths is the one that counts", () => {
    const protectionOf = createProtection({ allow: [".env"], secrets: ["own/**"] });
    const configured = { ...policy("autonomous"), protectionOf };
    expect(judge(command("echo x > .env"), configured).decision).toBe("allow");
    expect(judge(command("echo x > own/a"), configured).decision).toBe("deny");
  });
});

describe("the built-in deny list", () => {
  test.each([
    "sudo",
    "  sudo\tls",
    "ls; sudo ls",
    "s\\udo ls",
    "/usr/bin/sudo ls",
    "$'sudo' ls",
    "env sudo ls",
    "env - sudo ls",
    "sh -c 'sudo ls'",
    "echo $(reboot x)",
    "re''boot x",
    "busybox reboot x",
    "find . -exec reboot x 1 \\;",
    "format c:",
    "mkfs /dev/sda",
    "mkfs.ext4 /dev/sda",
    "dd if=a of=/dev/sda",
    "dd of='/dev/../dev//nvme0n1' if=a",
    "shutdown now",
    "rm -rf /",
    "rm -fr /*",
    "rm -r -f /etc",
    "rm -rf -- /",
    'rm -rf "/"',
    "rm --recursive --force /",
    "rm --rec --fo /",
    "rm x -Rf /",
    "rm -r /",
    "rm -rf //",
    "rm -rf /.",
    "rm -rf /./..//",
    "rm -rf /tmp/..",
    "rm -rf /{bin,usr}",
    "rm -rf /u*",
    "rm -rf /?*",
    "rm -rf /usr/lib",
    "rm -rf /home/*",
    "rm -rf /home/me/",
    "rm -rf --no-preserve-root /",
    "rm -rf build /",
    "nice rm -rf ~",
    "rm -rf ~/",
    "rm -rf ~/*",
    "rm -rf ~root",
    'rm -rf "$HOME"',
    'rm -rf "$HOME"/*',
    "rm -rf ${HOME}/",
    "cd / && rm -rf *",
    "cd /; rm -rf .",
    "cd -- /usr/lib && ls && rm -rf x",
    "(cd /etc; rm -rf x)",
    "cd /home/me/project; cd ../.. && rm -rf me",
    "cd ~ && rm -rf *",
    'cd "$HOME"; rm -rf ./*',
    "cd; rm -rf .",
    "sh -c 'cd / && rm -rf *'",
    "find / -delete",
    "find -L /usr /tmp/x -name x -delete",
    "find /etc -exec rm -rf {} +",
    "find / -type f -execdir /bin/rm {} \\;",
    "cd / && find -delete",
    "rm -rf ./../../../..",
    "rm -rf ..",
    "rm -rf a/../../*",
    "cd .. && rm -rf *",
    "rm -rf {/,}",
    "rm -rf {/etc,/usr}",
    "rm -rf {{build,/},x}",
    "rm {-rf,/}",
    "rm -rf {/,$x}",
    "rm -rf ${x:-/}",
    'rm -rf "${x:-/}"/*',
    "rm -rf ${x-'/'}",
    "rm -rf ${x:-${y:=/etc}}",
    "rm -rf ${HOME:-x}",
    "rm -rf {build,${x:-/}}",
    "find ${x:-/} -delete",
    "chmod 777 /tmp/x /etc",
    "chmod -R 777 /",
    "chmod -R a+rwx {/usr,x}",
    "chmod 777 ~",
    "chmod -R 777 /home/me",
    'chmod 0777 "$HOME"',
    "cd /etc && chmod 777 x",
  ])("denies %j, however much is trusted", (line) => {
    for (const trust of TRUST_LEVELS) {
      for (const tool of ["run_command", "bash"]) {
        const { decision, rule } = judge(command(line, tool), policy(trust));
        expect([decision, rule.source]).toEqual(["deny", "built-in deny list"]);
      }
    }
  });

  test.each([
    "echo 'rm -rf /'",
    "git commit -m 'sudo removed'",
    "cat <<'E'\nsudo ls\nE",
    "grep -n curl README.md",
    "command -v curl",
    "git diff",
    "echo sudoku",
    "rm -rf build",
    "rm -r /tmp/x",
    "rm -rf /tmp/foo /var/tmp/foo /dev/shm/foo",
    "rm -rf /tmp/*",
    "rm -rf /home/me/project/build",
    "rm -rf /srv/project/*.o",
    "rm -rf ~/.cache/x",
    "rm -rf ${HOME}/x",
    "rm /etc/x",
    "rm -rf .",
    "rm -rf ../dist ../../packages/*/build",
    "cd packages/a && rm -rf ../*",
    "cd /home/me/project && rm -rf *",
    "(cd /usr/lib && ls); rm -rf build",
    "echo $(cd /etc && ls); rm -rf build",
    "bash -c 'cd /etc && ls'; rm -rf build",
    "cd /usr/lib; cd -; rm -rf build",
    "cd /usr/lib; cd $OLDPWD; rm -rf build",
    "pushd /usr/lib; popd; rm -rf build",
    "find . -name '*.o' -delete",
    "find / -name x",
    "find /etc -exec grep x {} +",
    "find /tmp/x -delete",
    "dd if=/dev/zero of=disk.img bs=1M count=1",
    "dd if=a of=/dev/null",
    "mkfs.ext4 disk.img",
    "rm -rf {build,dist}",
    "rm -rf /home/me/project/{build,dist}",
    "rm -rf ~/{.cache/x,.cache/y}",
    "rm -rf ${x:-build}",
    "rm -rf ${x:?}/build",
    "rm -rf '{/,}'",
    "chmod 777 /tmp/x",
    "chmod 777 x",
    "chmod -R 0777 build",
    "chmod a+rwx /home/me/project/x",
    "curl localhost:3000",
    "curl -fsS -X POST -H 'a: b' -d '{\"a\":1}' http://127.0.0.1:8080/x?y#z",
    'curl -s "http://localhost:$PORT/health"',
    "curl --retry 3 --max-time 5 -o out http://[::1]:8080/",
    "wget -qO- http://localhost:8000/",
    "formatter x",
    "ncdu",
    "chmod 755 x",
    "ddrescue",
  ])("is about commands, not about text: %j", (line) => {
    expect(decide(line, "autonomous")).toBe("allow");
  });

  test("names what it denies, and the rule that would allow it", () => {
    expect(judge(command("ls | reboot x"), policy("guided"))).toEqual({
      decision: "deny",
      rule: { text: "deny run_command(reboot *)", source: "built-in deny list" },
      reason:
        '"reboot" in "ls | reboot x" is on the built-in deny list, and no rule allows it; to allow it add: allow run_command(reboot x)',
    });
    expect(reasonFor("rm -r -f /etc/x", "guided")).toMatch(
      /; to allow it add: allow run_command\(rm -r -f \/etc\/x\)$/,
    );
    expect(reasonFor("rm -rf /etc/*", "guided")).toMatch(/, and no rule allows it\.$/);
    expect(reasonFor("sudo ls", "guided", "allow run_command(ls)")).toMatch(
      /add: allow run_command\(sudo ls\)$/,
    );
    expect(reasonFor("rm -rf $HOME", "guided")).toBe(
      '"rm" in "rm -rf $HOME" is on the built-in deny list, and no rule allows it.',
    );
  });

  test("is beaten by an allow and by an ask for that command, also beside others", () => {
    expect(decide("reboot x", "guided", "allow run_command(reboot *)")).toBe("allow");
    expect(decide("reboot x", "guided", "ask run_command(reboot *)")).toBe("ask");
    expect(decide("reboot x | head", "guided", "allow run_command(reboot *)")).toBe("ask");
    expect(decide("reboot x | head", "autonomous", "allow run_command(reboot *)")).toBe("allow");
    expect(decide("reboot x; shutdown x", "autonomous", "allow run_command(reboot *)")).toBe("deny");
    expect(decide("reboot x", "autonomous", "allow run_command(ls *)")).toBe("deny");
  });
});

describe("the reason", () => {
  const ASKS = "run_command is dangerous and no rule allows it.";

  test.each([
    [
      "a | curly x",
      '"curly" in "a | curly x" is not covered by any rule; to allow it add: allow run_command(curly x)',
    ],
    ["nice a", '"nice" in "nice a" is not covered by any rule; to allow it add: allow run_command(nice a)'],
    [
      "git push x",
      '"git" in "git push x" is not covered by any rule; to allow it add: allow run_command(git push x)',
    ],
    ["./a x", '"./a" in "./a x" is not covered by any rule; to allow it add: allow run_command(./a x)'],
    ["'a b' x", "\"'a b'\" in \"'a b' x\" is not covered by any rule."],
    ["'a;b' x", "\"'a;b'\" in \"'a;b' x\" is not covered by any rule."],
    [
      "PATH=. a",
      'In "PATH=. a" "PATH" is set, and programs run or load the value of such a variable. No allow rule with a pattern covers that.',
    ],
    ["a > /x", 'No allow rule with a pattern covers a redirect to "/x".'],
    ["> x", "There is no command in it that a rule could allow."],
  ])("of an ask says what no rule covers, and the rule that would: %j", (line, uncovered) => {
    const rules = ["allow run_command(a *)", "allow run_command(git diff *)"];
    expect(reasonFor(line, "guided", ...rules)).toBe(`${ASKS} ${uncovered}`);
  });

  test("of a rule says what it is about", () => {
    expect(reasonFor("ls; env git push x", "guided", "deny run_command(git push *)")).toBe(
      'The rule "deny run_command(git push *)" at options denies this call. It runs "git push x".',
    );
    expect(reasonFor("ls > gen/a", "guided", "deny write_file(gen/**)")).toBe(
      'The rule "deny write_file(gen/**)" at options denies this call. It writes "gen/a".',
    );
  });

  test("has nothing in it that a terminal obeys", () => {
    for (const line of ["a\x1b[2J", "x\u202ey", "sudo \u202e"]) {
      expect(reasonFor(line, "guided")).toMatch(/^[^\p{C}]+$/u);
    }
  });
});
