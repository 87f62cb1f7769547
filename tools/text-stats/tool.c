// No capability: counts the lines, words and characters of a text.
#include <ctype.h>
#include <hotcell.h>

int main(void) {
  const char *text = json_get_text(hotcell_input(), "text");
  int lines = 0, words = 0, characters = 0, in_word = 0;
  for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
    lines += *at == '\n' || !at[1];
    words += !isspace(*at) && !in_word;
    in_word = !isspace(*at);
    characters += (*at & 0xc0) != 0x80;
  }
  printf("{\"lines\":%d,\"words\":%d,\"characters\":%d}", lines, words, characters);
  return 0;
}
