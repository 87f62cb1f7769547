// Model access: asks the cell's model for a summary. The tool knows neither the provider nor its key.
#include <hotcell.h>

int main(void) {
  const char *text = json_get_text(hotcell_input(), "text");
  char *request;
  size_t length;
  FILE *body = open_memstream(&request, &length);
  fputs("{\"system\":\"Summarize the user's text in one sentence.\",\"maxTokens\":200,", body);
  fputs("\"messages\":[{\"role\":\"user\",\"content\":", body);
  json_write(body, text);
  fputs("}]}", body);
  fclose(body);

  fputs("{\"summary\":", stdout);
  json_write(stdout, json_get_text(hotcell_call("model.chat", request), "content"));
  fputs("}", stdout);
  return 0;
}
