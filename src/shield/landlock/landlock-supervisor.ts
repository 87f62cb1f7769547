// The program that stays outside the sandbox while a command runs under Landlock. There is no pid namespace that would
// end all processes with the first one. So the supervisor is a child subreaper: it inherits every orphan and runs until
// none is left. It kills all descendants when the command ends, and when the link to hotcell closes; the kernel closes
// the link if hotcell is killed. It reports on the link the command's pid, and at the end its exit code and signal.
export const LANDLOCK_SUPERVISOR = String.raw`
use strict;

sub fail { print STDERR "hotcell: can't watch over the command: $_[0]: $!\n"; exit 125 }

my %given;
while (defined(my $option = shift @ARGV)) {
  last if $option eq '--';
  $option =~ /^--(\w+)$/ or fail("unknown option $option");
  $given{$1} = shift @ARGV;
}

# The launcher inherits the link.
$^F = $given{link};
open(my $link, '+<&=', $given{link}) or fail('link');

my ($SET_CHILD_SUBREAPER, $PIDFD_OPEN, $NOHANG) = (36, 434, 1);
syscall($given{prctl}, $SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 or fail('orphans');
-e "/proc/$$/task/$$/children" or fail('the kernel does not list children');

# No handlers: Perl dies if more signals arrive than it can queue, and every child that stops sends one.
my @UNHEARD = qw(HUP INT QUIT TERM PIPE);
$SIG{$_} = 'IGNORE' for @UNHEARD;
$SIG{CHLD} = 'DEFAULT';

pipe(my $held, my $release) or fail('pipe');
my $child = fork // fail('fork');
if ($child == 0) {
  $SIG{$_} = 'DEFAULT' for @UNHEARD;
  close $release;
  syscall($given{setsid});
  sysread($held, my $go, 1) or exit 125;
  exec { $ARGV[0] } @ARGV;
  fail("run $ARGV[0]");
}
close $held;
syswrite($link, "child $child\n");

# Becomes readable when the command ends.
my $ending = syscall($PIDFD_OPEN, $child, 0);
$ending >= 0 or fail('pidfd');

my $status;
# Returns -1 when no children are left.
sub reap {
  my $pid;
  while (($pid = waitpid(-1, $NOHANG)) > 0) { $status = $? if $pid == $child }
  return $pid;
}

# Reaps ended orphans at this interval.
my $REAP_SECONDS = 0.1;
until (defined $status) {
  my $ready = '';
  vec($ready, $_, 1) = 1 for $given{link}, $ending;
  my $count = select($ready, undef, undef, $REAP_SECONDS);
  reap();
  next unless $count > 0 && vec($ready, $given{link}, 1);
  sysread($link, my $go, 1) or last;
  syswrite($release, $go);
}

sub words {
  open(my $list, '<', $_[0]) or return;
  return split ' ', <$list> // '';
}

sub children {
  my ($pid) = @_;
  opendir(my $threads, "/proc/$pid/task") or return;
  return map { words("/proc/$pid/task/$_/children") } grep { /^\d/ } readdir $threads;
}

sub descendants {
  my @found = children($$);
  for (my $at = 0; $at < @found; $at++) { push @found, children($found[$at]) }
  return @found;
}

# A stopped process cannot fork. When a scan finds no new process, all descendants are stopped.
until (reap() == -1) {
  my %seen;
  while (my @new = grep { !$seen{$_}++ } descendants()) { kill STOP => @new }
  kill KILL => keys %seen;
  select(undef, undef, undef, 0.001);
}
syswrite($link, sprintf("ended %d %d\n", $status >> 8, $status & 127));
`;
