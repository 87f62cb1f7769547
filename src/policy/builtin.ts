/**
 * Commands that are denied unless a configured rule allows them, whatever the trust level: what harms the
 * machine or reaches the network from a shell. It shows intent; the shield is what holds.
 */
export const BLOCKED_COMMANDS: readonly string[] = [
  "sudo *",
  "rm -rf /*",
  "rm -rf ~*",
  "* rm -rf /*",
  "* rm -rf ~*",
  "shutdown *",
  "reboot *",
  "format *",
  "mkfs *",
  "mkfs.*",
  "dd *",
  "chmod 777*",
  "curl *",
  "wget *",
  "nc *",
  "netcat *",
];
