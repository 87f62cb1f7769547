/** The text as a part of a URL: "Hello World" is "hello-world". */
export function slug(text) {
  return text.toLowerCase().replace(" ", "-");
}
