/**
 * Places in a text. litloop counts Unicode code points, JavaScript counts UTF-16 units: they part at the first
 * character outside the basic plane, and a highlight would slip by one for each of them.
 */

/** The UTF-16 index of the code point at `offset`, at most the text's length. */
export function unitIndex(text: string, offset: number): number {
  let units = 0;
  for (let points = 0; points < offset && units < text.length; points += 1) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}

export interface Parts {
  before: string;
  marked: string;
  after: string;
}

/** The text around and inside the half-open stretch [start, end) of code points. */
export function partsAround(text: string, start: number, end: number): Parts {
  const first = unitIndex(text, start);
  const last = Math.max(first, unitIndex(text, end));
  return { before: text.slice(0, first), marked: text.slice(first, last), after: text.slice(last) };
}

/**
 * Where `quote` stands in `text`, up to white space, in code points; null when it does not. The server's own offsets
 * come first: this serves texts for which it gave none.
 */
export function findQuote(text: string, quote: string): { start: number; end: number } | null {
  const words = quote.split(/\s+/u).filter(Boolean);
  if (words.length === 0) return null;
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const match = new RegExp(pattern, "u").exec(text);
  if (!match) return null;
  const start = [...text.slice(0, match.index)].length;
  return { start, end: start + [...match[0]].length };
}

/** Paragraphs of a text with the code point at which each begins. */
export function paragraphs(text: string): { start: number; text: string }[] {
  const found: { start: number; text: string }[] = [];
  let offset = 0;
  for (const piece of text.split(/(\n{2,})/u)) {
    if (piece.trim()) found.push({ start: offset, text: piece });
    offset += [...piece].length;
  }
  return found;
}
