// For wasm tools in C: the input, JSON texts and numbers, and hotcell's host calls. `hotcell tool build` finds this file.
#ifndef HOTCELL_H
#define HOTCELL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((import_module("hotcell"), import_name("call"))) int32_t hotcell_import(
    const char *method, int32_t method_length, const char *request, int32_t request_length, char *reply,
    int32_t reply_size);

static inline void *hotcell_alloc(void *old, size_t size) {
  void *memory = realloc(old, size);
  if (memory) return memory;
  fputs("the memory is full\n", stderr);
  exit(1);
}

/** Ends the tool with a message. */
static inline _Noreturn void hotcell_fail(const char *what, const char *why) {
  fprintf(stderr, "%s%s%s\n", what, why ? ": " : "", why ? why : "");
  exit(1);
}

/** All of a stream, with a NUL behind it. */
static inline char *hotcell_read_all(FILE *stream) {
  size_t length = 0, size = 4096;
  char *text = hotcell_alloc(NULL, size);
  for (size_t count; (count = fread(text + length, 1, size - length - 1, stream)) > 0;) {
    length += count;
    if (size - length < 2) text = hotcell_alloc(text, size *= 2);
  }
  text[length] = 0;
  return text;
}

/** The input of the call: one JSON object. */
static inline char *hotcell_input(void) { return hotcell_read_all(stdin); }

static inline const char *json_skip_space(const char *at) { return at + strspn(at, " \t\r\n"); }

/** Behind a JSON value. The text must be JSON, as the input and every reply are. */
static inline const char *json_skip(const char *at) {
  int depth = 0;
  for (at = json_skip_space(at); *at; at++) {
    if (*at == '"') {
      for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
      if (!*at) return at;
    } else if (*at == '{' || *at == '[') {
      depth++;
    } else if (*at == '}' || *at == ']') {
      if (depth-- == 0) return at;
    } else if (depth == 0 && strchr(", \t\r\n:", *at)) {
      return at;
    }
    if (depth == 0 && strchr("\"}]", *at)) return at + 1;
  }
  return at;
}

/** The value of a key of a JSON object, where it begins; NULL if the object has no such key. */
static inline const char *json_member(const char *object, const char *key) {
  const char *at = json_skip_space(object);
  if (*at != '{') return NULL;
  at = json_skip_space(at + 1);
  while (*at == '"') {
    const char *end = json_skip(at);
    int is_key = (size_t)(end - at) == strlen(key) + 2 && !strncmp(at + 1, key, strlen(key));
    at = json_skip_space(end);
    if (*at != ':') return NULL;
    at = json_skip_space(at + 1);
    if (is_key) return at;
    at = json_skip_space(json_skip(at));
    if (*at == ',') at = json_skip_space(at + 1);
  }
  return NULL;
}

static inline char *json_put_utf8(char *to, uint32_t code) {
  if (code < 0x80) {
    *to++ = (char)code;
  } else if (code < 0x800) {
    *to++ = (char)(0xc0 | code >> 6);
    *to++ = (char)(0x80 | (code & 63));
  } else if (code < 0x10000) {
    *to++ = (char)(0xe0 | code >> 12);
    *to++ = (char)(0x80 | (code >> 6 & 63));
    *to++ = (char)(0x80 | (code & 63));
  } else {
    *to++ = (char)(0xf0 | code >> 18);
    *to++ = (char)(0x80 | (code >> 12 & 63));
    *to++ = (char)(0x80 | (code >> 6 & 63));
    *to++ = (char)(0x80 | (code & 63));
  }
  return to;
}

static inline uint32_t json_hex(const char *at) {
  char digits[5] = {0};
  strncpy(digits, at, 4);
  return (uint32_t)strtoul(digits, NULL, 16);
}

/** A JSON text in UTF-8, without its quotes and escapes; NULL if the value is no text. */
static inline char *json_text(const char *value) {
  if (!value || *value != '"') return NULL;
  const char *end = json_skip(value);
  char *text = hotcell_alloc(NULL, (size_t)(end - value) + 1), *to = text;
  for (const char *at = value + 1; at < end - 1; at++) {
    if (*at != '\\') {
      *to++ = *at;
      continue;
    }
    const char *plain = "\"\\/bfnrt", *found = strchr(plain, *++at);
    if (*at != 'u') {
      *to++ = found ? "\"\\/\b\f\n\r\t"[found - plain] : *at;
      continue;
    }
    uint32_t code = json_hex(at + 1);
    at += 4;
    if (code >= 0xd800 && code < 0xdc00 && at[1] == '\\' && at[2] == 'u') {
      code = 0x10000 + ((code - 0xd800) << 10) + (json_hex(at + 3) - 0xdc00);
      at += 6;
    }
    to = json_put_utf8(to, code);
  }
  *to = 0;
  return text;
}

/** The text of a key of an object. Ends the tool if there is none. */
static inline char *json_get_text(const char *object, const char *key) {
  char *text = json_text(json_member(object, key));
  if (!text) hotcell_fail("there is no text", key);
  return text;
}

/** Writes a text as JSON, with quotes. */
static inline void json_write(FILE *to, const char *text) {
  putc('"', to);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fprintf(to, "\\%c", *text);
    else if ((unsigned char)*text < 0x20) fprintf(to, "\\u%04x", (unsigned char)*text);
    else putc(*text, to);
  }
  putc('"', to);
}

/** The result of a host call, as JSON. Ends the tool with hotcell's message if the call fails. */
static inline char *hotcell_call(const char *method, const char *request) {
  int32_t size = 4096;
  char *reply = hotcell_alloc(NULL, (size_t)size + 1);
  int32_t length =
      hotcell_import(method, (int32_t)strlen(method), request, (int32_t)strlen(request), reply, size);
  if (length > size) {
    // The reply was too long for the buffer: a call without a name gives the same reply again.
    reply = hotcell_alloc(reply, (size_t)length + 1);
    hotcell_import("", 0, "", 0, reply, length);
  }
  reply[length] = 0;
  const char *error = json_member(reply, "error");
  if (error) hotcell_fail(method, json_text(json_member(error, "message")));
  const char *result = json_member(reply, "result");
  return result ? (char *)result : reply;
}

#endif
