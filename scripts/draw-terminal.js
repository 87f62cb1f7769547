// Draws lines of a terminal, with their escapes for colours, as SVG.

const FONT = { size: 14, width: 8.43, line: 20 };
const MARGIN = { side: 20, top: 52, bottom: 16 };
const NAMED = { 31: "red", 32: "green", 36: "cyan" };
const BASIC = ["#484f58", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76d9e6", "#d4d7dd"];
const BRIGHT = ["#6e7681", "#ffa198", "#56d364", "#f2cc60", "#a5d6ff", "#e2c5ff", "#b3f0ff", "#ffffff"];
const PLAIN = { text: "#d4d7dd", ground: "#161b22" };

export const prompt = (command) => `\u001b[32m$ \u001b[0m\u001b[1m${command}\u001b[0m`;

export function drawTerminal(lines, title) {
  const rows = rowsOf(lines);
  const columns = Math.max(...rows.map(lengthOf));
  const width = Math.ceil(columns * FONT.width) + 2 * MARGIN.side;
  const height = MARGIN.top + rows.length * FONT.line + MARGIN.bottom;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<style>
text { font: ${FONT.size}px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: ${PLAIN.text}; white-space: pre }
.bold { font-weight: bold; fill: #ffffff } .red { fill: #ff7b72 } .green { fill: #7ee787 } .cyan { fill: #76d9e6 }
</style>
<rect width="${width}" height="${height}" rx="10" fill="${PLAIN.ground}"/>
<circle cx="24" cy="22" r="6" fill="#ff5f57"/><circle cx="44" cy="22" r="6" fill="#febc2e"/><circle cx="64" cy="22" r="6" fill="#28c840"/>
${rows.map(drawRow).join("\n")}
</svg>
`;
}

/** Pieces of text, each in one style. A style goes on in the next line. */
function rowsOf(lines) {
  let style = {};
  return lines.map((line) => {
    const [first, ...rest] = line.split("\u001b[");
    const spans = [{ text: first, style }];
    for (const piece of rest) {
      const [, codes, text] = /^([\d;:]*)m(.*)$/s.exec(piece);
      style = changeStyle(style, codes.split(";").map(Number));
      spans.push({ text, style });
    }
    return spans.filter(({ text }) => text !== "");
  });
}

function changeStyle(before, codes) {
  const style = { ...before };
  while (codes.length > 0) {
    const code = codes.shift();
    const [part, base] = code >= 40 && code < 50 ? ["ground", 40] : ["color", 30];
    if (code === 0) for (const name of Object.keys(style)) delete style[name];
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 7) style.reverse = true;
    else if (code === 22) style.bold = style.dim = false;
    else if (code === 27) style.reverse = false;
    else if (code === 38 || code === 48) style[part] = readColor(codes);
    else if (code === 39 || code === 49) delete style[part];
    else if (code in NAMED) style.color = NAMED[code];
    else if (code >= base && code < base + 8) style[part] = BASIC[code - base];
    else if (code >= 90 && code < 98) style.color = BRIGHT[code - 90];
    else if (code >= 100 && code < 108) style.ground = BRIGHT[code - 100];
  }
  return style;
}

/** The rest of `38;5;N` or `38;2;R;G;B`. */
function readColor(codes) {
  if (codes.shift() === 2) return hex(codes.splice(0, 3));
  const index = codes.shift();
  if (index < 16) return [...BASIC, ...BRIGHT][index];
  if (index >= 232) return hex(Array(3).fill(8 + (index - 232) * 10));
  const level = (step) => (step === 0 ? 0 : 55 + step * 40);
  return hex([36, 6, 1].map((size) => level(Math.floor((index - 16) / size) % 6)));
}

const hex = (parts) => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

function drawRow(spans, index) {
  const y = MARGIN.top + (index + 0.5) * FONT.line;
  const length = (lengthOf(spans) * FONT.width).toFixed(2);
  const text = spans.map(drawSpan).join("");
  return `${drawGrounds(spans, index)}<text x="${MARGIN.side}" y="${y}" textLength="${length}" xml:space="preserve">${text}</text>`;
}

function drawGrounds(spans, index) {
  let column = 0;
  const rects = spans.map(({ text, style }) => {
    const x = (MARGIN.side + column * FONT.width).toFixed(2);
    column += lengthOf([{ text }]);
    const fill = style.reverse ? (hexOf(style.color) ?? PLAIN.text) : hexOf(style.ground);
    if (fill === undefined) return "";
    const width = (lengthOf([{ text }]) * FONT.width).toFixed(2);
    return `<rect x="${x}" y="${MARGIN.top + index * FONT.line - 4}" width="${width}" height="${FONT.line}" fill="${fill}"/>`;
  });
  return rects.join("");
}

function drawSpan({ text, style }) {
  const color = style.reverse ? (style.ground ?? PLAIN.ground) : style.color;
  const isNamed = Object.values(NAMED).includes(color);
  const classes = [style.bold && "bold", isNamed && color].filter(Boolean).join(" ");
  const attributes = [
    classes && ` class="${classes}"`,
    // A style wins over a class.
    color !== undefined && !isNamed && ` style="fill: ${color}"`,
    style.dim && ' fill-opacity="0.6"',
  ].filter(Boolean);
  return attributes.length === 0
    ? escapeXml(text)
    : `<tspan${attributes.join("")}>${escapeXml(text)}</tspan>`;
}

const hexOf = (color) => ({ red: BASIC[1], green: BASIC[2], cyan: BASIC[6] })[color] ?? color;
const lengthOf = (spans) => spans.reduce((sum, { text }) => sum + [...text].length, 0);
const escapeXml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
