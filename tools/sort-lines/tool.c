// Workspace read and write: sorts the lines of a file. C's own functions reach the project at /workspace.
#include <errno.h>
#include <hotcell.h>

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static FILE *open_file(const char *path, const char *mode) {
  FILE *file = fopen(path, mode);
  if (!file) hotcell_fail(path, strerror(errno));
  return file;
}

int main(void) {
  const char *name = json_get_text(hotcell_input(), "path");
  char *path = hotcell_alloc(NULL, strlen(name) + sizeof "/workspace/");
  sprintf(path, "/workspace/%s", name);

  FILE *file = open_file(path, "r");
  char *text = hotcell_read_all(file);
  fclose(file);

  size_t count = 0;
  char **lines = NULL;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    lines = hotcell_alloc(lines, (count + 1) * sizeof *lines);
    lines[count++] = line;
  }
  if (count > 0) qsort(lines, count, sizeof *lines, compare);

  file = open_file(path, "w");
  for (size_t at = 0; at < count; at++) fprintf(file, "%s\n", lines[at]);
  if (fclose(file)) hotcell_fail(path, strerror(errno));

  fputs("{\"path\":", stdout);
  json_write(stdout, name);
  printf(",\"lines\":%zu}", count);
  return 0;
}
