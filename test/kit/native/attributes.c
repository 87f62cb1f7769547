// Sets an extended attribute of a file or directory, or prints the names of all of them.
// Usage: attributes FILE [NAME VALUE]
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>

int main(int count, char **words) {
  if (count == 4) return setxattr(words[1], words[2], words[3], strlen(words[3]), 0) != 0;
  if (count != 2) return 2;
  char names[4096];
  ssize_t length = listxattr(words[1], names, sizeof names);
  for (ssize_t at = 0; at < length; at += strlen(names + at) + 1) puts(names + at);
  return length < 0;
}
