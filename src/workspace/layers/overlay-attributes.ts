// The extended attributes that tell overlayfs how a directory of a layer combines with lower ones. Node can neither
// read nor set them; perl can make any system call.
import { spawn } from "node:child_process";
import { HotcellError } from "../../core/errors.ts";
import { HELPER_OPTIONS } from "../fs/helper-environment.ts";
import { osPath } from "../fs/names.ts";

/**
 * The orders that perl executes one after the other. `layer` goes to a layer's directory by its path, `enter` into a
 * directory by its name, `leave` out again. In the current directory, `ask` tells whether it is opaque (hides lower
 * directories), `opaque` makes it opaque, `merged` marks it as merged with lower ones, and `chmod` sets its mode at
 * last, because attributes cannot be set in a read-only directory. Without the `merged` mark overlayfs lists the
 * whiteouts in a directory as unreadable names once there is no lower one. Others may change a layer meanwhile: no
 * link is followed, and a vanished directory is not opaque.
 */
export type AttributeOrder =
  | [order: "layer" | "enter" | "chmod", argument: string]
  | [order: "leave" | "ask" | "opaque" | "merged"];

const SCRIPT = String.raw`
use Fcntl;
my ($get, $set, $prefix) = @ARGV;
my ($here, $opaque) = (".", $prefix . "opaque");
my %values = (opaque => [$opaque, "y"], merged => [$prefix . "origin", ""]);
my ($lost, @above) = (0); # how deep in a directory that has vanished; the directories above this one
$/ = "\0";
sub word { my $word = <STDIN>; chomp $word; return $word }
sub identity { my ($dev, $ino) = stat "."; return "$dev:$ino" }
sub enter {
  my ($name) = @_;
  my $from = identity();
  sysopen(my $dir, $name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) or return 0;
  chdir $dir or return 0;
  push @above, $from;
}
until (eof STDIN) {
  my $order = word();
  if ($order eq "layer") { my $to = word(); chdir $to or die "$to: $!\n" }
  elsif ($order eq "enter") { my $to = word(); $lost++ if $lost || !enter($to) }
  elsif ($order eq "leave") {
    if ($lost) { $lost--; next }
    chdir ".." or die "..: $!\n";
    identity() eq pop @above or exit 3;
  } elsif ($order eq "ask") {
    my $value = " ";
    my $size = $lost ? 0 : syscall($get + 0, $here, $opaque, $value, 1);
    print $size == 1 && $value eq "y" ? "y" : "n";
  } else {
    die "a directory has vanished\n" if $lost;
    if ($order eq "chmod") { chmod oct(word()), "." or die "chmod: $!\n"; next }
    my ($name, $value) = @{$values{$order}};
    syscall($set + 0, $here, $name, $value, length $value, 0) == 0 or die "$!\n";
  }
}`;

/** Exit code: a directory was moved away. */
const MOVED = 3;

/** System call numbers of lgetxattr and lsetxattr. */
const CALLS: Partial<Record<NodeJS.Architecture, readonly [number, number]>> = {
  x64: [192, 189],
  arm64: [9, 6],
};

/** Returns the answer to each `ask`, in order. */
export async function overlayAttributes(orders: readonly AttributeOrder[]): Promise<boolean[]> {
  if (!orders.some(([order]) => !["layer", "enter", "leave"].includes(order))) return [];
  const calls = CALLS[process.arch] ?? [];
  const prefix = process.getuid?.() === 0 ? "trusted.overlay." : "user.overlay.";
  const perl = spawn("perl", ["-e", SCRIPT, ...calls.map(String), prefix], HELPER_OPTIONS);
  let [answers, said] = ["", ""];
  perl.stdout.on("data", (chunk) => {
    answers += chunk;
  });
  perl.stderr.on("data", (chunk) => {
    said += chunk;
  });
  perl.stdin.on("error", () => {});
  perl.stdin.end(osPath(orders.map((words) => `${words.join("\0")}\0`).join("")));
  const code = await new Promise<number | null>((resolve) => {
    perl.on("error", ({ message }) => {
      said ||= `${message}; install perl`;
      resolve(null);
    });
    perl.on("close", resolve);
  });
  if (code === MOVED) {
    const message = "A directory of a layer moved during the read. Try again.";
    throw new HotcellError("EXECUTION_ERROR", message);
  }
  if (code === 0) return Array.from(answers, (answer) => answer === "y");
  throw new HotcellError("NOT_SUPPORTED", `Could not rewrite a layer of the session: ${said.trim()}.`);
}
